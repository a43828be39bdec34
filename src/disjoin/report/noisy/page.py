"""The parts of report.html that tell of noisy records."""

from __future__ import annotations

from disjoin.escaping import in_html
from disjoin.model.report import Report
from disjoin.report.columns_html import column_html
from disjoin.report.distribution import percent, range_of
from disjoin.report.form import Page
from disjoin.report.noisy.charts import figures_of
from disjoin.report.noisy.odds import epsilon_of, factor, surely
from disjoin.report.noisy.picture import RowsPicture
from disjoin.report.noisy.summary import EVEN_ODDS
from disjoin.report.unproven import is_proven

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


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers)
