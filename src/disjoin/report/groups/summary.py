"""The lines of a summary that tell of groups."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.distribution import range_of
from disjoin.report.lettering import shorten
from disjoin.report.words import counted

NAMED = 10


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about items, groups, the privacy degree and the order of the records."""
    facts = report.statistics
    items, groups, bare = facts["items"], facts["groups"], facts["bare_records"]
    rows = [
        ("items", f"{items['ordinary']:,} ordinary, {items['sensitive']:,} sensitive"),
        ("sensitive", _named([entry["term"] for entry in facts["sensitive_items"]])),
        ("groups", f"{groups['total']:,} of {range_of(facts['group_sizes'], 'record')}" + _without(groups)),
        ("privacy degree", degree_of(facts["privacy_degree"], exactly=True)),
        ("bare records", f"{bare['records']:,} in {counted(bare['groups'], 'group')}" if bare["records"] else "none"),
    ]
    if facts["matrix"] is not None:
        rows.append(("bandwidth", _bandwidth(facts["matrix"])))
    return rows


def _named(terms: list[str]) -> str:
    """Name the first terms: a steward shall see what was hidden, and what was not."""
    named = ", ".join(shorten(legible(term), 30) for term in terms[:NAMED])
    return named + (f" and {len(terms) - NAMED:,} more" if len(terms) > NAMED else "")


def _bandwidth(matrix: dict[str, Any]) -> str:
    before, after = matrix["before"], matrix["after"]
    return (
        f"{before['bandwidth']:,.0f} before the records were ordered, {after['bandwidth']:,.0f} after; a record spans "
        f"{before['mean_spread']:,.1f} and {after['mean_spread']:,.1f} of {matrix['columns']:,} columns"
    )


def degree_of(degree: dict[str, Any] | None, *, exactly: bool = False) -> str:
    """Return the privacy degree in words, with its fraction where it is not whole.

    >>> degree_of({"exact": [10, 1], "rounded": 10.0}), degree_of({"exact": [7, 2], "rounded": 3.5}, exactly=True)
    ('10', '3.5 (7 records for 2 with the same item)')
    """
    if degree is None:
        return "no limit: nothing is sensitive" if exactly else "∞"
    size, count = degree["exact"]
    if count == 1:
        return f"{size:,}"
    return f"{degree['rounded']:,}" + (f" ({size:,} records for {count:,} with the same item)" if exactly else "")


def _without(groups: dict[str, int]) -> str:
    number = groups["without_sensitive_items"]
    return f", {number:,} without sensitive items" if number else ""
