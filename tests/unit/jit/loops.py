"""A few loops, small enough to be compiled in a test."""

from typing import NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel, overflowing

STEP = 3


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


@inner
def stepped(value):
    return value * STEP


@kernel
def total(values, extra):
    found = extra
    for i in range(values.size):
        found += stepped(values[i])
    return found


@kernel
@overflowing
def mixed(value):
    return np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)


@kernel
def both(pair):
    return pair.left[0] + pair.right[0]


@kernel
def counted(items, times):
    """Multiply the first item, whose bits are few."""
    return items[0] * times


@kernel
def summed(values):
    """Make an array, and use what numba has its own loops for."""
    return np.zeros(2, np.int64).sum() + values.sum()
