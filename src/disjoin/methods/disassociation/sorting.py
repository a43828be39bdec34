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
    n = lengths.size
    chosen = items[np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())]
    row = np.concatenate([np.repeat(np.arange(n), lengths), np.arange(n)])
    kind = np.concatenate([sensitive[chosen].astype(np.int8) * 2, np.ones(n, np.int8)])
    chosen = np.concatenate([chosen, np.full(n, -1, np.int32)])
    content = frozen(chosen[np.lexsort((chosen, kind, row))], np.int32)
    return content, np.cumsum(lengths + 1) - lengths - 1, lengths + 1
