"""People with several rows: classes are counted in people."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter, Remedy
from disjoin.methods.generalization.encoding import words_of
from disjoin.methods.generalization.roles import Roles, require_assigned
from disjoin.methods.role_checks import count_people, require_person, require_publishable
from disjoin.model import Table
from disjoin.model.column_roles import ColumnKind, RoleChoice, choices_from, roles_in
from disjoin.model.generalized import MISSING
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.spelling import alike, folded

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


def require_people(settings: Generalization, table: Table, roles: Roles) -> None:
    """Raise unless it is clear who the rows belong to, and every column has a role."""
    if settings.person is not None:
        _require_ids(settings.person, settings.similar_ids, table)
    elif not settings.one_row_per_person:
        _refuse_repeated(table, roles.identifiers)
    if not settings.drop_unassigned:
        require_assigned(roles.dropped)


def require_roles(settings: Generalization, table: Table, roles: Roles) -> None:
    """Raise if, by its values, a published column identifies people, or people have several rows."""
    choices = choices_from(settings.role)
    decided = choices if settings.person is None else {**choices, settings.person: RoleChoice(ColumnKind.PERSON)}
    found = roles_in(table, decided)
    if settings.person is None and not settings.one_row_per_person:
        _refuse_repeated(table, roles.identifiers)
        require_person(found, choices, "person")
    unprotected = () if settings.is_about_sensitive else roles.sensitive
    as_they_are = (*roles.others, *unprotected) if settings.min_people is None else ()
    require_publishable(found, roles.published, as_they_are=as_they_are, leave_out="identifiers")
    dropped = () if settings.drop_unassigned else roles.dropped
    require_publishable(found, dropped, leave_out="identifiers")  # rather than ask for a role that it cannot have


def _refuse_repeated(table: Table, names: Iterable[str]) -> None:
    for name in names:
        different = np.unique(table.codes_of(name)).size
        if different < len(table):
            raise InvalidParameter(
                f"{len(table):,} rows have {different:,} different values of {name!r}, so a row is not a person, and "
                "k rows alike may be those of one. Give a table with one row per person.",
                remedies=[
                    count_people("person", name),
                    Remedy("one_row_per_person", True, "treat every row as another person"),
                ],
            )


def _require_ids(person: str, similar: str, table: Table) -> None:
    """Raise if some rows have no id, or ids differ in nothing but their spelling."""
    values = table.values_of(person).to_pylist()
    used = np.bincount(table.codes_of(person), minlength=len(values))
    absent = int(used[values.index(MISSING)]) if MISSING in values else 0
    if absent:
        rows = "1 row has" if absent == 1 else f"{absent:,} rows have"
        raise InvalidParameter(f"{rows} no {person!r}, so it is not known whose they are. Complete or remove them.")
    ids = [value for value, times in zip(values, used.tolist(), strict=True) if times]
    pairs = alike(ids) if similar == "error" else []
    if pairs:
        fewer = len(ids) - sum(len(group) - 1 for group in pairs)
        one, other = (int(np.flatnonzero(table.codes_of(person) == values.index(id))[0]) + 1 for id in pairs[0][:2])
        raise InvalidParameter(
            f"{len(ids):,} different values of {person!r} are only {fewer:,} if case, blanks and Unicode forms do not "
            f"count, such as those of rows {min(one, other):,} and {max(one, other):,}.",
            remedies=[
                Remedy("similar_ids", "merge", "treat them as the same people"),
                Remedy("similar_ids", "keep", "treat them as different people"),
            ],
        )


def people_of(settings: Generalization, table: Table) -> Ints32 | None:
    """Return a number for every row that is the same for rows of one person; None if every row is a person."""
    if settings.person is None:
        return None
    codes = table.codes_of(settings.person)
    if settings.similar_ids != "merge":
        return codes
    names = [folded(value) for value in table.values_of(settings.person).to_pylist()]
    return np.unique(names, return_inverse=True)[1].ravel().astype(np.int32)[codes]


def require_reachable_people(settings: Generalization, table: Table, roles: Roles, people: Ints32) -> None:
    """Complain if all people together, as one class, would not do: then one class is no way out."""
    n = int(np.unique(people).size)
    if n < settings.k:
        raise GuaranteeUnreachable(
            f"{len(table):,} rows belong to {n:,} people, who cannot hide one another in classes of {settings.k}. "
            + (f"Lower k to {n} or less, or add people." if n >= 2 else "Add people.")
        )
    for name in roles.sensitive:
        most = int(_holders(people, words_of(table, name)).max())
        share = Fraction(most, n)
        if settings.alpha is not None and share > settings.alpha:
            raise GuaranteeUnreachable(
                f"no value of {name!r} may be had by more than {settings.alpha} of the people of a class, but one is "
                f"had by {most:,} of all {n:,}; alpha can be {share} or more (about {float(share):.3g})."
            )
        if n - most < settings.l - 1:
            raise GuaranteeUnreachable(
                f"of every value of {name!r}, {settings.l - 1} people of a class must be without it, but one is had by "
                f"{most:,} of all {n:,}; l can be {n - most + 1} or less."
            )


def _holders(people: Ints32, codes: Ints32) -> Ints64:
    """Count the people who have each value in some row."""
    width = int(codes.max(initial=0)) + 1
    return np.bincount(np.unique(people.astype(np.int64) * width + codes) % width)
