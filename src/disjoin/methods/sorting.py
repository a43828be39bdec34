"""Sorting records by what is in them, so that nothing depends on the order of the input."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.ordering import sort_subrecords
from disjoin.model import Transactions
from disjoin.model.arrays import Flags, Ints32, Ints64, frozen


def by_content(data: Transactions, records: Ints32) -> Ints32:
    """Sort records by their ordinary terms, then by their sensitive ones (as lists, a proper prefix first)."""
    starts, lengths = data.offsets[records], data.offsets[records + 1] - data.offsets[records]
    content = data.items
    if data.sensitive is not None and data.sensitive.any():
        content, starts, lengths = _ordinary_then_sensitive(data.items, data.sensitive, starts, lengths)
    index = np.arange(records.size)
    sort_subrecords(content, starts, lengths, index, np.empty_like(index), 0, index.size)
    return records[index]


def _ordinary_then_sensitive(
    items: Ints32, sensitive: Flags, starts: Ints64, lengths: Ints64
) -> tuple[Ints32, Ints64, Ints64]:
    """Write one list a record: its ordinary terms, a separator smaller than any term, its sensitive terms."""
    if not lengths.size:
        return items[:0], starts, lengths
    begins = np.cumsum(lengths) - lengths  # (rows,) of occurrences row by row; no row is empty
    rows = np.repeat(np.arange(lengths.size), lengths)  # (occurrences,)
    chosen = items[(starts - begins)[rows] + np.arange(rows.size)]
    secret = sensitive[chosen]
    before: Ints64 = np.cumsum(secret) - secret
    before -= before[begins][rows]  # sensitive occurrences before each in its row
    ordinary = lengths - np.add.reduceat(secret, begins, dtype=np.int64)  # (rows,)
    lists = begins + np.arange(lengths.size)  # (rows,) where each list begins, one longer than its row
    place = np.where(secret, (lists + ordinary + 1)[rows] + before, np.arange(rows.size) + rows - before)
    content = np.full(rows.size + lengths.size, -1, dtype=np.int32)
    content[place] = chosen
    return frozen(content, np.int32), lists, lengths + 1
