"""Charts of a release of noisy records."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.bars import Bar, bars
from disjoin.report.charts import Draw, Specification, histogram
from disjoin.report.distribution import percent
from disjoin.report.form import Figure, figures_from
from disjoin.report.lettering import shorten

SHOWN = 8  # rows in the chart, those with the largest counts
_LARGEST, _LENGTHS = "Rows with the largest counts", "Terms in a record"
_NAME = 26


def figures_of(report: Report, draw: Draw) -> list[Figure]:
    """Return the charts with what to know about them."""
    notes = {_LARGEST: _about_largest(report), _LENGTHS: _about_lengths(report)}
    return figures_from(charts_of(report), draw, notes)


def charts_of(report: Report) -> dict[str, Specification]:
    """Return the charts of a report by title."""
    facts = report.statistics
    charts = {
        _LARGEST: largest(facts["largest_rows"], report.counts["records"]),
        "Records of a row": histogram(facts["counts_of_rows"], "records", "rows"),
        _LENGTHS: histogram(facts["record_lengths"], "terms", "records"),
        "Records with a term": histogram(facts["supports"], "records", "terms"),
    }
    return {title: chart for title, chart in charts.items() if chart}


def largest(rows: list[dict[str, Any]], records: int) -> Specification:
    """Return the rows with the largest counts, as bars."""
    found = [
        Bar(", ".join(row["terms"]), round(row["count"] / records, 6), f"{row['count']:,}") for row in rows[:SHOWN]
    ]
    if not found:
        return {}
    words = "; ".join(f"{shorten(legible(bar.name), _NAME)} {bar.text}" for bar in found)
    return bars(found, "share of the records", f"Bars of the rows with the largest counts: {words}.")


def _about_largest(report: Report) -> tuple[str, ...]:
    return ("A row is a set of terms; so many records are made up that have exactly these. The counts are noisy.",)


def _about_lengths(report: Report) -> tuple[str, ...]:
    share = percent(report.statistics["single_terms"]["share"])
    return (f"{share} of the records have a single term. Long records are rarely alike, so noise hides most of them.",)
