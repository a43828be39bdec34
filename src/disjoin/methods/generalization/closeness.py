"""Whether the sensitive values of a class are close to those of the whole table, in whole numbers.

A share of a value that is allowed (beta-likeness) or needed (delta-disclosure) is replaced by the nearest fraction
inside with a denominator of at most the number of rows: that allows every class the same counts.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

from disjoin.jit.compiled import inner
from disjoin.model.ragged import Ints64

EQUAL, ORDERED, HIERARCHICAL = 0, 1, 2


class ClosenessLimits(NamedTuple):
    """What a class may be beside the whole table; numbers that make a condition empty where nothing is asked."""

    is_asked: bool
    rows: int  # of the whole table
    totals: Ints64  # (codes,) rows of the whole table that have it
    most_top: Ints64  # (codes,) its share of a class is at most most_top / most_bottom
    most_bottom: Ints64
    least_top: Ints64  # (codes,) and at least least_top / least_bottom
    least_bottom: Ints64
    needs_all: bool  # whether any least share is above 0
    c_top: int  # recursive (c,l): the largest count below c_top / c_bottom times what is left; c_bottom 0 if not asked
    c_bottom: int
    l: int  # noqa: E741 - the papers' name
    t_top: Ints64  # (columns,) a distance of at most t_top / t_bottom; t_bottom 0 if not asked
    t_bottom: Ints64
    distance: int  # EQUAL, ORDERED or HIERARCHICAL
    order: Ints64  # (codes,) the codes of a column that occur, by number or tree, from starts[column]
    used: Ints64  # (columns,) how many codes of a column occur
    spans: Ints64  # (nodes below the roots, 2): which of the ordered codes are under a node
    span_starts: Ints64  # (columns + 1,)
    heights: Ints64  # (columns,) of the trees


@inner
def is_close(limits, starts, tally, size):
    """Tell whether that many rows with the counted codes keep all limits, in every column."""
    for column in range(starts.size - 1):
        first, end = starts[column], starts[column + 1]
        if not _shares_fit(limits, tally, first, end, size):
            return False
        if limits.c_bottom > 0 and not _is_recursive(limits, tally, first, end, size):
            return False
        if limits.t_bottom[column] > 0:
            if limits.distance == HIERARCHICAL:
                moved = _climbed(limits, tally, first, column, size)
                most = 2 * limits.heights[column] * size * limits.rows
            elif limits.distance == ORDERED:
                steps = limits.used[column] - 1
                moved = _moved(limits, tally, first, steps, size)
                most = steps * size * limits.rows
            else:
                moved = _apart(limits, tally, first, end, size)
                most = 2 * size * limits.rows
            if moved * limits.t_bottom[column] > limits.t_top[column] * most:
                return False
    return True


@inner
def _shares_fit(limits, tally, first, end, size):
    """Tell whether every value has a share that it may have, and one that it must have."""
    for i in range(tally.used[0]):
        code = tally.touched[i]
        if first <= code < end and tally.counts[code] * limits.most_bottom[code] > limits.most_top[code] * size:
            return False
    if limits.needs_all:
        for code in range(first, end):
            if tally.counts[code] * limits.least_bottom[code] < limits.least_top[code] * size:
                return False
    return True


@inner
def _is_recursive(limits, tally, first, end, size):
    """Tell whether r1 < c (r_l + ... + r_n)."""
    largest, left, taken, below = 0, size, 0, size + 1
    while taken < limits.l - 1:  # the next largest count, and how many values have it
        best, times = 0, 0
        for i in range(tally.used[0]):
            code = tally.touched[i]
            if first <= code < end and tally.counts[code] < below:
                if tally.counts[code] > best:
                    best, times = tally.counts[code], 0
                times += tally.counts[code] == best
        if best == 0:
            return False  # fewer than l values
        largest = max(largest, best)
        times = min(times, limits.l - 1 - taken)
        left -= best * times
        taken += times
        below = best
    return largest * limits.c_bottom < limits.c_top * left


@inner
def _apart(limits, tally, first, end, size):
    """Return the sum of |p - P| over all values, times the rows of the class and of the table."""
    total = size * limits.rows
    for i in range(tally.used[0]):
        code = tally.touched[i]
        if first <= code < end:
            expected = limits.totals[code] * size
            total += abs(tally.counts[code] * limits.rows - expected) - expected
    return total


@inner
def _moved(limits, tally, first, steps, size):
    """Return the sum of |p - P| over all beginnings of the ordered values, times the rows of class and table."""
    far, total = 0, 0
    for i in range(first, first + steps):
        code = limits.order[i]
        far += tally.counts[code] * limits.rows - limits.totals[code] * size
        total += abs(far)
    return total


@inner
def _climbed(limits, tally, first, column, size):
    """Return the sum of |p - P| over all nodes below the root, times the rows of class and table.

    Moving a share from one leaf to another takes it up to where they meet and down again: a step per level and side.
    No array is made here, or every loop that asks for closeness would count the holders of arrays.
    """
    total = 0
    for span in range(limits.span_starts[column], limits.span_starts[column + 1]):
        far = 0
        for i in range(first + limits.spans[span, 0], first + limits.spans[span, 1]):
            code = limits.order[i]
            far += tally.counts[code] * limits.rows - limits.totals[code] * size
        total += abs(far)
    return total
