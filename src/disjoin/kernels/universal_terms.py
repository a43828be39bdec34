"""Terms of chunks that as many records have as the cluster has."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import kernel
from disjoin.kernels.published_chunks import Chunks
from disjoin.model.arrays import Ints64


@kernel
def count_universal(chunks, sizes, supports, found):
    """Count the terms of every chunk whose support is the size of its cluster; `supports` are zero before and after."""
    item_offsets, items, counts = chunks.item_offsets, chunks.items, chunks.counts
    for chunk in range(chunks.subrecord_offsets.size - 1):
        first, last = chunks.subrecord_offsets[chunk], chunks.subrecord_offsets[chunk + 1]
        for s in range(first, last):
            for p in range(item_offsets[s], item_offsets[s + 1]):
                supports[items[p]] += counts[s]
        for p in range(item_offsets[first], item_offsets[last]):
            if supports[items[p]] == sizes[chunk]:
                found[chunk] += 1
            supports[items[p]] = 0


def universal_terms_of(chunks: Chunks, n_terms: int, sizes: Ints64) -> Ints64:
    """Return how many terms of each chunk are in all records of its cluster; `sizes` (chunks,) are the clusters'."""
    found = np.zeros(sizes.size, np.int64)
    count_universal(chunks, sizes, np.zeros(n_terms, np.int64), found)
    return found
