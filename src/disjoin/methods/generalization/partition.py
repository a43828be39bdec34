"""Large tables in parts that are searched one after the other: cut where rows on both sides have least in common."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.generalization.diversity import Demands, groups_that_hold
from disjoin.methods.generalization.local_search_classes import NUMBERS, Asked, span_loss
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
    saved, values = best_cuts(table.columns, table.values, rows)
    for column in np.lexsort((np.arange(saved.size), -saved)).tolist():
        if values[column] < 0:
            continue
        is_above = table.values[rows, column] > values[column]
        if groups_that_hold(asked.demands, asked.secrets[rows], is_above.astype(np.int64), 2).all():
            return rows[~is_above], rows[is_above]
    return None


@kernel
def best_cuts(columns, values, rows):
    """Return for every column by how much the loss of one class falls if it becomes two, and the highest value below.

    That is the cut which saves most, the lowest if several do; the value is -1 if every cut leaves one side too small.
    """
    saved, highest = np.empty(columns.start.size, np.int64), np.empty(columns.start.size, np.int64)
    widest = 1
    for column in range(columns.start.size):
        widest = max(widest, columns.width[column])
    counts = np.zeros(widest, np.int64)
    for column in range(columns.start.size):
        saved[column], highest[column] = _best_cut(columns, values, rows, column, counts)
    return saved, highest


@inner
def _best_cut(columns, values, rows, column, counts):
    """Return what the best cut of a column saves and the highest value below it; `counts` is empty before and after."""
    lowest = highest = values[rows[0], column]
    for i in range(rows.size):
        value = values[rows[i], column]
        counts[value] += 1
        lowest, highest = min(lowest, value), max(highest, value)
    whole = rows.size * span_loss(columns, column, lowest, highest)
    best, best_value, below, last = -1, -1, 0, lowest
    for value in range(lowest, highest + 1):
        if counts[value] == 0:
            continue
        if below * LEAST_SIDE >= rows.size and (rows.size - below) * LEAST_SIDE >= rows.size:
            kept = below * span_loss(columns, column, lowest, last)
            kept += (rows.size - below) * span_loss(columns, column, value, highest)
            if whole - kept > best:
                best, best_value = whole - kept, last
        below += counts[value]
        counts[value] = 0
        last = value
    return best, best_value
