"""Records seen as a cluster: to the receiver, records that are published as they are make one cluster with one chunk.

Inside a chunk everything is exact, so everything that is known about supports of clusters holds for them.
"""

from __future__ import annotations

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model.arrays import offsets_of
from disjoin.model.bag import Bag
from disjoin.model.clusters import Clusters


def records_as_clusters(records: Bag) -> Clusters:
    """Return one leaf whose only chunk has the records; no leaf, if there are none.

    >>> records_as_clusters(Bag.from_rows([(["tea"], 2), (["milk", "tea"], 1)])).chunks_of(0)
    [[(('milk', 'tea'), 1), (('tea',), 2)]]
    """
    if (np.diff(records.offsets) < 1).any():
        raise InvalidParameter("a record has no items: these are not sound records. Ask disjoin.verify what is wrong.")
    leaves = min(len(records), 1)
    return Clusters(
        vocabulary=records.vocabulary,
        parents=np.full(leaves, -1, dtype=np.int64),
        sizes=np.full(leaves, records.n_records, dtype=np.int64),
        term_offsets=np.zeros(leaves + 1, dtype=np.int64),
        term_items=np.zeros(0, dtype=np.int32),
        chunk_offsets=np.arange(leaves + 1, dtype=np.int64),
        subrecord_offsets=offsets_of([len(records)] * leaves),
        item_offsets=records.offsets,
        items=records.items,
        counts=records.counts,
    )
