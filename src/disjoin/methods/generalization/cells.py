"""Columns whose cells look like lists: whole sets would be published with them, and a set is often unique."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import Table
from disjoin.model.listed_cells import ListedCells, lists_in


def lists_in_column(table: Table, name: str) -> ListedCells | None:
    """Return how the cells of a column look like lists; None if they do not."""
    values = table.values_of(name)
    return lists_in(values, np.bincount(table.codes_of(name), minlength=len(values)).astype(np.int64))


def require_single_values(table: Table, columns: Iterable[str]) -> None:
    """Raise if a column has lists in its cells."""
    for name in columns:
        found = lists_in_column(table, name)
        if found is not None:
            mark = {"\n": "newline", "\t": "tab"}.get(found.separator, f"'{found.separator}'")
            raise InvalidParameter(
                f"the cells of {name!r} look like lists, of the form {found.form!r}, and whole sets would be "
                f"published. Publish sets with disjoin disassociate --split {mark}, put one value in a cell, or say "
                "--whole-cells if each cell is one value."
            )
