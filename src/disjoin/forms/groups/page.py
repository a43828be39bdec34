"""Sections of report.html about groups."""

from __future__ import annotations

from typing import Any

from disjoin.charts.svg import Chart, histogram, matrix
from disjoin.charts.text_drawing import Columns, column_html
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Numbers, Page, bars_of_shares, example_section, figure, share_bars
from disjoin.forms.groups.facts import bare_in_words, degree_of, grid_of, levels_of
from disjoin.forms.groups.prose import TEXTS
from disjoin.model.release import Report

SHOWN = 10  # sensitive items in the chart, those with the largest shares


def figures_of(report: Report) -> list[Figure]:
    facts, sizes = report.statistics, report.statistics["group_sizes"]
    of_items, p = facts["sensitive_items"], report.guarantee.get("p")
    return [
        *figure(histogram("Records in a group", sizes, "records", "groups"), *_about_sizes(sizes)),
        *figure(shares(of_items, p), *_about_shares(of_items, p)),
        *figure(histogram("Ordinary items in a record", facts["record_lengths"], "items", "records")),
        *figure(histogram("Sensitive items in a group", facts["sensitive_items_of_a_group"], "items", "groups")),
        *matrices_of(report),
    ]


def shares(items: list[dict[str, Any]], p: int | None) -> Chart | None:
    # The largest shares; of equal ones the most frequent, then by name.
    worst = sorted(items, key=lambda e: (-e["largest_share"]["rounded"], -e["records"], e["term"]))[:SHOWN]
    found = bars_of_shares(worst, "term")
    what = "the largest share of a group's records that have the same sensitive item"
    axis, end = ("sensitive item", "share of the records of a group"), f"; the limit is 1 in {p}." if p else "."
    limit = round(1 / p, 6) if p else None
    return share_bars("Largest share of a sensitive item", found, axis, what, end=end, limit=limit)


def _about_sizes(sizes: dict[str, Any]) -> list[str]:
    if not sizes["number"] or sizes["largest"] == sizes["least"]:
        return []
    largest = f"The largest group has {sizes['largest']:,} records."
    return [f"{largest} It usually contains the records that were left over."]


def _about_shares(items: list[dict[str, Any]], p: int | None) -> list[str]:
    limit = f" The line is the limit: 1 record in {p}." if p else ""
    rest = len(items) - SHOWN
    more = [f"{rest:,} more with smaller or equal shares; report.json lists all."] if rest > 0 else []
    return [f"Each bar is the group in which the item has the largest share.{limit}", *more]


def matrices_of(report: Report) -> list[Figure]:
    facts = report.statistics["matrix"]
    if facts is None:
        return []
    grids = [grid_of(facts[when]["density"]) for when in ("before", "after")]
    levels = levels_of(*grids, rows=facts["rows"], columns=facts["columns"])
    parts = (
        ("before", "Records and items, sorted", TEXTS["matrix sorted"]),
        ("after", "Records and items, similar ones together", TEXTS["matrix ordered"]),
    )
    axes = (f"{facts['columns']:,} items", f"{facts['rows']:,} records")
    found = []
    for (when, title, note), level in zip(parts, levels, strict=True):
        band = _band(facts, when)
        seen = f"{title}: density picture of {facts['rows']:,} records by {facts['columns']:,} items. {band}"
        found.append(Figure(matrix(title, level, axes, seen), (band, note)))
    return found


def _band(facts: dict[str, Any], when: str) -> str:
    found = facts[when]
    return (
        f"Bandwidth: {found['bandwidth']:,.0f} rows of {facts['rows']:,}. On average, a record spans "
        f"{found['mean_spread']:,.1f} of {facts['columns']:,} columns from its first to its last item."
    )


def _head(report: Report) -> Numbers:
    facts = report.statistics
    return {
        "records": report.counts["records"],
        "ordinary items": facts["items"]["ordinary"],
        "sensitive items": facts["items"]["sensitive"],
        "groups": facts["groups"]["total"],
        "privacy degree": degree_of(facts["privacy_degree"]),
    }


def _numbers(report: Report) -> Numbers:
    facts = report.statistics
    groups, sizes, matrix = facts["groups"], facts["group_sizes"], facts["matrix"]
    rows = {
        "groups": groups["total"],
        "groups without sensitive items": groups["without_sensitive_items"],
        "records in the largest group": f"{sizes['largest']:,}" if sizes["number"] else "none",
        "distinct records, counted in each group": facts["distinct_records"],
        "records without ordinary items": bare_in_words(facts["bare_records"]),
        "entries of sensitive items": facts["sensitive_entries"],
        "privacy degree": degree_of(facts["privacy_degree"], exactly=True),
    }
    if matrix is None:
        return rows
    before, after = matrix["before"], matrix["after"]
    return rows | {
        "bandwidth before and after ordering": f"{before['bandwidth']:,} and {after['bandwidth']:,}",
        "mean span of a record before and after": f"{before['mean_spread']:,} and {after['mean_spread']:,} columns",
    }


def example_html(picture: Columns) -> str:
    tables = "".join(column_html(column) for column in picture.columns)
    return example_section("What a group looks like", TEXTS["example"], picture.title.capitalize(), tables)


PAGE = Page(
    head=_head,
    made_of=lambda report: TEXTS["made of"],
    figures=figures_of,
    example=example_html,
    numbers=_numbers,
    terms=lambda report: terms_of(report, TEXTS["certain"]),
)
