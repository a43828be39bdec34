"""A tree of boxes over classes: finds the class that is cheapest to join without looking at them all.

Every node holds a box around the boxes of its classes, so a bound on the loss of joining any of them. Boxes only grow
while the index is in use, so bounds stay true; whoever shrinks classes builds a new index from time to time.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import drop_top, sift_down
from disjoin.methods.generalization.local_search_classes import (
    Seeker,
    cheapest,
    is_crowd,
    put,
    satisfies,
    span_loss,
    take,
    tighten,
)

BUCKET = 8
SAMPLES = 8  # places tried for a cut, in each column
NEVER = np.int64(1) << 61


class ClassIndex(NamedTuple):
    """Nodes from 0, the root; a node without children holds `order[first:last]`."""

    order: Any  # int64 (classes,)
    first: Any  # int64 (nodes,)
    last: Any  # int64 (nodes,)
    left: Any  # int64 (nodes,), -1 without children; the right one follows it
    above: Any  # int64 (nodes,), -1 for the root
    lows: Any  # int64 (nodes, columns)
    highs: Any  # int64 (nodes, columns)
    smallest: Any  # int64 (nodes,): no class is smaller
    widest: Any  # int64 (nodes,): no class loses more
    home: Any  # int64 (classes,): the node that holds a class
    waiting: Any  # int64 (nodes,): nodes still to visit in a search
    promising: Any  # int64 (nodes,): the bounds of those


@kernel
def index_of(columns, classes):
    """Return an index over all classes that have rows."""
    count, width = classes.lows.shape
    room = max(1, 2 * count)
    order = np.empty(count, np.int64)
    present = 0
    for number in range(count):
        if classes.sizes[number] > 0:
            order[present] = number
            present += 1
    index = ClassIndex(
        order,
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros((room, width), np.int64),
        np.zeros((room, width), np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(count, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
    )
    index.last[0] = present
    index.above[0] = -1
    _cut_all(index, columns, classes, np.empty(count, np.int64))
    return index


@inner
def _cut_all(index, columns, classes, spare):
    nodes, node = 1, 0
    while node < nodes:
        _enclose(index, node, classes)
        first, last = index.first[node], index.last[node]
        index.left[node] = -1
        if last - first > BUCKET:
            middle = _cut(index, node, columns, classes.lows, spare)
            index.left[node] = nodes
            for child in range(2):
                index.first[nodes + child] = first if child == 0 else middle
                index.last[nodes + child] = middle if child == 0 else last
                index.above[nodes + child] = node
            nodes += 2
        else:
            for place in range(first, last):
                index.home[index.order[place]] = node
        node += 1


@inner
def _enclose(index, node, classes):
    smallest, widest = NEVER, 0
    for place in range(index.first[node], index.last[node]):
        smallest = min(smallest, classes.sizes[index.order[place]])
        widest = max(widest, classes.losses[index.order[place]])
    index.smallest[node], index.widest[node] = smallest, widest
    for column in range(classes.lows.shape[1]):
        low, high = NEVER, -1
        for place in range(index.first[node], index.last[node]):
            low = min(low, classes.lows[index.order[place], column])
            high = max(high, classes.highs[index.order[place], column])
        index.lows[node, column] = low
        index.highs[node, column] = high


@inner
def _cut(index, node, columns, lows, spare):
    """Order a node's classes in two parts that are cheap by themselves; return where the second begins."""
    first, last = index.first[node], index.last[node]
    count = last - first
    best, best_column, best_value = -1, -1, 0
    for column in range(lows.shape[1]):
        if index.lows[node, column] == index.highs[node, column]:
            continue
        for sample in range(1, SAMPLES + 1):
            value = lows[index.order[first + sample * count // (SAMPLES + 1)], column]
            below, highest_below, lowest_above, highest = 0, 0, NEVER, 0
            for place in range(first, last):
                low = lows[index.order[place], column]
                if low <= value:
                    below += 1
                    highest_below = max(highest_below, low)
                else:
                    lowest_above = min(lowest_above, low)
                    highest = max(highest, low)
            if below * 16 < count or (count - below) * 16 < count or below == count:
                continue  # such cuts would make the tree deep
            lowest = index.lows[node, column]
            saved = count * span_loss(columns, column, lowest, highest)
            saved -= below * span_loss(columns, column, lowest, highest_below)
            saved -= (count - below) * span_loss(columns, column, lowest_above, highest)
            if saved > best:
                best, best_column, best_value = saved, column, value
    if best_column < 0:
        return first + count // 2
    return _part(index.order, first, last, lows, best_column, best_value, spare)


@inner
def _part(order, first, last, lows, column, value, spare):
    """Move the classes that begin at or below `value` to the front, in their order; return how far they reach."""
    front, aside = first, 0
    for place in range(first, last):
        number = order[place]
        if lows[number, column] <= value:
            order[front] = number
            front += 1
        else:
            spare[aside] = number
            aside += 1
    for place in range(aside):
        order[front + place] = spare[place]
    return front


@inner
def refresh(index, number, classes):
    """Tell the index that class `number` changed."""
    lows, highs = classes.lows, classes.highs
    node = index.home[number]
    while node >= 0:
        changed = classes.losses[number] > index.widest[node] or classes.sizes[number] < index.smallest[node]
        index.widest[node] = max(index.widest[node], classes.losses[number])
        index.smallest[node] = min(index.smallest[node], classes.sizes[number])
        for column in range(lows.shape[1]):
            if lows[number, column] < index.lows[node, column]:
                index.lows[node, column] = lows[number, column]
                changed = True
            if highs[number, column] > index.highs[node, column]:
                index.highs[node, column] = highs[number, column]
                changed = True
        if not changed:
            break
        node = index.above[node]


class JoinQueue(NamedTuple):
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
    """Let the first of the queue join its partner, or ask for its price, that many times; return the queue's new size.

    When the queue is empty all classes are as demanded, if one class of all rows is. A class that can spare rows gives
    only as many as are missing, if nothing is demanded of sensitive values.
    """
    return _join_some(classes, index, columns, asked, queue, size, rounds)


@inner
def _join_some(classes, index, columns, asked, queue, size, rounds):
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
