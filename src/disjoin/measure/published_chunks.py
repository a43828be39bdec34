"""Published chunks as kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.model.arrays import Ints32, Ints64, frozen
from disjoin.model.bag import Bag
from disjoin.model.clusters import Clusters


class Chunks(NamedTuple):
    """Where chunks and subrecords begin, the items, and how many records each subrecord stands for."""

    subrecord_offsets: Ints64  # (chunks + 1,)
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    counts: Ints64  # (subrecords,)


def chunks_of(published: Clusters) -> Chunks:
    """Return all chunks of a forest."""
    return Chunks(published.subrecord_offsets, published.item_offsets, published.items, published.counts)


def one_chunk(records: Bag) -> Chunks:
    """Return whole records as one chunk."""
    # Read-only as the others: for other arrays everything would be compiled again.
    return Chunks(frozen([0, len(records)], np.int64), records.offsets, records.items, records.counts)
