"""Sections of report.html about noisy records."""

from __future__ import annotations

from typing import Any

from disjoin.charts.distribution import percent, range_of
from disjoin.charts.svg import Bar, Chart, histogram
from disjoin.charts.text_drawing import Columns, column_html
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Page, example_section, figures_from, is_proven, share_bars
from disjoin.forms.noisy.facts import EVEN_ODDS, epsilon_of, factor, surely
from disjoin.model.release import Report

SHOWN = 8  # rows in the chart, those with the largest counts
_LARGEST, _LENGTHS = "Rows with the largest counts", "Terms in a record"


def figures_of(report: Report) -> list[Figure]:
    facts = report.statistics
    charts = [
        largest(facts["largest_rows"], report.counts["records"]),
        histogram("Records of a row", facts["counts_of_rows"], "records", "rows"),
        histogram(_LENGTHS, facts["record_lengths"], "terms", "records"),
        histogram("Records with a term", facts["supports"], "records", "terms"),
    ]
    single = f"{percent(facts['single_terms']['share'])} of the records have a single term."
    notes = {
        _LARGEST: (
            "A row is a set of terms; that many records are made up that have exactly these. The counts are noisy.",
        ),
        _LENGTHS: (f"{single} Long records are rarely alike, so noise hides most of them.",),
    }
    return figures_from(charts, notes)


def largest(rows: list[dict[str, Any]], records: int) -> Chart | None:
    found = [
        Bar(", ".join(row["terms"]), round(row["count"] / records, 6), f"{row['count']:,}") for row in rows[:SHOWN]
    ]
    what = "the rows with the largest counts"
    return share_bars(_LARGEST, found, ("row", "share of the records"), what, between="; ")


MADE_OF = (
    "These records are made up. Sets of terms were counted in the original, random noise was added to the counts, and "
    "each set that still had enough is listed with its noisy count. So neither the number of records nor that of terms "
    "is the number of the original."
)
NOTHING = "Here nothing had enough: the table is empty. A larger epsilon or more records might leave something."
EXAMPLE = (
    "A row is a set of terms and about how many records have exactly these.{several} No row is evidence that anybody "
    "had such a record."
)
SEVERAL = " On the right are rows of several terms, which tell what goes together."


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
    rows = {
        "rows": f"{facts['rows']:,}",
        "records of a row": range_of(facts["counts_of_rows"], "record"),
        "terms in a record": range_of(facts["record_lengths"], "term"),
        "records of a single term": f"{single['records']:,} ({percent(single['share'])})",
        "terms of all records, counted in each": f"{facts['occurrences']:,}",
        "records with a term": range_of(facts["supports"], "record"),
    }
    if not is_proven(report):
        return rows
    epsilon = epsilon_of(report.guarantee)
    return rows | {
        "factor for what a record holds, and for 2 records": factor(epsilon, 2),
        "that a record was there, from 50% to": f"{surely(epsilon)} at most",
    }


def example_html(picture: Columns) -> str:
    tables = "".join(column_html(column) for column in picture.columns)
    words = EXAMPLE.format(several=SEVERAL if len(picture.columns) > 1 else "")
    return example_section("What the rows look like", words, picture.title, tables)


def _terms(report: Report) -> str:
    words = "Of the records here, which are made up from noisy counts: no number is one of the original."
    return terms_of(report, words) if report.statistics["frequent_terms"] else ""


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers, terms=_terms)
