"""What is counted in a generalised table, and how a summary says it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from disjoin.charts.display_text import shorten
from disjoin.charts.distribution import distribution_of_sizes, range_of
from disjoin.escaping import legible
from disjoin.forms.table.classes import TableClasses, classes_of, sensitive_facts
from disjoin.forms.table.quasi import quasi_facts
from disjoin.model.generalized import Generalized, vague_values
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.release import Report
from disjoin.model.table import Role
from disjoin.words import counted

_ROLES = {"quasi": Role.QUASI_IDENTIFIER, "sensitive": Role.SENSITIVE, "other": Role.OTHER}
_ROLE_WORDS = {"quasi": "quasi-identifying", "sensitive": "sensitive", "other": "other"}


def statistics_of(published: Generalized, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return sizes of classes, what is left of every quasi-identifier, and how surely sensitive values are told."""
    table, classes = published.table, classes_of(published)
    columns = {word: list(table.schema.with_role(role)) for word, role in _ROLES.items()}
    sensitive = [sensitive_facts(classes, name) for name in columns["sensitive"]] if len(table) else []
    return {
        "columns": columns,
        "classes": _class_facts(classes, getattr(guarantee, "k", None)),
        "class_sizes": distribution_of_sizes(classes.sizes),
        **quasi_facts(table, published.quasi, _starred(classes, guarantee)),
        "sensitive_columns": sensitive,
        "satisfied": _satisfied(classes, sensitive),
    }


def _class_facts(classes: TableClasses, k: int | None) -> dict[str, Any]:
    """Count the classes, and the rows in those that have exactly `k`: where nothing is to spare."""
    rows = int(classes.sizes.sum())
    tight = int(classes.sizes[classes.sizes == k].sum())
    return {
        "total": len(classes),
        "rows_in_classes_of_k": tight,
        "share_in_classes_of_k": round(tight / rows, 4) if rows else 0.0,
    }


def _satisfied(classes: TableClasses, sensitive: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the strictest promises that the table happens to keep; those about sensitive columns for all of them."""
    if not sensitive:
        return {"k": int(classes.sizes.min()) if len(classes) else 0}
    return {
        "k": int(classes.sizes.min()),
        "alpha": max((entry["largest_share"]["exact"] for entry in sensitive), key=Fraction),
        "l": min(entry["least_values"] for entry in sensitive),
        "entropy_l": min(entry["least_effective_values"] for entry in sensitive),
    }


def _starred(classes: TableClasses, guarantee: AnyGuarantee) -> int | None:
    """Count the rows that have `*`, or what includes all values, in every quasi-identifier; None where none may."""
    if getattr(guarantee, "suppress", None) is None:
        return None
    table = classes.table
    everything = {
        name: vague_values(table.values_of(name).to_pylist(), table.hierarchies.get(name)) for name in classes.quasi
    }
    says_nothing = [
        number
        for number in range(len(classes))
        if all(value in everything[name] for name, value in classes.values_of(number).items())
    ]
    return int(classes.sizes[says_nothing].sum())


_NAMED = 12  # columns in a line
_NAME = 40


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about columns, classes, what is left and what sensitive values can be guessed."""
    facts = report.statistics
    classes, sizes, columns = facts["classes"], facts["class_sizes"], facts["columns"]
    rows = [
        ("columns", ", ".join(f"{len(names):,} {_ROLE_WORDS[role]}" for role, names in columns.items() if names)),
        ("classes", f"{classes['total']:,} of {range_of(sizes, 'row')}{tight(report)}"),
        ("granularity kept", f"{percent(facts['granularity'])}: {_by_column(facts['quasi_identifiers'])}"),
        ("precision", percent(facts["precision"])),
    ]
    if "starred" in facts:
        rows.append(("starred", stars_in_words(facts["starred"])))
    return rows + [("sensitive", f"{name(entry)}: {told(entry)}") for entry in facts["sensitive_columns"]]


def stars_in_words(starred: dict[str, Any]) -> str:
    """Say how many rows are starred, and what the others keep."""
    if not starred["rows"]:
        return "no row: none would keep more for the others"
    return f"{counted(starred['rows'], 'row')} ({percent(starred['share'])}); the others keep " + (
        f"{percent(starred['others_keep'])} of the granularity"
    )


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
