"""Checks of the columns that a release would contain: none may identify a person, by its values.

A column that may identify people, events of people, or holds sentences is refused in every role until the data owner
gives it another role by name. See docs/how-to/column-roles.md.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping

from disjoin.errors import InvalidParameter
from disjoin.model.column_roles import (
    FEW_ROWS,
    Certainty,
    ColumnKind,
    ColumnRole,
    RoleChoice,
    Stop,
    TableForm,
    TableRoles,
)


def require_publishable(
    roles: TableRoles, published: Collection[str], *, as_they_are: Collection[str] = (), leave_out: str = ""
) -> None:
    """Raise if a published column identifies people or events, holds sentences, or is nearly unique as it is.

    `leave_out` is the option that names columns which are not published.
    """
    for column in roles.columns:
        if column.name not in published:
            continue
        out = f"with {_given(leave_out, column.name)}" if leave_out else "of the options"
        rare = "publish only what N people have with --min-people N, " if leave_out else ""
        if _is_refused(column, roles.rows) or (column.stops is Stop.ALWAYS and column.name in as_they_are):
            finding = _FINDINGS[column.role].format(name=column.name, why=column.why)
            raise InvalidParameter(f"{finding} Leave it out {out}.{_unless(column)}")
        if column.stops is Stop.AS_IS and column.name in as_they_are:
            raise InvalidParameter(
                f"{column.alone:.0%} of the cells of {column.name!r} have a value that no other row has, so whoever "
                f"knows the value finds the row, and it would be published as it is. Name it in --quasi, leave it out "
                f"{out}, {rare}or say {_given('--role', f'{column.name}=measure')} if nobody can know it."
            )


def _is_refused(column: ColumnRole, rows: int) -> bool:
    """Tell whether a column is refused in every role; in a few rows nearly every column looks like a key."""
    is_judged = rows >= FEW_ROWS or column.certainty in (Certainty.CERTAIN, Certainty.DECIDED)
    return is_judged and (column.stops is Stop.ALWAYS or (column.role is ColumnKind.FREE_TEXT and column.asks))


def require_terms(column: ColumnRole) -> None:
    """Raise if a column of terms identifies people or events."""
    if column.stops is Stop.ALWAYS:
        finding = _FINDINGS[column.role].format(name=column.name, why=column.why)
        role = _given("--role", f"{column.name}=terms{_number(column)}")
        raise InvalidParameter(f"{finding} Name another column of terms, or say {role} if people share these terms.")


def require_person(roles: TableRoles, choices: Mapping[str, RoleChoice], option: str) -> None:
    """Raise if people have several rows and nobody said which column identifies them."""
    if roles.rows < FEW_ROWS or roles.form is not TableForm.LONG or roles.person is None or roles.person in choices:
        return
    candidates = (roles.person, *roles.rivals)
    if len(candidates) > 1:
        names = " and ".join(map(repr, candidates))
        options = " or ".join(_given(option, name) for name in candidates)
        raise InvalidParameter(
            f"{names} could both identify people, who have several rows each. Use {options}, so that people are "
            f"counted, not rows.{_unless(roles[roles.person])}"
        )
    raise InvalidParameter(
        f"{roles.person!r} identifies people: {roles.people:,} people have {roles.rows:,} rows, and "
        f"{roles[roles.person].why}. Rows of one person hide nobody. Use {_given(option, roles.person)} (people are "
        f"counted, and the column is not published).{_unless(roles[roles.person])}"
    )


def _given(option: str, value: str) -> str:
    """Return an option as it is written in a shell."""
    return f"{option} {shlex.quote(value)}"


def _unless(column: ColumnRole) -> str:
    role = _given("--role", f"{column.name}=describes event{_number(column)}")
    return f" If {column.name!r} identifies nobody, say {role}."


def _number(column: ColumnRole) -> str:
    """Return the number of distinct values, which the override of a certain person states."""
    is_certain = column.role is ColumnKind.PERSON and column.certainty is Certainty.CERTAIN
    return f":{column.distinct}" if is_certain else ""


_FINDINGS = {
    ColumnKind.PERSON: "{name!r} may identify people: {why}, and it would be published.",
    ColumnKind.EVENT: "{name!r} identifies events of people: {why}, and it would be published.",
    ColumnKind.FREE_TEXT: "{name!r} holds text: {why}, and it would be published.",
}
