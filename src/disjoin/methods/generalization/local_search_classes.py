"""Classes of rows while they change: who is in them, what they span, what they lose and what they satisfy."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.generalization.diversity import clear, count, holds
from disjoin.methods.generalization.local_search_columns import span_loss


class Asked(NamedTuple):
    """What every class must satisfy, room to count in, and the sensitive codes that it is about."""

    demands: Any  # diversity.Demands
    tally: Any  # diversity.Tally
    secrets: Any  # int64 (rows, sensitive columns)


class Classes(NamedTuple):
    """Classes as lists of rows, boxes around their values, and losses."""

    values: Any  # int64 (rows, columns)
    of_row: Any  # int64 (rows,)
    following: Any  # int64 (rows,): the next row of the class, -1 at its end
    preceding: Any  # int64 (rows,)
    first: Any  # int64 (classes,), -1 for an empty class
    sizes: Any  # int64 (classes,)
    lows: Any  # int64 (classes, columns)
    highs: Any  # int64 (classes, columns)
    losses: Any  # int64 (classes,): what each row of the class loses
    stirred: Any  # bool (classes,): whether a class changed since somebody looked at it


@kernel
def classes_of(values, of_row, n_classes, columns):
    """Return the classes that `of_row` describes, numbered below `n_classes`, rows of each in ascending order."""
    rows, width = values.shape
    classes = Classes(
        values,
        of_row,
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros((n_classes, width), np.int64),
        np.zeros((n_classes, width), np.int64),
        np.zeros(n_classes, np.int64),
        np.ones(n_classes, np.bool_),
    )
    for number in range(n_classes):
        classes.first[number] = -1
    for row in range(rows - 1, -1, -1):
        put(classes, row, of_row[row])
    for number in range(n_classes):
        tighten(classes, columns, number)
    return classes


@inner
def put(classes, row, number):
    """Add a row to the list of a class; what the class spans stays."""
    classes.following[row] = classes.first[number]
    classes.preceding[row] = -1
    if classes.first[number] >= 0:
        classes.preceding[classes.first[number]] = row
    classes.first[number] = row
    classes.of_row[row] = number
    classes.sizes[number] += 1


@inner
def take(classes, row):
    """Remove a row from the list of its class; what the class spans stays."""
    number, before, after = classes.of_row[row], classes.preceding[row], classes.following[row]
    if before >= 0:
        classes.following[before] = after
    else:
        classes.first[number] = after
    if after >= 0:
        classes.preceding[after] = before
    classes.sizes[number] -= 1


@inner
def tighten(classes, columns, number):
    """Recompute what a class spans and loses from its rows."""
    total = 0
    for column in range(classes.values.shape[1]):
        row = classes.first[number]
        if row < 0:
            break
        low = high = classes.values[row, column]
        while row >= 0:
            low = min(low, classes.values[row, column])
            high = max(high, classes.values[row, column])
            row = classes.following[row]
        classes.lows[number, column] = low
        classes.highs[number, column] = high
        total += span_loss(columns, column, low, high)
    classes.losses[number] = total


@inner
def widen(classes, columns, number, row):
    """Extend what a class spans to a row; its loss follows."""
    total = 0
    for column in range(classes.values.shape[1]):
        value = classes.values[row, column]
        classes.lows[number, column] = min(classes.lows[number, column], value)
        classes.highs[number, column] = max(classes.highs[number, column], value)
        total += span_loss(columns, column, classes.lows[number, column], classes.highs[number, column])
    classes.losses[number] = total


@inner
def loss_without(classes, columns, number, left_out, low_of, high_of):
    """Return what a row of the class would lose without one of its rows; its span goes into row 0 of the boxes."""
    total = 0
    for column in range(classes.values.shape[1]):
        low, high = np.int64(1) << 61, np.int64(-1)
        row = classes.first[number]
        while row >= 0:
            if row != left_out:
                low = min(low, classes.values[row, column])
                high = max(high, classes.values[row, column])
            row = classes.following[row]
        low_of[0, column] = low
        high_of[0, column] = high
        total += span_loss(columns, column, low, high)
    return total


@inner
def satisfies(classes, asked, number, without, plus):
    """Tell whether a class is as demanded without one row and with another (-1 for none)."""
    size = classes.sizes[number] - (without >= 0) + (plus >= 0)
    if size < asked.demands.k or asked.demands.only_k:
        return size >= asked.demands.k
    _count_rows(classes, asked, number, without)
    if plus >= 0:
        for column in range(asked.secrets.shape[1]):
            count(asked.tally, asked.secrets[plus, column], 1)
    answer = holds(asked.demands, asked.tally, size)
    clear(asked.tally)
    return answer


@inner
def satisfy_together(classes, asked, one, other):
    """Tell whether two classes would be one as demanded."""
    _count_rows(classes, asked, one, -1)
    _count_rows(classes, asked, other, -1)
    answer = holds(asked.demands, asked.tally, classes.sizes[one] + classes.sizes[other])
    clear(asked.tally)
    return answer


@inner
def is_crowd(classes, asked, number):
    """Tell whether a class has as many people as are demanded, or rows where every row is a person."""
    if classes.sizes[number] < asked.demands.k or asked.demands.people == 0:
        return classes.sizes[number] >= asked.demands.k
    _count_rows(classes, asked, number, -1)
    people = 0
    for i in range(asked.tally.used[0]):
        people += asked.tally.touched[i] >= asked.demands.starts[-2]
    clear(asked.tally)
    return people >= asked.demands.people


@inner
def _count_rows(classes, asked, number, without):
    row = classes.first[number]
    while row >= 0:
        if row != without:
            for column in range(asked.secrets.shape[1]):
                count(asked.tally, asked.secrets[row, column], 1)
        row = classes.following[row]
