"""Sections of report.html about noisy records."""

from __future__ import annotations

from typing import Any

from disjoin.charts.distribution import percent, range_of
from disjoin.charts.svg import Bar, Chart, histogram
from disjoin.charts.text_drawing import Columns, column_html
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Numbers, Page, example_section, figure, is_proven, share_bars
from disjoin.forms.noisy.facts import TEXTS, certainty, epsilon_of, factor
from disjoin.model.release import Report

SHOWN = 8  # rows in the chart, those with the largest counts


def figures_of(report: Report) -> list[Figure]:
    facts = report.statistics
    single = f"{percent(facts['single_terms']['share'])} of the records have a single term."
    lengths = histogram("Terms in a record", facts["record_lengths"], "terms", "records")
    return [
        *figure(largest(facts["largest_rows"], report.counts["records"]), TEXTS["rows"]),
        *figure(histogram("Records of a row", facts["counts_of_rows"], "records", "rows")),
        *figure(lengths, f"{single} Long records are rarely equal, so noise hides most of them."),
        *figure(histogram("Records with a term", facts["supports"], "records", "terms")),
    ]


def largest(rows: list[dict[str, Any]], records: int) -> Chart | None:
    found = [
        Bar(", ".join(row["terms"]), round(row["count"] / records, 6), f"{row['count']:,}") for row in rows[:SHOWN]
    ]
    what = "the rows with the largest counts"
    return share_bars("Rows with the largest counts", found, ("row", "share of the records"), what, between="; ")


def _head(report: Report) -> Numbers:
    epsilon = epsilon_of(report.guarantee)
    return {
        "synthetic records": report.counts["records"],
        "terms in them": report.counts["terms"],
        "rows": report.statistics["rows"],
        "epsilon": f"{float(epsilon):g}",
        **({"factor at most": factor(epsilon)} if is_proven(report) else {}),
    }


def _made_of(report: Report) -> str:
    if not report.statistics["rows"]:
        return f"{TEXTS['made of']} {TEXTS['made of nothing']}"
    if not is_proven(report):
        return TEXTS["made of"]
    epsilon = epsilon_of(report.guarantee)
    odds = TEXTS["made of odds"].format(epsilon=float(epsilon), certainty=certainty(epsilon))
    return f"{TEXTS['made of']} {odds}"


def _numbers(report: Report) -> Numbers:
    facts, single = report.statistics, report.statistics["single_terms"]
    rows = {
        "rows": facts["rows"],
        "records of a row": range_of(facts["counts_of_rows"], "record"),
        "terms in a record": range_of(facts["record_lengths"], "term"),
        "records of a single term": f"{single['records']:,} ({percent(single['share'])})",
        "term occurrences in all records": facts["occurrences"],
        "records with a term": range_of(facts["supports"], "record"),
    }
    if not is_proven(report):
        return rows
    epsilon = epsilon_of(report.guarantee)
    return rows | {
        "factor for the content of a record, and for 2 records": factor(epsilon, 2),
        "certainty that a record was in the data, from 50% to": f"{certainty(epsilon)} at most",
    }


def example_html(picture: Columns) -> str:
    tables = "".join(column_html(column) for column in picture.columns)
    words = TEXTS["example"].format(several=f" {TEXTS['example several']}" if len(picture.columns) > 1 else "")
    return example_section("What the rows look like", words, picture.title, tables)


def _terms(report: Report) -> str:
    return terms_of(report, TEXTS["certain"]) if report.statistics["frequent_terms"] else ""


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers, terms=_terms)
