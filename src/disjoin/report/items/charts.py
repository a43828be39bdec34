"""Charts of a release of generalised terms."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.bars import Bar, bars
from disjoin.report.charts import Draw, Specification, histogram
from disjoin.report.distribution import percent
from disjoin.report.form import Figure, figures_from
from disjoin.report.lettering import shorten

SHOWN = 8  # categories in the chart, those that stand for most terms
_LEVELS, _LARGEST, _SUPPORTS = (
    "What terms are published as",
    "Terms behind a category",
    "Records with a term or category",
)
_NAME = 26


def figures_of(report: Report, draw: Draw) -> list[Figure]:
    """Return the charts with what to know about them."""
    notes = {_LEVELS: _about_levels(report), _LARGEST: _about_largest(report), _SUPPORTS: _about_supports(report)}
    return figures_from(charts_of(report), draw, notes)


def charts_of(report: Report) -> dict[str, Specification]:
    """Return the charts of a report by title."""
    facts = report.statistics
    charts = {
        _LEVELS: levels(facts),
        _LARGEST: largest(facts),
        _SUPPORTS: histogram(facts["supports"], "records", "terms and categories"),
        "Terms in a record": histogram(facts["record_lengths"], "terms and categories", "records"),
    }
    return {title: chart for title, chart in charts.items() if chart}


def levels(facts: dict[str, Any]) -> Specification:
    """Return which share of the terms is published at which level of the hierarchy, as bars."""
    total = facts["terms"]["total"]
    if not total:
        return {}
    top = len(facts["levels"]) - 1
    found = [
        Bar(_level(entry["level"], top), round(entry["terms"] / total, 6), f"{entry['terms']:,} of {total:,}")
        for entry in facts["levels"]
    ]
    words = ", ".join(f"{bar.name} {bar.text}" for bar in found)
    return bars(found, "share of the terms", f"Bars of the terms by the level they are published at: {words}.", until=1)


def largest(facts: dict[str, Any]) -> Specification:
    """Return the categories that stand for most terms, as bars."""
    total, listed = facts["terms"]["total"], facts["largest_categories"][:SHOWN]
    found = [Bar(e["category"], round(e["terms"] / total, 6), f"{e['terms']:,} of {total:,}") for e in listed]
    if not found:
        return {}
    words = ", ".join(f"{shorten(legible(bar.name), _NAME)} {bar.text}" for bar in found)
    return bars(found, "share of the terms", f"Bars of the terms that categories stand for: {words}.")


def _level(level: int, top: int) -> str:
    if level == 0:
        return "as themselves"
    return "as everything (the root)" if level == top else f"{level} {'step' if level == 1 else 'steps'} up"


def _about_levels(report: Report) -> tuple[str, ...]:
    share = percent(report.statistics["occurrences"]["share"])
    return (
        "Every term of the hierarchy, whether a record has it or not.",
        f"Of what the records hold, {share} are categories.",
    )


def _about_largest(report: Report) -> tuple[str, ...]:
    rest = report.statistics["published"]["categories"] - SHOWN
    return (f"{rest:,} more stand for as many or fewer; mapping.parquet has them all.",) if rest > 0 else ()


def _about_supports(report: Report) -> tuple[str, ...]:
    k, least = report.guarantee.get("k"), report.statistics["smallest_support"]
    if least is None:
        return ()
    return (f"The rarest is in {least:,} records" + (f"; at least {k} are promised." if k else "."),)
