"""The clusterings `bounded` and `pruned`: a core, perhaps a large cluster, and clusters of the size that is worth most.

`bounded` tests every chunk for sets of m + 1 terms, so it keeps the guarantee of m + 1: no set of m + 1 terms is shown
that fewer than k records have. Its core is that of m + 1 terms. Next to it there may be a large cluster that some
records leave at a price (`stays_in_leaf`); the others are split by frequent terms as far as that is worth it
(`bounded_tree`). `pruned` is the same for m. `disjoin.advise` compares the prices, and `bounded` with HORPART.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import drop_top, sift_down, sift_up
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation.bounded_chunks import grown_leaves, mark_rare_pairs, mark_rare_triples, new_growth
from disjoin.methods.disassociation.bounded_tree import TOP_TERMS, Scale, TreeShard, pruned_shard
from disjoin.methods.disassociation.clustering import Clustered, Task, put_together, split_in_parallel
from disjoin.methods.disassociation.horpart import ABANDON_NEXT, Partition, Records, copied_records
from disjoin.methods.disassociation.km_core import core_of
from disjoin.methods.disassociation.safe_sets import BREATH, USED, require_end
from disjoin.methods.disassociation.verpart import VerpartState, new_desk
from disjoin.methods.disassociation.verpart_shards import longest_record, secret_terms
from disjoin.methods.disassociation.write_leaves import Leaves, concatenated, open_leaf
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, frozen

# The large leaf: records leave it so that more terms fit into its first chunk. The chunk grows as in `bounded_chunks`.
# A term that some rows forbid may join if what its other rows show is worth more than the pairs that those rows show;
# those rows leave. The records of the leaf are those that are safe in the terms of the finished chunk.

HEAPED, LONELY, DONE = range(3)


@inner
def join(desk, grown, alive, rank, size):
    """Put a term into the chunk, and into the heap what it shares rows with; return the heap's size."""
    desk.chunk[rank] = 0
    found = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if not alive[row]:
            continue
        start, end = desk.row_first[row], desk.row_first[row + 1]
        grown.part[start + grown.length[row]] = rank
        grown.length[row] += 1
        for i in range(start, end):
            other = desk.row_ranks[i]
            if desk.chunk[other] < 0 and grown.barred[other] == 0:
                if grown.second[other] == 0:
                    grown.others[found] = other
                    found += 1
                grown.second[other] += 1
        desk.steps[USED] += end - start
    for i in range(found):
        other = grown.others[i]
        if grown.place[other] < 0:
            grown.heap[size] = other
            grown.place[other] = size
            grown.key[other] = 0
            size += 1
        grown.key[other] += grown.second[other]
        grown.second[other] = 0
        sift_up(grown.heap, grown.place, grown.key, grown.rank, 0, grown.place[other])
    return size


@inner
def leave(desk, grown, alive, row, size):
    """Let a row leave the leaf: what shares it with the chunk shares less."""
    alive[row] = False
    for i in range(desk.row_first[row], desk.row_first[row + 1]):
        other = desk.row_ranks[i]
        if grown.place[other] >= 0:
            grown.key[other] -= grown.length[row]
            sift_down(grown.heap, grown.place, grown.key, grown.rank, 0, size, grown.place[other])
    grown.length[row] = 0


@inner
def pays(desk, grown, alive, rank, k, price, offends):
    """Tell whether a term may join: no row offends, or the others show more than `price` times what offending ones do.

    At least k rows must be left to it.
    """
    good, bad, rows, offending = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if not alive[row]:
            continue
        length = np.int64(grown.length[row])
        if offends[row]:
            bad += length * (length - 1) // 2
            offending += 1
        else:
            good += length
            rows += 1
    return rows >= k and (offending == 0 or good > price * bad)


