"""Sorting records by what is in them, so that nothing depends on the order of the input."""

from __future__ import annotations

import numpy as np

from disjoin.jit.ordering import first_items, ordinary_then_sensitive, sort_ties
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64


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
