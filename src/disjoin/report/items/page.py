"""The parts of report.html that tell of generalised terms."""

from __future__ import annotations

from disjoin.escaping import in_html
from disjoin.model.report import Report
from disjoin.report.columns_html import column_html
from disjoin.report.distribution import percent, range_of
from disjoin.report.form import Page
from disjoin.report.items.branch_svg import branch_svg
from disjoin.report.items.charts import figures_of
from disjoin.report.items.picture import NodePicture

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


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers)
