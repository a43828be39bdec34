"""Roles of a table's columns, from settings and schema."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter, Placeholder, Remedy
from disjoin.methods.sensitive_terms import named as listed
from disjoin.model import Role, Table
from disjoin.model.listed_cells import ListedCells, lists_in
from disjoin.model.spelling import alike, folded_value

NAME_QUASI = Remedy("quasi", Placeholder("COLUMNS"), "name the columns that an attacker may know")


def lists_in_column(table: Table, name: str) -> ListedCells | None:
    """Return how the cells of a column look like lists; None if they do not."""
    values = table.values_of(name)
    return lists_in(values, np.bincount(table.codes_of(name), minlength=len(values)).astype(np.int64))


def require_single_values(table: Table, columns: Iterable[str]) -> None:
    """Raise if a column has lists in its cells."""
    for name in columns:
        found = lists_in_column(table, name)
        if found is not None:
            raise InvalidParameter(
                f"the cells of {name!r} look like lists, of the form {found.form!r}, and whole sets would be "
                "published. Put one value in a cell, or publish sets by disassociation.",
                remedies=[Remedy("whole_cells", True, "take each cell as one value")],
            )


class Roles(NamedTuple):
    """The columns of a table by role, each in the order of the table."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]
    dropped: tuple[str, ...] = ()  # without a role, and not published

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that a release contains."""
        return (*self.quasi, *self.sensitive, *self.others)

    def by_name(self) -> dict[str, Role]:
        """Return the role of every column."""
        kinds = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER, Role.OTHER, Role.OTHER)
        return {name: role for role, names in zip(kinds, self, strict=True) for name in names}


def roles_of(
    table: Table,
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    identifiers: Iterable[str] = (),
    others: Iterable[str] = (),
) -> Roles:
    """Return the roles that are named here or that the table's schema states; a column has one role only.

    A column without a role is dropped.

    >>> table = Table.from_columns({"age": ["7"], "name": ["Bo"]}, {"name": Role.IDENTIFIER})
    >>> roles_of(table, quasi=["age"]).identifiers
    ('name',)
    """
    others = tuple(others)
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
    _refuse_alike_names(named)
    by_role = [tuple(name for name in named if named[name] is role) for role in wanted]
    unassigned = tuple(name for name in named if named[name] is Role.OTHER and name not in others)
    found = Roles(by_role[0], by_role[1], by_role[2], tuple(name for name in named if name in others), unassigned)
    if not found.quasi:
        raise InvalidParameter(
            "at least one column must be a quasi-identifier, and none is named.", remedies=[NAME_QUASI]
        )
    return found


def require_assigned(unassigned: tuple[str, ...]) -> None:
    """Raise if columns have no role."""
    if unassigned:
        raise InvalidParameter(
            f"a column without a role is not published, and {listed(unassigned)} "
            f"{'has' if len(unassigned) == 1 else 'have'} none. Name each as quasi, sensitive, others or identifiers.",
            remedies=[Remedy("drop_unassigned", True, "leave them out")],
        )


def _refuse_alike_names(roles: dict[str, Role]) -> None:
    """Raise if a column with a role has a namesake without one: which of the two was meant?"""
    for names in alike(roles):
        without = [name for name in names if roles[name] is Role.OTHER]
        if 0 < len(without) < len(names):
            raise InvalidParameter(
                f"columns must have different names, and these differ in their spelling alone: {listed(names)}. Rename "
                "or drop one, or give each a role."
            )


def require_one_spelling(table: Table, sensitive: Iterable[str]) -> None:
    """Raise if values of a sensitive column differ in spelling only, or are equal numbers: a reader sees one value."""
    for name in sensitive:
        codes, first_rows = np.unique(table.codes_of(name), return_index=True)
        texts = table.values_of(name).take(codes).to_pylist()
        groups = alike(texts, folded_value)
        if groups:
            rows = dict(zip(texts, (first_rows + 1).tolist(), strict=True))
            one, other = sorted(rows[text] for text in groups[0])[:2]
            raise InvalidParameter(
                f"values of the sensitive column {name!r} must have one spelling each, and {sum(map(len, groups)):,} "
                f"texts are spellings of {len(groups):,} {'value' if len(groups) == 1 else 'values'}, such as those of "
                f"rows {one:,} and {other:,}. Correct the data.",
                remedies=[Remedy("sensitive_match", "loose", "count the spellings of a value as one")],
            )
