"""What can be counted in a published table: functions of its content and of the promise alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from disjoin.model.generalized import Generalized
from disjoin.model.guarantees import Promise
from disjoin.model.table import Role
from disjoin.report.distribution import distribution_of_sizes
from disjoin.report.table.classes import Classes, classes_of
from disjoin.report.table.quasi import quasi_facts
from disjoin.report.table.sensitive import sensitive_facts

_ROLES = {"quasi": Role.QUASI_IDENTIFIER, "sensitive": Role.SENSITIVE, "other": Role.OTHER}


def statistics_of(published: Generalized, promise: Promise, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return sizes of classes, what is left of every quasi-identifier, and how surely sensitive values are told."""
    table, classes = published.table, classes_of(published)
    columns = {word: list(table.schema.with_role(role)) for word, role in _ROLES.items()}
    sensitive = [sensitive_facts(classes, name) for name in columns["sensitive"]] if len(table) else []
    return {
        "columns": columns,
        "classes": _class_facts(classes, getattr(promise, "k", None)),
        "class_sizes": distribution_of_sizes(classes.sizes),
        **quasi_facts(table, published.quasi),
        "sensitive_columns": sensitive,
        "satisfied": _satisfied(classes, sensitive),
    }


def _class_facts(classes: Classes, k: int | None) -> dict[str, Any]:
    """Count the classes, and the rows in those that have exactly `k`: where nothing is to spare."""
    rows = int(classes.sizes.sum())
    tight = int(classes.sizes[classes.sizes == k].sum())
    return {
        "total": len(classes),
        "rows_in_classes_of_k": tight,
        "share_in_classes_of_k": round(tight / rows, 4) if rows else 0.0,
    }


def _satisfied(classes: Classes, sensitive: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the strictest promises that the table happens to keep; those about sensitive columns for all of them."""
    if not sensitive:
        return {"k": int(classes.sizes.min()) if len(classes) else 0}
    return {
        "k": int(classes.sizes.min()),
        "alpha": max((entry["largest_share"]["exact"] for entry in sensitive), key=Fraction),
        "l": min(entry["least_values"] for entry in sensitive),
        "entropy_l": min(entry["least_effective_values"] for entry in sensitive),
    }
