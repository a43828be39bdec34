"""Rows of names from leaves to a root: checked, bounded, and made into the nodes of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise, zip_longest

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.model.arrays import Ints32

DEEPEST = 1000  # names in a row, from the leaf to the root
_MOST_FILLED = 512 << 20  # bytes for leaves that are repeated upwards, as their rows are short
_BYTES_PER_NODE = 24  # in arrays, besides the name

Rows = list[tuple[str, ...]]


def nodes_of(table: Rows, numbers: Sequence[int]) -> tuple[pa.StringArray, Ints32]:
    """Return names and parents of the nodes of a tree, or raise `UnreadableInput` with the number of a row."""
    _require_rows(table, numbers)
    _require_bounded(table, numbers)
    _require_one_meaning(table, numbers)
    return _nodes(table, _parents_by_name(table, numbers))


def _require_rows(table: Rows, numbers: Sequence[int]) -> None:
    """Check what can be said of the rows as they were written."""
    if not table:
        raise UnreadableInput("a hierarchy needs at least one row, found none.")
    leaves: dict[str, int] = {}
    for number, row in zip(numbers, table, strict=True):
        _require_row(row, number)
        if row[0] in leaves:
            raise UnreadableInput(
                f"the rows {leaves[row[0]]} and {number} have the same leaf; keep one of them.", line=number
            )
        leaves[row[0]] = number
        if row[-1] != table[0][-1]:
            raise UnreadableInput(
                f"all rows must end with the same root, and row {number} ends with another name than row {numbers[0]}; "
                "add a common root, such as '*', and leave out a header.",
                line=number,
            )
    for number, row in zip(numbers, table, strict=True):
        for name in row[1:]:
            if leaves.get(name, number) != number:
                raise UnreadableInput(
                    f"the leaf of row {leaves[name]} stands above the leaf of row {number}; rename one.",
                    line=number,
                )


def _require_row(row: tuple[str, ...], number: int) -> None:
    if not row or not all(row):
        raise UnreadableInput(f"row {number} of the hierarchy has an empty name; give every node a name.", line=number)
    if len({*row}) != 1 + sum(name != parent for name, parent in pairwise(row)):
        raise UnreadableInput(
            f"row {number} of the hierarchy goes round in a circle: a name comes back above another.", line=number
        )


def _require_bounded(table: Rows, numbers: Sequence[int]) -> None:
    """Refuse a tree that would be far larger than its rows: short ones are filled up to the longest."""
    deepest = max(map(len, table))
    if deepest > DEEPEST:
        number = next(number for number, row in zip(numbers, table, strict=True) if len(row) == deepest)
        raise UnreadableInput(
            f"a row of a hierarchy has at most {DEEPEST:,} names, and row {number} has {deepest:,}; leave levels out.",
            line=number,
        )
    needed = sum((deepest - len(row)) * (len(row[0]) + _BYTES_PER_NODE) for row in table)
    if needed > _MOST_FILLED:
        raise UnreadableInput(
            f"the longest row has {deepest:,} names, and to fill the {len(table):,} rows up to that takes some "
            f"{needed >> 20:,} MB, the limit is {_MOST_FILLED >> 20:,}; leave levels out of the longest rows."
        )


def _parents_by_name(table: Rows, numbers: Sequence[int]) -> list[dict[str, str | None]]:
    """Return for every level the names on it, as rows have them, and the name above each."""
    deepest = max(map(len, table))
    above: list[dict[str, str | None]] = [{} for _ in range(deepest)]
    for number, row in zip(numbers, table, strict=True):
        for place, (name, parent) in enumerate(zip_longest(row, row[1:])):
            if above[deepest - len(row) + place].setdefault(name, parent) != parent:
                raise UnreadableInput(
                    f"name {place + 1} of row {number} has another parent in a row before; a node has one parent only.",
                    line=number,
                )
    return above


def _nodes(table: Rows, above: list[dict[str, str | None]]) -> tuple[pa.StringArray, Ints32]:
    """Return names and parents of all nodes; a leaf of a short row is repeated below where its row has it."""
    lacking = sorted((row[0], len(above) - len(row)) for row in table if len(row) < len(above))
    names, parents = [], []
    upper: dict[str | None, int] = {}  # the numbers on the level above, from the root down; negative, from the end
    first = 0
    for level in reversed(range(len(above))):
        here = above[level]
        on_level = sorted([*sorted(here), *(leaf for leaf, missing in lacking if missing > level)])
        parents.append(np.array([upper.get(here.get(name, name), 0) for name in on_level], dtype=np.int64))
        names.append(pa.array(on_level, pa.string()))
        first -= len(on_level)
        upper = {name: number for number, name in enumerate(on_level, start=first)}
    numbers = np.concatenate(parents[::-1]) - first
    numbers[-1] = -1
    return pa.concat_arrays(names[::-1]), numbers.astype(np.int32)


def _require_one_meaning(table: Rows, numbers: Sequence[int]) -> None:
    """Check that a name at several levels is one node repeated upwards: otherwise it would mean different leaves."""
    deepest = max(map(len, table))
    spans: dict[str, tuple[int, int]] = {}  # the levels from and to which a name goes; equal names are neighbours
    for number, row in zip(numbers, table, strict=True):
        place = 0
        for name, run in groupby(row):
            size = sum(1 for _ in run)
            span = (deepest - len(row) + place, size)
            if spans.setdefault(name, span) != span:
                raise UnreadableInput(
                    f"name {place + 1} of row {number} stands for different leaves at different levels; give "
                    "the nodes different names.",
                    line=number,
                )
            place += size
