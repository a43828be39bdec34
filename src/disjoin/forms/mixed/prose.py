"""Texts about mixed data: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import range_of
from disjoin.forms.clusters import prose as of_clusters
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.forms.mixed.facts import standing
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def learned(report: Report) -> list[tuple[str, str]]:
    shared = range_of(report.statistics["people_with_a_row"], "person").replace("persons", "people")
    words = f"They find a row, which {shared} of one cluster have; rows of other clusters may fit as well."
    return [("Someone who knows all published columns of a person", words), *of_clusters.learned(report)]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    excluded = TEXTS["excluded" if report.guarantee.get("exclusions") else "nothing excluded"]
    return titled(TEXTS["limits"].format(m=counted(report.guarantee["m"], "term"), excluded=excluded))


def _tables(report: Report) -> tuple[str, ...]:
    facts, standing_words = report.statistics, standing(report.statistics)
    meanings = dict.fromkeys(facts["columns"]["quasi"], TEXTS["generalised"])
    meanings |= dict.fromkeys(facts["columns"]["sensitive"], "as it was")
    words = "No terms stand with rows in this release: the column `terms` is empty."
    if facts["standing_terms"]["terms"]:
        words = f"{standing_words[0].upper()}{standing_words[1:]}."
    has_bare = report.guarantee.get("without_terms")
    rows = TEXTS["rows"].format(
        columns="\n".join(f"| `{name}` | {meaning} |" for name, meaning in meanings.items()),
        standing=words,
        empty="Some people may have no terms at all." if has_bare else "Everybody has a term.",
    )
    kept = TEXTS["kept"].format(granularity=facts["granularity"], terms=of_clusters.kept_in_words(report))
    return kept, f"{of_clusters.TEXTS['tables']}\n\n{rows}", of_clusters.about_joint(report)


def _about(report: Report) -> str:
    records, terms = report.counts["records"], report.counts["terms"]
    columns = counted(report.counts["columns"], "column")
    return f"These tables stand for {records:,} people with {columns} and a set of terms each; {terms:,} terms occur."


def _done(report: Report) -> str:
    small = report.statistics["people_in_small_clusters"]
    note = f" {small:,} of them are in clusters of fewer than 1,000, where values had to lose more." if small else ""
    return TEXTS["done"].format(note=note)


README = Readme(about=_about, done=_done, exactly=TEXTS["exactly"], tables=_tables, reading=TEXTS["reading"])
