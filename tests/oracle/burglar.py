"""What somebody learns from published data, by looking at all possible originals. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from oracle.reconstruction import Dataset, Record, Tree, reconstructions_of_tree


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


def surely_told(worlds: list[set[Dataset]], records: Iterable[Record], most: int) -> int:
    """Count the records of which up to `most` terms surely tell another."""
    seen = records_of(worlds)
    return sum(
        any(sure(worlds, frozenset(x), seen) for n in range(1, most + 1) for x in combinations(sorted(record), n))
        for record in records
    )


def breaks_by_known_records(worlds: set[Dataset], k: int, m: int, known: int) -> bool:
    """Tell whether some known records leave a set of up to m terms of another record with fewer than k candidates."""
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
