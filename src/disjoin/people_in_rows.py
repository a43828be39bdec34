"""People who have several rows in a table: what describes them and their terms, so that a risk counts both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import DisjoinError
from disjoin.files.table_reading import read_table
from disjoin.model import MixedRecords, Table, Transactions
from disjoin.model.column_roles import ColumnKind, RoleChoice, TableRoles, roles_in
from disjoin.model.mixed import PeopleIntake
from disjoin.model.ragged import Ints64, offsets_of
from disjoin.model.transactions import Intake

MISSING = "?"


@dataclass(frozen=True, slots=True)
class PeopleInRows:
    """A long table read as mixed data: one row per person, with the columns that describe them, and their terms."""

    roles: TableRoles
    people: MixedRecords
    quasi: tuple[str, ...]  # the columns that are the same in all rows of a person
    terms: str
    left_out: tuple[str, ...]  # columns that the risk does not count


def people_in(source: object, id: str | None = None, terms: str | None = None, **reading: Any) -> PeopleInRows | None:
    """Read people from a long table with columns that are constant per person; None if the source is something else."""
    table = table_in(source, **reading)
    return None if table is None else people_in_rows(table, id, terms)


def table_in(source: object, **reading: Any) -> Table | None:
    """Read all columns of a source; None if it is no table, which the reader of records reports."""
    if source == "-" or isinstance(source, (Transactions, MixedRecords, list, tuple, set)) or hasattr(source, "read"):
        return None
    try:
        return read_table(source, **reading)
    except DisjoinError:
        return None


def people_in_rows(table: Table, id: str | None = None, terms: str | None = None) -> PeopleInRows | None:
    """Return the people of a long table with their columns and terms; None if it is not one.

    `id` and `terms` are the columns that the data owner named, if any.

    >>> rows = {"c1": [f"P{row // 3:02d}" for row in range(90)], "c2": [str(row // 3 % 7) for row in range(90)]}
    >>> found = people_in_rows(Table.from_columns({**rows, "c3": [f"code {row % 15}" for row in range(90)]}))
    >>> found.people, found.quasi, found.terms
    (MixedRecords(30 people, 15 terms), ('c2',), 'c3')
    """
    named = {id: ColumnKind.PERSON, terms: ColumnKind.TERMS}
    choices = {name: RoleChoice(kind) for name, kind in named.items() if name in table.schema.names}
    roles = roles_in(table, choices)
    if not roles.is_mixed or not roles.is_grouped or roles.person is None:
        return None
    quasi, chosen = roles.named(ColumnKind.DESCRIBES_PERSON), terms or _terms_of(roles)
    if not quasi:
        return None
    left_out = tuple(name for name in table.schema.names if name not in (*quasi, roles.person, chosen))
    return PeopleInRows(roles, _mixed(table, roles.person, chosen, quasi), quasi, chosen, left_out)


def _terms_of(roles: TableRoles) -> str:
    """Return the column of terms: a sensitive one before others, else the first."""
    found = roles.named(ColumnKind.TERMS)
    return next((name for name in found if roles[name].is_sensitive), found[0])


def _mixed(table: Table, person: str, terms: str, quasi: tuple[str, ...]) -> MixedRecords:
    """Return a row per person: the first value of each column that is not missing, and all terms."""
    ids = np.flatnonzero(~_missing(table, person))
    _, owners = np.unique(table.codes_of(person)[ids], return_inverse=True)
    many = int(owners.max(initial=-1)) + 1
    columns = {name: table.values_of(name).take(pa.array(_first(table, name, ids, owners, many))) for name in quasi}
    records = _records(table, terms, ids, owners, many)
    intake = PeopleIntake(rows_of_people=len(table), id_column=person)
    return MixedRecords(Table.from_columns(columns), records, intake)


def _missing(table: Table, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    values = table.values_of(name)
    return np.array([value == MISSING for value in values.to_pylist()], np.bool_)[table.codes_of(name)]


def _first(table: Table, name: str, rows: Ints64, owners: Ints64, many: int) -> Ints64:
    """Return for everybody the code of the first cell that is not missing; of the first cell if all are."""
    codes = table.codes_of(name)[rows].astype(np.int64)
    order = np.lexsort((np.arange(rows.size), _missing(table, name)[rows], owners))
    starts = np.searchsorted(owners[order], np.arange(many))
    return np.asarray(codes[order[starts]], np.int64)


def _records(table: Table, terms: str, rows: Ints64, owners: Ints64, many: int) -> Transactions:
    """Return the different terms of everybody, perhaps none."""
    kept = ~_missing(table, terms)[rows]
    codes, whose = table.codes_of(terms)[rows][kept].astype(np.int64), owners[kept]
    used, items = np.unique(codes, return_inverse=True)
    words = table.values_of(terms).take(pa.array(used)).to_pylist()
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words), np.int64)
    rank[order] = np.arange(len(words))
    pairs = np.unique(whose * max(1, len(words)) + rank[items])
    owner, item = np.divmod(pairs, max(1, len(words)))
    offsets = offsets_of(np.bincount(owner, minlength=many).astype(np.int64))
    vocabulary = pa.array([words[place] for place in order], pa.string())
    return Transactions(offsets, item.astype(np.int32), vocabulary, intake=Intake("long"))
