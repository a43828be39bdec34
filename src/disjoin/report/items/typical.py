"""Which published node is good to look at: a function of the published content, as it is shown in a release."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from disjoin.model.arrays import Ints64
from disjoin.report.items.cut import Cut
from disjoin.report.items.tree import Tree

_ROWS = 5
_FAR = 20  # beyond, it does not matter how far


def typical_node(cut: Cut, tree: Tree) -> int:
    """Choose a category that records have, which stands for a few terms and has a few others beside it."""
    rows = _rows_with(cut)
    beside = [tree.number_below(tree.parent(name) or name) for name in cut.names.to_pylist()]
    odd = 900 * ~cut.is_category + 400 * (cut.supports == 0) + 15 * np.maximum(0, _ROWS - rows)
    odd += 10 * np.minimum(_outside(cut.leaf_counts, 3, 8), _FAR) + 4 * np.minimum(_outside(beside, 3, 6), _FAR)
    return int(np.argmin(odd))


def _rows_with(cut: Cut) -> Ints64:
    """Count for every node the different rows that have it."""
    records = cut.published.records
    rows = np.bincount(records.items, minlength=len(records.vocabulary)).tolist()
    found = dict(zip(records.vocabulary.to_pylist(), rows, strict=True))
    return np.array([found.get(name, 0) for name in cut.names.to_pylist()], dtype=np.int64)


def _outside(values: ArrayLike, least: int, most: int) -> Ints64:
    numbers: Ints64 = np.asarray(values, dtype=np.int64)
    return np.maximum(least - numbers, 0) + np.maximum(numbers - most, 0)
