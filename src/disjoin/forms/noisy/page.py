"""Sections of report.html about noisy records."""

from __future__ import annotations

from typing import Any

from disjoin.charts.distribution import percent, range_of
from disjoin.charts.svg import Bar, Chart, bars, histogram
from disjoin.charts.text_drawing import column_html, shorten
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Page, figures_from, is_proven
from disjoin.forms.noisy.facts import EVEN_ODDS, epsilon_of, factor, surely
from disjoin.forms.noisy.pictures import RowsPicture
from disjoin.model.release import Report
from disjoin.text import in_html, printable

SHOWN = 8  # rows in the chart, those with the largest counts
_LARGEST, _LENGTHS = "Rows with the largest counts", "Terms in a record"
_NAME = 26


def figures_of(report: Report) -> list[Figure]:
    """Return the charts with what to know about them."""
    notes = {_LARGEST: _about_largest(report), _LENGTHS: _about_lengths(report)}
    return figures_from(charts_of(report), notes)


def charts_of(report: Report) -> list[Chart]:
    """Return the charts of a report."""
    facts = report.statistics
    charts = [
        largest(facts["largest_rows"], report.counts["records"]),
        histogram("Records of a row", facts["counts_of_rows"], "records", "rows"),
        histogram(_LENGTHS, facts["record_lengths"], "terms", "records"),
        histogram("Records with a term", facts["supports"], "records", "terms"),
    ]
    return [chart for chart in charts if chart]


def largest(rows: list[dict[str, Any]], records: int) -> Chart | None:
    """Return the rows with the largest counts, as bars."""
    found = [
        Bar(", ".join(row["terms"]), round(row["count"] / records, 6), f"{row['count']:,}") for row in rows[:SHOWN]
    ]
    if not found:
        return None
    words = "; ".join(f"{shorten(printable(bar.name), _NAME)} {bar.text}" for bar in found)
    described = f"Bars of the rows with the largest counts: {words}."
    return bars(_LARGEST, found, ("row", "share of the records"), described)


def _about_largest(report: Report) -> tuple[str, ...]:
    return ("A row is a set of terms; that many records are made up that have exactly these. The counts are noisy.",)


def _about_lengths(report: Report) -> tuple[str, ...]:
    share = percent(report.statistics["single_terms"]["share"])
    return (f"{share} of the records have a single term. Long records are rarely alike, so noise hides most of them.",)


MADE_OF = (
    "These records are made up. Sets of terms were counted in the original, random noise was added to the counts, and "
    "each set that still had enough is listed with its noisy count. So neither the number of records nor that of terms "
    "is the number of the original."
)
NOTHING = "Here nothing had enough: the table is empty. A larger epsilon or more records might leave something."
EXAMPLE = (
    "A row is a set of terms and about how many records have exactly these. On the right are rows of several terms, "
    "which tell what goes together. No row is evidence that anybody had such a record."
)
EXAMPLE_OF_ONE = (
    "A row is a set of terms and about how many records have exactly these. No row is evidence that anybody had such a "
    "record."
)


def _head(report: Report) -> dict[str, str]:
    epsilon = epsilon_of(report.guarantee)
    return {
        "made-up records": f"{report.counts['records']:,}",
        "terms in them": f"{report.counts['terms']:,}",
        "rows": f"{report.statistics['rows']:,}",
        "epsilon": f"{float(epsilon):g}",
        **({"factor at most": factor(epsilon)} if is_proven(report) else {}),
    }


def _made_of(report: Report) -> str:
    if not report.statistics["rows"]:
        return f"{MADE_OF} {NOTHING}"
    if not is_proven(report):
        return MADE_OF
    epsilon = epsilon_of(report.guarantee)
    odds = (
        f"Epsilon {float(epsilon):g} means: {EVEN_ODDS} can become {surely(epsilon)} sure at most, even to somebody "
        "who knows all others."
    )
    return f"{MADE_OF} {odds}"


def _numbers(report: Report) -> dict[str, str]:
    facts, single = report.statistics, report.statistics["single_terms"]
    return {
        "rows": f"{facts['rows']:,}",
        "records of a row": range_of(facts["counts_of_rows"], "record"),
        "terms in a record": range_of(facts["record_lengths"], "term"),
        "records of a single term": f"{single['records']:,} ({percent(single['share'])})",
        "terms of all records, counted in each": f"{facts['occurrences']:,}",
        "records with a term": range_of(facts["supports"], "record"),
        **(_promised(report) if is_proven(report) else {}),
    }


def _promised(report: Report) -> dict[str, str]:
    epsilon = epsilon_of(report.guarantee)
    return {
        "factor for what a record holds, and for 2 records": factor(epsilon, 2),
        "that a record was there, from 50% to": f"{surely(epsilon)} at most",
    }


def example_html(picture: RowsPicture) -> str:
    """Return a section that shows rows and says how to read them."""
    tables = "".join(column_html(column) for column in picture.columns)
    words = EXAMPLE if len(picture.columns) > 1 else EXAMPLE_OF_ONE
    return (
        f"<section>\n<h2>What the rows look like</h2>\n<p>{words}</p>\n"
        f'<div class="card cluster"><h3>{in_html(picture.title)}</h3>'
        f'<div class="chunks">{tables}</div></div>\n</section>'
    )


def _terms(report: Report) -> str:
    words = "Of the records here, which are made up from noisy counts: no number is one of the original."
    return terms_of(report, words) if report.statistics["frequent_terms"] else ""


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers, terms=_terms)
