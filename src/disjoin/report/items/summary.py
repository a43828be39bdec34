"""The lines of a summary that tell of generalised terms."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.distribution import percent, range_of
from disjoin.report.lettering import shorten
from disjoin.report.words import counted

NAMED = 5


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about terms, categories, what records hold, supports and lengths."""
    facts = report.statistics
    rows = [
        ("hierarchy", became(facts)),
        ("in records", _in_records(facts["published"])),
        ("generalised", f"{percent(facts['occurrences']['share'])} of what the records hold are categories"),
    ]
    if facts["largest_categories"]:
        rows.append(("categories", _named(facts)))
    if facts["smallest_support"] is not None:
        rows.append(("least support", f"{counted(facts['smallest_support'], 'record')} with the same term or category"))
    return [*rows, ("record lengths", range_of(facts["record_lengths"], "term"))]


def became(facts: dict[str, Any]) -> str:
    """Say what became of the terms of the hierarchy.

    >>> became({"terms": {"total": 5, "as_themselves": 3, "generalised": 2}, "published": {"categories": 1}})
    '5 terms: 3 published as themselves, 2 generalised to 1 category'
    """
    terms, categories = facts["terms"], facts["published"]["categories"]
    words = f"{counted(terms['total'], 'term')}: {terms['as_themselves']:,} published as themselves"
    if not categories:
        return f"{words}, none generalised"
    return f"{words}, {terms['generalised']:,} generalised to {counted(categories, 'category', 'categories')}"


def _in_records(published: dict[str, int]) -> str:
    categories = published["categories_in_records"]
    terms = published["in_records"] - categories
    return f"{counted(terms, 'term')} and {counted(categories, 'category', 'categories')} occur"


def _named(facts: dict[str, Any]) -> str:
    """Name the categories that stand for most terms."""
    listed, rest = facts["largest_categories"][:NAMED], facts["published"]["categories"] - NAMED
    named = ", ".join(f"{shorten(legible(entry['category']), 30)} ({entry['terms']:,})" for entry in listed)
    what = "the terms behind the largest: " if rest > 0 else "the terms behind each: "
    return what + named + (f" and {rest:,} more" if rest > 0 else "")
