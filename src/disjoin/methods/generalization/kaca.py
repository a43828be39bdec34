"""KACA: the smallest class is merged with its nearest until all meet the requirements (section D.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization.ancestor_cost import (
    FEW_CLASSES,
    HierarchyForest,
    forest_of,
    listed_cost,
    meeting,
    new_prices,
    price,
    walked_cost,
)
from disjoin.methods.generalization.encoding import Classes, Encoded, packed_keys
from disjoin.methods.generalization.population import fitting, refuse_unreachable
from disjoin.methods.generalization.requirements import (
    Demands,
    clear,
    combinations_of,
    count,
    demands_of,
    groups_that_hold,
    holds,
    new_tally,
    secrets_of,
)
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


# Classes that are merged with their nearest ones until all are as demanded (section D.3), and rows that join classes.
#
# Living classes are the slots from 0; the rows of a class are a list from the smallest to the largest.

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any


NO_LIMIT = np.int64(2**62)
REMEMBERED = 4  # combinations of sensitive values that a class is known to refuse


class Gathering(NamedTuple):
    """The classes; everything changes."""

    vectors: Ints32  # (classes, attributes): nodes of the forest
    sizes: Ints64  # (classes,)
    firsts: Ints64  # (classes,) the smallest row
    nexts: Ints64  # (rows,) the next row of the class, -1 at its end
    is_open: Flags  # (classes,) not yet as demanded
    living: Ints64  # (1,) how many slots are in use


@inner
def _judge(classes, slot, demands, tally, secrets, guest):
    """Tell whether a class, and a guest if there is one (not -1), are as demanded."""
    size = classes.sizes[slot] + (guest >= 0)
    if demands.only_k or size < demands.k:
        return size >= demands.k
    row = classes.firsts[slot]
    while row >= 0:
        for column in range(secrets.shape[1]):
            count(tally, secrets[row, column], 1)
        row = classes.nexts[row]
    if guest >= 0:
        for column in range(secrets.shape[1]):
            count(tally, secrets[guest, column], 1)
    good = holds(demands, tally, size)
    clear(tally)
    return good


@inner
def _smallest_open(classes):
    """Return the open class with the fewest rows, the one with the smallest row among equals; -1 if none is open."""
    best = -1
    for slot in range(classes.living[0]):
        if classes.is_open[slot] and (
            best < 0
            or classes.sizes[slot] < classes.sizes[best]
            or (classes.sizes[slot] == classes.sizes[best] and classes.firsts[slot] < classes.firsts[best])
        ):
            best = slot
    return best


@inner
def _taken(classes, slot, missing, k, stub):
    """Return how many rows of a class are taken if that many are missing: all, if it cannot spare them."""
    return missing if stub and classes.sizes[slot] - missing >= k else classes.sizes[slot]


@inner
def _nearest(classes, one, forest, prices, k, stub):
    """Return the class that costs least to meet; the one with the smallest row among equals."""
    vector, weight = classes.vectors[one], classes.sizes[one]
    listed = forest.parents.size <= FEW_CLASSES * classes.living[0]
    if listed:
        price(forest, prices, vector, weight)
    best, least = -1, NO_LIMIT
    for slot in range(classes.living[0]):
        if slot == one:
            continue
        rows = _taken(classes, slot, k - weight, k, stub)
        if listed:
            cost = listed_cost(prices, classes.vectors, slot, rows, least)
        else:
            cost = walked_cost(forest, vector, weight, classes.vectors, slot, rows, least)
        if cost < least or (cost == least and classes.firsts[slot] < classes.firsts[best]):
            best, least = slot, cost
    return best


@inner
def _move(classes, source, target):
    """Put the class of one slot into another."""
    for a in range(classes.vectors.shape[1]):
        classes.vectors[target, a] = classes.vectors[source, a]
    classes.sizes[target] = classes.sizes[source]
    classes.firsts[target] = classes.firsts[source]
    classes.is_open[target] = classes.is_open[source]


@inner
def _merged(nexts, left, right):
    """Join two lists of rows, both in order, and return the first row."""
    if left < 0 or right < 0:
        return max(left, right)
    if right < left:
        left, right = right, left
    first, last = left, left
    left = nexts[left]
    while left >= 0 and right >= 0:
        if left < right:
            nexts[last], last, left = left, left, nexts[left]
        else:
            nexts[last], last, right = right, right, nexts[right]
    nexts[last] = left if left >= 0 else right
    return first


@inner
def _cut(classes, slot, rows):
    """Take the smallest rows out of a class that has more, and return the first of them."""
    first = classes.firsts[slot]
    last = first
    for _ in range(rows - 1):
        last = classes.nexts[last]
    classes.firsts[slot] = classes.nexts[last]
    classes.sizes[slot] -= rows
    classes.nexts[last] = -1
    return first


@inner
def _meet(classes, one, other, rows, forest):
    """Merge that many rows of `other` into `one`; a class that is there already with the common vector is `other`."""
    apart = False
    for a in range(classes.vectors.shape[1]):
        top = meeting(forest, classes.vectors[one, a], classes.vectors[other, a])
        apart = apart or top != classes.vectors[other, a]
        classes.vectors[one, a] = top
    if apart and rows < classes.sizes[other]:
        classes.firsts[one] = _merged(classes.nexts, classes.firsts[one], _cut(classes, other, rows))
        classes.sizes[one] += rows
        return one
    classes.firsts[one] = _merged(classes.nexts, classes.firsts[one], classes.firsts[other])
    classes.sizes[one] += classes.sizes[other]
    classes.living[0] -= 1
    _move(classes, classes.living[0], other)
    return other if one == classes.living[0] else one


@kernel
def gather(classes, forest, prices, demands, tally, secrets, stub, rounds):
    """Do that many rounds of merging the smallest open class with its nearest; return how many were needed."""
    for done in range(rounds):
        one = _smallest_open(classes)
        if one < 0 or classes.living[0] == 1:
            return done
        other = _nearest(classes, one, forest, prices, demands.k, stub)
        rows = _taken(classes, other, demands.k - classes.sizes[one], demands.k, stub)
        one = _meet(classes, one, other, rows, forest)
        classes.is_open[one] = not _judge(classes, one, demands, tally, secrets, -1)
    return rounds


@inner
def _nearest_bearing(classes, vector, row, combo, refused, forest, prices, demands, tally, secrets):
    """Return the class that costs least to meet among those that stay as demanded with the row; -1 if none does.

    A class that refuses a combination of sensitive values does so until it changes: `refused` remembers a few.
    """
    shelf = combo % REMEMBERED
    listed = forest.parents.size <= FEW_CLASSES * classes.living[0]
    if listed:
        price(forest, prices, vector, 1)
    best, least = -1, NO_LIMIT
    for slot in range(classes.living[0]):
        if refused[shelf, slot] == combo:
            continue
        rows = classes.sizes[slot]
        if listed:
            cost = listed_cost(prices, classes.vectors, slot, rows, least)
        else:
            cost = walked_cost(forest, vector, 1, classes.vectors, slot, rows, least)
        if cost > least or (cost == least and classes.firsts[slot] > classes.firsts[best]):
            continue
        if _judge(classes, slot, demands, tally, secrets, row):
            best, least = slot, cost
        else:
            refused[shelf, slot] = combo
    return best


@kernel
def insert(classes, guests, vectors, combos, refused, forest, prices, demands, tally, secrets):
    """Put rows, in their order, into the nearest classes that bear them; return how many could be put.

    Every class is as demanded, before and after. `combos` numbers the sensitive values of every guest.
    """
    for number in range(guests.size):
        row, vector = guests[number], vectors[number]
        best = _nearest_bearing(classes, vector, row, combos[number], refused, forest, prices, demands, tally, secrets)
        if best < 0:
            return number
        for a in range(vector.size):
            classes.vectors[best, a] = meeting(forest, classes.vectors[best, a], vector[a])
        for shelf in range(REMEMBERED):
            refused[shelf, best] = -1
        classes.nexts[row] = -1
        classes.firsts[best] = _merged(classes.nexts, classes.firsts[best], row)
        classes.sizes[best] += 1
    return guests.size


@kernel
def label_rows(classes, class_of_row):
    """Write the slot of every row."""
    for slot in range(classes.living[0]):
        row = classes.firsts[slot]
        while row >= 0:
            class_of_row[row] = slot
            row = classes.nexts[row]


ROUNDS = 256  # between two looks at the keyboard
GUESTS = 2_000_000  # rows times classes, likewise


def gathering_of(class_of_row: Ints64, vectors: Ints32, demands: Demands, secrets: Ints64) -> Gathering:
    """Return the classes with their rows; a row with class -1 is in none."""
    n_classes = len(vectors)
    order = np.argsort(class_of_row, kind="stable")
    order = order[np.searchsorted(class_of_row[order], 0) :]
    owners = class_of_row[order]
    nexts = np.full(class_of_row.size, -1, dtype=np.int64)
    follows = owners[1:] == owners[:-1]
    nexts[order[:-1][follows]] = order[1:][follows]
    return Gathering(
        vectors=np.array(vectors, dtype=np.int32),
        sizes=np.bincount(owners, minlength=n_classes).astype(np.int64),
        firsts=order[np.searchsorted(owners, np.arange(n_classes))],
        nexts=nexts,
        is_open=~groups_that_hold(demands, secrets, class_of_row, n_classes),
        living=np.array([n_classes], dtype=np.int64),
    )


def merge_open(
    classes: Gathering, forest: HierarchyForest, demands: Demands, secrets: Ints64, *, stub: bool, progress: Progress
) -> None:
    """Merge every open class with its nearest, the smallest first, until none is open (or one class is left)."""
    prices, tally = new_prices(forest), new_tally(int(demands.starts[-1]))
    total = int(classes.is_open[: classes.living[0]].sum())
    needed = ROUNDS if total else 0
    while needed == ROUNDS:
        needed = gather(classes, forest, prices, demands, tally, secrets, stub, ROUNDS)
        progress("merging", total - int(classes.is_open[: classes.living[0]].sum()), total)


def insert_rows(
    classes: Gathering, guests: Ints64, leaves: Ints32, forest: HierarchyForest, demands: Demands, secrets: Ints64
) -> Iterator[int]:
    """Put rows into the nearest classes that bear them, in order, until one fits nowhere; yield how many are put."""
    prices, tally = new_prices(forest), new_tally(int(demands.starts[-1]))
    combos, _ = combinations_of(secrets[guests])
    refused = np.full((REMEMBERED, len(classes.vectors)), -1, dtype=np.int64)
    step = max(1, GUESTS // len(classes.vectors))
    for begin in range(0, guests.size, step):
        some = slice(begin, begin + step)
        put = insert(
            classes, guests[some], leaves[some], combos[some], refused, forest, prices, demands, tally, secrets
        )
        yield begin + int(put)
        if put < guests[some].size:
            return


def labels_of(classes: Gathering) -> Classes:
    """Return the class of every row, -1 for one in none, and the classes' vectors, in nodes of the forest."""
    class_of_row = np.full(classes.nexts.size, -1, dtype=np.int64)
    label_rows(classes, class_of_row)
    return Classes(class_of_row, classes.vectors[: classes.living[0]].copy())


