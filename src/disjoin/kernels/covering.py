"""Uniform draws among all ways to lay a leaf's chunks on its slots so that none stays empty (section A.7).

Let `f(i, u)` be the chance that chunks i, i + 1, ... cover `u` given slots when each is laid on distinct slots at
random. Drawing, chunk by chunk, how many new slots it covers with the weights of that sum, and then the slots, gives
every covering the same chance.
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.randomness import fair_below, fine_uniform

# Chances are at least e^-slots and binomials at most 2^slots: up to here both are far inside the range of a float, and
# no chance is wrong by more than a billionth of itself.
LARGEST_COVERED_LEAF = 512


@kernel
def pascal(size):
    """Return the binomial coefficients up to `size` as floats: entry [n, c]."""
    triangle = np.zeros((size + 1, size + 1), np.float64)
    for n in range(size + 1):
        triangle[n, 0] = 1.0
        for c in range(1, n + 1):
            triangle[n, c] = triangle[n - 1, c - 1] + triangle[n - 1, c]
    return triangle


@inner
def _share(binomials, n_slots, uncovered, size, new):
    """Return the chance that `size` distinct slots have `new` among the `uncovered` ones."""
    ways = binomials[uncovered, new] * binomials[n_slots - uncovered, size - new]
    return ways / binomials[n_slots, size]


@inner
def chances_to_cover(binomials, n_slots, sizes):
    """Return f(i, u) for all u that can be left when the chunks before i have been laid (zero elsewhere)."""
    chances = np.zeros((sizes.size + 1, n_slots + 1), np.float64)
    chances[sizes.size, 0] = 1.0
    before = after = 0
    for i in range(sizes.size):
        before += sizes[i]
    for i in range(sizes.size - 1, -1, -1):
        before -= sizes[i]
        after += sizes[i]
        for uncovered in range(max(0, n_slots - before), min(n_slots, after) + 1):
            chance = 0.0
            for new in range(max(0, sizes[i] - n_slots + uncovered), min(uncovered, sizes[i]) + 1):
                share = _share(binomials, n_slots, uncovered, sizes[i], new)
                chance += share * chances[i + 1, uncovered - new]
            chances[i, uncovered] = chance
    return chances


@inner
def _draw_new(state, binomials, chances, n_slots, uncovered, i, size):
    """Draw how many of the uncovered slots chunk i covers."""
    target = fine_uniform(state) * chances[i, uncovered]
    chosen = -1
    for new in range(max(0, size - n_slots + uncovered), min(uncovered, size) + 1):
        share = _share(binomials, n_slots, uncovered, size, new) * chances[i + 1, uncovered - new]
        if share > 0.0:
            chosen = new
            target -= share
            if target < 0.0:
                break
    return chosen


@inner
def _swap(values, a, b):
    kept = values[a]
    values[a] = values[b]
    values[b] = kept


@inner
def lay_covering(state, binomials, sizes, order, slots):
    """Lay all chunks of a leaf so that they cover it; returns False if they cannot.

    `order` are the slots of the leaf, in any order; `slots` are filled part by part, chunk by chunk.
    """
    chances = chances_to_cover(binomials, order.size, sizes)
    if chances[0, order.size] <= 0.0:
        return False
    part = 0
    uncovered = order.size  # these come first in the order
    for i in range(sizes.size):
        size = sizes[i]
        new = _draw_new(state, binomials, chances, order.size, uncovered, i, size)
        for step in range(new):  # new ones go to the end of the uncovered, next to the covered
            last = uncovered - 1 - step
            _swap(order, last, fair_below(state, last + 1))
        for place in range(uncovered, uncovered + size - new):  # old ones to the beginning of the covered
            _swap(order, place, place + fair_below(state, order.size - place))
        uncovered -= new
        for step in range(size):
            _swap(order, uncovered + step, uncovered + step + fair_below(state, size - step))
            slots[part] = order[uncovered + step]
            part += 1
    return True
