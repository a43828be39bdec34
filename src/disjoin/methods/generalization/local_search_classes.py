"""Classes of the local search, and the loss of a row in them. A class needs the span from its lowest to its highest
value in the order of the tree. Its loss is the leaves under its lowest common ancestor minus 1, over all leaves minus
1; for numbers, its share of the column's length. Losses are integers: sums are exact in any order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization.requirements import clear, count, holds
from disjoin.model.ragged import Flags, Ints64, new_state

TABLE, NUMBERS, TREE = 0, 1, 2


class PricedColumns(NamedTuple):
    """How losses of spans are computed per column; the arrays of all columns are concatenated."""

    kind: Ints64  # (columns,): TABLE, NUMBERS or TREE
    start: Ints64  # (columns,): where a column begins in the arrays below
    width: Ints64  # (columns,): number of values that occur
    losses: Ints64  # TABLE, of span (low, high) at low * width + high; NUMBERS, of (0, value); TREE, of a node
    parents: Ints64  # TREE, the node above; values are the nodes from 0
    ends: Ints64  # TREE, the highest value under a node
    most: Ints64  # (columns,): the loss of the whole column


@inner
def span_loss(columns, column, low, high):
    start = columns.start[column]
    if columns.kind[column] == TABLE:
        return columns.losses[start + low * columns.width[column] + high]
    if columns.kind[column] == NUMBERS:  # a missing value is far above, so its loss is that of the whole column
        return min(columns.losses[start + high] - columns.losses[start + low], columns.most[column])
    node = low
    while columns.ends[start + node] < high:
        node = columns.parents[start + node]
    return columns.losses[start + node]


@kernel
def span_losses(columns, column, lows, highs):
    losses = np.empty(lows.size, np.int64)
    for place in range(lows.size):
        losses[place] = span_loss(columns, column, lows[place], highs[place])
    return losses


@inner
def loss_together(columns, lows, highs, one, other_lows, other_highs, other):
    """Return a row's loss in a class that spans two boxes; a lower bound with `other`'s bounds swapped."""
    total = 0
    for column in range(columns.start.size):
        low = min(lows[one, column], other_lows[other, column])
        high = max(highs[one, column], other_highs[other, column])
        total += span_loss(columns, column, low, high)
    return total


class FormingClasses(NamedTuple):
    """Classes as lists of rows, boxes around their values, and losses."""

    values: Ints64  # (rows, columns)
    of_row: Ints64  # (rows,)
    following: Ints64  # (rows,): the next row of the class, -1 at its end
    preceding: Ints64  # (rows,)
    first: Ints64  # (classes,), -1 for an empty class
    sizes: Ints64  # (classes,)
    lows: Ints64  # (classes, columns)
    highs: Ints64  # (classes, columns)
    losses: Ints64  # (classes,): loss of each row of the class
    stirred: Flags  # (classes,): whether a class changed since it was last improved


def classes_of(values: Ints64, of_row: Ints64, columns: PricedColumns, number: int = 0) -> FormingClasses:
    """Return the classes (some may be empty) with the numbers `of_row`, which becomes part of the result."""
    number = number or int(of_row.max()) + 1
    boxes = dict.fromkeys(("lows", "highs"), (number, values.shape[1]))
    classes = new_state(FormingClasses, number, following=of_row.size, preceding=of_row.size, **boxes)
    classes.first.fill(-1)
    classes.stirred.fill(True)
    classes = classes._replace(values=values, of_row=of_row)
    fill_classes(classes, columns)
    return classes


@kernel
def fill_classes(classes, columns):
    for row in range(classes.of_row.size - 1, -1, -1):
        put(classes, row, classes.of_row[row])
    for number in range(classes.sizes.size):
        tighten(classes, columns, number)


@inner
def put(classes, row, number):
    """Add a row to the list of a class; the span stays."""
    classes.following[row] = classes.first[number]
    classes.preceding[row] = -1
    if classes.first[number] >= 0:
        classes.preceding[classes.first[number]] = row
    classes.first[number] = row
    classes.of_row[row] = number
    classes.sizes[number] += 1


@inner
def take(classes, row):
    """Remove a row from the list of its class; the span stays."""
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
    total = 0
    for column in range(classes.values.shape[1]):
        value = classes.values[row, column]
        classes.lows[number, column] = min(classes.lows[number, column], value)
        classes.highs[number, column] = max(classes.highs[number, column], value)
        total += span_loss(columns, column, classes.lows[number, column], classes.highs[number, column])
    classes.losses[number] = total


@inner
def loss_without(classes, columns, number, left_out, low_of, high_of):
    """Return the loss of a row of the class without one of its rows; the span goes into row 0 of the boxes."""
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
    """Return whether a class is valid without one row and with another (-1 for none)."""
    size = classes.sizes[number] - (without >= 0) + (plus >= 0)
    if size < asked.demands.k or asked.demands.only_k:
        return size >= asked.demands.k
    _count_rows(classes, asked, number, without)
    if plus >= 0:
        count(asked.tally, asked.secrets, plus, 1)
    answer = holds(asked.demands, asked.tally, size)
    clear(asked.tally)
    return answer


@inner
def has_enough_people(classes, asked, number):
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
            count(asked.tally, asked.secrets, row, 1)
        row = classes.following[row]


class Seeker(NamedTuple):
    """What searches for a class: the box `lows[which]`..`highs[which]` of a class or a row."""

    lows: Ints64
    highs: Ints64
    which: int
    size: int  # rows inside
    loss: int  # loss of each of these now
    missing: int  # rows that are enough, if a class can spare them; 0: join whole classes only
    row: int  # the row that the class must accept, -1 for none
    own: int  # the searching class, which is excluded
    is_picky: bool  # whether the two classes must be valid together


@inner
def cheapest(index, columns, classes, asked, seeker, limit):
    """Return the least increase (at most `limit`) by joining a class, and that class, the lower among equals; (`limit`
    + 1, -1) if none. One long loop, because a call with all arrays takes longer than its work."""
    best, found = limit + 1, -1
    waiting, promising, box_lows, box_highs = index.waiting, index.promising, index.lows, index.highs
    sizes, class_losses, class_lows, class_highs = classes.sizes, classes.losses, classes.lows, classes.highs
    losses, start, width, kind = columns.losses, columns.start, columns.width, columns.kind
    lows, highs = seeker.lows[seeker.which], seeker.highs[seeker.which]
    is_free = seeker.row < 0 and not seeker.is_picky
    waiting[0] = promising[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        if promising[depth] > best or (found < 0 and promising[depth] == best):
            continue
        child = index.left[node]
        if child < 0:
            for place in range(index.first[node], index.last[node]):
                number = index.order[place]
                joined = sizes[number]
                if joined == 0 or number == seeker.own:
                    continue
                if 0 < seeker.missing <= joined - asked.demands.k:
                    joined = seeker.missing
                now = seeker.size * seeker.loss + joined * class_losses[number]
                together = 0
                for column in range(lows.size):
                    low = min(lows[column], class_lows[number, column])
                    high = max(highs[column], class_highs[number, column])
                    if kind[column] == TABLE:
                        together += losses[start[column] + low * width[column] + high]
                    else:
                        together += span_loss(columns, column, low, high)
                    if (seeker.size + joined) * together - now > best:
                        break
                price = (seeker.size + joined) * together - now
                is_better = price < best or (price == best and found >= 0 and number < found)
                if is_better and (is_free or _is_welcome(classes, asked, seeker, number)):
                    best, found = price, number
            continue
        bound = other_bound = 0
        for side in range(2):
            least, other_bound = 0, bound
            for column in range(lows.size):
                low = min(lows[column], box_highs[child + side, column])
                high = max(highs[column], box_lows[child + side, column])
                if kind[column] == TABLE:
                    least += losses[start[column] + low * width[column] + high]
                else:
                    least += span_loss(columns, column, low, high)
                if seeker.size * (least - seeker.loss) > best:
                    break  # this side is pruned
            fewest = index.smallest[child + side]
            if seeker.missing > 0:
                fewest = min(fewest, seeker.missing)
            bound = seeker.size * (least - seeker.loss) + fewest * max(0, least - index.widest[child + side])
        nearer = child + 1 if bound < other_bound else child  # `bound` is the second child's
        for one in (2 * child + 1 - nearer, nearer):
            price = bound if one == child + 1 else other_bound
            if price <= best:
                waiting[depth], promising[depth] = one, price
                depth += 1
    return best, found


@inner
def _is_welcome(classes, asked, seeker, number):
    if not seeker.is_picky:
        return seeker.row < 0 or satisfies(classes, asked, number, -1, seeker.row)
    _count_rows(classes, asked, seeker.own, -1)
    _count_rows(classes, asked, number, -1)
    answer = holds(asked.demands, asked.tally, classes.sizes[seeker.own] + classes.sizes[number])
    clear(asked.tally)
    return answer
