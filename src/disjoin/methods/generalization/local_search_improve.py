"""The best trade of a class: one of its rows leaves it and a row of another class takes the place.

The row that leaves goes to the class that the other one comes from (they change places), or wherever it costs least if
that class can spare a row.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.generalization.local_search_classes import (
    Seeker,
    cheapest,
    least_loss_together,
    loss_together,
    loss_without,
    put,
    satisfies,
    take,
    tighten,
    widen,
)
from disjoin.methods.generalization.local_search_join import refresh


class Box(NamedTuple):
    """Room for what a class spans without one of its rows."""

    lows: Any  # int64 (1, columns)
    highs: Any  # int64 (1, columns)


@inner
def best_trade(index, columns, classes, asked, number, box, spare):
    """Return what the best trade gains, who leaves, who comes, and the class that takes the leaver; gain 0 if none."""
    best = (np.int64(0), np.int64(-1), np.int64(-1), np.int64(-1))
    leaver = classes.first[number]
    while leaver >= 0:
        rest = loss_without(classes, columns, number, leaver, box.lows, box.highs)
        if rest < classes.losses[number]:
            hope = classes.sizes[number] * (classes.losses[number] - rest)
            seeker = Seeker(classes.values, classes.values, leaver, 1, 0, 0, leaver, number, False)
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
        here = least_loss_together(columns, box.lows, box.highs, 0, index.lows, index.highs, node)
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
        here = loss_together(columns, box.lows, box.highs, 0, classes.values, classes.values, comer)
        if here < loss:
            gain = size * (loss - here)
            moved = gain + given_loss - price if can_spare else np.int64(0)
            if moved > best[0] and _is_fine(classes, asked, number, giver, leaver, comer, False):
                best = (moved, leaver, comer, target)
            if can_swap:
                loss_without(classes, columns, giver, comer, spare.lows, spare.highs)
                there = loss_together(columns, classes.values, classes.values, leaver, spare.lows, spare.highs, 0)
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
    width, few = columns.start.size, 2 * asked.demands.k
    box = Box(np.empty((1, width), np.int64), np.empty((1, width), np.int64))
    spare = Box(np.empty((1, width), np.int64), np.empty((1, width), np.int64))
    moves = np.empty((2, few), np.int64)
    return _improve_some(classes, index, columns, asked, begin, end, box, spare, moves)


@inner
def _improve_some(classes, index, columns, asked, begin, end, box, spare, moves):
    fallen = 0
    for number in range(begin, end):
        if not classes.stirred[number] or classes.sizes[number] == 0 or classes.losses[number] == 0:
            continue
        classes.stirred[number] = False
        fallen += _move_rows(index, columns, classes, asked, number, box)
        fallen += _dissolve(index, columns, classes, asked, number, moves)
        gain = 1
        while gain > 0 and classes.sizes[number] > 0 and classes.losses[number] > 0:
            gain = _trade(index, columns, classes, asked, number, box, spare)
            fallen += gain
    return fallen


@inner
def _move_rows(index, columns, classes, asked, number, box):
    """Let each row go to a class where the sum of losses is lower, if its own class can spare it."""
    fallen = 0
    row = classes.first[number]
    while row >= 0 and classes.sizes[number] > asked.demands.k:
        following = classes.following[row]
        rest = loss_without(classes, columns, number, row, box.lows, box.highs)
        gain = classes.sizes[number] * classes.losses[number] - (classes.sizes[number] - 1) * rest
        seeker = Seeker(classes.values, classes.values, row, 1, 0, 0, row, number, False)
        price, target = cheapest(index, columns, classes, asked, seeker, gain - 1)
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
def _dissolve(index, columns, classes, asked, number, moves):
    """Send all rows of a class to others, one after the other, if the sum of losses falls; else undo it."""
    size = classes.sizes[number]
    whole = size * classes.losses[number]
    if size >= 2 * asked.demands.k:
        return 0
    row = classes.first[number]
    for place in range(size):
        moves[0, place] = row
        row = classes.following[row]
    spent, placed = 0, 0
    while placed < size:
        row = moves[0, placed]
        seeker = Seeker(classes.values, classes.values, row, 1, 0, 0, row, number, False)
        price, target = cheapest(index, columns, classes, asked, seeker, whole - spent - 1)
        if target < 0:
            break
        _move(index, columns, classes, row, target)
        moves[1, placed] = target
        spent += price
        placed += 1
    if placed == size:
        for place in range(size):
            classes.stirred[moves[1, place]] = True
        return whole - spent
    for place in range(placed - 1, -1, -1):
        take(classes, moves[0, place])
        put(classes, moves[0, place], number)
        tighten(classes, columns, moves[1, place])
    return 0


@inner
def _trade(index, columns, classes, asked, number, box, spare):
    """Do the best trade of a class, if there is one: a row goes, another one comes; return what is gained."""
    gain, leaver, comer, target = best_trade(index, columns, classes, asked, number, box, spare)
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
