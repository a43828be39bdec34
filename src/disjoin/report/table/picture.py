"""One class as a picture made of data: what all its rows have, and its different rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.model.table import Role
from disjoin.report.table.classes import Classes, different_rows
from disjoin.report.words import counted

FEW = 10  # different rows, if all of them are not asked for
MANY = 1000  # rows that anybody scrolls through
COLUMNS = 24  # of either kind: more than anybody compares


@dataclass(frozen=True, slots=True)
class ClassPicture:
    """A class: how many rows it has, what they share, and the first of its different rows with their counts."""

    number: int
    size: int
    shared: tuple[tuple[str, str], ...]  # quasi-identifier and value
    columns: tuple[str, ...]  # the others
    sensitive: tuple[bool, ...]  # whether each of them is
    rows: tuple[tuple[tuple[str, ...], int], ...]  # values and count
    more_rows: int = 0  # different ones
    more_columns: int = 0  # of both kinds

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        return f"class {self.number}: {counted(self.size, 'row')}"


def picture_of(classes: Classes, number: int, rows: int = FEW) -> ClassPicture:
    """Return the picture of a class with at most `rows` different rows."""
    table, others = classes.table, classes.others
    shown, more = others[:COLUMNS], max(0, len(others) - COLUMNS) + max(0, len(classes.quasi) - COLUMNS)
    firsts, counts = different_rows(classes, number) if others else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    taken = firsts[:rows]
    values = [table.values_of(name).take(pa.array(table.codes_of(name)[taken])).to_pylist() for name in shown]
    secret = table.schema.with_role(Role.SENSITIVE)
    return ClassPicture(
        number=number,
        size=int(classes.sizes[number]),
        shared=tuple(classes.values_of(number).items())[:COLUMNS],
        columns=shown,
        sensitive=tuple(name in secret for name in shown),
        rows=tuple(zip(zip(*values, strict=True), counts[:rows].tolist(), strict=True)),
        more_rows=max(0, firsts.size - rows),
        more_columns=more,
    )
