"""The parts of report.html that tell of groups."""

from __future__ import annotations

from disjoin.escaping import in_html
from disjoin.model.report import Report
from disjoin.report.columns_html import column_html
from disjoin.report.form import Page
from disjoin.report.groups.charts import figures_of
from disjoin.report.groups.picture import GroupPicture
from disjoin.report.groups.summary import degree_of
from disjoin.report.words import counted

MADE_OF = (
    "Records that look alike were put into groups. Their ordinary items are published as they were; their sensitive "
    "items are taken out and listed for the group as a whole, with how many of its records have each."
)
EXAMPLE = (
    "On the left are the records of a group without their sensitive items, on the right these items with the number of "
    "records that have them. Which of the records have them is not said: rows side by side do not belong together."
)


def _head(report: Report) -> dict[str, str]:
    facts = report.statistics
    return {
        "records": f"{report.counts['records']:,}",
        "ordinary items": f"{facts['items']['ordinary']:,}",
        "sensitive items": f"{facts['items']['sensitive']:,}",
        "groups": f"{facts['groups']['total']:,}",
        "privacy degree": degree_of(facts["privacy_degree"]),
    }


def _made_of(report: Report) -> str:
    return MADE_OF


def _numbers(report: Report) -> dict[str, str]:
    facts = report.statistics
    groups, bare, sizes = facts["groups"], facts["bare_records"], facts["group_sizes"]
    rows = {
        "groups": f"{groups['total']:,}",
        "groups without sensitive items": f"{groups['without_sensitive_items']:,}",
        "records in the largest group": f"{sizes['largest']:,}" if sizes["number"] else "none",
        "distinct records, counted in each group": f"{facts['distinct_records']:,}",
        "records without ordinary items": _bare(bare),
        "entries of sensitive items": f"{facts['sensitive_entries']:,}",
        "privacy degree": degree_of(facts["privacy_degree"], exactly=True),
    }
    return rows | _matrix(report)


def _bare(bare: dict[str, int]) -> str:
    return f"{bare['records']:,} in {counted(bare['groups'], 'group')}" if bare["records"] else "none"


def _matrix(report: Report) -> dict[str, str]:
    facts = report.statistics["matrix"]
    if facts is None:
        return {}
    before, after = facts["before"], facts["after"]
    return {
        "bandwidth before and after ordering": f"{before['bandwidth']:,} and {after['bandwidth']:,}",
        "mean span of a record before and after": f"{before['mean_spread']:,} and {after['mean_spread']:,} columns",
    }


def example_html(picture: GroupPicture) -> str:
    """Return a section that shows a group and says how to read it."""
    tables = "".join(column_html(column) for column in picture.columns)
    return (
        f"<section>\n<h2>What a group looks like</h2>\n<p>{EXAMPLE}</p>\n"
        f'<div class="card cluster"><h3>{in_html(picture.title.capitalize())}</h3>'
        f'<div class="chunks">{tables}</div></div>\n</section>'
    )


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers)