def joined(found: Classes) -> Classes:
    """Return the same with one class for equal vectors, in the order of the vectors; rows of class -1 stay in none."""
    if not len(found.vectors):
        return found
    keys = packed_keys(list(found.vectors.T))
    order = np.lexsort(keys[::-1])
    vectors = found.vectors[order]
    fresh = np.ones(len(vectors), dtype=np.bool_)
    fresh[1:] = (vectors[1:] != vectors[:-1]).any(axis=1)
    place = np.empty(len(vectors) + 1, dtype=np.int64)
    place[order] = np.cumsum(fresh) - 1
    place[-1] = -1
    return Classes(place[found.class_of_row], vectors[fresh])


def kaca(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return classes that began as equal rows and were merged until all are as demanded."""
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    leaves = forest_leaves(encoded, forest)
    return in_trees(gathered(leaves, secrets_of(encoded, demands), forest, demands, settings.stub, progress), forest)


def gathered(
    leaves: Ints32, secrets: Ints64, forest: HierarchyForest, demands: Demands, stub: bool, progress: Progress = silent
) -> Classes:
    """Merge rows, which are sorted by their leaves; vectors are nodes of the forest."""
    class_of_row, vectors = runs_of(leaves)
    classes = gathering_of(class_of_row, vectors, demands, secrets)
    merge_open(classes, forest, demands, secrets, stub=stub and demands.only_k, progress=progress)
    return joined(labels_of(classes))


def mended(encoded: Encoded, found: Classes, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return classes that are as demanded, by merging those that are not.

    Two things can make that necessary. People: two classes in which a value is not too frequent may share some, and be
    published alike, and together have it too often. And a population: the algorithms do not look at it.
    """
    if encoded.people is None and encoded.crowd is None:
        return found
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    secrets = secrets_of(encoded, demands)
    while len(found.vectors) > 1:
        nodes = (found.vectors + forest.starts[:-1]).astype(np.int32)
        classes = gathering_of(found.class_of_row, nodes, demands, secrets)
        if encoded.crowd is not None:
            np.logical_or(classes.is_open, ~fitting(encoded, found).is_kept, out=classes.is_open)
        if not classes.is_open.any():
            return found
        merge_open(classes, forest, demands, secrets, stub=False, progress=progress)
        found = in_trees(joined(labels_of(classes)), forest)
    return found if encoded.crowd is None else _all_rows(encoded, found)


def _all_rows(encoded: Encoded, found: Classes) -> Classes:
    """Return one class of all rows that keeps what is asked beside the population: as it is, or at the roots."""
    roots = np.array([[tree.root for tree in encoded.hierarchies]], dtype=np.int32)
    for each in (found, Classes(found.class_of_row, roots)):
        beside = fitting(encoded, each)
        if beside.is_kept.all():
            return each
    refuse_unreachable(beside, encoded)
    return found


def forest_leaves(encoded: Encoded, forest: HierarchyForest) -> Ints32:
    """Return the leaves as nodes of the forest."""
    return (encoded.leaves + forest.starts[:-1]).astype(np.int32)


def in_trees(found: Classes, forest: HierarchyForest) -> Classes:
    """Return the classes with vectors in nodes of their own trees."""
    return Classes(found.class_of_row, (found.vectors - forest.starts[:-1]).astype(np.int32))


def runs_of(leaves: Ints32) -> tuple[Ints64, Ints32]:
    """Return the class of every row, and the vector of every class: equal rows, which stand side by side."""
    fresh = np.ones(len(leaves), dtype=np.bool_)
    fresh[1:] = (leaves[1:] != leaves[:-1]).any(axis=1)
    return np.cumsum(fresh) - 1, leaves[fresh]
