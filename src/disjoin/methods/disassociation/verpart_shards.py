"""VERPART for all clusters, in parallel: from a partition of the records to leaves of chunks (TLMS12, section 4).

Large clusters can be packed instead, so that more pairs of terms stay together (`packing`), and chunks of `bounded`
grow one after the other (`bounded_chunks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from disjoin.methods.disassociation.bounded_chunks import grown_leaves
from disjoin.methods.disassociation.horpart import Partition, copied_pieces, in_place, records_in, secret_terms, spans
from disjoin.methods.disassociation.packing import LARGE_LEAF, packed_leaf
from disjoin.methods.disassociation.write_leaves import Leaves, concatenated, publish_clusters
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of

if TYPE_CHECKING:
    from disjoin.methods.disassociation.clustering import Task

SHARD_OCCURRENCES = 400_000  # of the order of a core's cache; the result is the same for any number
GROWN_RECORDS = 5_000  # in a shard whose chunks grow, which takes longer


class ClusterShard(NamedTuple):
    """Clusters of records as a value: it can be sent anywhere, and has what their leaves are made of. Record i has the
    terms `items[offsets[i] : offsets[i + 1]]`; `ends` cut the records into clusters, after a leading 0. `limits` is (k,
    m, length of the longest record)."""

    offsets: Ints64
    items: Ints32
    ends: Ints64
    limits: tuple[int, int, int]
    secret: Flags
    is_packed: bool
    share: float | None = None  # of the records of a leaf that may be exposed; None: chunks do not grow


def publish_shard(shard: ClusterShard) -> Leaves:
    records = in_place(shard.offsets, shard.items)
    if shard.is_packed:
        return packed_leaf(records, shard.limits, shard.secret)
    if shard.share is not None:
        return grown_leaves(records, shard.ends, shard.limits, shard.share, shard.secret)
    return publish_clusters(records, shard.ends, shard.limits, shard.secret)


def cut_into_chunks(task: Task, partition: Partition, *, packs: bool = False, share: float | None = None) -> Leaves:
    """Publish every cluster of the partition as a leaf, in the partition's order; pack large ones if `packs`.

    With `share`, chunks grow, and that share of the records of a leaf may be exposed.
    """
    data, ends, secret = task.data, partition.ends, secret_terms(task.data)
    # Lemma 2 asks for the lesser of m and the number of chunks, and chunks are no more than terms.
    limits = task.method.min_support, min(task.method.m, data.n_terms), data.records.longest
    is_packed, records = (partition.sizes >= LARGE_LEAF) & packs, records_in(data, partition.records)
    runs = runs_of_clusters(data, partition, is_packed) if share is None else spans(ends, GROWN_RECORDS)
    if len(runs) == 1 and is_packed[0]:  # one leaf alone has all threads of this machine for itself
        return packed_leaf(records, limits, secret, task.engine.spread)

    def shard_of(run: tuple[int, int]) -> ClusterShard:
        copied = copied_pieces(records, ends[run[0] : run[1] + 1])
        return ClusterShard(*copied, limits, secret, bool(is_packed[run[0]]), share)

    return concatenated(task.engine.map(publish_shard, runs, task.reporting("publishing", len(runs)), shard_of))


def runs_of_clusters(data: Transactions, partition: Partition, alone: Flags | None = None) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences; some clusters are runs by themselves."""
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]
    return spans(offsets_of(lengths)[partition.ends], SHARD_OCCURRENCES, alone)
