"""Equivalence classes of rows that agree in given columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from disjoin.model.ragged import Ints32, Ints64


LARGEST_KEY = 1 << 62
_ROOM = 4  # limit on counters per row: counting is faster than sorting while the counters fit in caches


def row_keys(columns: Sequence[Ints32 | Ints64], sizes: Sequence[int]) -> tuple[Ints64, int]:
    """Return a number for each row, equal for rows with equal codes only, in their order, and a bound above all.
    `sizes` are bounds above the codes of each column.

    >>> row_keys([np.array([0, 1, 0]), np.array([2, 2, 2])], [2, 3])
    (array([2, 5, 2]), 6)
    """
    keys, bound = columns[0].astype(np.int64), max(1, sizes[0])
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        if bound * max(1, size) > LARGEST_KEY:
            keys, bound = numbered(keys, bound)
        keys = keys * size + codes
        bound *= max(1, size)
    return keys, bound


def numbered(keys: Ints64, bound: int) -> tuple[Ints64, int]:
    if bound <= _ROOM * keys.size:
        ranks = np.cumsum(np.bincount(keys, minlength=1) > 0)
        return ranks[keys] - 1, int(ranks[-1])
    order = np.argsort(keys)
    ordered = keys[order]
    steps = np.cumsum(np.concatenate((np.zeros(min(1, keys.size), np.int64), ordered[1:] != ordered[:-1])))
    classes = np.empty(keys.size, dtype=np.int64)
    classes[order] = steps
    return classes, int(steps[-1]) + 1 if keys.size else 0


def class_sizes(keys: Ints64, bound: int) -> Ints64:
    return counted_keys(keys, bound)[1]


def counted_keys(keys: Ints64, bound: int) -> tuple[Ints64, Ints64]:
    """Return the distinct keys, ascending, and their counts.

    >>> counted_keys(np.array([5, 2, 5]), 6)
    (array([2, 5]), array([1, 2]))
    """
    if bound <= _ROOM * keys.size:
        counts = np.bincount(keys, minlength=1)
        there = np.flatnonzero(counts)
        return there, counts[there]
    ordered = np.sort(keys)  # np.unique takes far longer if most keys are different
    starts = np.flatnonzero(np.concatenate((np.ones(min(1, keys.size), bool), ordered[1:] != ordered[:-1])))
    return ordered[starts], np.diff(np.concatenate((starts, [keys.size])))


def counted_values(keys: Ints64, bound: int, codes: Ints32, size: int) -> tuple[Ints64, Ints64]:
    """Return for every value of a column in every class: the class, from 0, and the number of its rows with the value.
    `size` is a bound above the codes of the column.

    >>> counted_values(np.array([7, 7, 9]), 10, np.array([0, 1, 1]), 2)
    (array([0, 0, 1]), array([1, 1, 1]))
    """
    classes, number = numbered(keys, bound)
    both, counts = counted_keys(classes * size + codes, number * size)
    return both // max(1, size), counts
