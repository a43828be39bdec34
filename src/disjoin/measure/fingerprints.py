"""Numbers for sets of items, by which bags of many sets are compared at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disjoin.model.ragged import Ints64


def fingerprints(n_terms: int) -> NDArray[np.uint64]:
    """Return a number for every term; sums of different sets of them hardly ever agree (splitmix64)."""
    mixed = np.arange(1, n_terms + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def same_bag(theirs: NDArray[np.uint64], ours: NDArray[np.uint64], counts: Ints64) -> bool:
    """Tell whether the first numbers are the second ones, each as often as it counts, in any order."""
    return bool(np.array_equal(np.sort(theirs), np.sort(np.repeat(ours, counts))))
