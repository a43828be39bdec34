"""Slow twins of the measures of exposure beyond the guarantee: every set is listed."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from disjoin.model import Clusters

Chunk = list[tuple[tuple[str, ...], int]]


def exposed(chunk: Chunk, k: int, width: int) -> list[bool]:
    """Return for every subrecord whether some set of that many of its terms is in fewer than k records of the chunk."""
    supports: dict[tuple[str, ...], int] = {}
    for terms, count in chunk:
        for some in combinations(sorted(terms), width):
            supports[some] = supports.get(some, 0) + count
    return [any(supports[some] < k for some in combinations(sorted(terms), width)) for terms, _ in chunk]


def exposed_records(published: Clusters, k: int, m: int) -> Fraction:
    """Return the bound, from the roots down."""

    def at_most(node: int) -> int:
        below = sum(at_most(child) for child, parent in enumerate(published.parents) if parent == node)
        own = 0
        for chunk in published.chunks_of(node):
            own += sum(
                count for (_, count), is_exposed in zip(chunk, exposed(chunk, k, m + 1), strict=True) if is_exposed
            )
        return min(int(published.sizes[node]), below + own)

    roots = [node for node, parent in enumerate(published.parents) if parent < 0]
    return Fraction(sum(at_most(node) for node in roots), published.n_records)


def universal_terms(published: Clusters) -> Fraction:
    """Return the share of occurrences of terms that as many records of a leaf have as there are."""
    universal = whole = 0
    for node in range(len(published)):
        if node in published.parents.tolist():
            continue
        for chunk in published.chunks_of(node):
            for term in {term for terms, _ in chunk for term in terms}:
                support = sum(count for terms, count in chunk if term in terms)
                whole += support
                universal += support if support == published.sizes[node] else 0
    return Fraction(universal, whole) if whole else Fraction(0)


def weighted_pair_error(estimates: dict[frozenset[str], Fraction], records: list[set[str]]) -> Fraction:
    """Return the error over all pairs of terms."""
    terms = sorted(set().union(*records))
    off = whole = Fraction(0)
    for a, b in combinations(terms, 2):
        support = sum({a, b} <= record for record in records)
        off += abs(estimates.get(frozenset((a, b)), Fraction(0)) - support)
        whole += support
    return off / whole if whole else Fraction(0)
