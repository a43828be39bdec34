"""Sections of report.html about mixed data."""

from __future__ import annotations

from disjoin.charts.distribution import percent, range_of
from disjoin.charts.svg import Bar, bars, histogram
from disjoin.forms.clusters import page as of_clusters
from disjoin.forms.clusters.pictures import example_html
from disjoin.forms.form import Figure, Numbers, Page, figure
from disjoin.forms.mixed.facts import standing
from disjoin.forms.mixed.prose import TEXTS
from disjoin.model.release import Report


def figures_of(report: Report) -> list[Figure]:
    facts = report.statistics
    found = [Bar(one["column"], one["granularity"], percent(one["granularity"])) for one in facts["quasi_identifiers"]]
    words = ", ".join(f"{bar.name} {bar.text}" for bar in found)
    described = f"Bars of the granularity kept of every column: {words}."
    columns = bars("What is kept of each column", found, ("column", "granularity kept"), described, until=1)
    alike = histogram("People with the same row", facts["people_with_a_row"], "people", "rows of clusters")
    return [
        *figure(columns, TEXTS["columns"]),
        *figure(alike, f"At least {report.guarantee['k']} people of a cluster share their row."),
        *of_clusters.figures_of(report),
    ]


def _head(report: Report) -> Numbers:
    facts = report.statistics
    return {
        "people": report.counts["records"],
        "columns": report.counts["columns"],
        "distinct terms": report.counts["terms"],
        "clusters": facts["clusters"]["leaves"],
        "granularity kept": percent(facts["granularity"]),
    }


def _made_of(report: Report) -> str:
    facts = report.statistics
    except_for = f", except for {standing(facts)}" if facts["standing_terms"]["terms"] else ""
    return TEXTS["made of"].format(except_for=except_for)


def _numbers(report: Report) -> Numbers:
    facts = report.statistics
    rows = {
        "rows of clusters": facts["rows"]["different"],
        "different values in a cluster": facts["rows"]["alike"],
        "people with the same values": range_of(facts["people_with_a_row"], "record"),
        "people in clusters of fewer than 1,000": facts["people_in_small_clusters"],
        "terms published with rows": facts["standing_terms"]["terms"],
    }
    of_terms = dict(of_clusters.PAGE.numbers(report))
    del of_terms["subrecords above the required number, at least"]
    return rows | of_terms


PAGE = Page(
    head=_head,
    made_of=_made_of,
    figures=figures_of,
    example=lambda picture: example_html(picture, TEXTS["example"]),
    numbers=_numbers,
    terms=of_clusters.terms_of,
)
