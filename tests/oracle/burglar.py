"""What an attacker learns from published data, by listing all possible originals. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, product
from math import prod

from oracle.reconstruction import Dataset, Record, Tree, chunks_of, leaf_paths, reconstructions_of_tree

Options = list[tuple[Record, Fraction]]  # what a part of a record may have, and the chance of it


def worlds_of(trees: list[Tree]) -> list[set[Dataset]]:
    """Return for every tree all that it can come from."""
    return [reconstructions_of_tree(tree) for tree in trees]


def records_of(worlds: list[set[Dataset]]) -> set[tuple[str, ...]]:
    """Return the different records of all possible originals."""
    return set().union(*(dataset for tree in worlds for dataset in tree))


def _holders(seen: set[tuple[str, ...]], known: Record) -> set[tuple[str, ...]]:
    return {record for record in seen if known <= frozenset(record)}


def fewest_and_most(
    worlds: list[set[Dataset]], known: Record, seen: set[tuple[str, ...]] | None = None
) -> tuple[int, int]:
    """Return in how many records the known terms are, at least and at most; `seen` are the records of all worlds."""
    holders = _holders(records_of(worlds) if seen is None else seen, known)
    counts = [[sum(map(holders.__contains__, dataset)) for dataset in tree] for tree in worlds]
    return sum(map(min, counts)), sum(map(max, counts))


def sure(worlds: list[set[Dataset]], known: Record, seen: set[tuple[str, ...]] | None = None) -> Record:
    """Return what every record with the known terms has, in every possible original; `seen` are their records."""
    holders = _holders(records_of(worlds) if seen is None else seen, known)
    return frozenset.intersection(*map(frozenset, holders)) - known if holders else frozenset()


def surely_told(
    worlds: list[set[Dataset]], records: Iterable[Record], most: int, seen: set[tuple[str, ...]] | None = None
) -> int:
    """Count the records of which up to `most` terms certainly reveal another; `seen` are the records of all worlds."""
    seen = records_of(worlds) if seen is None else seen
    return sum(
        any(sure(worlds, frozenset(x), seen) for n in range(1, most + 1) for x in combinations(sorted(record), n))
        for record in records
    )


def breaks_by_known_records(worlds: set[Dataset], k: int, m: int, known: int) -> bool:
    """Return whether some known records leave a set of up to m terms of another record with fewer than k candidates."""
    left: dict[Dataset, list[Dataset]] = {}
    for dataset in worlds:
        for chosen in set(combinations(dataset, known)):
            rest = Counter(dataset) - Counter(chosen)
            left.setdefault(chosen, []).append(tuple(sorted(rest.elements())))
    return any(0 < most < k for rests in left.values() for most in _most(rests, m).values())


def _most(datasets: list[Dataset], m: int) -> Counter[frozenset[str]]:
    """Return for every set of up to m terms in how many records it is, at most."""
    most: Counter[frozenset[str]] = Counter()
    for dataset in datasets:
        most |= Counter(
            frozenset(itemset) for record in dataset for n in range(1, m + 1) for itemset in combinations(record, n)
        )
    return most


def chance_of_being_told(trees: list[Tree], most: int) -> Fraction:
    """Return the probability that up to `most` terms of a possible record reveal another with certainty.

    Every way to make a record of a leaf is tried: a subrecord or nothing of every chunk of the leaf and of what is
    above it, as many times as there are records of the chunk's node, and each term of the term chunk once in as many
    records as the leaf has. Empty records do not count.
    """
    worlds = worlds_of(trees)
    seen = records_of(worlds)
    told = there = Fraction(0)
    for path in (path for tree in trees for path in leaf_paths(tree)):
        for chosen in product(*_parts(path)):
            record = frozenset().union(*(terms for terms, _ in chosen))
            chance = path[-1]["size"] * prod(chance for _, chance in chosen)
            there += chance if record else 0
            told += chance * surely_told(worlds, [record], most, seen)
    return told / there if there else Fraction(0)


def _parts(path: tuple[Tree, ...]) -> list[Options]:
    """Return what each part of a record of the leaf at the end of a path may have."""
    chunks = [(chunk, node["size"]) for node in path for chunk in chunks_of(node)]
    rare = [({term}, Fraction(1, path[-1]["size"])) for term in path[-1]["term_chunk"]]
    return [*(_options(chunk, size) for chunk, size in chunks), *([each, (set(), 1 - each[1])] for each in rare)]


def _options(chunk: Tree, size: int) -> Options:
    rows = [(set(terms), Fraction(count, size)) for terms, count in chunk["subrecords"]]
    return [*rows, (set(), 1 - sum(chance for _, chance in rows))]
