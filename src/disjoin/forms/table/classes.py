"""The classes of a published table: rows that are equal in all quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.jit.row_classes import numbered, row_keys
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.generalized import Generalized
from disjoin.model.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class TableClasses:
    """Classes numbered by their values, column by column in the order of the table; in a class, rows in their order."""

    table: Table
    quasi: tuple[str, ...]
    class_of_row: Ints64  # (rows,)
    sizes: Ints64  # (classes,)
    rows: Ints64  # (rows,), class by class
    offsets: Ints64  # (classes + 1,), into `rows`

    def __len__(self) -> int:
        return int(self.sizes.size)

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the columns that are not quasi-identifiers."""
        return tuple(name for name in self.table.schema.names if name not in self.quasi)

    def rows_of(self, number: int) -> Ints64:
        """Return the rows of a class."""
        return self.rows[self.offsets[number] : self.offsets[number + 1]]

    def values_of(self, number: int) -> dict[str, str]:
        """Return what all rows of a class have in the quasi-identifiers, by column."""
        row = int(self.rows[self.offsets[number]])
        return {name: self.table.values_of(name)[int(self.table.codes_of(name)[row])].as_py() for name in self.quasi}


def classes_of(published: Generalized) -> TableClasses:
    """Return the classes of a table; without quasi-identifiers all rows are one class.

    >>> from disjoin.model.table import Role
    >>> table = Table.from_columns({"sex": ["m", "f", "m"]}, {"sex": Role.QUASI_IDENTIFIER})
    >>> classes_of(Generalized(table)).sizes.tolist()
    [1, 2]
    """
    table, quasi = published.table, published.quasi
    classes, number = numbered(*row_keys(*_codes(table, quasi)))
    sizes = np.bincount(classes, minlength=number)
    return TableClasses(table, quasi, classes, sizes, np.argsort(classes, kind="stable"), offsets_of(sizes))


def different_rows(classes: TableClasses, number: int) -> tuple[Ints64, Ints64]:
    """Return a row for each combination of other values that a class has, by these values, and how often it occurs."""
    rows = classes.rows_of(number)
    codes, bounds = _codes(classes.table, classes.others)
    keys, _ = row_keys([column[rows] for column in codes], bounds)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return rows[first], counts


def _codes(table: Table, names: tuple[str, ...]) -> tuple[list[Ints32], list[int]]:
    """Return the codes of the columns, and bounds above them; one column of zeros where no column is named."""
    if not names:
        return [np.zeros(len(table), dtype=np.int32)], [1]
    return [table.codes_of(name) for name in names], [len(table.values_of(name)) for name in names]
