"""Sorting records by what is in them, so that nothing depends on the order of the input."""

from __future__ import annotations

import numpy as np

from disjoin.jit.ordering import first_items, ordinary_then_sensitive, sort_ties
from disjoin.model import Transactions
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


def by_content(data: Transactions, records: Ints32) -> Ints32:
    """Sort records by their ordinary terms, then by their sensitive ones (as lists, a proper prefix first)."""
    starts, lengths = data.offsets[records], data.offsets[records + 1] - data.offsets[records]
    content = data.items
    if data.sensitive is not None and data.sensitive.any():
        content, starts, lengths = _ordinary_then_sensitive(data.items, data.sensitive, starts, lengths)
    # By beginnings first, as numbers: comparing lists all over the memory is slow when there are many.
    keys = np.empty(records.size, dtype=np.uint64)
    first_items(content, starts, lengths, max(1, int(data.n_terms + 1).bit_length()), keys)
    index = np.argsort(keys, kind="stable")
    sort_ties(content, starts, lengths, keys, index, np.empty_like(index))
    return records[index]


def _ordinary_then_sensitive(
    items: Ints32, sensitive: Flags, starts: Ints64, lengths: Ints64
) -> tuple[Ints32, Ints64, Ints64]:
    """Write one list per record: its ordinary terms, a separator smaller than any term, its sensitive terms."""
    content = np.empty(int(lengths.sum()) + lengths.size, dtype=np.int32)
    ordinary_then_sensitive(items, starts, lengths, sensitive, content)
    return content, np.cumsum(lengths + 1) - lengths - 1, lengths + 1
