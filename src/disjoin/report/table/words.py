"""What a release that is a table does not promise, in words for the person who receives it."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.words import counted

ALIKE = (
    "What all rows of a class share",
    "Whoever finds the class of a person learns what all its rows have in common, without knowing which one is theirs.",
)
MEANINGS = (
    "What sensitive values mean",
    "Values are counted, not understood. A class whose values are different but mean much the same, or whose mix is "
    "far from that of the whole table, still tells something.",
)
OTHER_COLUMNS = "Knowing other columns"
NOT_PROMISED: tuple[tuple[str, str], ...] = (
    (
        "Someone who runs the program backwards",
        "Rows are generalised no further than the method finds necessary. From what it did one can infer something "
        "about the values that made it necessary (the minimality attack).",
    ),
    (
        "Several rows of one person",
        "Each row is protected by itself. If several rows of a class belong to one person, they hide that person among "
        "fewer people than there are rows.",
    ),
    (
        "Other releases of the same people",
        "Whoever has another table with these people in it can compare the two. Each may be anonymous and both "
        "together not.",
    ),
    (
        "Someone who knows other rows",
        "Whoever knows which rows of a class belong to others, their own for one, can take them out; fewer are left.",
    ),
    (
        "Who is in the table, and who is not",
        "If no class fits a person, that person is not in the table; if one fits, they may be. The promise hides which "
        "row is whose, not whose rows there are.",
    ),
    (
        "The hierarchies",
        "They are published with all their values, those that no row has among them.",
    ),
)


def not_promised(report: Report) -> list[tuple[str, str]]:
    """Return what is not promised as (title, explanation); what is promised of sensitive columns is left out."""
    return [_alike(report), _other_columns(report), MEANINGS, *NOT_PROMISED]


def _alike(report: Report) -> tuple[str, str]:
    """Say how much a class gives away of the sensitive columns, and whether anything limits that."""
    title, words = ALIKE
    sensitive = report.statistics["sensitive_columns"]
    is_limited = any(name in report.guarantee for name in ("alpha", "l", "entropy_l"))
    if not sensitive:
        return title, f"{words} No column was named as sensitive, so nothing is promised about that."
    told = " ".join(_told(entry) for entry in sensitive)
    if is_limited:
        return title, f"{words} The promise limits it for the sensitive columns, and for no other column. {told}"
    return title, f"{words} Nothing is promised about that: there is no alpha and no l. {told}"


def _told(entry: dict[str, Any]) -> str:
    name, alike, share = legible(entry["column"]), entry["alike"], entry["largest_share"]
    if alike["classes"]:
        where = f"{counted(alike['rows'], 'row')} in {counted(alike['classes'], 'class', 'classes')}"
        return f"{where} can be told their {name} for sure."
    return f"At worst, {share['count']:,} of {share['size']:,} rows of a class have the same {name}."


def _other_columns(report: Report) -> tuple[str, str]:
    columns = report.statistics["columns"]
    unchanged = [legible(name) for name in (*columns["sensitive"], *columns["other"])]
    if not unchanged:
        return OTHER_COLUMNS, "This table has none: all its columns are quasi-identifiers."
    few = ", ".join(unchanged[:_NAMED]) + (f" and {len(unchanged) - _NAMED:,} more" if len(unchanged) > _NAMED else "")
    return OTHER_COLUMNS, (
        f"Columns that were not named as quasi-identifiers are published as they were: {few}. Whoever knows one of "
        "these of a person, or can find it elsewhere, may find the row of that person, and the promise does not hold."
    )


_NAMED = 6  # columns, in a sentence
