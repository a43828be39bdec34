"""The lines of a summary that tell of a table."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.distribution import range_of
from disjoin.report.lettering import shorten
from disjoin.report.words import counted

_NAMED = 12  # columns in a line
_NAME = 40


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about columns, classes, what is left and what sensitive values can be guessed."""
    facts = report.statistics
    classes, sizes, columns = facts["classes"], facts["class_sizes"], facts["columns"]
    rows = [
        ("columns", ", ".join(f"{len(names):,} {_ROLES[role]}" for role, names in columns.items() if names)),
        ("classes", f"{classes['total']:,} of {range_of(sizes, 'row')}{tight(report)}"),
        ("granularity kept", f"{percent(facts['granularity'])}: {_by_column(facts['quasi_identifiers'])}"),
        ("precision", percent(facts["precision"])),
    ]
    return rows + [("sensitive", f"{name(entry)}: {told(entry)}") for entry in facts["sensitive_columns"]]


_ROLES = {"quasi": "quasi-identifying", "sensitive": "sensitive", "other": "other"}


def percent(part: float) -> str:
    """Return a share, which is rounded to four places, with as many digits as it has.

    >>> percent(0.9999), percent(1.0), percent(0.5)
    ('99.99%', '100%', '50%')
    """
    return f"{100 * part:.2f}".rstrip("0").rstrip(".") + "%"


def tight(report: Report) -> str:
    """Say which share of the rows has no row to spare in its class."""
    k, classes = report.guarantee.get("k"), report.statistics["classes"]
    if not classes["rows_in_classes_of_k"]:
        return ""
    return f"; {percent(classes['share_in_classes_of_k'])} of the rows are in classes of exactly {k}"


def told(entry: dict[str, Any]) -> str:
    """Say how surely a sensitive column can be guessed."""
    share, alike = entry["largest_share"], entry["alike"]
    words = (
        f"{counted(entry['values'], 'value')}; in a class at least {entry['least_values']:,} of them (as even as "
        f"{entry['least_effective_values']:g} equally frequent ones), and at most {share['count']:,} of "
        f"{share['size']:,} rows have the same"
    )
    if not alike["classes"]:
        return words
    return f"{words}; {counted(alike['rows'], 'row')} in {counted(alike['classes'], 'class', 'classes')} of one value"


def name(entry: dict[str, Any]) -> str:
    """Return the name of a column as it can be shown."""
    return shorten(legible(entry["column"]), _NAME)


def _by_column(columns: list[dict[str, Any]]) -> str:
    found = ", ".join(f"{name(entry)} {percent(entry['granularity'])}" for entry in columns[:_NAMED])
    more = len(columns) - _NAMED
    return f"{found} and {counted(more, 'more column')}" if more > 0 else found
