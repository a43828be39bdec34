"""Texts about mixed data: what is kept, what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent, range_of
from disjoin.forms.clusters import prose as of_clusters
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.forms.mixed.facts import standing
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def learned(report: Report) -> list[tuple[str, str]]:
    shared = range_of(report.statistics["people_with_a_row"], "person").replace("persons", "people")
    words = f"The row is found: {shared} of a cluster have it. Rows of other clusters may fit as well."
    return [("With all published columns of a person known", words), *of_clusters.learned(report)]


def kept(report: Report) -> list[str]:
    counts, facts = report.counts, report.statistics
    people = counted(counts["records"], "person", "people")
    columns, terms = counted(counts["columns"], "column"), counted(counts["terms"], "term")
    where = counted(facts["clusters"]["leaves"], "cluster")
    granularity = f"Granularity of the columns: {percent(facts['granularity'])}."
    return [f"{people} with {columns} and {terms}, in {where}.", granularity, *of_clusters.of_terms(report)]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    excluded = TEXTS["excluded" if report.guarantee.get("exclusions") else "nothing excluded"]
    return titled(TEXTS["limits"].format(m=counted(report.guarantee["m"], "term"), excluded=excluded))


def _tables(report: Report) -> tuple[str, ...]:
    facts = report.statistics
    meanings = dict.fromkeys(facts["columns"]["quasi"], TEXTS["generalised"])
    meanings |= dict.fromkeys(facts["columns"]["sensitive"], "unchanged")
    with_rows = facts["standing_terms"]["terms"]
    words = (
        f"Published with rows: {standing(facts)}."
        if with_rows
        else "No terms are published with rows: the column `terms` is empty."
    )
    has_bare = report.guarantee.get("without_terms")
    rows = TEXTS["rows"].format(
        columns="\n".join(f"| `{name}` | {meaning} |" for name, meaning in meanings.items()),
        standing=words,
        empty="Some people may have no terms." if has_bare else "Every person has a term.",
    )
    return f"{of_clusters.TEXTS['tables']}\n\n{rows}", of_clusters.about_joint(report)


def _done(report: Report) -> str:
    small = report.statistics["people_in_small_clusters"]
    note = f" {small:,} of them are in clusters of fewer than 1,000, where values are more general." if small else ""
    return TEXTS["done"].format(note=note)


README = Readme(done=_done, exactly=TEXTS["exactly"], tables=_tables, reading=TEXTS["reading"])
