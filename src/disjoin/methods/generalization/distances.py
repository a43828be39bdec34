"""Exact distances (section D.2): the cost of every node above its leaves, scaled to whole numbers."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.methods.generalization.ancestor_cost import Forest
from disjoin.methods.generalization.encoding import Encoded
from disjoin.model.arrays import Ints64


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


def forest_of(encoded: Encoded, weights: str) -> Forest:
    """Return the trees one after the other, with the cost of every node."""
    trees = encoded.hierarchies
    starts = np.cumsum([0, *map(len, trees)]).astype(np.int64)
    parents = [np.where(tree.parents < 0, -1, tree.parents + start) for tree, start in zip(trees, starts, strict=False)]
    heights = [costs[tree.levels] for tree, costs in zip(trees, scaled_costs(encoded, weights), strict=True)]
    return Forest(np.concatenate(parents).astype(np.int32), np.concatenate(heights), starts)
