"""Texts about groups: what is kept, what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def learned(report: Report) -> list[tuple[str, str]]:
    facts, records = report.statistics, report.counts["records"]
    alone = facts["alone"]
    are = "is" if alone == 1 else "are"
    found = (
        f"{counted(alone, 'record')} ({percent(alone / records)}) {are} found: no other has the same ordinary items."
        if alone
        else "No record is found: each has the same ordinary items as another."
    )
    rows = [("With all ordinary items of a record known, and that it has no others", found)] if records else []
    return [*rows, ("With the group of a person known", _linked(report))]


def _linked(report: Report) -> str:
    facts, records = report.statistics, report.counts["records"]
    if not facts["sensitive_items"]:
        return "No sensitive item is revealed: no group lists any."
    worst = max((entry["largest_share"] for entry in facts["sensitive_items"]), key=lambda each: each["rounded"])
    most, none = facts["most_sensitive_group"], facts["records_without_sensitive_items"]
    words = (
        f"In the worst group, {worst['count']:,} of {worst['size']:,} records {_have(worst['count'])} the same "
        f"sensitive item. In the group that lists most, up to {most['count']:,} of {most['size']:,} "
        f"{_have(most['count'])} one or another."
    )
    if not none:
        return words
    return (
        f"{words} {counted(none, 'record is', 'records are')} in groups that list none ({percent(none / records)}): "
        "for these it is certain that there is no sensitive item."
    )


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def kept(report: Report) -> list[str]:
    items, groups = report.statistics["items"], report.statistics["groups"]
    return [
        f"{counted(report.counts['records'], 'record')} in {counted(groups['total'], 'group')}.",
        f"{counted(items['ordinary'], 'ordinary item')}, unchanged: all their counts are exact.",
        f"{counted(items['sensitive'], 'sensitive item')}, counted for each group.",
    ]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    p, bare = report.guarantee.get("p", "p"), report.statistics["bare_records"]["records"]
    formed = TEXTS["formed blind" if report.parameters.get("grouping") == "blind" else "formed around"]
    there = f"This release has {bare:,}. " if bare else "This release has none. "
    return titled(TEXTS["limits"].format(p=p, bare=there, formed=formed))


README = Readme(
    done=lambda report: TEXTS["done"].format(**report.statistics["items"]),
    exactly=TEXTS["exactly"],
    tables=lambda report: (TEXTS["tables"],),
    reading=TEXTS["reading"],
)
