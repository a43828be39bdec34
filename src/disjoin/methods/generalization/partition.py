"""Large tables in parts that are searched one after the other: cut where rows on both sides have least in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.methods.generalization.diversity import Demands, groups_that_hold
from disjoin.methods.generalization.local_search_classes import NUMBERS, Asked, span_losses
from disjoin.methods.generalization.local_search_losses import Priced
from disjoin.model.ragged import Ints64

LARGEST_PART = 2**13  # rows; four times as many take half as long again, and keep no more
LARGEST_DIVERSE_PART = 2**15  # rows, if anything is demanded of sensitive values: smaller parts leave less choice
SMALL_PART = 2**11  # rows of a wide table
PART_OF_LARGE = 2**9  # rows of a large table
WIDE = 6  # columns of numbers that are nearly as different as the rows: nearly all classes are compared with all
LARGE = (
    2**16
)  # rows; 125,000 take a third less time in parts of 512 rows than of 2,048, and keep 0.922 instead of 0.923
LEAST_SIDE = 16  # no side of a cut has less than one in this many rows


class PartCut(NamedTuple):
    """A column, the highest value below the cut, and by how much the loss of one class falls if it becomes two."""

    saved: int
    column: int
    value: int


def parts_of(table: Priced, asked: Asked, largest: int) -> list[Ints64]:
    """Return the rows of every part, ascending: all parts are as demanded, and small if cuts can make them so."""
    waiting: list[Ints64] = [np.arange(len(table.values), dtype=np.int64)]
    parts = []
    while waiting:
        rows = waiting.pop()
        sides = _cut(table, asked, rows) if rows.size > largest else None
        if sides is None:
            parts.append(rows)
        else:
            waiting.extend(reversed(sides))
    return parts


def largest_part(table: Priced, demands: Demands) -> int:
    """Return how many rows are searched at once: few where bounds leave nothing out, and time grows with the square."""
    fine = (table.columns.kind == NUMBERS) & (10 * table.columns.width > len(table.values))
    if np.count_nonzero(fine) >= WIDE:
        return SMALL_PART
    if not demands.only_k:
        return LARGEST_DIVERSE_PART
    return LARGEST_PART if len(table.values) <= LARGE else PART_OF_LARGE


def _cut(table: Priced, asked: Asked, rows: Ints64) -> tuple[Ints64, Ints64] | None:
    """Return the two sides of the best cut of which both are as demanded."""
    cuts = [best_cut(table, column, rows) for column in range(table.values.shape[1])]
    for _, column, value in sorted((cut for cut in cuts if cut is not None), key=lambda cut: (-cut.saved, cut.column)):
        is_above = table.values[rows, column] > value
        if groups_that_hold(asked.demands, asked.secrets[rows], is_above.astype(np.int64), 2).all():
            return rows[~is_above], rows[is_above]
    return None


def best_cut(table: Priced, column: int, rows: Ints64) -> PartCut | None:
    """Return the cut of a column that saves most, the lowest if several do; None if all leave one side too small."""
    counts = np.bincount(table.values[rows, column])
    values = np.flatnonzero(counts)
    below = np.cumsum(counts[values])[:-1]
    above = rows.size - below
    ends = np.full(values.size - 1, values[0]), np.full(values.size - 1, values[-1])
    saved = rows.size * span_losses(table.columns, column, ends[0], ends[1])
    saved -= below * span_losses(table.columns, column, ends[0], values[:-1])
    saved -= above * span_losses(table.columns, column, values[1:], ends[1])
    fine = np.flatnonzero(np.minimum(below, above) * LEAST_SIDE >= rows.size)
    if not fine.size:
        return None
    best = fine[np.argmax(saved[fine])]
    return PartCut(int(saved[best]), column, int(values[best]))
