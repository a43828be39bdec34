"""The parts of report.html that tell of generalised items, and their charts."""

from __future__ import annotations

from typing import Any

from disjoin.charts.columns import column_html
from disjoin.charts.display_text import shorten
from disjoin.charts.distribution import percent, range_of
from disjoin.charts.specifications import Bar, Draw, Specification, bars, histogram
from disjoin.escaping import in_html, legible
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Page, figures_from
from disjoin.forms.items.branch_svg import branch_svg
from disjoin.forms.items.pictures import NodePicture
from disjoin.model.release import Report

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


MADE_OF = (
    "Every record is a set of terms. Terms that are too rare, alone or together with others, are published as a "
    "category of the hierarchy, which stands for all terms below it and takes their place in every record. A record "
    "that had several terms of one category has the category once."
)
AS_IT_WAS = "Every record is a set of terms. None had to be generalised: all are published as themselves."
BRANCH = (
    "A branch of the hierarchy: boxes are published, with the number of records that hold them, and the dashed line is "
    "the cut. Terms to the right of it are not told apart: a record holds the category, whichever of them it had."
)
LOWER = " An empty box is not published itself, but something below it is: the cut lies further down there."
UNCUT = "A branch of the hierarchy: boxes are published, with the number of records that hold them."


def _head(report: Report) -> dict[str, str]:
    facts = report.statistics
    return {
        "records": f"{report.counts['records']:,}",
        "terms of the hierarchy": f"{facts['terms']['total']:,}",
        "published as themselves": f"{facts['terms']['as_themselves']:,}",
        "generalised": f"{facts['terms']['generalised']:,}",
        "categories": f"{facts['published']['categories']:,}",
    }


def _made_of(report: Report) -> str:
    return MADE_OF if report.statistics["published"]["categories"] else AS_IT_WAS


def _numbers(report: Report) -> dict[str, str]:
    facts = report.statistics
    published, occurrences, least = facts["published"], facts["occurrences"], facts["smallest_support"]
    return {
        "terms and categories of the cut": f"{published['total']:,}",
        "of these in records": f"{published['in_records']:,}",
        "categories in records": f"{published['categories_in_records']:,}",
        "terms behind a category": range_of(facts["terms_of_a_category"], "term"),
        "what records hold, counted in each": f"{occurrences['total']:,}",
        "of this categories": f"{occurrences['of_categories']:,} ({percent(occurrences['share'])})",
        "records with the rarest term or category": "none" if least is None else f"{least:,}",
        "distinct records": f"{facts['distinct_records']:,}",
        "terms in a record": range_of(facts["record_lengths"], "term"),
    }


def example_html(picture: NodePicture) -> str:
    """Return a section that shows a branch of the hierarchy with the cut, and records."""
    what = "category" if picture.is_category else "term"
    words = BRANCH if picture.is_category else UNCUT
    if any(twig.records is None for twig in picture.twigs):
        words += LOWER
    title = picture.title[0].upper() + picture.title[1:]
    records = column_html(picture.records) if picture.records.rows else ""
    return (
        f"<section>\n<h2>What a {what} looks like</h2>\n<p>{words}</p>\n"
        f'<div class="card cluster"><h3>{in_html(title)}</h3>'
        f'<div class="chunks"><div class="wide">{branch_svg(picture)}</div>{records}</div></div>\n</section>'
    )


def _terms(report: Report) -> str:
    words = "Between the two numbers, for certain: a term that became a category is in none or all of its records."
    return terms_of(report, words, report.statistics["terms"]["total"])


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers, terms=_terms)
