"""Utility of a release: the definitions of section E.1, literally on sets. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

Tree = dict[str, Any]
Itemset = tuple[str, ...]
Weighted = list[tuple[frozenset[str], int]]  # sets, and the number of records of each


def weighted(records: Iterable[Iterable[str]]) -> Weighted:
    return [(frozenset(record), 1) for record in records]


def nodes(trees: Iterable[Tree]) -> Iterable[Tree]:
    for tree in trees:
        yield tree
        yield from nodes(tree.get("children", []))


def subrecords(trees: Iterable[Tree]) -> Weighted:
    """All subrecords of record and shared chunks, run-length coded or not."""
    found: Weighted = []
    for node in nodes(trees):
        for chunk in (*node.get("record_chunks", ()), *node.get("shared_chunks", ())):
            for entry in chunk["subrecords"]:
                coded = isinstance(entry[0], list)
                found.append((frozenset(entry[0] if coded else entry), entry[1] if coded else 1))
    return found


def support(rows: Weighted, itemset: Iterable[str]) -> int:
    wanted = frozenset(itemset)
    return sum(count for row, count in rows if wanted <= row)


def top_itemsets(rows: Weighted, top: int, apart: Collection[Itemset] = ()) -> list[Itemset]:
    """All itemsets there are without the pairs `apart`, by support, then size, then names; the first of them."""
    supports: Counter[Itemset] = Counter()
    for row, count in rows:
        for size in range(1, len(row) + 1):
            for itemset in combinations(sorted(row), size):
                supports[itemset] += count
    ranked = sorted(supports, key=lambda i: (-supports[i], len(i), i))
    return list(islice((i for i in ranked if not any(pair in apart for pair in combinations(i, 2))), top))


def tkd(original: Weighted, published: Weighted, top: int, **more: Any) -> Fraction:
    wanted, found = top_itemsets(original, top, **more), set(top_itemsets(published, top, **more))
    return Fraction(sum(itemset not in found for itemset in wanted), len(wanted))


def with_ancestors(rows: Weighted, paths: dict[str, Sequence[str]]) -> Weighted:
    """Add to every record the ancestors of its terms; `paths` lead from a term to the root, which is left out."""
    return [(frozenset(name for term in row for name in paths[term][:-1]), count) for row, count in rows]


def kin(paths: dict[str, Sequence[str]]) -> set[Itemset]:
    """All pairs of names, in order, of which one is an ancestor of the other."""
    return {pair for path in paths.values() for pair in combinations(sorted(set(path[:-1])), 2)}


def by_support(original: Weighted) -> list[str]:
    terms = {term for row, _ in original for term in row}
    return sorted(terms, key=lambda term: (-support(original, [term]), term))


def relative_error(original: Weighted, worlds: Sequence[Weighted], first: int, last: int) -> Fraction:
    """The mean over all pairs of the terms ranked first..last; supports are averaged over the worlds first."""
    errors = []
    for pair in combinations(by_support(original)[first - 1 : last], 2):
        true = Fraction(support(original, pair))
        found = Fraction(sum(support(world, pair) for world in worlds), len(worlds))
        errors.append(abs(true - found) / ((true + found) / 2) if true + found else Fraction(0))
    return sum(errors, Fraction(0)) / len(errors)


def tlost(original: Weighted, trees: list[Tree], k: int, reading: str) -> Fraction:
    """Readings: `>=`, `>`, and `any` for terms that are in some term chunk or in no chunk."""
    terms = by_support(original)
    frequent = [t for t in terms if support(original, [t]) > k or (reading != ">" and support(original, [t]) == k)]
    shown = {term for row, _ in subrecords(trees) for term in row}
    hidden = {term for node in nodes(trees) for term in node.get("term_chunk", ())}
    lost = [t for t in frequent if t not in shown or (reading == "any" and t in hidden)]
    return Fraction(len(lost), len(frequent)) if frequent else Fraction(0)


def surviving_terms(original: Weighted, trees: list[Tree]) -> Fraction:
    shown = {term for row, _ in subrecords(trees) for term in row}
    terms = by_support(original)
    return Fraction(sum(term in shown for term in terms), len(terms))


def mass_kept(original: Weighted, trees: list[Tree], size: int) -> Fraction:
    """The share of the itemsets of this size, counted in every record, that are inside subrecords."""
    whole = sum(len(list(combinations(row, size))) * count for row, count in original)
    inside = sum(len(list(combinations(row, size))) * count for row, count in subrecords(trees))
    return Fraction(inside, whole) if whole else Fraction(1)
