"""Texts about groups: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def learned(report: Report) -> list[tuple[str, str]]:
    facts, records = report.statistics, report.counts["records"]
    alone = facts["alone"]
    found = (
        f"They find it: {counted(alone, 'record')} ({percent(alone / records)}) have ordinary items that no other has."
        if alone
        else "They find nobody by these: no record has ordinary items that no other has."
    )
    rows = [("Someone who knows all ordinary items of a record, and that it has no others", found)] if records else []
    return [*rows, ("Someone who finds the group of a person", _linked(report))]


def _linked(report: Report) -> str:
    facts, records = report.statistics, report.counts["records"]
    if not facts["sensitive_items"]:
        return "They learn no sensitive item: no group lists any."
    worst = max((entry["largest_share"] for entry in facts["sensitive_items"]), key=lambda each: each["rounded"])
    most, none = facts["most_sensitive_group"], facts["records_without_sensitive_items"]
    words = (
        f"In the group that tells most, a sensitive item is in {worst['count']:,} of {worst['size']:,} records. In the "
        f"group that lists most, one or another is in up to {most['count']:,} of {most['size']:,}."
    )
    if not none:
        return words
    return (
        f"{words} {counted(none, 'record is', 'records are')} in groups that list none ({percent(none / records)}): "
        "of these they know for certain that there is no sensitive item."
    )


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
