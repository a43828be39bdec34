"""What a row loses when it is published with others: the loss of a span of values, column by column.

The values of a column that occur are numbered from 0 in the order of its tree, so what a class needs in a column is the
span from its lowest to its highest number. A span costs what its lowest common ancestor costs: leaves under it minus 1,
over all leaves minus 1; a span of numbers, its length over the length of the column. Losses are integers, in parts of
one common scale, so sums are exact and their order does not matter.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel

TABLE, NUMBERS, TREE = 0, 1, 2


class Columns(NamedTuple):
    """How spans of each column are priced; arrays of all columns behind one another."""

    kind: Any  # int64 (columns,): TABLE, NUMBERS or TREE
    start: Any  # int64 (columns,): where a column begins in the arrays below
    width: Any  # int64 (columns,): how many values occur
    losses: Any  # int64: TABLE, of span (low, high) at low * width + high; NUMBERS, of (0, value); TREE, of a node
    parents: Any  # int64: TREE, the node above; values are the nodes from 0
    ends: Any  # int64: TREE, the highest value under a node
    most: Any  # int64 (columns,): the loss of the whole column


@inner
def span_loss(columns, column, low, high):
    """Return what a row loses in a column when its class spans the values from `low` to `high`."""
    start = columns.start[column]
    if columns.kind[column] == TABLE:
        return columns.losses[start + low * columns.width[column] + high]
    if columns.kind[column] == NUMBERS:  # a missing value stands so far above that it costs all
        return min(columns.losses[start + high] - columns.losses[start + low], columns.most[column])
    node = low
    while columns.ends[start + node] < high:
        node = columns.parents[start + node]
    return columns.losses[start + node]


@kernel
def span_losses(columns, column, lows, highs):
    """Return what a row loses in each of several spans of a column."""
    losses = np.empty(lows.size, np.int64)
    for place in range(lows.size):
        losses[place] = span_loss(columns, column, lows[place], highs[place])
    return losses


@inner
def loss_together(columns, lows, highs, one, other_lows, other_highs, other):
    """Return what a row loses in a class that spans two boxes."""
    total = 0
    for column in range(columns.start.size):
        low = min(lows[one, column], other_lows[other, column])
        high = max(highs[one, column], other_highs[other, column])
        total += span_loss(columns, column, low, high)
    return total


@inner
def least_loss_together(columns, lows, highs, one, box_lows, box_highs, box):
    """Return the least that a row can lose in a class of box `one` and any box inside of `box`."""
    total = 0
    for column in range(columns.start.size):
        low = min(lows[one, column], box_highs[box, column])
        high = max(highs[one, column], box_lows[box, column])
        total += span_loss(columns, column, low, high)
    return total
