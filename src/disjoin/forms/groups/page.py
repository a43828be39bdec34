"""Sections of report.html about groups."""

from __future__ import annotations

from typing import Any

from disjoin.charts.svg import Bar, Chart, bars, histogram, matrix
from disjoin.charts.text_drawing import column_html, shorten
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Page, figures_from
from disjoin.forms.groups.facts import degree_of, grid_of, levels_of
from disjoin.forms.groups.pictures import GroupPicture
from disjoin.model.release import Report
from disjoin.text import counted, in_html, printable

SHOWN = 10  # sensitive items in the chart, those with the largest shares
_SIZES, _SHARES = "Records in a group", "Largest share of a sensitive item"
_NAME = 26


def figures_of(report: Report) -> list[Figure]:
    """Return the charts, then the matrix before and after ordering."""
    notes = {_SIZES: _about_sizes(report), _SHARES: _about_shares(report)}
    return [*figures_from(charts_of(report), notes), *matrices_of(report)]


def charts_of(report: Report) -> list[Chart]:
    """Return the charts of a report."""
    facts = report.statistics
    charts = [
        histogram(_SIZES, facts["group_sizes"], "records", "groups"),
        shares(facts["sensitive_items"], report.guarantee.get("p")),
        histogram("Ordinary items in a record", facts["record_lengths"], "items", "records"),
        histogram("Sensitive items in a group", facts["sensitive_items_of_a_group"], "items", "groups"),
    ]
    return [chart for chart in charts if chart]


def shares(items: list[dict[str, Any]], p: int | None) -> Chart | None:
    """Return the largest share of a group that has each sensitive item, as bars, and the limit 1/p as a line."""
    if not items:
        return None
    found = [
        Bar(entry["term"], share["rounded"], f"{share['count']:,} of {share['size']:,}")
        for entry in _worst(items)
        for share in (entry["largest_share"],)
    ]
    words = ", ".join(f"{shorten(printable(bar.name), _NAME)} {bar.text}" for bar in found)
    described = f"Bars of the largest share of a group's records that have the same sensitive item: {words}"
    described += f"; the limit is 1 in {p}." if p else "."
    limit = round(1 / p, 6) if p else None
    return bars(_SHARES, found, ("sensitive item", "share of the group's records"), described, limit=limit)


def _worst(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items with the largest shares; of equal ones the most frequent, then by name."""
    ranked = sorted(items, key=lambda e: (-e["largest_share"]["rounded"], -e["records"], e["term"]))
    return ranked[:SHOWN]


def _about_sizes(report: Report) -> tuple[str, ...]:
    sizes = report.statistics["group_sizes"]
    if not sizes["number"] or sizes["largest"] == sizes["least"]:
        return ()
    return (
        f"The largest group has {sizes['largest']:,} records. Usually it is what was left when no more groups could be "
        "formed.",
    )


def _about_shares(report: Report) -> tuple[str, ...]:
    items, p = report.statistics["sensitive_items"], report.guarantee.get("p")
    note = "For each item, the group in which it has the largest share." + (
        f" The line is the limit: 1 record in {p}." if p else ""
    )
    rest = len(items) - SHOWN
    return (note, f"{rest:,} more have smaller or equal shares; report.json lists them all.") if rest > 0 else (note,)


def matrices_of(report: Report) -> list[Figure]:
    """Return the matrix of records and ordinary items before and after ordering, on one scale of density."""
    facts = report.statistics["matrix"]
    if facts is None:
        return []
    grids = [grid_of(facts[when]["density"]) for when in ("before", "after")]
    levels = levels_of(*grids, rows=facts["rows"], columns=facts["columns"])
    words = (
        "Every row is a record, every column an ordinary item; where more records have more items the colour is "
        "stronger. Here records are sorted by content and items by name.",
        "The same with similar records near each other: in this order groups were looked for. Sensitive items have no "
        "part in it.",
    )
    titles = ("Records and items, sorted", "Records and items, similar ones together")
    axes = (f"{facts['columns']:,} items", f"{facts['rows']:,} records")
    return [
        Figure(matrix(title, level, axes, _described(title, facts, when)), (_band(facts, when), note))
        for title, when, level, note in zip(titles, ("before", "after"), levels, words, strict=True)
    ]


def _described(title: str, facts: dict[str, Any], when: str) -> str:
    return f"{title}: density picture of {facts['rows']:,} records by {facts['columns']:,} items. {_band(facts, when)}"


def _band(facts: dict[str, Any], when: str) -> str:
    """Say the bandwidth in words."""
    found = facts[when]
    return (
        f"Bandwidth {found['bandwidth']:,.0f}, with {facts['rows']:,} rows; from its first to its last item a record "
        f"spans {found['mean_spread']:,.1f} of {facts['columns']:,} columns on average."
    )


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


def _terms(report: Report) -> str:
    return terms_of(report, "Exactly that many: counts of ordinary and of sensitive items are published as they were.")


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers, terms=_terms)
