"""Classes made better, step by step: rows move, classes dissolve and rows are traded while the sum of losses falls."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.generalization.local_search_classes import loss_without, put, satisfies, take, tighten, widen
from disjoin.methods.generalization.local_search_index import refresh
from disjoin.methods.generalization.local_search_moves import cheapest, seeker_of_row
from disjoin.methods.generalization.local_search_trade import best_trade


@kernel
def improve_some(classes, index, columns, asked, begin, end):
    """Improve the classes from `begin` to `end` that changed since the last time; return how far losses fell.

    All classes are as demanded before and after every step. An empty class stays empty.
    """
    fallen = 0
    for number in range(begin, end):
        if not classes.stirred[number] or classes.sizes[number] == 0 or classes.losses[number] == 0:
            continue
        classes.stirred[number] = False
        fallen += _move_rows(index, columns, classes, asked, number)
        fallen += _dissolve(index, columns, classes, asked, number)
        gain = 1
        while gain > 0 and classes.sizes[number] > 0 and classes.losses[number] > 0:
            gain = _trade(index, columns, classes, asked, number)
            fallen += gain
    return fallen


@inner
def _move_rows(index, columns, classes, asked, number):
    """Let each row go to a class where the sum of losses is lower, if its own class can spare it."""
    lows, highs = np.empty((1, columns.start.size), np.int64), np.empty((1, columns.start.size), np.int64)
    fallen = 0
    row = classes.first[number]
    while row >= 0 and classes.sizes[number] > asked.demands.k:
        following = classes.following[row]
        rest = loss_without(classes, columns, number, row, lows, highs)
        gain = classes.sizes[number] * classes.losses[number] - (classes.sizes[number] - 1) * rest
        price, target = cheapest(index, columns, classes, asked, seeker_of_row(classes, row, number), gain - 1)
        if target >= 0 and satisfies(classes, asked, number, row, -1):
            _move(index, columns, classes, row, target)
            tighten(classes, columns, number)
            refresh(index, number, classes)
            classes.stirred[number] = classes.stirred[target] = True
            fallen += gain - price
        row = following
    return fallen


@inner
def _move(index, columns, classes, row, target):
    """Put a row into another class; the class it leaves keeps its span for now."""
    take(classes, row)
    put(classes, row, target)
    widen(classes, columns, target, row)
    refresh(index, target, classes)


@inner
def _dissolve(index, columns, classes, asked, number):
    """Send all rows of a class to others, one after the other, if the sum of losses falls; else undo it."""
    size = classes.sizes[number]
    whole = size * classes.losses[number]
    if size >= 2 * asked.demands.k:
        return 0
    rows, targets = np.empty(size, np.int64), np.empty(size, np.int64)
    row = classes.first[number]
    for place in range(size):
        rows[place] = row
        row = classes.following[row]
    spent, placed = 0, 0
    while placed < size:
        seeker = seeker_of_row(classes, rows[placed], number)
        price, target = cheapest(index, columns, classes, asked, seeker, whole - spent - 1)
        if target < 0:
            break
        _move(index, columns, classes, rows[placed], target)
        targets[placed] = target
        spent += price
        placed += 1
    if placed == size:
        for place in range(size):
            classes.stirred[targets[place]] = True
        return whole - spent
    for place in range(placed - 1, -1, -1):
        take(classes, rows[place])
        put(classes, rows[place], number)
        tighten(classes, columns, targets[place])
    return 0


@inner
def _trade(index, columns, classes, asked, number):
    """Do the best trade of a class, if there is one: a row goes, another one comes; return what is gained."""
    gain, leaver, comer, target = best_trade(index, columns, classes, asked, number)
    if gain == 0:
        return 0
    giver = classes.of_row[comer]
    before = _whole_loss(classes, number, giver, target)
    take(classes, leaver)
    put(classes, leaver, target)
    take(classes, comer)
    put(classes, comer, number)
    for changed in (number, giver, target):
        tighten(classes, columns, changed)
        refresh(index, changed, classes)
        classes.stirred[changed] = True
    return before - _whole_loss(classes, number, giver, target)


@inner
def _whole_loss(classes, one, other, third):
    """Return the losses of all rows of two or three classes."""
    total = classes.sizes[one] * classes.losses[one] + classes.sizes[other] * classes.losses[other]
    return total + (classes.sizes[third] * classes.losses[third] if third != other else 0)
