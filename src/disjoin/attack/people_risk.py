"""Whom a table singles out if people have several rows in it: a class of many rows may be one person's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.jit.row_classes import counted_keys, numbered, row_keys
from disjoin.model.arrays import Ints64
from disjoin.model.person_names import names_a_person
from disjoin.model.table import Table


@dataclass(frozen=True, slots=True)
class PeopleExposure:
    """What the values of some columns give away: `alone` people have a row there that nobody else's equals."""

    columns: tuple[str, ...]
    people: int
    alone: int
    fewest: int  # people of the class that has the fewest

    @property
    def alone_share(self) -> Fraction:
        """The share of people who have a row that nobody else's equals."""
        return Fraction(self.alone, self.people)


@dataclass(frozen=True, slots=True)
class PeopleRisk:
    """The risk of people, not rows; `column` says whose a row is."""

    column: str
    whole: PeopleExposure
    known: tuple[PeopleExposure, ...]  # for the sets of columns that were asked for

    @property
    def k(self) -> int:
        """The largest k such that every class has rows of k different people."""
        return self.whole.fewest


def people_column(table: Table, named: Iterable[str] = ()) -> str | None:
    """Return the first column that names people by its name and repeats; those that are `named` have another role.

    >>> table = Table.from_columns({"id": ["1", "1", "2"], "age": ["7", "7", "9"]})
    >>> people_column(table), people_column(table, ["id"])
    ('id', None)
    """
    taken = set(named)
    for name in table.schema.names:
        if name not in taken and names_a_person(name) and np.unique(table.codes_of(name)).size < len(table):
            return name
    return None


def people_risk(table: Table, quasi: Sequence[str], person: str, known: Iterable[tuple[str, ...]] = ()) -> PeopleRisk:
    """Return how many people the columns `quasi`, and each set of columns in `known`, single out.

    >>> table = Table.from_columns({"id": ["1", "1", "2"], "age": ["7", "7", "9"]})
    >>> people_risk(table, ["age"], "id").whole
    PeopleExposure(columns=('age',), people=2, alone=2, fewest=1)
    """
    if person in quasi:
        raise InvalidParameter(f"a column has one role, {person!r} is named as person and as quasi-identifier.")
    table.schema.position(person)  # complains
    whole = _exposure(table, tuple(quasi), person)
    return PeopleRisk(person, whole, tuple(_exposure(table, columns, person) for columns in known))


def _exposure(table: Table, columns: tuple[str, ...], person: str) -> PeopleExposure:
    keys = row_keys([table.codes_of(name) for name in columns], [len(table.values_of(name)) for name in columns])
    classes, n_classes = numbered(*keys)
    width = len(table.values_of(person))
    pairs, _ = counted_keys(classes * width + table.codes_of(person), n_classes * width)
    people: Ints64 = np.bincount(pairs // width, minlength=n_classes)
    alone = np.unique(pairs[people[pairs // width] == 1] % width)
    return PeopleExposure(columns, int(np.unique(pairs % width).size), int(alone.size), int(people.min()))
