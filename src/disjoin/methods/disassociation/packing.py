"""Packing: terms of a large cluster divided into chunks so that many pairs of terms stay together.

There are two ways, from the supports of pairs: first-fit, as in VERPART, and pair gain, which starts a chunk with the
heaviest remaining pair and adds the term that shares most records with the chunk. In both, terms then move to the chunk
with which they share most, as long as that helps. Records are read only to test sets of three terms and more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.arrays.ordering import drop_top, sift_up
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation import horpart, leaves
from disjoin.methods.disassociation.bounded_chunks import grown_leaves
from disjoin.methods.disassociation.horpart import Partition, Records, spans
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.methods.disassociation.verpart import USED, VerpartState, require_end, sets_are_safe
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state, offsets_of

if TYPE_CHECKING:
    from disjoin.methods.disassociation.clustering import Task

# The table of pair supports, in compressed sparse rows. The row of a term is counted in one dense row over the terms
# that follow it in its records, so memory grows with the pairs that occur, not with the square of the number of terms.

SHARD_PAIRS = 32_000_000  # pairs of occurrences counted at once: 128 MB; the result is the same for any number


class PairTable(NamedTuple):
    """Supports of pairs of terms, symmetric; pairs that do not occur are absent. The terms that co-occur with `t` are
    `other[first[t] : first[t + 1]]`, ascending, and `support` has their numbers of records."""

    first: Ints64  # (n_terms + 1,)
    other: Ints32
    support: Ints32


class TermRows(NamedTuple):
    """Records that are adjacent in memory: row i has the terms `items[offsets[i] : offsets[i + 1]]`, ascending."""

    offsets: Ints64
    items: Ints32


@kernel
def copy_wanted(offsets, items, records, wanted, out_offsets, out_items):
    """Copy the wanted terms of the records, record by record; return their number."""
    at = 0
    for i in range(records.size):
        for p in range(offsets[records[i]], offsets[records[i] + 1]):
            if wanted[items[p]]:
                out_items[at] = items[p]
                at += 1
        out_offsets[i + 1] = at
    return at


def rows_of(offsets: Ints64, items: Ints32, records: NDArray[Any], wanted: Flags | None = None) -> TermRows:
    """Return the wanted terms of the records (by default all), in the order given."""
    wanted = np.ones(int(items.max(initial=-1)) + 1, np.bool_) if wanted is None else wanted
    out_offsets = np.zeros(records.size + 1, np.int64)
    out_items = np.empty(int((offsets[records + 1] - offsets[records]).sum()), np.int32)
    used = copy_wanted(offsets, items, records.astype(np.int32), wanted, out_offsets, out_items)
    return TermRows(out_offsets, out_items[:used])


@kernel
def fill_tails(offsets, items, start, end, cursor, tails):
    """Copy the followers of each term start..end-1 in its rows, term by term; `cursor` has where a term's tails begin.
    Rows are read in order, because random access to memory would be much slower."""
    for row in range(offsets.size - 1):
        stop = offsets[row + 1]
        for p in range(offsets[row], stop):
            term = items[p]
            if term >= end:
                break
            if term >= start:
                at = cursor[term - start]
                for q in range(p + 1, stop):
                    tails[at] = items[q]
                    at += 1
                cursor[term - start] = at


@kernel
def count_tails(tails, first, counts, lengths, other, support):
    """Count the terms in `tails[first[i] : first[i + 1]]` for each i; return the number of pairs. `counts` (n_terms,)
    is zero before and after. The pairs of a term are written in no particular order."""
    at = 0
    for i in range(first.size - 1):
        begin = at
        for p in range(first[i], first[i + 1]):
            term = tails[p]
            if counts[term] == 0:
                other[at] = term
                at += 1
            counts[term] += 1
        for p in range(begin, at):
            support[p] = counts[other[p]]
            counts[other[p]] = 0
        lengths[i] = at - begin
    return at


@kernel
def mirror(first, other, support, out_first, below, out_other, out_support):
    """Write each pair in both of its rows; `below` has, for each term, its number of pairs with a smaller one. A pass
    over the terms in ascending order fills the smaller ones of every row in ascending order; a pass over these does the
    same for the greater ones. Nothing has to be sorted."""
    n_terms = first.size - 1
    cursor = out_first[:-1].copy()
    for term in range(n_terms):
        for i in range(first[term], first[term + 1]):
            out_other[cursor[other[i]]] = term
            out_support[cursor[other[i]]] = support[i]
            cursor[other[i]] += 1
    for term in range(n_terms):
        for i in range(out_first[term], out_first[term] + below[term]):
            out_other[cursor[out_other[i]]] = term
            out_support[cursor[out_other[i]]] = out_support[i]
            cursor[out_other[i]] += 1


def pair_table(rows: TermRows, n_terms: int, spread: Spread = map) -> PairTable:
    """Count the pairs of terms in rows.

    >>> import numpy as np
    >>> baskets = TermRows(np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2], np.int32))
    >>> table = pair_table(baskets, 3)
    >>> table.first.tolist(), table.other.tolist(), table.support.tolist()
    ([0, 2, 4, 6], [1, 2, 0, 2, 0, 1], [2, 1, 2, 1, 1, 1])
    """
    work = pairs_to_count(rows, n_terms)

    def count(shard: tuple[int, int]) -> tuple[Ints64, Ints32, Ints32]:
        start, end = shard
        first = offsets_of(work[start:end])
        tails, lengths = np.empty(first[-1], np.int32), np.empty(end - start, np.int64)
        fill_tails(rows.offsets, rows.items, start, end, first[:-1].copy(), tails)
        room = min(tails.size, (end - start) * n_terms)
        other, support = np.empty(room, np.int32), np.empty(room, np.int32)
        used = count_tails(tails, first, np.zeros(n_terms, np.int32), lengths, other, support)
        return lengths, other[:used].copy(), support[:used].copy()

    parts = list(spread(count, spans(offsets_of(work), SHARD_PAIRS)))
    lengths, other, support = (np.concatenate([part[i] for part in parts]) for i in range(3))
    below = np.bincount(other, minlength=n_terms).astype(np.int64)
    first = offsets_of(lengths + below)
    mirrored = np.empty(2 * other.size, np.int32), np.empty(2 * other.size, np.int32)
    mirror(offsets_of(lengths), other, support, first, below, *mirrored)
    return PairTable(first, *mirrored)


@kernel
def count_later(offsets, items, later):
    for row in range(offsets.size - 1):
        for p in range(offsets[row], offsets[row + 1]):
            later[items[p]] += offsets[row + 1] - 1 - p


def pairs_to_count(rows: TermRows, n_terms: int) -> Ints64:
    """Return the number of pairs of occurrences that have each term as their smaller one."""
    later = np.zeros(n_terms, np.int64)
    count_later(rows.offsets, rows.items, later)
    return later


# Kernels receive their limits as a tuple: k, the largest set that matters, frequent terms, rows, tries (how many chunks
# are tested for larger sets, best first, before a term stays where it is), and how many records may be read for such
# tests.
Limits = tuple[int, int, int, int, int, int]

YIELD = 200  # terms move until a sweep adds less than 1/YIELD to the pairs kept


class PackState(NamedTuple):
    """Working space for packing, by rank. The values for a chunk are those of the term whose number is in `turn`. The
    heap has the terms that could join the growing chunk; after each chunk it is empty."""

    turn: Ints64  # chunk -> the number of the term visit that its values belong to
    gain: Ints64  # chunk -> records that the term shares with its terms, -1 if it may not join
    met: Ints64  # chunk -> how many of its terms co-occur with the term
    noted: Ints32  # the chunks with values
    heap: Ints32
    place: Ints32  # rank -> position in the heap, -1 outside
    key: Ints64  # rank -> records that it shares with the growing chunk
    rank: Ints32  # rank -> itself: breaks ties
    meeting: Ints64  # rank -> how many terms of the growing chunk co-occur with it
    barred: Ints64  # rank -> the last chunk + 1 that it could not join
    read: Ints64  # (1,) number of records read to test sets of three terms and more


def new_tray(frequent: int) -> PackState:
    size = max(1, frequent)
    tray = new_state(PackState, size, read=1)
    tray.turn.fill(-1)
    tray.place.fill(-1)
    tray.rank[:] = np.arange(size)
    return tray


@inner
def look(table, desk, tray, rank, k, turn):
    """Compute for each chunk that the term meets how much they share (-1: a pair is too rare); return the number of
    these chunks."""
    noted = np.int64(0)
    for i in range(table.first[rank], table.first[rank + 1]):
        chunk = desk.chunk[table.other[i]]
        if chunk < 0:
            continue
        if tray.turn[chunk] != turn:
            tray.turn[chunk], tray.gain[chunk], tray.met[chunk] = turn, 0, 0
            tray.noted[noted] = chunk
            noted += 1
        if table.support[i] < k:
            tray.gain[chunk] = -1
        elif tray.gain[chunk] >= 0:
            tray.gain[chunk] += table.support[i]
            tray.met[chunk] += 1
    return noted


@inner
def may_join(desk, tray, rank, chunk, met, limits):
    """Return whether larger sets are safe; they only occur where the term meets two terms of the chunk. After too many
    reads the answer is no. A test counts as reading all records with the term, so their order has no effect."""
    k, m, frequent, rows = limits[:4]
    if m < 3 or met < 2:
        return True
    tray.read[0] += desk.first[rank + 1] - desk.first[rank]
    return tray.read[0] <= limits[5] and sets_are_safe(desk, rank, frequent, chunk, k, m, rows)


@inner
def first_chunk(desk, tray, rank, chunks, limits, turn):
    """Return the first chunk that takes the term, or a new one; call `look` for the term before."""
    for chunk in range(chunks):
        if tray.turn[chunk] != turn:
            return chunk
        if tray.gain[chunk] >= 0 and may_join(desk, tray, rank, chunk, tray.met[chunk], limits):
            return chunk
    return chunks


@inner
def best_chunk(desk, tray, rank, noted, least, limits):
    """Return the listed chunk with which the term shares most, if that is more than `least`; otherwise -1. Tests of
    larger sets read records: after a few that fail there is little to gain, so there are no more."""
    for _ in range(limits[4]):
        best, most = np.int64(-1), least
        for i in range(noted):
            chunk = np.int64(tray.noted[i])
            gain = tray.gain[chunk]
            if gain > most or (gain == most and best > chunk):
                best, most = chunk, gain
        if best < 0 or may_join(desk, tray, rank, best, tray.met[best], limits):
            return best
        tray.gain[best] = -1
    return np.int64(-1)


@kernel
def first_fit(table, desk, tray, limits):
    """Put each term, by rank, into the first chunk that takes it, as VERPART does; return the number of chunks."""
    k, m, frequent = limits[:3]
    chunks = np.int64(0)
    desk.chunk[:frequent], tray.turn[:frequent], tray.barred[:frequent] = -1, -1, 0
    for rank in range(frequent):
        if m > 1:
            look(table, desk, tray, rank, k, rank)
        chosen = first_chunk(desk, tray, rank, chunks, limits, rank)
        desk.chunk[rank] = chosen
        chunks = max(chunks, chosen + 1)
    return chunks


@inner
def add_to_chunk(table, desk, tray, rank, chunk, size, k):
    """Add a term to the growing chunk; return the size of the heap, including its co-occurring terms."""
    desk.chunk[rank] = chunk
    for i in range(table.first[rank], table.first[rank + 1]):
        other = table.other[i]
        if desk.chunk[other] >= 0 or tray.barred[other] == chunk + 1:
            continue
        if table.support[i] < k:
            tray.barred[other] = chunk + 1
            continue
        if tray.place[other] < 0:
            tray.heap[size], tray.place[other], tray.key[other] = other, size, 0
            tray.meeting[other] = 0
            size += 1
        tray.key[other] += table.support[i]
        tray.meeting[other] += 1
        sift_up(tray.heap, tray.place, tray.key, tray.rank, 0, tray.place[other])
    return size


@inner
def grow(table, desk, tray, seed, chunk, limits):
    """Start a chunk with a term, and add the term that shares most records with it as long as one may join."""
    size = add_to_chunk(table, desk, tray, np.int64(seed), chunk, np.int64(0), limits[0])
    while size > 0:
        rank = np.int64(tray.heap[0])
        size = drop_top(tray.heap, tray.place, tray.key, tray.rank, 0, size)
        if tray.barred[rank] == chunk + 1:
            continue
        if may_join(desk, tray, rank, chunk, tray.meeting[rank], limits):
            size = add_to_chunk(table, desk, tray, rank, chunk, size, limits[0])
        else:
            tray.barred[rank] = chunk + 1


@kernel
def fit_by_gain(table, desk, tray, seeds, partners, limits):
    """Grow chunks from the heaviest pairs (`seeds`, `partners`, heaviest first); return their number. Of the heaviest
    remaining pair only one term is the seed: no term shares more with it than the other one. Terms that are in no
    remaining pair go to the chunk with which they share most, or else to the first chunk."""
    k, frequent = limits[0], limits[2]
    chunks = np.int64(0)
    desk.chunk[:frequent], tray.turn[:frequent], tray.barred[:frequent] = -1, -1, 0
    for i in range(seeds.size):
        if desk.chunk[seeds[i]] < 0 and desk.chunk[partners[i]] < 0:
            grow(table, desk, tray, seeds[i], chunks, limits)
            chunks += 1
    for rank in range(frequent):
        if desk.chunk[rank] < 0:
            noted = look(table, desk, tray, rank, k, rank)
            chosen = best_chunk(desk, tray, rank, noted, np.int64(0), limits)
            if chosen < 0:
                chosen = first_chunk(desk, tray, rank, chunks, limits, rank)
            desk.chunk[rank] = chosen
            chunks = max(chunks, chosen + 1)
    return chunks


@kernel
def move_terms(table, desk, tray, limits, mass):
    """Move each term, in the order of ranks, to a chunk with which it shares more than with its own, sweep by sweep.
    `mass` is the pair mass before. Ends with a sweep that adds little, and returns the pair mass then."""
    k, frequent = limits[0], limits[2]
    tray.turn[:frequent] = -1
    turn = np.int64(0)
    while True:
        gained = np.int64(0)
        for rank in range(frequent):
            here = desk.chunk[rank]
            noted = look(table, desk, tray, rank, k, turn + rank)
            at_home = tray.gain[here] if tray.turn[here] == turn + rank else 0
            chosen = best_chunk(desk, tray, rank, noted, at_home, limits)
            if chosen >= 0:
                desk.chunk[rank] = chosen
                gained += tray.gain[chosen] - at_home
        mass += gained
        turn += frequent
        if gained * YIELD <= mass:
            return mass


@kernel
def pair_mass(table, chunk):
    """Return the number of records that have both terms of a pair, summed over the pairs inside chunks."""
    twice = np.int64(0)
    for rank in range(table.first.size - 1):
        for i in range(table.first[rank], table.first[rank + 1]):
            if chunk[rank] == chunk[table.other[i]]:
                twice += table.support[i]
    return twice // 2


TRIES = 6  # more of them add next to nothing and take much longer
MOST_READ = 100_000_000  # records read to test larger sets
TIMES_READ = 100
LARGE_LEAF = 300  # records; smaller leaves are cut by VERPART, because there is next to nothing to gain

Way = Callable[[PairTable, VerpartState, PackState, Limits], int]


def pair_gain(table: PairTable, desk: VerpartState, tray: PackState, limits: Limits) -> int:
    """Start each chunk with the heaviest remaining pair, and add the terms that share most with it. Among equally heavy
    pairs, the one with the first terms comes first."""
    one = np.repeat(np.arange(table.first.size - 1, dtype=np.int32), np.diff(table.first))
    there = np.flatnonzero((one < table.other) & (table.support >= limits[0]))
    there = there[np.argsort(-table.support[there], kind="stable")]
    return int(fit_by_gain(table, desk, tray, one[there], table.other[there], limits))


WAYS: tuple[Way, ...] = (first_fit, pair_gain)


def packed_leaf(data: Records, limits: tuple[int, int, int], secret: Flags, spread: Spread = map) -> Leaves:
    """Publish all records of `data.order` as one leaf; `limits` is (k, m, length of the longest record)."""
    k, m, longest = limits
    rows = data.order.size
    desk, pieces, out = leaves.room_for(data, np.array([0, rows]), secret.size, min(m, longest))
    known, frequent = leaves.open_leaf(data, desk, k, secret)
    read = max(MOST_READ, TIMES_READ * rows)
    chunk = packing_of(desk, (k, min(m, longest), frequent, rows, TRIES, read), spread)  # longer sets do not occur
    desk.chunk[:frequent] = chunk
    leaves.close_leaf(data, desk, pieces, out, (known, frequent, int(chunk.max(initial=-1)) + 1), limits)
    return leaves.in_order(out)


def packing_of(desk: VerpartState, limits: Limits, spread: Spread = map) -> Ints32:
    """Return the chunk of each frequent term (by rank) of the cluster in `desk`: the packing with most pair mass. Of
    equal ones it is the first in the order of `WAYS`."""
    m, frequent, rows = limits[1:4]
    if m < 2 or frequent < 2:
        return np.zeros(frequent, np.int32)
    lengths = np.diff(desk.row_first[: rows + 1])
    desk.steps[USED] += int((lengths * (lengths - 1) // 2).sum())
    require_end(desk.steps, m)
    table = pair_table(TermRows(desk.row_first[: rows + 1], desk.row_ranks), frequent, spread)
    kept = ("row_first", "row_ranks", "first", "rows", "slot", "terms", "held", "rank", "keys", "leader", "steps")

    def pack(way: Way) -> tuple[int, Ints32]:
        spaces = {name: np.zeros_like(space) for name, space in desk._asdict().items() if name not in kept}
        own = desk._replace(**spaces, steps=desk.steps.copy())  # the same cluster, with its own chunks to try
        tray = new_tray(frequent)
        way(table, own, tray, limits)
        mass = move_terms(table, own, tray, limits, pair_mass(table, own.chunk))
        require_end(own.steps, m)
        return int(mass), own.chunk[:frequent]

    _, chunk = max(spread(pack, WAYS), key=lambda candidate: candidate[0])
    return np.unique(chunk, return_inverse=True)[1].astype(np.int32)  # some chunks may have lost their last term


# VERPART for all clusters, in parallel: from a partition of the records to leaves of chunks (TLMS12, section 4). Large
# clusters can be packed instead, and chunks of `bounded` grow one by one (`bounded_chunks`).

SHARD_OCCURRENCES = 400_000  # about the size of a core's cache; the result is the same for any number
GROWN_RECORDS = 5_000  # records in a shard whose chunks grow, which takes longer


class ClusterShard(NamedTuple):
    """Clusters of records as a value that can be sent to other processes. Record i has the terms
    `items[offsets[i] : offsets[i + 1]]`; `ends` cut the records, after a leading 0. `limits` is (k, m, length of the
    longest record)."""

    offsets: Ints64
    items: Ints32
    ends: Ints64
    limits: tuple[int, int, int]
    secret: Flags
    is_packed: bool
    share: float | None = None  # the share of a leaf's records that may be exposed; None: chunks do not grow


def publish_shard(shard: ClusterShard) -> Leaves:
    records = horpart.in_place(shard.offsets, shard.items)
    if shard.is_packed:
        return packed_leaf(records, shard.limits, shard.secret)
    if shard.share is not None:
        return grown_leaves(records, shard.ends, shard.limits, shard.share, shard.secret)
    return leaves.publish_clusters(records, shard.ends, shard.limits, shard.secret)


def cut_into_chunks(task: Task, partition: Partition, *, packs: bool = False, share: float | None = None) -> Leaves:
    """Publish every cluster of the partition as a leaf, in the partition's order; pack large ones if `packs`. With
    `share`, chunks grow, and that share of the records of a leaf may be exposed."""
    data, ends, secret = task.data, partition.ends, horpart.secret_terms(task.data)
    # Lemma 2 needs the lesser of m and the number of chunks, and there are at most as many chunks as terms.
    limits = task.method.min_support, min(task.method.m, data.n_terms), data.records.longest
    is_packed, records = (partition.sizes >= LARGE_LEAF) & packs, horpart.records_in(data, partition.records)
    runs = runs_of_clusters(data, partition, is_packed) if share is None else spans(ends, GROWN_RECORDS)
    if len(runs) == 1 and is_packed[0]:  # a single leaf uses all threads
        return packed_leaf(records, limits, secret, task.engine.spread)

    def shard_of(run: tuple[int, int]) -> ClusterShard:
        copied = horpart.copied_pieces(records, ends[run[0] : run[1] + 1])
        return ClusterShard(*copied, limits, secret, bool(is_packed[run[0]]), share)

    return leaves.concatenated(task.engine.map(publish_shard, runs, task.reporting("publishing", len(runs)), shard_of))


def runs_of_clusters(data: Transactions, partition: Partition, alone: Flags | None = None) -> list[tuple[int, int]]:
    """Cut the clusters into runs of about the same number of occurrences; some clusters are their own runs."""
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]
    return spans(offsets_of(lengths)[partition.ends], SHARD_OCCURRENCES, alone)
