"""Role checks: no published column may identify people or events, or contain sentences, judged by its values. This
holds in any role, until the data owner names another one (docs/how-to/column-roles.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from disjoin.errors import InvalidParameter, Placeholder, Remedy, all_problems
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
from disjoin.text import quoted


def require_publishable(
    roles: TableRoles, published: Collection[str], *, as_they_are: Collection[str] = (), leave_out: str = ""
) -> None:
    """Raise if a published column identifies people or events, holds sentences, or is nearly unique as it is.
    `leave_out` is the option that names columns which are not published; without it, unnamed columns are not."""
    problems = []
    for column in roles.columns:
        if column.name not in published:
            continue
        out = [Remedy(leave_out, column.name, "leave it out")] if leave_out else []
        if _is_refused(column, roles.rows) or (column.stops is Stop.ALWAYS and column.name in as_they_are):
            finding = _FINDINGS[column.role].format(name=column.name, why=column.why)
            advice = "" if leave_out else " Leave it out of the options."
            problems.append(InvalidParameter(finding + advice, remedies=[*out, _unless(column)]))
        elif column.stops is Stop.AS_IS and column.name in as_they_are:
            problems.append(
                InvalidParameter(
                    f"{column.alone:.0%} of the cells of {column.name!r} have a value that no other row has: an "
                    "attacker who knows the value finds the row, and it would be published unchanged.",
                    remedies=[
                        Remedy("quasi", Placeholder("COLUMNS"), "generalise it with the quasi-identifiers"),
                        *out,
                        *(
                            [Remedy("min_people", Placeholder("N"), "publish only values of N people")]
                            * bool(leave_out)
                        ),
                        Remedy("role", [f"{column.name}=measure"], "state that no attacker can know it"),
                    ],
                )
            )
    if problems:
        raise all_problems(problems)


def _is_refused(column: ColumnRole, rows: int) -> bool:
    """Return whether a column is refused in every role; in a few rows nearly every column looks like a key."""
    is_judged = rows >= FEW_ROWS or column.certainty in (Certainty.CERTAIN, Certainty.DECIDED)
    return is_judged and (column.stops is Stop.ALWAYS or (column.role is ColumnKind.FREE_TEXT and column.asks))


def require_terms(column: ColumnRole) -> None:
    if column.stops is Stop.ALWAYS:
        finding = _FINDINGS[column.role].format(name=column.name, why=column.why)
        role = f"{column.name}=terms{_number(column)}"
        shared = Remedy("role", [role], "state that several people share these terms")
        raise InvalidParameter(f"{finding} Name another column of terms.", remedies=[shared])


def require_person(roles: TableRoles, choices: Mapping[str, RoleChoice], option: str) -> None:
    """Raise if people have several rows and no option names the column that identifies them."""
    if roles.rows < FEW_ROWS or roles.form is not TableForm.LONG or roles.person is None or roles.person in choices:
        return
    candidates = (roles.person, *roles.rivals)
    if len(candidates) > 1:
        names = " and ".join(map(repr, candidates))
        raise InvalidParameter(
            f"{names} could both identify people, who have several rows each, and rows of one person do not "
            "protect that person.",
            remedies=[*(count_people(option, name) for name in candidates), _unless(roles[roles.person])],
        )
    raise InvalidParameter(
        f"{roles.person!r} identifies people: {roles.people:,} people have {roles.rows:,} rows, and "
        f"{roles[roles.person].why}. The rows of one person do not protect that person.",
        remedies=[count_people(option, roles.person), _unless(roles[roles.person])],
    )


def count_people(option: str, column: str) -> Remedy:
    return Remedy(option, column, f"count people by {quoted(column)}, which is not published")


def _unless(column: ColumnRole) -> Remedy:
    role = f"{column.name}=describes event{_number(column)}"
    return Remedy("role", [role], f"state that {quoted(column.name)} does not identify people")


def _number(column: ColumnRole) -> str:
    """Return the number of distinct values, which the override of a certain person states."""
    is_certain = column.role is ColumnKind.PERSON and column.certainty is Certainty.CERTAIN
    return f":{column.distinct}" if is_certain else ""


_FINDINGS = {
    ColumnKind.PERSON: "{name!r} may identify people: {why}, and it would be published.",
    ColumnKind.EVENT: "{name!r} identifies events of people: {why}, and it would be published.",
    ColumnKind.FREE_TEXT: "{name!r} contains text: {why}, and it would be published.",
}
