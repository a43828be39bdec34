"""The best trade of a class: one of its rows leaves it and a row of another class takes the place.

The row that leaves goes to the class that the other one comes from (they change places), or wherever it costs least if
that class can spare a row.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.generalization.local_search_classes import (
    cheapest,
    least_loss_together,
    loss_together,
    loss_without,
    put,
    satisfies,
    seeker_of_row,
    take,
    tighten,
    widen,
)
from disjoin.methods.generalization.local_search_join import refresh


@inner
def best_trade(index, columns, classes, asked, number):
    """Return what the best trade gains, who leaves, who comes, and the class that takes the leaver; gain 0 if none."""
    width = columns.start.size
    box = (np.empty((1, width), np.int64), np.empty((1, width), np.int64))  # the class without the leaver
    spare = (np.empty((1, width), np.int64), np.empty((1, width), np.int64))
    best = (np.int64(0), np.int64(-1), np.int64(-1), np.int64(-1))
    leaver = classes.first[number]
    while leaver >= 0:
        rest = loss_without(classes, columns, number, leaver, box[0], box[1])
        if rest < classes.losses[number]:
            hope = classes.sizes[number] * (classes.losses[number] - rest)
            seeker = seeker_of_row(classes, leaver, number)
            price, target = cheapest(index, columns, classes, asked, seeker, hope - best[0])
            best = _best_comer(index, columns, classes, asked, leaver, box, spare, price, target, best)
        leaver = classes.following[leaver]
    return best


@inner
def _best_comer(index, columns, classes, asked, leaver, box, spare, price, target, best):
    """Return the best trade so far, or a better one in which `leaver` leaves."""
    number = classes.of_row[leaver]
    size, loss = classes.sizes[number], classes.losses[number]
    waiting = index.waiting
    waiting[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        here = least_loss_together(columns, box[0], box[1], 0, index.lows, index.highs, node)
        if here >= loss or size * (loss - here) <= best[0]:
            continue  # nobody from there would make room
        there = least_loss_together(columns, classes.values, classes.values, leaver, index.lows, index.highs, node)
        hope = -asked.demands.k * max(0, there - index.widest[node])
        if target >= 0:
            hope = max(hope, index.widest[node] - price)
        if size * (loss - here) + hope <= best[0]:
            continue
        if index.left[node] >= 0:
            waiting[depth], waiting[depth + 1] = index.left[node], index.left[node] + 1
            depth += 2
            continue
        for place in range(index.first[node], index.last[node]):
            giver = index.order[place]
            if giver != number and classes.sizes[giver] > 0:
                best = _best_from(columns, classes, asked, giver, leaver, box, spare, price, target, best)
    return best


@inner
def _best_from(columns, classes, asked, giver, leaver, box, spare, price, target, best):
    """Try the rows of one class as those who come."""
    number = classes.of_row[leaver]
    size, loss = classes.sizes[number], classes.losses[number]
    given, given_loss = classes.sizes[giver], classes.losses[giver]
    can_spare = target >= 0 and target != giver and given > asked.demands.k
    wider = loss_together(columns, classes.values, classes.values, leaver, classes.lows, classes.highs, giver)
    can_swap = given <= 4 * asked.demands.k and size * loss - given * (wider - given_loss) > best[0]
    if not can_swap and not can_spare:
        return best
    comer = classes.first[giver]
    while comer >= 0:
        here = loss_together(columns, box[0], box[1], 0, classes.values, classes.values, comer)
        if here < loss:
            gain = size * (loss - here)
            moved = gain + given_loss - price if can_spare else np.int64(0)
            if moved > best[0] and _is_fine(classes, asked, number, giver, leaver, comer, False):
                best = (moved, leaver, comer, target)
            if can_swap:
                loss_without(classes, columns, giver, comer, spare[0], spare[1])
                there = loss_together(columns, classes.values, classes.values, leaver, spare[0], spare[1], 0)
                swapped = gain - given * (there - given_loss)
                if swapped > best[0] and _is_fine(classes, asked, number, giver, leaver, comer, True):
                    best = (swapped, leaver, comer, giver)
        if given_loss == 0 and asked.demands.only_k:
            break  # all its rows are alike
        comer = classes.following[comer]
    return best


@inner
def _is_fine(classes, asked, number, giver, leaver, comer, swap):
    """Tell whether the classes that give and take keep the asked; the one that takes the leaver welcomed it."""
    if not satisfies(classes, asked, number, leaver, comer):
        return False
    return satisfies(classes, asked, giver, comer, leaver if swap else -1)


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
