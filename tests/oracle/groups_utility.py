"""Slow, obvious twins of measures of groups: supports, possible originals, KL divergence, association error.

A group is `{"records": [[terms, count], ...], "sensitive": {term: count}}`. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import log
from typing import Any

Group = dict[str, Any]
World = tuple[frozenset[str], ...]


def publish(groups: list[list[set[str]]], sensitive: set[str]) -> list[Group]:
    """Return what is published of groups of records."""
    return [
        {
            "records": [
                [sorted(terms), count]
                for terms, count in sorted(Counter(frozenset(r - sensitive) for r in group).items(), key=_by_terms)
            ],
            "sensitive": dict(sorted(Counter(t for record in group for t in record & sensitive).items())),
        }
        for group in groups
    ]


def _by_terms(counted: tuple[frozenset[str], int]) -> list[str]:
    return sorted(counted[0])


def rows_of(group: Group) -> list[frozenset[str]]:
    """Return the ordinary items of each record."""
    return [frozenset(terms) for terms, count in group["records"] for _ in range(count)]


def placements_of(group: Group) -> Iterator[list[frozenset[str]]]:
    """Yield the group's records for every placement of its sensitive items, empty records or not."""
    rows = rows_of(group)
    choices = [list(combinations(range(len(rows)), count)) for count in group["sensitive"].values()]
    for chosen in product(*choices):
        held = dict(zip(group["sensitive"], chosen, strict=True))
        yield [row | {t for t, where in held.items() if at in where} for at, row in enumerate(rows)]


def worlds_of(group: Group) -> set[World]:
    """Return every possible original of a group, as a sorted bag of records."""
    return {tuple(sorted(placed, key=sorted)) for placed in placements_of(group) if all(record for record in placed)}


def holders(records: Any, itemset: set[str]) -> int:
    """Count the records that contain the itemset."""
    return sum(itemset <= record for record in records)


def bounds_over_worlds(groups: list[Group], itemset: set[str]) -> tuple[int, int]:
    """Return the least and the largest support that any possible original has."""
    found = [[holders(world, itemset) for world in worlds_of(group)] for group in groups]
    return sum(map(min, found)), sum(map(max, found))


def mean_over_placements(groups: list[Group], itemset: set[str]) -> Fraction:
    """Return the mean support over all placements of the sensitive items, empty records allowed.

    Where that is outside the bounds of a group, the nearest bound is taken: it is nearer to every possible original.
    """
    total = Fraction(0)
    for group in groups:
        found = [holders(placed, itemset) for placed in placements_of(group)]
        least, most = bounds_over_worlds([group], itemset)
        total += max(Fraction(least), min(Fraction(most), Fraction(sum(found), len(found))))
    return total


def examine(groups: list[Group], itemset: set[str], sensitive: set[str]) -> dict[str, Any]:
    """Return lower bound, estimate and upper bound by the formulas on the page."""
    hidden, shown = itemset & sensitive, itemset - sensitive
    answer: dict[str, Any] = {"seen": 0, "estimate": Fraction(0), "at_most": 0}
    for group in groups:
        rows = rows_of(group)
        size, b = len(rows), holders(rows, shown)
        counts = [group["sensitive"].get(term, 0) for term in hidden]
        spare = sum(group["sensitive"].values()) - rows.count(frozenset())
        estimate = spread_evenly(group, shown, hidden)
        lower = max(0, b + sum(counts) - len(counts) * size) if all(counts) else 0
        upper = min([b, *counts])
        parts = len(counts) + bool(shown)
        upper = min(upper, spare // (parts - 1)) if parts > 1 and upper else upper
        answer["seen"] += lower
        answer["estimate"] += max(Fraction(lower), min(Fraction(upper), estimate))
        answer["at_most"] += upper
    return answer


def spread_evenly(group: Group, shown: set[str], hidden: set[str]) -> Fraction:
    """Return how many records are expected to have all items if the sensitive ones are handed out by chance."""
    rows = rows_of(group)
    expected = Fraction(holders(rows, shown))
    for term in hidden:
        expected *= Fraction(group["sensitive"].get(term, 0), len(rows))
    return expected


def divergence(groups: list[list[set[str]]], sensitive: set[str], item: str, ordinary: list[str]) -> float:
    """Return C.5's divergence for one query, from the groups of original records."""

    def cell(record: set[str]) -> tuple[bool, ...]:
        return tuple(term in record for term in ordinary)

    having = [record for group in groups for record in group if item in record]
    actual = Counter(cell(record) for record in having)
    estimated: dict[tuple[bool, ...], Fraction] = {}
    for group in groups:
        share = Fraction(sum(item in record for record in group), len(group))
        for record in group:
            estimated[cell(record)] = estimated.get(cell(record), Fraction(0)) + share
    return sum(Fraction(n, len(having)) * log(n / estimated[c]) for c, n in actual.items())


def association_error(groups: list[list[set[str]]], sensitive: set[str]) -> Fraction:
    """Return sum |expected - support| / sum support over all pairs of a sensitive and an ordinary item."""
    records = [record for group in groups for record in group]
    terms = set().union(*records)
    published, wrong, true = publish(groups, sensitive), Fraction(0), 0
    for pair in product(sorted(terms & sensitive), sorted(terms - sensitive)):
        support = holders(records, set(pair))
        wrong += abs(sum(spread_evenly(group, {pair[1]}, {pair[0]}) for group in published) - support)
        true += support
    return wrong / true if true else Fraction(0)
