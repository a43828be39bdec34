"""Classes from the bottom up: whoever is too small joins the class that costs least, the cheapest joining first."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.heap import drop_top, sift_down
from disjoin.methods.generalization.local_search_classes import is_crowd, put, satisfies, take, tighten
from disjoin.methods.generalization.local_search_index import NEVER, refresh
from disjoin.methods.generalization.local_search_moves import Seeker, cheapest


class Queue(NamedTuple):
    """Open classes by the price of their cheapest joining, which is asked when a class comes to the front.

    Prices are negative numbers, as the heap has the highest in front; 0, the front of all, where none is known.
    """

    heap: Any  # int64 (classes,)
    place: Any  # int64 (classes,)
    prices: Any  # int64 (classes,)
    names: Any  # int64 (classes,): the numbers of the classes, which decide between equal prices
    partners: Any  # int64 (classes,), -1 if none is known
    changes: Any  # int64 (classes,): how often a class changed
    seen: Any  # int64 (classes,): how often the partner had changed when the price was asked
    is_open: Any  # bool (classes,): whether a class is not yet as demanded


@kernel
def join_some(classes, index, columns, asked, queue, size, rounds):
    """Let the first of the queue join its partner, or ask for its price, so many times; return the queue's new size.

    When the queue is empty all classes are as demanded, if one class of all rows is. A class that can spare rows gives
    only as many as are missing, if nothing is demanded of sensitive values.
    """
    for _ in range(rounds):
        if size == 0:
            break
        number = queue.heap[0]
        partner = queue.partners[number]
        if not queue.is_open[number]:
            size = drop_top(queue.heap, queue.place, queue.prices, queue.names, 0, size)
            continue
        if partner >= 0 and classes.sizes[partner] > 0 and queue.changes[partner] == queue.seen[number]:
            _join(classes, index, columns, asked, number, partner)
            queue.changes[number] += 1
            queue.changes[partner] += 1
            if classes.sizes[partner] == 0:
                queue.is_open[partner] = False
            if satisfies(classes, asked, number, -1, -1):
                queue.is_open[number] = False
                continue
        _ask(classes, index, columns, asked, number, queue)
        sift_down(queue.heap, queue.place, queue.prices, queue.names, 0, size, 0)
    return size


@inner
def _ask(classes, index, columns, asked, number, queue):
    """Find the cheapest class to join: one that helps, if the class is large enough and not diverse enough."""
    size, loss = classes.sizes[number], classes.losses[number]
    missing = max(0, asked.demands.k - size) if asked.demands.only_k else 0
    picky = is_crowd(classes, asked, number)
    seeker = Seeker(classes.lows, classes.highs, number, size, loss, missing, -1, number, picky)
    increase, partner = cheapest(index, columns, classes, asked, seeker, NEVER - 1)
    if partner < 0 and picky:
        seeker = Seeker(classes.lows, classes.highs, number, size, loss, missing, -1, number, False)
        increase, partner = cheapest(index, columns, classes, asked, seeker, NEVER - 1)
    queue.prices[number] = -increase
    queue.partners[number] = partner
    queue.seen[number] = queue.changes[partner]
    queue.is_open[number] = partner >= 0


@inner
def _join(classes, index, columns, asked, number, other):
    """Move all rows of `other`, or as many as are missing if it can spare them."""
    wanted = classes.sizes[other]
    missing = asked.demands.k - classes.sizes[number]
    if asked.demands.only_k and 0 < missing <= wanted - asked.demands.k:
        wanted = missing
    for _ in range(wanted):
        row = classes.first[other]
        take(classes, row)
        put(classes, row, number)
    tighten(classes, columns, number)
    refresh(index, number, classes)
    if classes.sizes[other] > 0:
        tighten(classes, columns, other)
        refresh(index, other, classes)
