"""VERPART over all clusters: from a partition of the records to the published forest (TLMS12, section 4)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from disjoin.kernels.leaves import Leaves, concatenated, in_canonical_order
from disjoin.kernels.publishing import publish_clusters
from disjoin.kernels.splitting import Records
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.horizontal import Partition
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.arrays import Ints64
from disjoin.progress import Progress

SHARD_OCCURRENCES = 400_000  # of the order of a core's cache; the result is the same for any number


def publish(data: Transactions, partition: Partition, k: int, m: int, engine: Engine, progress: Progress) -> Draft:
    """Publish every cluster of the partition, in canonical order."""
    secret = np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive
    nowhere = np.empty(0, np.int32)  # VERPART does not ask where a record stands
    records = Records(data.offsets, data.items, partition.records, nowhere)
    ends = partition.ends
    # Lemma 2 asks for the lesser of m and the number of chunks, and chunks are no more than terms.
    limits = (k, min(m, data.n_terms), int(np.diff(data.offsets).max()))

    def work(shard: tuple[int, int]) -> Leaves:
        return publish_clusters(records, ends, *shard, limits, secret)

    shards = _shards(data, partition)
    parts = engine.map(work, shards, lambda done: progress("publishing", done, len(shards)))
    leaves, source = in_canonical_order(concatenated(parts))
    return Draft(_clusters(leaves, data), _places(len(data), partition, source))


def _shards(data: Transactions, partition: Partition) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences."""
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]
    running = np.cumsum(lengths)[partition.ends[1:] - 1]
    cuts = np.flatnonzero(np.diff(running // SHARD_OCCURRENCES)) + 1
    bounds = [0, *cuts.tolist(), partition.sizes.size]
    return list(pairwise(bounds))


def _places(n: int, partition: Partition, source: Ints64) -> Ints64:
    """Return for every record the number of its published leaf, -1 for a suppressed one."""
    place = np.empty_like(source)
    place[source] = np.arange(source.size)
    leaf_of_record = np.full(n, -1, np.int64)
    leaf_of_record[partition.records] = np.repeat(place, partition.sizes)
    return leaf_of_record


def _clusters(leaves: Leaves, data: Transactions) -> Clusters:
    """Wrap the leaves, with a vocabulary of published terms only (an unused name would betray a suppressed record)."""
    used = np.zeros(data.n_terms, np.bool_)
    used[leaves.items] = True
    used[leaves.term_items] = True
    items, term_items, vocabulary = leaves.items, leaves.term_items, data.vocabulary
    if not used.all():
        rank = (np.cumsum(used) - 1).astype(np.int32)
        items, term_items = rank[items], rank[term_items]
        vocabulary = vocabulary.take(pa.array(np.flatnonzero(used)))
    return Clusters(
        vocabulary=vocabulary,
        parents=np.full(leaves.sizes.size, -1, np.int64),
        sizes=leaves.sizes,
        term_offsets=leaves.term_offsets,
        term_items=term_items,
        chunk_offsets=leaves.chunk_offsets,
        subrecord_offsets=leaves.subrecord_offsets,
        item_offsets=leaves.item_offsets,
        items=items,
        counts=leaves.counts,
    )
