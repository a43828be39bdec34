"""KACA: the smallest class is merged with the nearest one until all are valid, that is, satisfy the requirements
(sections D.2 and D.3). Merged rows are generalised to their lowest common ancestors. All attributes' trees form one
forest with its own numbering; parents have higher numbers than their children, and `heights` is the integer cost from
a leaf to a node."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization import requirements
from disjoin.methods.generalization.encoding import Classes, Encoded, distinct_rows
from disjoin.methods.generalization.people import population_fit, unreachable
from disjoin.methods.generalization.requirements import Asked, asked_of, clear, count, holds
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

FEW_CLASSES = 4  # with fewer classes than nodes / 4, walking up the trees is faster than computing all nodes' costs


class HierarchyForest(NamedTuple):
    """The trees of all quasi-identifiers."""

    parents: Ints32  # (nodes,), -1 for a root
    heights: Ints64  # (nodes,)
    starts: Ints64  # (trees + 1,)


class Prices(NamedTuple):
    """The costs of merging with one vector: for its own rows, and for a row of a class with a given node."""

    own: Ints64  # (nodes,) for all rows of the vector
    other: Ints64  # (nodes,) for one row that has this node
    meets: Ints64  # (nodes,) height of the common ancestor


@inner
def meeting(forest, one, other):
    while one != other:  # the node with the smaller number is not an ancestor of the other
        if one < other:
            one = forest.parents[one]
        else:
            other = forest.parents[other]
    return one


@inner
def price(forest, prices, vector, weight):
    for a in range(vector.size):
        node = vector[a]
        first, own = forest.starts[a], forest.heights[node]
        for i in range(first, forest.starts[a + 1]):
            prices.meets[i] = -1
        while node >= 0:
            prices.meets[node] = forest.heights[node]
            node = forest.parents[node]
        for i in range(forest.starts[a + 1] - 1, first - 1, -1):
            if prices.meets[i] < 0:
                prices.meets[i] = prices.meets[forest.parents[i]]
            prices.own[i] = weight * (prices.meets[i] - own)
            prices.other[i] = prices.meets[i] - forest.heights[i]


@inner
def listed_cost(prices, vectors, slot, rows, limit):
    """Return the cost of merging; any value above the limit if the cost is above it."""
    own, other = np.int64(0), np.int64(0)
    for a in range(vectors.shape[1]):
        node = vectors[slot, a]
        own += prices.own[node]
        other += prices.other[node]
        if own + rows * other > limit:
            break
    return own + rows * other


@inner
def walked_cost(forest, vector, weight, vectors, slot, rows, limit):
    total = np.int64(0)
    for a in range(vector.size):
        top = forest.heights[meeting(forest, vector[a], vectors[slot, a])]
        total += weight * (top - forest.heights[vector[a]]) + rows * (top - forest.heights[vectors[slot, a]])
        if total > limit:
            break
    return total


def step_costs(height: int, weights: str) -> list[Fraction]:
    """Return the cost from a leaf to each level, as a share of the way to the root.

    >>> [str(cost) for cost in step_costs(2, "height")]
    ['0', '1/3', '1']
    """
    steps = [Fraction(1) if weights == "uniform" else Fraction(1, height - level) for level in range(height)]
    return [sum(steps[:level], Fraction(0)) / sum(steps) for level in range(height + 1)]


def scaled_costs(encoded: Encoded, weights: str) -> list[Ints64]:
    costs = [step_costs(tree.height, weights) for tree in encoded.hierarchies]
    unit = lcm(*(cost.denominator for levels in costs for cost in levels))
    if 2 * unit * len(costs) * max(1, len(encoded)) >= 2**62:
        raise InvalidParameter(
            f"distances with {weights} weights need too large numbers for hierarchies of such different heights. Use "
            "uniform weights, or hierarchies with fewer levels."
        )
    return [np.array([int(cost * unit) for cost in levels], dtype=np.int64) for levels in costs]


def forest_of(encoded: Encoded, weights: str) -> HierarchyForest:
    trees = encoded.hierarchies
    starts = offsets_of([len(tree) for tree in trees])
    parents = [np.where(tree.parents < 0, -1, tree.parents + start) for tree, start in zip(trees, starts, strict=False)]
    heights = [costs[tree.levels] for tree, costs in zip(trees, scaled_costs(encoded, weights), strict=True)]
    return HierarchyForest(np.concatenate(parents).astype(np.int32), np.concatenate(heights), starts)


# Living classes are the slots from 0; the rows of a class are a linked list in ascending order.

NO_LIMIT = np.int64(2**62)
REMEMBERED = 4  # combinations of sensitive values that a class has refused


class Gathering(NamedTuple):
    """Mutable classes that are being merged."""

    vectors: Ints32  # (classes, attributes): nodes of the forest
    sizes: Ints64  # (classes,)
    firsts: Ints64  # (classes,) the smallest row
    nexts: Ints64  # (rows,) the next row of the class, -1 at its end
    is_open: Flags  # (classes,) not valid yet
    living: Ints64  # (1,) number of slots in use


@inner
def _judge(classes, slot, asked, guest):
    """Return whether a class, with one more row if that is not -1, is valid."""
    size = classes.sizes[slot] + (guest >= 0)
    if asked.demands.only_k or size < asked.demands.k:
        return size >= asked.demands.k
    row = classes.firsts[slot]
    while row >= 0:
        count(asked.tally, asked.secrets, row, 1)
        row = classes.nexts[row]
    if guest >= 0:
        count(asked.tally, asked.secrets, guest, 1)
    good = holds(asked.demands, asked.tally, size)
    clear(asked.tally)
    return good


@inner
def _taken(classes, slot, missing, k, stub):
    return missing if stub and classes.sizes[slot] - missing >= k else classes.sizes[slot]


@inner
def _nearest(classes, one, forest, prices, k, stub):
    """Return the class with the lowest cost of merging; the one with the smallest row among equals."""
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
def _merged(nexts, left, right):
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
def _meet(classes, one, other, rows, forest):
    """Merge that many rows of `other` into `one`; an existing class with the common vector is then `other`."""
    apart = False
    for a in range(classes.vectors.shape[1]):
        top = meeting(forest, classes.vectors[one, a], classes.vectors[other, a])
        apart = apart or top != classes.vectors[other, a]
        classes.vectors[one, a] = top
    first = classes.firsts[other]
    if apart and rows < classes.sizes[other]:  # split off the smallest rows
        last = first
        for _ in range(rows - 1):
            last = classes.nexts[last]
        classes.firsts[other] = classes.nexts[last]
        classes.nexts[last] = -1
        classes.sizes[other] -= rows
        classes.firsts[one] = _merged(classes.nexts, classes.firsts[one], first)
        classes.sizes[one] += rows
        return one
    classes.firsts[one] = _merged(classes.nexts, classes.firsts[one], first)
    classes.sizes[one] += classes.sizes[other]
    last = classes.living[0] - 1  # the last class moves into the slot of the other
    for a in range(classes.vectors.shape[1]):
        classes.vectors[other, a] = classes.vectors[last, a]
    classes.sizes[other], classes.firsts[other] = classes.sizes[last], classes.firsts[last]
    classes.is_open[other] = classes.is_open[last]
    classes.living[0] = last
    return other if one == last else one


@kernel
def gather(classes, forest, prices, asked, stub, rounds):
    k = asked.demands.k
    for done in range(rounds):
        one = -1  # the one with the smallest row among equals
        for slot in range(classes.living[0]):
            if classes.is_open[slot] and (
                one < 0
                or classes.sizes[slot] < classes.sizes[one]
                or (classes.sizes[slot] == classes.sizes[one] and classes.firsts[slot] < classes.firsts[one])
            ):
                one = slot
        if one < 0 or classes.living[0] == 1:
            return done
        other = _nearest(classes, one, forest, prices, k, stub)
        rows = _taken(classes, other, k - classes.sizes[one], k, stub)
        one = _meet(classes, one, other, rows, forest)
        classes.is_open[one] = not _judge(classes, one, asked, -1)
    return rounds


@inner
def _nearest_bearing(classes, vector, row, combo, refused, forest, prices, asked):
    """Return the class of lowest cost that stays valid with the row; -1 if there is none. `refused` stores a few
    classes that refused a combination of sensitive values, until they change."""
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
        if _judge(classes, slot, asked, row):
            best, least = slot, cost
        else:
            refused[shelf, slot] = combo
    return best


@kernel
def insert(classes, guests, vectors, combos, refused, forest, prices, asked):
    """Put rows, in order, into the nearest classes that stay valid; return the number of rows that fit. `combos` has
    their codes."""
    for number in range(guests.size):
        row, vector = guests[number], vectors[number]
        best = _nearest_bearing(classes, vector, row, combos[number], refused, forest, prices, asked)
        if best < 0:
            return number
        for a in range(vector.size):
            classes.vectors[best, a] = meeting(forest, classes.vectors[best, a], vector[a])
        refused[:, best] = -1
        classes.nexts[row] = -1
        classes.firsts[best] = _merged(classes.nexts, classes.firsts[best], row)
        classes.sizes[best] += 1
    return guests.size


@kernel
def label_rows(classes, class_of_row):
    for slot in range(classes.living[0]):
        row = classes.firsts[slot]
        while row >= 0:
            class_of_row[row] = slot
            row = classes.nexts[row]


ROUNDS = 256  # between two checks for an interrupt
GUESTS = 2_000_000  # rows times classes, between two checks, as well


def gathering_of(class_of_row: Ints64, vectors: Ints32, asked: Asked) -> Gathering:
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
        is_open=~requirements.groups_that_hold(asked, class_of_row, n_classes),
        living=np.array([n_classes], dtype=np.int64),
    )


def merge_open(classes: Gathering, forest: HierarchyForest, asked: Asked, *, stub: bool, progress: Progress) -> None:
    prices = Prices(*np.zeros((3, forest.parents.size), dtype=np.int64))
    total = int(classes.is_open[: classes.living[0]].sum())
    needed = ROUNDS if total else 0
    while needed == ROUNDS:
        needed = gather(classes, forest, prices, asked, stub, ROUNDS)
        progress("merging", total - int(classes.is_open[: classes.living[0]].sum()), total)


def insert_rows(
    classes: Gathering, guests: Ints64, leaves: Ints32, forest: HierarchyForest, asked: Asked
) -> Iterator[int]:
    """Put rows into the nearest classes that stay valid until one fits nowhere; yield the number placed."""
    prices = Prices(*np.zeros((3, forest.parents.size), dtype=np.int64))
    combos, _ = requirements.combinations_of(asked.secrets[guests])
    refused = np.full((REMEMBERED, len(classes.vectors)), -1, dtype=np.int64)
    step = max(1, GUESTS // len(classes.vectors))
    for begin in range(0, guests.size, step):
        some = slice(begin, begin + step)
        put = insert(classes, guests[some], leaves[some], combos[some], refused, forest, prices, asked)
        yield begin + int(put)
        if put < guests[some].size:
            return


def labels_of(classes: Gathering) -> Classes:
    class_of_row = np.full(classes.nexts.size, -1, dtype=np.int64)
    label_rows(classes, class_of_row)
    return Classes(class_of_row, classes.vectors[: classes.living[0]].copy())


def joined(found: Classes) -> Classes:
    """Return the same with one class for equal vectors, in the order of the vectors; rows of class -1 stay in none."""
    if not len(found.vectors):
        return found
    numbers, firsts = distinct_rows(list(found.vectors.T))
    return Classes(np.append(numbers, -1)[found.class_of_row], found.vectors[firsts])


def kaca(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    asked, forest = asked_of(settings, encoded), forest_of(encoded, settings.weights)
    return in_trees(gathered(forest_leaves(encoded, forest), forest, asked, settings.stub, progress), forest)


def gathered(leaves: Ints32, forest: HierarchyForest, asked: Asked, stub: bool, progress: Progress = silent) -> Classes:
    classes = gathering_of(*runs_of(leaves), asked)
    merge_open(classes, forest, asked, stub=stub and asked.demands.only_k, progress=progress)
    return joined(labels_of(classes))


def mended(encoded: Encoded, found: Classes, settings: Generalization, progress: Progress = silent) -> Classes:
    """Merge classes that are not valid. There are two causes: classes with equal published values share people, and so
    may have a value too often together; and the algorithms ignore the population."""
    if encoded.people is None and encoded.population is None:
        return found
    asked, forest = asked_of(settings, encoded), forest_of(encoded, settings.weights)
    while len(found.vectors) > 1:
        nodes = (found.vectors + forest.starts[:-1]).astype(np.int32)
        classes = gathering_of(found.class_of_row, nodes, asked)
        if encoded.population is not None:
            np.logical_or(classes.is_open, ~population_fit(encoded, found)[1], out=classes.is_open)
        if not classes.is_open.any():
            return found
        merge_open(classes, forest, asked, stub=False, progress=progress)
        found = in_trees(joined(labels_of(classes)), forest)
    if encoded.population is None:
        return found
    # One class of all rows must satisfy the requirements on the population: with its nodes, or at the roots.
    roots = np.array([[tree.root for tree in encoded.hierarchies]], dtype=np.int32)
    for each in (found, Classes(found.class_of_row, roots)):
        included, is_kept = population_fit(encoded, each)
        if is_kept.all():
            return each
    raise unreachable(int(included[0]), encoded)


def forest_leaves(encoded: Encoded, forest: HierarchyForest) -> Ints32:
    return (encoded.leaves + forest.starts[:-1]).astype(np.int32)


def in_trees(found: Classes, forest: HierarchyForest) -> Classes:
    return Classes(found.class_of_row, (found.vectors - forest.starts[:-1]).astype(np.int32))


def runs_of(leaves: Ints32) -> tuple[Ints64, Ints32]:
    fresh = np.ones(len(leaves), dtype=np.bool_)
    fresh[1:] = (leaves[1:] != leaves[:-1]).any(axis=1)
    return np.cumsum(fresh) - 1, leaves[fresh]
