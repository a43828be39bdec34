"""VERPART over all clusters: from a partition of the records to leaves of chunks (TLMS12, section 4).

Large clusters can be packed instead, so that more pairs of terms stay together: see `packing`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.leaves import Leaves, concatenated
from disjoin.methods.disassociation.packing import LARGE_LEAF, packed_leaf
from disjoin.methods.disassociation.pair_table import Spread
from disjoin.methods.disassociation.write_leaves import publish_clusters
from disjoin.model import Transactions
from disjoin.model.arrays import Flags
from disjoin.progress import Progress

SHARD_OCCURRENCES = 400_000  # of the order of a core's cache; the result is the same for any number


def cut_into_chunks(
    data: Transactions, partition: Partition, k: int, m: int, engine: Engine, progress: Progress, *, packs: bool = False
) -> Leaves:
    """Publish every cluster of the partition as a leaf, in the partition's order; pack large ones if `packs`."""
    secret, records, ends = secret_terms(data), records_in(data, partition), partition.ends
    # Lemma 2 asks for the lesser of m and the number of chunks, and chunks are no more than terms.
    limits = (k, min(m, data.n_terms), longest_record(data))

    is_packed = partition.sizes >= LARGE_LEAF if packs else np.zeros(partition.sizes.size, np.bool_)
    shards = _shards(data, partition, is_packed)
    spread: Spread = engine.map if len(shards) == 1 else map  # one leaf alone has the engine for itself

    def work(shard: tuple[int, int]) -> Leaves:
        first, last = shard
        if is_packed[first]:
            return packed_leaf(records._replace(order=records.order[ends[first] : ends[last]]), limits, secret, spread)
        return publish_clusters(records, ends, first, last, limits, secret)

    return concatenated(engine.map(work, shards, lambda done: progress("publishing", done, len(shards))))


def secret_terms(data: Transactions) -> Flags:
    """Tell for every term whether it must stay in term chunks."""
    return np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive


def records_in(data: Transactions, partition: Partition) -> Records:
    """Return the records in the order of their clusters, for kernels that do not ask where a record stands."""
    return Records(data.offsets, data.items, partition.records, np.empty(0, np.int32))


def longest_record(data: Transactions) -> int:
    """Return the number of terms of the longest record: no larger set of terms occurs."""
    return int(np.diff(data.offsets).max())


def _shards(data: Transactions, partition: Partition, is_alone: Flags) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences; some clusters are runs by themselves."""
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]
    running = np.cumsum(lengths)[partition.ends[1:] - 1]
    cuts = np.flatnonzero(np.diff(running // SHARD_OCCURRENCES) | is_alone[1:] | is_alone[:-1]) + 1
    bounds = [0, *cuts.tolist(), partition.sizes.size]
    return list(pairwise(bounds))
