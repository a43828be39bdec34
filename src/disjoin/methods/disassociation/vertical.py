"""VERPART over all clusters: from a partition of the records to leaves of chunks (TLMS12, section 4)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from disjoin.kernels.leaves import Leaves, concatenated
from disjoin.kernels.publishing import publish_clusters
from disjoin.kernels.splitting import Records
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.horizontal import Partition
from disjoin.model import Transactions
from disjoin.model.arrays import Flags
from disjoin.progress import Progress

SHARD_OCCURRENCES = 400_000  # of the order of a core's cache; the result is the same for any number


def cut_into_chunks(
    data: Transactions, partition: Partition, k: int, m: int, engine: Engine, progress: Progress
) -> Leaves:
    """Publish every cluster of the partition as a leaf, in the partition's order."""
    secret, records, ends = secret_terms(data), records_in(data, partition), partition.ends
    # Lemma 2 asks for the lesser of m and the number of chunks, and chunks are no more than terms.
    limits = (k, min(m, data.n_terms), longest_record(data))

    def work(shard: tuple[int, int]) -> Leaves:
        return publish_clusters(records, ends, *shard, limits, secret)

    shards = _shards(data, partition)
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


def _shards(data: Transactions, partition: Partition) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences."""
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]
    running = np.cumsum(lengths)[partition.ends[1:] - 1]
    cuts = np.flatnonzero(np.diff(running // SHARD_OCCURRENCES)) + 1
    bounds = [0, *cuts.tolist(), partition.sizes.size]
    return list(pairwise(bounds))
