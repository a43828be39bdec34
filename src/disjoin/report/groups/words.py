"""What a release of groups does not promise, in words for the person who receives it."""

from __future__ import annotations

from disjoin.model.report import Report

NOT_PROMISED: tuple[tuple[str, str], ...] = (
    (
        "Finding a person's record",
        "Ordinary items are published untouched. Whoever knows enough of somebody's ordinary items finds their record, "
        "or the few it may be, and reads the other ordinary items in it. Only the sensitive items are hidden.",
    ),
    (
        "Records without ordinary items",
        "{bare}Who knows of a person that they have no ordinary item knows that they have a sensitive one; the promise "
        "does not cover these records.",
    ),
    (
        "Having any sensitive item at all",
        "A chance of at most 1 in {p} holds for each sensitive item by itself. A group may list several, so the chance "
        "that a record has one or another of them can be larger.",
    ),
    (
        "Someone who runs the program backwards",
        "{formed} (a minimality attack).",
    ),
    (
        "Knowledge that ties items together",
        "Who knows from elsewhere that a sensitive item goes with certain ordinary ones, or never does, can tell more "
        "and less likely records of a group apart.",
    ),
    (
        "Someone who knows other records",
        "Whoever knows the sensitive items of others in a group can take them out; what is left belongs to fewer.",
    ),
    (
        "Several records of one person",
        "Each record is protected by itself. If one person has many, or is in another release too, what is known from "
        "one may be combined with the other.",
    ),
)

_BLIND = (
    "Groups were formed by ordinary items alone, but how many records a group has depends on who has sensitive ones. "
    "Anyone who works out why groups are as large as they are may guess better than by chance"
)
_AROUND = (
    "Groups are built around records that have a sensitive item, from records that look like them. Anyone who guesses "
    "the record most like the others of its group was right in up to 55% of the groups that were tried with p = 20"
)


def not_promised(report: Report) -> list[tuple[str, str]]:
    """Return what is not promised as (title, explanation)."""
    p, bare = report.guarantee.get("p", "p"), report.statistics["bare_records"]["records"]
    formed = _BLIND if report.parameters.get("grouping") == "blind" else _AROUND
    there = f"This release has {bare:,}. " if bare else "This release has none. "
    return [(title, words.format(p=p, bare=there, formed=formed)) for title, words in NOT_PROMISED]
