"""Moves of the local search: join, move, dissolve, trade (two classes exchange rows)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import drop_top, sift_down
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization.local_search_classes import (
    FormingClasses,
    PricedColumns,
    Seeker,
    cheapest,
    has_enough_people,
    loss_together,
    loss_without,
    put,
    satisfies,
    span_loss,
    take,
    tighten,
    widen,
)
from disjoin.model.ragged import Flags, Ints64, new_state

BUCKET = 8
SAMPLES = 8  # places tried for a cut, in each column
NEVER = np.int64(1) << 61


class ClassIndex(NamedTuple):
    """A tree of boxes over classes, to find the cheapest class to join without trying all: a node's box bounds the loss
    of joining its classes. Boxes only grow, so bounds remain correct; after classes shrink, the index is rebuilt from
    time to time. Node 0 is the root; a node without children has the classes `order[first:last]`."""

    order: Ints64  # (classes,)
    first: Ints64  # (nodes,)
    last: Ints64  # (nodes,)
    left: Ints64  # (nodes,), -1 without children; the right one follows it
    above: Ints64  # (nodes,), -1 for the root
    lows: Ints64  # (nodes, columns)
    highs: Ints64  # (nodes, columns)
    smallest: Ints64  # (nodes,): a lower bound on the sizes of its classes
    widest: Ints64  # (nodes,): an upper bound on the losses of its classes
    home: Ints64  # (classes,): the node that has a class
    waiting: Ints64  # (nodes,): nodes still to visit in a search
    promising: Ints64  # (nodes,): the bounds of those


def index_of(columns: PricedColumns, classes: FormingClasses) -> ClassIndex:
    count, width = classes.lows.shape
    room = max(1, 2 * count)
    index = new_state(ClassIndex, room, lows=(room, width), highs=(room, width), home=count)
    index = index._replace(order=np.flatnonzero(classes.sizes))  # classes that have rows
    index.last[0], index.above[0] = index.order.size, -1
    cut_all(index, columns, classes, np.empty(count, np.int64))
    return index


@kernel
def cut_all(index, columns, classes, spare):
    _cut_all(index, columns, classes, spare)


@inner
def _cut_all(index, columns, classes, spare):
    nodes, node = 1, 0
    while node < nodes:
        first, last = index.first[node], index.last[node]
        smallest, widest = NEVER, 0
        for place in range(first, last):
            smallest = min(smallest, classes.sizes[index.order[place]])
            widest = max(widest, classes.losses[index.order[place]])
        index.smallest[node], index.widest[node] = smallest, widest
        for column in range(classes.lows.shape[1]):
            low, high = NEVER, -1
            for place in range(first, last):
                low = min(low, classes.lows[index.order[place], column])
                high = max(high, classes.highs[index.order[place], column])
            index.lows[node, column], index.highs[node, column] = low, high
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
def _cut(index, node, columns, lows, spare):
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
    front, aside = first, 0
    for place in range(first, last):  # those that begin at or below the value move to the front, in their order
        number = index.order[place]
        if lows[number, best_column] <= best_value:
            index.order[front] = number
            front += 1
        else:
            spare[aside] = number
            aside += 1
    for place in range(aside):
        index.order[front + place] = spare[place]
    return front


@inner
def refresh(index, number, classes):
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
    """Open classes by minus the cost of their cheapest joining, because the heap is a max-heap; 0 is unknown."""

    heap: Ints64  # (classes,)
    place: Ints64  # (classes,)
    prices: Ints64  # (classes,): minus the costs
    names: Ints64  # (classes,): the numbers of the classes, which break ties
    partners: Ints64  # (classes,), -1 if none is known
    changes: Ints64  # (classes,): number of changes of a class
    seen: Ints64  # (classes,): number of changes of the partner when the cost was computed
    is_open: Flags  # (classes,): whether a class is not valid yet


@kernel
def join_some(classes, index, columns, asked, queue, size, rounds):
    """Let the first class of the queue join its partner, or compute its cost, that many times; return the queue's new
    size. When it is empty, all classes are valid if one class of all rows is. A class that can spare rows gives only
    the missing ones, if there are no requirements on sensitive values."""
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
            wanted = classes.sizes[partner]  # all its rows, or as many as are missing if it can spare them
            missing = asked.demands.k - classes.sizes[number]
            if asked.demands.only_k and 0 < missing <= wanted - asked.demands.k:
                wanted = missing
            for _ in range(wanted):
                row = classes.first[partner]
                take(classes, row)
                put(classes, row, number)
            tighten(classes, columns, number)
            refresh(index, number, classes)
            if classes.sizes[partner] > 0:
                tighten(classes, columns, partner)
                refresh(index, partner, classes)
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
    size, loss = classes.sizes[number], classes.losses[number]
    missing = max(0, asked.demands.k - size) if asked.demands.only_k else 0
    picky = has_enough_people(classes, asked, number)
    seeker = Seeker(classes.lows, classes.highs, number, size, loss, missing, -1, number, picky)
    increase, partner = cheapest(index, columns, classes, asked, seeker, NEVER - 1)
    if partner < 0 and picky:
        seeker = Seeker(classes.lows, classes.highs, number, size, loss, missing, -1, number, False)
        increase, partner = cheapest(index, columns, classes, asked, seeker, NEVER - 1)
    queue.prices[number] = -increase
    queue.partners[number] = partner
    queue.seen[number] = queue.changes[partner]
    queue.is_open[number] = partner >= 0


class Box(NamedTuple):
    """The span of a class without one of its rows."""

    lows: Ints64  # (1, columns)
    highs: Ints64  # (1, columns)


@inner
def _best_comer(index, columns, classes, asked, leaver, box, spare, price, target, best):
    number = classes.of_row[leaver]
    size, loss = classes.sizes[number], classes.losses[number]
    waiting = index.waiting
    waiting[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        here = loss_together(columns, box.lows, box.highs, 0, index.highs, index.lows, node)
        if here >= loss or size * (loss - here) <= best[0]:
            continue  # no row from there would free space
        there = loss_together(columns, classes.values, classes.values, leaver, index.highs, index.lows, node)
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
            break  # all its rows are equal
        comer = classes.following[comer]
    return best


@inner
def _is_fine(classes, asked, number, giver, leaver, comer, swap):
    """Return whether both classes of a trade stay valid."""
    newcomer = leaver if swap else -1
    return satisfies(classes, asked, number, leaver, comer) and satisfies(classes, asked, giver, comer, newcomer)


@kernel
def improve_some(classes, index, columns, asked, begin, end):
    """Improve changed classes from `begin` to `end`; return the decrease of the losses. All stay valid."""
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
    """Move each row to a class where the sum of losses is lower, if its own class can spare it."""
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
    take(classes, row)
    put(classes, row, target)
    widen(classes, columns, target, row)
    refresh(index, target, classes)


@inner
def _dissolve(index, columns, classes, asked, number, moves):
    """Send all rows of a class to others, one by one, if the sum of losses falls; else undo it."""
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
    """Do the best trade of a class, if there is one: a row leaves, another one comes; return the gain."""
    best = (np.int64(0), np.int64(-1), np.int64(-1), np.int64(-1))  # gain, row out, row in, class that takes row out
    leaver = classes.first[number]
    while leaver >= 0:
        rest = loss_without(classes, columns, number, leaver, box.lows, box.highs)
        if rest < classes.losses[number]:
            hope = classes.sizes[number] * (classes.losses[number] - rest)
            seeker = Seeker(classes.values, classes.values, leaver, 1, 0, 0, leaver, number, False)
            price, target = cheapest(index, columns, classes, asked, seeker, hope - best[0])
            best = _best_comer(index, columns, classes, asked, leaver, box, spare, price, target, best)
        leaver = classes.following[leaver]
    gain, leaver, comer, target = best
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
    total = classes.sizes[one] * classes.losses[one] + classes.sizes[other] * classes.losses[other]
    return total + (classes.sizes[third] * classes.losses[third] if third != other else 0)