@kernel
def grow_by_leaving(desk, grown, alive, offends, frequent, limits, price, state):
    """Grow the first chunk from rank 0; `state` (3,) is 0 at first, and `DONE` of it in the end. Pauses now and then.

    `limits` is (k, p). Of larger sets only those of three terms are looked at here.
    """
    k, p = limits
    pause = desk.steps[USED] + BREATH
    while desk.steps[USED] <= pause:
        size = state[HEAPED]
        if size > 0 and grown.key[grown.heap[0]] > 0:
            rank = np.int64(grown.heap[0])
            state[HEAPED] = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, size)
            mark_rare_pairs(desk, grown, rank, k, offends)
            if p > 2:
                mark_rare_triples(desk, grown, rank, k, offends)
        else:  # what is left shares no row with the chunk
            while state[HEAPED] > 0:
                state[HEAPED] = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, state[HEAPED])
            while state[LONELY] < frequent and (desk.chunk[state[LONELY]] >= 0 or grown.barred[state[LONELY]] > 0):
                state[LONELY] += 1
            if state[LONELY] == frequent:
                state[DONE] = 1
                return
            rank = state[LONELY]
        is_taken = pays(desk, grown, alive, rank, k, price, offends)
        for q in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[q]
            if is_taken and offends[row] and alive[row]:
                leave(desk, grown, alive, row, state[HEAPED])
            offends[row] = False
        if is_taken:
            state[HEAPED] = join(desk, grown, alive, rank, state[HEAPED])
        else:
            grown.barred[rank] = 1


def stays_in_leaf(
    data: Records, limits: tuple[int, int, int], secret: Flags, price: float, spread: Spread = map
) -> Flags:
    """Tell for each record of `data`, which are in order, whether it stays; `limits` is (k, p, longest record)."""
    k, p, longest = limits
    rows, occurrences = data.order.size, int(data.offsets[-1])
    desk, grown = new_desk(secret.size, occurrences, rows, 2), new_growth(secret.size, occurrences, rows)
    _, frequent = open_leaf(data, desk, k, secret)
    desk.chunk[:frequent] = -1
    alive, offends, state = np.ones(rows, np.bool_), np.zeros(rows, np.bool_), np.zeros(3, np.int64)
    while not state[DONE]:
        grow_by_leaving(desk, grown, alive, offends, np.int64(frequent), (k, p), price, state)
        require_end(desk.steps, p)
    inside = np.zeros(secret.size, np.bool_)
    inside[_terms_in_chunk(desk, frequent)] = True
    return core_of(data.offsets, data.items, inside, k, min(p, longest), spread)


def _terms_in_chunk(desk: VerpartState, frequent: int) -> Ints64:
    """Return the terms of the chunk that grew."""
    terms: Ints64 = (desk.keys[:frequent] % desk.slot.size)[desk.chunk[:frequent] == 0]
    return terms


PRICES = (None, 0.15, 1.0)  # of pairs of records that leave the large leaf; None: there is no such leaf
PRICES_AT_M = (1.0, 3.0)  # the same where chunks are tested at m
LARGEST_LEAF, LARGEST_OF_MANY = 20_000, 1_000  # records that are weighed as one leaf; if there are many in all
MANY = 300_000  # beyond that many records no large leaf is tried, to stay near the time that HORPART takes ...
TOP_OF_MANY = 100  # ... and errors are those of pairs of fewer terms: it takes less time, and they are no larger
SHARD_RECORDS = 5_000  # that are weighed one after the other; the result is the same for any number


class GrownShard(NamedTuple):
    """Clusters as a value, like a `ClusterShard`; their chunks grow one after the other."""

    offsets: Ints64
    items: Ints32
    ends: Ints64
    limits: tuple[int, int, int]
    share: float  # of the records of a leaf that may be exposed
    secret: Flags


class CoreAndScale(NamedTuple):
    """What all candidates share: the core, the other records, and the scale of worth."""

    core: Ints32
    rest: Ints32
    scale: Scale


def core_and_scale(task: Task) -> CoreAndScale:
    """Return the core, none if it or the rest is too small for a cluster, and the scale of worth."""
    inside, rest = task.core_and_rest()
    least = task.method.min_cluster_size
    if inside.size < least or 0 < rest.size < least:
        inside, rest = inside[:0], task.everyone()
    return CoreAndScale(inside, rest, scale_of(task.data))


def scale_of(data: Transactions) -> Scale:
    """Return what the worth of leaves is measured in; sensitive terms are not among the most frequent."""
    supports = np.where(secret_terms(data), 0, data.supports())
    most = TOP_TERMS if len(data) <= MANY else TOP_OF_MANY
    ranked = np.argsort(-supports, kind="stable")[:most].astype(np.int32)
    ranked = ranked[supports[ranked] > 0]
    top = np.full(data.n_terms, -1, np.int32)
    top[ranked] = np.arange(ranked.size, dtype=np.int32)
    lengths = data.records.lengths
    among = np.add.reduceat(np.append(top[data.items] >= 0, 0), data.offsets[:-1]).astype(np.int64)
    return Scale(_pairs(lengths), _pairs(among), max(1, data.items.size), top)


