"""The roles of columns as facts and as text: one line per column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from disjoin.charts.display_text import padded, shorten
from disjoin.escaping import legible
from disjoin.model.column_roles import TableForm, TableRoles
from disjoin.words import counted

_NAME = 24


def role_facts(roles: TableRoles) -> dict[str, Any]:
    """Return whose rows these are, and the role of every column; no cell value is in it."""
    return {
        "form": roles.form.value,
        "person": roles.person,
        "people": roles.people,
        "alone_together": roles.alone_together,
        "columns": [
            {
                "name": column.name,
                "role": column.role.value,
                "certainty": column.certainty.value,
                "why": column.why,
                "is_sensitive": column.is_sensitive,
                "distinct": column.distinct,
                "alone": column.alone,
                "asks": column.asks,
            }
            for column in roles.columns
        ],
    }


def role_lines(roles: TableRoles) -> list[str]:
    """Return a line about the table, and one per column: name, role, certainty, why, and how many cells are alone."""
    people = ""
    if roles.form is TableForm.LONG and roles.people is not None:
        people = f" of {counted(roles.people, 'person', 'people')}"
    lines = [f"Roles of columns, found by their values ({counted(roles.rows, 'row')}{people})"]
    for column in roles.columns:
        name = padded(shorten(legible(column.name), _NAME), _NAME)
        sensitive = ", sensitive" if column.is_sensitive and column.role.value != "sensitive" else ""
        about = f"{column.role.value}{sensitive} ({column.certainty.value}): {legible(column.why)}"
        lines.append(f"  {name} {about}; alone: {column.alone:.0%} of the cells")
    return lines


def mixed_words(roles: TableRoles, quasi: Sequence[str], terms: str, left_out: Sequence[str]) -> str:
    """Say that a long table is mixed data, which columns the risk counts, and which it does not."""
    same, person = ", ".join(map(legible, quasi)), legible(roles.person or "")
    lines = [
        f"Mixed data: people ({person}) have several rows, columns that are the same in all of them ({same}) and terms "
        f"({legible(terms)}). The risk counts both; publish with `disjoin mixed`.",
    ]
    if left_out:
        lines.append(
            f"Not counted: {', '.join(map(legible, left_out))}. An attacker who knows these finds more people."
        )
    return "\n".join(lines)
