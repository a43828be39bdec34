"""The information in generalised records: sections E.1 and E.2 spelt out on sets. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from oracle.utility import Weighted, by_support, support

Paths = Mapping[str, Sequence[str]]  # from a term to the root, a name once


def cut(paths: Paths, chosen: Collection[str]) -> dict[str, str]:
    """Every term as the highest chosen node above it, else as itself: whole subtrees go together."""
    return {term: next((node for node in reversed(path) if node in chosen), term) for term, path in paths.items()}


def generalised(records: Weighted, mapping: Mapping[str, str]) -> Weighted:
    """The records as sets of what their terms are published as; equal ones together."""
    counted: Counter[frozenset[str]] = Counter()
    for record, count in records:
        counted[frozenset(mapping[term] for term in record)] += count
    return list(counted.items())


def paths_of_nodes(paths: Paths) -> dict[str, Sequence[str]]:
    """The way up from every node, not only from terms."""
    return {node: path[place:] for path in paths.values() for place, node in enumerate(path)}


def leaves(paths: Paths, node: str) -> int:
    return sum(node in path for path in paths.values())


def relative_error(
    original: Weighted, published: Weighted, mapping: Mapping[str, str], paths: Paths, ranks: tuple[int, int]
) -> Fraction:
    """The mean over all pairs of ranked terms; a node's support is spread over all pairs of terms below."""
    first, last = ranks
    errors = []
    for a, b in combinations(by_support(original)[first - 1 : last], 2):
        true = Fraction(support(original, [a, b]))
        spread = leaves(paths, mapping[a]) * leaves(paths, mapping[b])
        found = Fraction(support(published, [mapping[a], mapping[b]]), spread)
        errors.append(abs(true - found) / ((true + found) / 2) if true + found else Fraction(0))
    return sum(errors, Fraction(0)) / len(errors)


def ncp(original: Weighted, mapping: Mapping[str, str], paths: Paths) -> Fraction:
    """The mean over occurrences of the share of all leaves that the published node covers."""
    costs = {t: Fraction(leaves(paths, node), len(paths)) if node != t else Fraction(0) for t, node in mapping.items()}
    occurrences = [(term, count) for record, count in original for term in record]
    return sum((costs[term] * count for term, count in occurrences), Fraction(0)) / sum(n for _, n in occurrences)


def tlost(original: Weighted, shown: Collection[str], k: int) -> Fraction:
    """The share of the terms in at least k records that are not among those shown."""
    frequent = [term for term in by_support(original) if support(original, [term]) >= k]
    return Fraction(sum(term not in shown for term in frequent), len(frequent)) if frequent else Fraction(0)