def _pairs(lengths: Ints64) -> int:
    return max(1, int((lengths * (lengths - 1) // 2).sum()))


def bounded_clusters(
    task: Task, price: float | None, share: float = 0.0, shared: CoreAndScale | None = None
) -> Clustered:
    """Cluster all records: the core, the large leaf if it has a price, and the leaves of the pruned tree."""
    shared = shared or core_and_scale(task)
    parts = [Partition(shared.core, np.array([shared.core.size], np.int64))] if shared.core.size else []
    rest = shared.rest
    if price is not None and rest.size:
        stays = _stays(task, rest, price)
        if min(stays.sum(), rest.size - stays.sum()) >= task.method.min_cluster_size:
            parts.append(Partition(rest[stays], np.array([stays.sum()], np.int64)))
            rest = rest[~stays]
    if rest.size:
        parts.append(_pruned_tree(task, rest, share, shared.scale))
    together = Partition(np.concatenate([p.records for p in parts]), np.concatenate([p.sizes for p in parts]))
    return Clustered(together, shared.core.size, share)


def _stays(task: Task, records: Ints32, price: float) -> Flags:
    """Tell which of the records make up a large leaf."""
    data, method = task.data, task.method
    offsets, items = copied_records(_records(data, records), records)
    numbers = np.arange(records.size, dtype=np.int32)
    rows = Records(frozen(offsets, np.int64), frozen(items, np.int32), numbers, np.empty(0, np.int32))
    limits = (method.min_support, method.m, longest_record(data))
    return stays_in_leaf(rows, limits, secret_terms(data), price, task.engine.spread)


def _pruned_tree(task: Task, records: Ints32, share: float, scale: Scale) -> Partition:
    data, method = task.data, task.method
    largest = LARGEST_LEAF if records.size <= MANY else LARGEST_OF_MANY
    order, sizes = split_in_parallel(task, records, ABANDON_NEXT, (largest + 1, method.min_cluster_size))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    limits = (method.min_support, method.m, longest_record(data), method.min_cluster_size)
    runs, secret = _runs(ends), secret_terms(data)

    def shard_of(cut: Ints64) -> TreeShard:
        copied = copied_records(_records(data, order), order[cut[0] : cut[-1]])
        return TreeShard(*copied, cut - cut[0], limits, share, secret, scale)

    leaves = task.engine.map(pruned_shard, runs, lambda done: task.progress("splitting", done, len(runs)), shard_of)
    order = order.copy()
    return Partition(order, np.diff(put_together(order, leaves), prepend=0))


def _runs(ends: Ints64) -> list[Ints64]:
    """Cut pieces, which `ends` bound, into runs of about SHARD_RECORDS records."""
    cuts = np.flatnonzero(np.diff(ends[1:] // SHARD_RECORDS, prepend=-1)).tolist()
    return [ends[a : b + 1] for a, b in pairwise([*cuts, ends.size - 1])]


def _records(data: Transactions, order: Ints32) -> Records:
    return Records(data.offsets, data.items, order, np.empty(0, np.int32))


def grown_shard(shard: GrownShard) -> Leaves:
    """Publish the clusters of a shard as leaves, in their order."""
    numbers = np.arange(shard.offsets.size - 1, dtype=np.int32)
    offsets, items = frozen(shard.offsets, np.int64), frozen(shard.items, np.int32)
    return grown_leaves(
        Records(offsets, items, numbers, np.empty(0, np.int32)), shard.ends, shard.limits, shard.share, shard.secret
    )


def grow_leaves(task: Task, partition: Partition, share: float = 0.0) -> Leaves:
    """Publish every cluster of the partition as a leaf, in its order; `share` of its records may be exposed."""
    data, method = task.data, task.method
    limits = (method.min_support, min(method.m, data.n_terms), longest_record(data))
    runs, secret = _runs(partition.ends), secret_terms(data)

    def shard_of(cut: Ints64) -> GrownShard:
        copied = copied_records(_records(data, partition.records), partition.records[cut[0] : cut[-1]])
        return GrownShard(*copied, cut - cut[0], limits, share, secret)

    leaves = task.engine.map(grown_shard, runs, lambda done: task.progress("publishing", done, len(runs)), shard_of)
    return concatenated(leaves)
