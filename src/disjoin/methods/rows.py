"""Rows of items in compressed form: taking some, and telling equal neighbours."""

from __future__ import annotations

import numpy as np

from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of


def take_rows(offsets: Ints64, items: Ints32, rows: Ints64) -> tuple[Ints64, Ints32]:
    """Return offsets and items of these rows, in this order."""
    lengths = np.diff(offsets)[rows]
    taken = offsets_of(lengths)
    return taken, items[np.repeat(offsets[rows] - taken[:-1], lengths) + np.arange(taken[-1])]


def differs_from_previous(offsets: Ints64, items: Ints32) -> Flags:
    """Tell for every row whether it has other items than the one before; the first has.

    >>> differs_from_previous(np.array([0, 2, 4, 5]), np.array([1, 2, 1, 2, 1])).tolist()
    [True, False, True]
    """
    lengths = np.diff(offsets)
    fresh = np.ones(lengths.size, dtype=np.bool_)
    alike = np.flatnonzero(lengths[1:] == lengths[:-1]) + 1  # rows as long as the one before
    places = np.repeat(offsets[alike] - offsets_of(lengths[alike])[:-1], lengths[alike])
    places += np.arange(places.size)
    owners, shifts = np.repeat(alike, lengths[alike]), np.repeat(lengths[alike], lengths[alike])
    fresh[alike] = False
    fresh[owners[items[places] != items[places - shifts]]] = True
    return fresh
