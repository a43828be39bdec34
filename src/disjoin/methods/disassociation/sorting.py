"""Sorting records by what is in them, so that nothing depends on the order of the input."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.ordering import sort_subrecords
from disjoin.model import Transactions
from disjoin.model.arrays import Ints32


def by_content(data: Transactions, records: Ints32) -> Ints32:
    """Sort records by their ordinary terms, then by their sensitive ones (as lists, a proper prefix first)."""
    lengths = data.offsets[records + 1] - data.offsets[records]
    occurrences = np.repeat(data.offsets[records] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    items = data.items[occurrences]
    row = np.repeat(np.arange(records.size), lengths)
    secret = np.zeros(items.size, np.bool_) if data.sensitive is None else data.sensitive[items]
    # One list a record: ordinary terms, a separator smaller than any term, sensitive terms.
    row = np.concatenate([row, np.arange(records.size)])
    kind = np.concatenate([secret.astype(np.int8) * 2, np.ones(records.size, np.int8)])
    items = np.concatenate([items, np.full(records.size, -1, np.int32)])
    content = items[np.lexsort((items, kind, row))]
    lengths = lengths + 1
    starts = np.cumsum(lengths) - lengths
    index = np.arange(records.size)
    sort_subrecords(content, starts, lengths, index, np.empty_like(index), 0, index.size)
    return records[index]
