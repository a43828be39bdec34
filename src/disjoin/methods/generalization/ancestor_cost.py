"""Cost of generalising two rows to their lowest common ancestors (section D.2).

The trees of all attributes lie one after the other: nodes have numbers of their own in the whole forest, parents have
higher numbers than their children, and `heights` says what it costs to get from a leaf to a node, in whole numbers.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner
from disjoin.methods.generalization.encoding import Encoded
from disjoin.model.ragged import Ints32, Ints64

FEW_CLASSES = 4  # with fewer classes than a fourth of the nodes, walking up the trees beats a price list of all nodes


class HierarchyForest(NamedTuple):
    """The trees of all quasi-identifiers."""

    parents: Ints32  # (nodes,), -1 for a root
    heights: Ints64  # (nodes,)
    starts: Ints64  # (trees + 1,)


class Prices(NamedTuple):
    """What it costs to meet one vector: itself, and each row of a class with a certain node."""

    own: Ints64  # (nodes,) for all rows of the vector
    other: Ints64  # (nodes,) for one row that has this node
    meets: Ints64  # (nodes,) height of the meeting


def new_prices(forest: HierarchyForest) -> Prices:
    """Return room for the prices of a vector."""
    return Prices(*(np.zeros(forest.parents.size, dtype=np.int64) for _ in range(3)))


@inner
def meeting(forest, one, other):
    """Return the lowest node above, or equal to, both."""
    while one != other:  # the node with the smaller number is no ancestor of the other
        if one < other:
            one = forest.parents[one]
        else:
            other = forest.parents[other]
    return one


@inner
def price(forest, prices, vector, weight):
    """Write down what it costs to meet a vector of that many rows, for every node."""
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
    """Return what it costs to meet, or something above the limit if it is above the limit."""
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
    """Do as `listed_cost` without a price list."""
    total = np.int64(0)
    for a in range(vector.size):
        top = forest.heights[meeting(forest, vector[a], vectors[slot, a])]
        total += weight * (top - forest.heights[vector[a]]) + rows * (top - forest.heights[vectors[slot, a]])
        if total > limit:
            break
    return total


def step_costs(height: int, weights: str) -> list[Fraction]:
    """Return what it costs to get from a leaf to each level, as a share of the way to the root.

    >>> [str(cost) for cost in step_costs(2, "height")]
    ['0', '1/3', '1']
    """
    steps = [Fraction(1) if weights == "uniform" else Fraction(1, height - level) for level in range(height)]
    return [sum(steps[:level], Fraction(0)) / sum(steps) for level in range(height + 1)]


def scaled_costs(encoded: Encoded, weights: str) -> list[Ints64]:
    """Return the costs of every tree's levels in a unit common to all of them, so that they are whole numbers."""
    costs = [step_costs(tree.height, weights) for tree in encoded.hierarchies]
    unit = lcm(*(cost.denominator for levels in costs for cost in levels))
    if 2 * unit * len(costs) * max(1, len(encoded)) >= 2**62:
        raise InvalidParameter(
            f"distances with {weights} weights need too large numbers for hierarchies of such different heights; use "
            "uniform weights, or hierarchies with fewer levels."
        )
    return [np.array([int(cost * unit) for cost in levels], dtype=np.int64) for levels in costs]


def forest_of(encoded: Encoded, weights: str) -> HierarchyForest:
    """Return the trees one after the other, with the cost of every node."""
    trees = encoded.hierarchies
    starts = np.cumsum([0, *map(len, trees)]).astype(np.int64)
    parents = [np.where(tree.parents < 0, -1, tree.parents + start) for tree, start in zip(trees, starts, strict=False)]
    heights = [costs[tree.levels] for tree, costs in zip(trees, scaled_costs(encoded, weights), strict=True)]
    return HierarchyForest(np.concatenate(parents).astype(np.int32), np.concatenate(heights), starts)
