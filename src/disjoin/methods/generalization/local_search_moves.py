"""The cheapest class to join: for a class that is too small, or for a row that looks for another class."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

from disjoin.jit.compiled import inner
from disjoin.methods.generalization.local_search_classes import satisfies, satisfy_together
from disjoin.methods.generalization.local_search_columns import least_loss_together, loss_together


class Seeker(NamedTuple):
    """Who looks for a class: the box `lows[which]`..`highs[which]`."""

    lows: Any
    highs: Any
    which: int
    size: int  # rows inside
    loss: int  # what each of these loses now
    missing: int  # rows that are enough, if a class can spare them; 0 to join whole classes only
    row: int  # the row that must be welcome, -1 for none
    own: int  # the class that does not count, because it is the seeker's own
    is_picky: bool  # whether the two classes must satisfy together


@inner
def cheapest(index, columns, classes, asked, seeker, limit):
    """Return the least increase of the sum of losses by joining a class, and that class; the lower one if equal.

    Nothing above `limit` counts; (`limit` + 1, -1) if there is nothing.
    """
    best, found = limit + 1, -1
    waiting, promising = index.waiting, index.promising
    waiting[0] = 0
    promising[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        if promising[depth] > best or (found < 0 and promising[depth] == best):
            continue
        if index.left[node] < 0:
            best, found = _cheapest_among(index, node, columns, classes, asked, seeker, best, found)
            continue
        nearer = index.left[node]
        other = nearer + 1
        bound, other_bound = _bound(index, nearer, columns, seeker), _bound(index, other, columns, seeker)
        if other_bound < bound:
            nearer, other, bound, other_bound = other, nearer, other_bound, bound
        waiting[depth], promising[depth] = other, other_bound
        waiting[depth + 1], promising[depth + 1] = nearer, bound
        depth += 2
    return best, found


@inner
def _bound(index, node, columns, seeker):
    """Return what joining a class of the node costs at least."""
    least = least_loss_together(columns, seeker.lows, seeker.highs, seeker.which, index.lows, index.highs, node)
    fewest = min(index.smallest[node], seeker.missing) if seeker.missing > 0 else index.smallest[node]
    return seeker.size * (least - seeker.loss) + fewest * max(0, least - index.widest[node])


@inner
def _cheapest_among(index, node, columns, classes, asked, seeker, best, found):
    for place in range(index.first[node], index.last[node]):
        number = index.order[place]
        size = classes.sizes[number]
        if size == 0 or number == seeker.own:
            continue
        joined = size
        if 0 < seeker.missing <= size - asked.demands.k:
            joined = seeker.missing
        now = seeker.size * seeker.loss + joined * classes.losses[number]
        together = loss_together(columns, seeker.lows, seeker.highs, seeker.which, classes.lows, classes.highs, number)
        price = (seeker.size + joined) * together - now
        is_better = price < best or (price == best and found >= 0 and number < found)
        if is_better and _is_welcome(classes, asked, seeker, number):
            best, found = price, number
    return best, found


@inner
def _is_welcome(classes, asked, seeker, number):
    if seeker.is_picky:
        return satisfy_together(classes, asked, seeker.own, number)
    return seeker.row < 0 or satisfies(classes, asked, number, -1, seeker.row)


@inner
def seeker_of_row(classes, row, own):
    """Return a row that looks for another class than `own`."""
    return Seeker(classes.values, classes.values, row, 1, 0, 0, row, own, False)
