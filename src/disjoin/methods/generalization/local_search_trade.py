"""The best trade of a class: one of its rows leaves it and a row of another class takes the place.

The row that leaves goes to the class that the other one comes from (they change places), or wherever it costs least if
that class can spare a row.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner
from disjoin.methods.generalization.local_search_classes import loss_without, satisfies
from disjoin.methods.generalization.local_search_columns import least_loss_together, loss_together
from disjoin.methods.generalization.local_search_moves import cheapest, seeker_of_row


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
