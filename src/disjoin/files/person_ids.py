"""Ids that say whose a row is, in one table or in several: numbered, and gone after that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.errors import UnreadableInput
from disjoin.files.table_values import MISSING
from disjoin.files.wording import counted, quoted
from disjoin.model.ragged import Ints64
from disjoin.model.spelling import alike, folded
from disjoin.model.table import Table


@dataclass(frozen=True, slots=True)
class PersonIds:
    """Ids of several columns, numbered over all of them."""

    codes: list[Ints64]
    size: int
    names: list[str]  # of all that occur, in no order that matters

    @classmethod
    def of(cls, columns: list[list[str]], similar: str) -> PersonIds:
        """Number ids; those that differ in spelling alone are refused, made one, or kept apart."""
        different = {text for column in columns for text in column}
        if similar == "error":
            _refuse_alike(columns, different)
        numbers: dict[str, int] = {}
        key = folded if similar == "merge" else str
        codes = [
            np.array([numbers.setdefault(key(text), len(numbers)) for text in column], dtype=np.int64)
            for column in columns
        ]
        return cls(codes, len(numbers), sorted(different))


def _refuse_alike(columns: list[list[str]], different: set[str]) -> None:
    groups = alike(different)
    if not groups:
        return
    more = sum(len(group) - 1 for group in groups)
    places = []
    for text in groups[0][:2]:
        file, column = next((n, column) for n, column in enumerate(columns) if text in column)
        where = f" of {('people', 'items')[file]}" if len(columns) > 1 else ""
        places.append(f"row {column.index(text) + 1:,}{where}")
    raise UnreadableInput(
        f"{counted(len(different), 'id')} are only {len(different) - more:,} if case, blanks and Unicode forms do not "
        f"count, such as those of {' and '.join(places)}. Say --similar-ids merge if these are the same people, or "
        "--similar-ids keep if they are not."
    )


def require_ids(table: Table, name: str, what: str) -> None:
    """Raise if a row has no id: nobody knows whose it is."""
    values = table.values_of(name).to_pylist()
    absent = int((table.codes_of(name) == values.index(MISSING)).sum()) if MISSING in values else 0
    if absent:
        raise UnreadableInput(
            f"{counted(absent, 'row')} of {what} without {quoted(name)}: nobody knows whose they are. Complete or "
            "remove them."
        )
