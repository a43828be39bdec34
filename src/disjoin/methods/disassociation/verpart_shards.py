"""VERPART for all clusters, in parallel: from a partition of the records to leaves of chunks (TLMS12, section 4).

Large clusters can be packed instead, so that more pairs of terms stay together: see `packing`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.horpart import Partition, Records, copied_records
from disjoin.methods.disassociation.packing import LARGE_LEAF, packed_leaf
from disjoin.methods.disassociation.write_leaves import Leaves, concatenated, publish_clusters
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, frozen
from disjoin.progress import Progress

SHARD_OCCURRENCES = 400_000  # of the order of a core's cache; the result is the same for any number


class ClusterShard(NamedTuple):
    """Clusters of records as a value: it can be sent anywhere, and has what their leaves are made of.

    Record i has the terms `items[offsets[i] : offsets[i + 1]]`; `ends` cut the records into clusters, after a leading
    0. `limits` is (k, m, length of the longest record).
    """

    offsets: Ints64
    items: Ints32
    ends: Ints64
    limits: tuple[int, int, int]
    secret: Flags
    is_packed: bool


def publish_shard(shard: ClusterShard) -> Leaves:
    """Publish the clusters of a shard as leaves, in their order."""
    records = _records_of(shard)
    if shard.is_packed:
        return packed_leaf(records, shard.limits, shard.secret)
    return publish_clusters(records, shard.ends, 0, shard.ends.size - 1, shard.limits, shard.secret)


def cut_into_chunks(
    data: Transactions, partition: Partition, k: int, m: int, engine: Engine, progress: Progress, *, packs: bool = False
) -> Leaves:
    """Publish every cluster of the partition as a leaf, in the partition's order; pack large ones if `packs`."""
    # Lemma 2 asks for the lesser of m and the number of chunks, and chunks are no more than terms.
    limits = (k, min(m, data.n_terms), longest_record(data))
    is_packed = partition.sizes >= LARGE_LEAF if packs else np.zeros(partition.sizes.size, np.bool_)
    secret, bounds = secret_terms(data), _bounds(data, partition, is_packed)
    if len(bounds) == 1 and is_packed[0]:  # one leaf alone has all threads of this machine for itself
        return packed_leaf(records_in(data, partition), limits, secret, engine.spread)

    def shard_of(span: tuple[int, int]) -> ClusterShard:
        return _shard(data, partition, span, limits, secret, packed=bool(is_packed[span[0]]))

    leaves = engine.map(publish_shard, bounds, lambda done: progress("publishing", done, len(bounds)), shard_of)
    return concatenated(leaves)


def _shard(
    data: Transactions,
    partition: Partition,
    span: tuple[int, int],
    limits: tuple[int, int, int],
    secret: Flags,
    *,
    packed: bool,
) -> ClusterShard:
    ends = partition.ends[span[0] : span[1] + 1]
    offsets, items = copied_records(records_in(data, partition), partition.records[ends[0] : ends[-1]])
    return ClusterShard(offsets, items, ends - ends[0], limits, secret, packed)


def _records_of(shard: ClusterShard) -> Records:
    numbers = np.arange(shard.offsets.size - 1, dtype=np.int32)
    return Records(frozen(shard.offsets, np.int64), frozen(shard.items, np.int32), numbers, np.empty(0, np.int32))


def secret_terms(data: Transactions) -> Flags:
    """Tell for every term whether it must stay in term chunks."""
    return np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive


def records_in(data: Transactions, partition: Partition) -> Records:
    """Return the records in the order of their clusters, for kernels that do not ask where a record stands."""
    return Records(data.offsets, data.items, partition.records, np.empty(0, np.int32))


def longest_record(data: Transactions) -> int:
    """Return the number of terms of the longest record: no larger set of terms occurs."""
    return data.records.longest


def runs_of_clusters(data: Transactions, partition: Partition) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences, as (first, end)."""
    return _bounds(data, partition, np.zeros(partition.sizes.size, np.bool_))


def _bounds(data: Transactions, partition: Partition, is_alone: Flags) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences; some clusters are runs by themselves."""
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]
    running = np.cumsum(lengths)[partition.ends[1:] - 1]
    cuts = np.flatnonzero(np.diff(running // SHARD_OCCURRENCES) | is_alone[1:] | is_alone[:-1]) + 1
    bounds = [0, *cuts.tolist(), partition.sizes.size]
    return list(pairwise(bounds))
