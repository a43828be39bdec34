"""Who is what: the roles of a table's columns, from the settings and from its schema."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from disjoin.errors import InvalidParameter
from disjoin.model import Role, Table


class Roles(NamedTuple):
    """The columns of a table by role, each in the order of the table."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]

    def by_name(self) -> dict[str, Role]:
        """Return the role of every column."""
        kinds = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER, Role.OTHER)
        return {name: role for role, names in zip(kinds, self, strict=True) for name in names}


def roles_of(
    table: Table,
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    identifiers: Iterable[str] = (),
    others: Iterable[str] = (),
) -> Roles:
    """Return the roles that are named here or that the table's schema states; a column has one role only.

    >>> table = Table.from_columns({"age": ["7"], "name": ["Bo"]}, {"name": Role.IDENTIFIER})
    >>> roles_of(table, quasi=["age"])
    Roles(quasi=('age',), sensitive=(), identifiers=('name',), others=())
    """
    named: dict[str, Role] = {column.name: column.role for column in table.schema.columns}
    wanted = {Role.QUASI_IDENTIFIER: quasi, Role.SENSITIVE: sensitive, Role.IDENTIFIER: identifiers}
    for role, names in wanted.items():
        for name in names:
            table.schema.position(name)  # complains of an unknown one
            if named[name] not in (Role.OTHER, role):
                raise InvalidParameter(
                    f"a column has one role, {name!r} is named as {named[name].value} and as {role.value}."
                )
            named[name] = role
    for name in others:
        table.schema.position(name)
        if named[name] is not Role.OTHER:
            raise InvalidParameter(f"a column has one role, {name!r} is named as {named[name].value} and as other.")
    found = Roles(*(tuple(name for name in named if named[name] is role) for role in (*wanted, Role.OTHER)))
    if not found.quasi:
        raise InvalidParameter(
            "at least one column must be a quasi-identifier, what somebody may know of a person; name it with --quasi."
        )
    return found
