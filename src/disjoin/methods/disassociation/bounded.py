"""The clusterings `bounded` and `pruned`: a core, and clusters whose size is chosen by the pairs of terms they keep.

`bounded` tests every chunk for sets of m + 1 terms, so its guarantee is that of m + 1: it shows no set of m + 1 terms
that fewer than k records have. Its core is that of m + 1 terms. Next to the core there may be a large cluster, the
large leaf, which some records leave at a price (`stays_in_leaf`). The others are split by frequent terms as far as
that pays (`pruned_shard`). `pruned` is the same for m. `disjoin.advise` compares the prices, and `bounded` with
HORPART."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import drop_top, sift_down
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation import bounded_chunks, horpart
from disjoin.methods.disassociation.bounded_chunks import cut_grown, enter, mark_rare_pairs, mark_rare_triples
from disjoin.methods.disassociation.clustering import Clustered, Task, put_together, split_in_parallel
from disjoin.methods.disassociation.horpart import Partition, Records, secret_terms
from disjoin.methods.disassociation.km_core import core_of
from disjoin.methods.disassociation.leaves import open_leaf, room_for, work_off
from disjoin.methods.disassociation.verpart import BREATH, USED, contains, new_desk, require_end
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state

# Records leave the large leaf so that more terms fit into its first chunk. The chunk grows as in `bounded_chunks`. A
# term that some rows forbid may join if the pairs of its other rows are worth more than those of the rows that leave.
# The records of the leaf are those that are safe in the terms of the finished chunk.

HEAPED, LONELY, DONE = range(3)


@inner
def leave(desk, grown, row, size):
    """Remove a row from the leaf: terms that share it with the chunk share one row less."""
    grown.gone[row] = True
    for i in range(desk.row_first[row], desk.row_first[row + 1]):
        other = desk.row_ranks[i]
        if grown.place[other] >= 0:
            grown.key[other] -= grown.length[row]
            sift_down(grown.heap, grown.place, grown.key, grown.rank, 0, size, grown.place[other])
    grown.length[row] = 0


@inner
def pays(desk, grown, rank, k, price):
    """Return whether a term may join: no row offends, or the other rows show more than `price` times the pairs that
    offending ones do. At least k rows must remain."""
    good, bad, rows, offending = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if grown.gone[row]:
            continue
        length = np.int64(grown.length[row])
        if grown.offends[row]:
            bad += length * (length - 1) // 2
            offending += 1
        else:
            good += length
            rows += 1
    return rows >= k and (offending == 0 or good > price * bad)


@kernel
def grow_by_leaving(desk, grown, frequent, limits, price, state):
    """Grow the first chunk from rank 0; `state` (3,) is 0 at first, and `DONE` of it at the end. Returns now and then.
    `limits` is (k, p). Of larger sets only those of three terms are tested here."""
    k, p = limits
    pause = desk.steps[USED] + BREATH
    while desk.steps[USED] <= pause:
        size = state[HEAPED]
        if size > 0 and grown.key[grown.heap[0]] > 0:
            rank = np.int64(grown.heap[0])
            state[HEAPED] = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, size)
            mark_rare_pairs(desk, grown, rank, k)
            if p > 2:
                mark_rare_triples(desk, grown, rank, k)
        else:  # the remaining terms share no row with the chunk
            while state[HEAPED] > 0:
                state[HEAPED] = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, state[HEAPED])
            while state[LONELY] < frequent and (desk.chunk[state[LONELY]] >= 0 or grown.barred[state[LONELY]] > 0):
                state[LONELY] += 1
            if state[LONELY] == frequent:
                state[DONE] = 1
                return
            rank = state[LONELY]
        is_taken = pays(desk, grown, rank, k, price)
        for q in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[q]
            if is_taken and grown.offends[row] and not grown.gone[row]:
                leave(desk, grown, row, state[HEAPED])
            grown.offends[row] = False
        if is_taken:
            state[HEAPED] = enter(desk, grown, rank, np.int64(0), state[HEAPED], np.int64(1))
        else:
            grown.barred[rank] = 1


def stays_in_leaf(
    data: Records, limits: tuple[int, int, int], secret: Flags, price: float, spread: Spread = map
) -> Flags:
    """Return for each record of `data`, in order, whether it stays; `limits` is (k, p, longest record)."""
    k, p, longest = limits
    desk = new_desk(secret.size, int(data.offsets[-1]), data.order.size, 2)
    grown, state = bounded_chunks.new_growth(desk), np.zeros(3, np.int64)
    _, frequent = open_leaf(data, desk, k, secret)
    desk.chunk[:frequent] = -1
    while not state[DONE]:
        grow_by_leaving(desk, grown, np.int64(frequent), (k, p), price, state)
        require_end(desk.steps, p)
    inside = np.zeros(secret.size, np.bool_)
    inside[(desk.keys[:frequent] % secret.size)[desk.chunk[:frequent] == 0]] = True
    return core_of(data.offsets, data.items, inside, k, min(p, longest), spread)


# The pruned HORPART tree: a part stays whole where that is worth more than splitting it. The worth of a leaf is the
# pairs that it shows, less a price for estimates that it makes wrong and for terms that all of its records have. Errors
# of parts are added before their absolute values are taken, because those of small leaves cancel.

RATIO = 0.7  # a part is weighed if it has at most this share of the next larger weighed part: O(log) per record
PRICE_OF_ERROR, PRICE_OF_UNIVERSAL = 0.3, 0.1  # found on four datasets; docs/methods/bounded.md
UNIT = 1024  # errors are multiples of 1/UNIT record, so that sums do not depend on their order
TOP_TERMS = 300  # the most frequent: pairs of these are estimated


class Scale(NamedTuple):
    """The scale for the worth of a leaf: facts about all records."""

    pairs: int  # pairs of terms in a record
    frequent_pairs: int  # pairs of the most frequent terms
    occurrences: int
    top: Ints32  # (n_terms,) term -> its number among the most frequent, -1 for others


class TreeShard(NamedTuple):
    """Parts of the tree as a value that can be sent to other processes. Record i has the terms
    `items[offsets[i] : offsets[i + 1]]`; `pieces` cut all records. `limits` is (k, p, length of the longest record,
    least records of a cluster)."""

    offsets: Ints64
    items: Ints32
    pieces: Ints64
    limits: tuple[int, int, int, int]
    share: float  # the share of a leaf's records that may be exposed
    secret: Flags
    scale: Scale


class Parts(NamedTuple):
    """Parts that are weighed, each before the parts inside it: where they begin and end, and the part around each."""

    lo: Ints64
    hi: Ints64
    inside: Ints64  # the part around each, -1 for none
    leaf: Flags  # cannot be split


@inner
def count_terms_of(data, lo, hi, counts, terms, secret):
    """Count the ordinary terms of a part; return the number of different ones."""
    found = 0
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            if secret[term]:
                continue
            if counts[term] == 0:
                terms[found] = term
                found += 1
            counts[term] += 1
    return found


@inner
def term_to_split_on(counts, terms, found, size, least):
    """Return the most frequent term that leaves enough records on both sides, or -1, and the number of remaining terms.
    A term too rare, or too common, to split a part is so in all its parts, too."""
    best, kept = np.int64(-1), 0
    for i in range(found):
        term = terms[i]
        count = counts[term]
        if count < least or size - count < least:
            continue
        terms[kept] = term
        kept += 1
        if best < 0 or count > counts[best] or (count == counts[best] and term < best):
            best = np.int64(term)
    return best, kept


@inner
def bring_to_front(data, lo, hi, term, counts):
    """Move the records with the term to the front of a range, and subtract them from the counts; return their end."""
    middle = lo
    for position in range(lo, hi):
        record = data.order[position]
        if contains(data.items, data.offsets[record], data.offsets[record + 1], term):
            data.order[position] = data.order[middle]
            data.order[middle] = record
            middle += 1
            for i in range(data.offsets[record], data.offsets[record + 1]):
                counts[data.items[i]] -= 1
    return middle


@kernel
def list_parts(data, pieces, least, secret, space, parts):
    """Split each of the pieces until nothing can be split, and list the parts to weigh; return their number. `space` is
    (counts, terms, stack): counts are zero before and after."""
    counts, terms, stack = space
    listed, waiting = np.int64(0), np.int64(0)
    for piece in range(pieces.size - 2, -1, -1):
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = pieces[piece], pieces[piece + 1], -1
        waiting += 1
    while waiting > 0:
        waiting -= 1
        lo, hi, inside = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start = lo
        found = count_terms_of(data, lo, hi, counts, terms, secret)
        while True:
            term, found = term_to_split_on(counts, terms, found, hi - lo, least)
            around = parts.hi[inside] - parts.lo[inside] if inside >= 0 else 0
            if term < 0 or inside < 0 or hi - lo <= RATIO * around:
                parts.lo[listed], parts.hi[listed] = lo, hi
                parts.inside[listed], parts.leaf[listed] = inside, term < 0
                inside = listed
                listed += 1
            if term < 0:
                break
            middle = bring_to_front(data, lo, hi, term, counts)
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = lo, middle, inside
            waiting += 1
            lo = middle
        for position in range(start, hi):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                counts[data.items[i]] = 0
    return listed


class Worths(NamedTuple):
    """Sums over leaves: errors of pairs of the most frequent terms, pairs that are shown, universal occurrences. Level
    i is for the parts inside a part of depth i - 1, as far as they are weighed; the last level is for the part being
    weighed. There, every pair with an error is listed once, without a flag."""

    errors: Ints64  # (levels, TOP_TERMS^2)
    is_listed: Flags
    listed: Ints32  # (levels, TOP_TERMS^2) the pairs with an error
    used: Ints64  # (levels,) the number listed
    pairs: Ints64
    universal: Ints64


@inner
def empty(worths, level):
    for i in range(worths.used[level]):
        pair = worths.listed[level, i]
        worths.errors[level, pair], worths.is_listed[level, pair] = 0, False
    worths.used[level], worths.pairs[level], worths.universal[level] = 0, 0, 0


@inner
def move_up(worths, source, target):
    for i in range(worths.used[source]):
        pair = worths.listed[source, i]
        if not worths.is_listed[target, pair]:
            worths.is_listed[target, pair], worths.listed[target, worths.used[target]] = True, pair
            worths.used[target] += 1
        worths.errors[target, pair] += worths.errors[source, pair]
    worths.pairs[target] += worths.pairs[source]
    worths.universal[target] += worths.universal[source]


@inner
def worth(worths, level, scale):
    error = np.int64(0)
    for i in range(worths.used[level]):
        error += abs(worths.errors[level, worths.listed[level, i]])
    shown = worths.pairs[level] / scale.pairs
    wrong = PRICE_OF_ERROR * (error / UNIT) / scale.frequent_pairs
    return shown - wrong - PRICE_OF_UNIVERSAL * worths.universal[level] / scale.occurrences


@inner
def expect_pairs(desk, worths, level, known, rows, scale, present):
    """Add the estimates of pairs of frequent terms in different chunks; the term chunk counts a term once."""
    n_top = np.int64(present.shape[1])
    found = listed = 0
    for local in range(known):
        number = scale.top[desk.terms[local]]
        if number >= 0:
            present[0, found] = number
            present[1, found] = desk.chunk[desk.rank[local]] if desk.rank[local] >= 0 else -1
            present[2, found] = desk.held[local] if desk.rank[local] >= 0 else 1
            found += 1
    for i in range(found):
        for j in range(i):
            if present[1, i] == present[1, j] and present[1, i] >= 0:
                continue
            a, b = min(present[0, i], present[0, j]), max(present[0, i], present[0, j])
            worths.errors[level, a * n_top + b] = present[2, i] * present[2, j] * UNIT // rows
            worths.listed[level, listed] = a * n_top + b
            listed += 1
    worths.used[level] = listed


@inner
def take_true_pairs(data, desk, worths, level, lo, hi, scale, present):
    """Subtract the number of records that really have these pairs."""
    n_top = np.int64(present.shape[1])
    for position in range(lo, hi):
        record = data.order[position]
        found = 0
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            if scale.top[term] >= 0:
                rank = desk.rank[desk.slot[term]]
                present[0, found] = scale.top[term]
                present[1, found] = desk.chunk[rank] if rank >= 0 else -1
                found += 1
        for i in range(found):
            for j in range(i):
                if present[1, i] == present[1, j] and present[1, i] >= 0:
                    continue
                a, b = min(present[0, i], present[0, j]), max(present[0, i], present[0, j])
                worths.errors[level, a * n_top + b] -= UNIT
        desk.steps[USED] += found * found // 2


@inner
def weigh(data, desk, grown, worths, level, part, facts, present):
    """Add, on a level, the sums of the records order[part] as one leaf."""
    (lo, hi), (limits, share, secret, scale) = part, facts
    known, frequent, _, pairs = cut_grown(data, desk, grown, part, limits, share, secret)
    expect_pairs(desk, worths, level, known, hi - lo, scale, present)
    take_true_pairs(data, desk, worths, level, lo, hi, scale, present)
    worths.pairs[level], worths.universal[level] = pairs, 0
    for rank in range(frequent):
        if desk.first[rank + 1] - desk.first[rank] == hi - lo:
            worths.universal[level] += hi - lo
    for local in range(known):
        desk.slot[desk.terms[local]] = -1


@kernel
def weigh_parts(data, desk, grown, worths, parts, order, depth, facts, present, whole, at):
    """Decide for each part, innermost first, whether it stays whole; return where to continue. `facts` as in
    `weigh`."""
    own, scale = worths.used.size - 1, facts[3]
    pause = desk.steps[USED] + BREATH
    for i in range(at, order.size):
        if desk.steps[USED] > pause:
            return i
        part = order[i]
        level = depth[part]
        weigh(data, desk, grown, worths, own, (parts.lo[part], parts.hi[part]), facts, present)
        whole[part] = parts.leaf[part] or worth(worths, own, scale) >= worth(worths, level + 1, scale)
        move_up(worths, own if whole[part] else level + 1, level)
        empty(worths, level + 1)
    return order.size


def pruned_shard(shard: TreeShard) -> tuple[Ints32, Ints64]:
    """Split each piece, and prune; return the order of the records, leaf by leaf, and the ends of the leaves."""
    data, n_terms, least, sizes = (
        horpart.in_place(*shard[:2]),
        shard.secret.size,
        shard.limits[3],
        np.diff(shard.pieces),
    )
    waiting = int(sizes.max()) // least + 2 + sizes.size
    space = np.zeros(n_terms, np.int64), np.empty(n_terms, np.int32), np.empty((waiting, 3), np.int64)
    parts = new_state(Parts, int((2 * (sizes // least) + 1).sum()))
    number = int(list_parts(data, shard.pieces, least, shard.secret, space, parts))
    parts = Parts(parts.lo[:number], parts.hi[:number], parts.inside[:number], parts.leaf[:number])
    whole = _stay_whole(data, parts, shard)
    is_inside = np.zeros(number, np.bool_)  # whether inside another part that stays whole
    for part, around in enumerate(parts.inside.tolist()):
        is_inside[part] = around >= 0 and (is_inside[around] or whole[around])
    return data.order, np.sort(parts.hi[whole & ~is_inside])


def _stay_whole(data: Records, parts: Parts, shard: TreeShard) -> Flags:
    desk, _, _ = room_for(data, shard.pieces, shard.secret.size, min(shard.limits[1:3]))
    depth = np.zeros(parts.lo.size, np.int64)  # the number of parts around each part
    for part, around in enumerate(parts.inside.tolist()):
        depth[part] = depth[around] + 1 if around >= 0 else 0
    top, levels = max(1, int(shard.scale.top.max(initial=-1)) + 1), int(depth.max()) + 3
    by_pair = dict.fromkeys(("errors", "is_listed", "listed"), (levels, top * top))
    worths, present = new_state(Worths, levels, **by_pair), np.empty((3, top), np.int64)
    order = np.lexsort((-depth, parts.hi))  # inner parts come before outer ones
    whole, facts = np.zeros(parts.lo.size, np.bool_), (shard.limits[:3], shard.share, shard.secret, shard.scale)
    room = data, desk, bounded_chunks.new_growth(desk), worths
    work_off(order.size, desk.steps, shard.limits[1], weigh_parts, *room, parts, order, depth, facts, present, whole)
    return whole


PRICES = (None, 0.15, 1.0)  # for pairs of records that leave the large leaf; None: no such leaf
PRICES_AT_M = (1.0, 3.0)  # the same if chunks are tested at m
LARGEST_LEAF, LARGEST_OF_MANY = 20_000, 1_000  # records weighed as one leaf; the second if there are MANY
MANY = 300_000  # with more records no large leaf is tried, to stay near the running time of HORPART ...
TOP_OF_MANY = 100  # ... and errors are those of pairs of fewer terms: faster, and no less accurate
SHARD_RECORDS = 5_000  # weighed one by one; the result is the same for any number


class CoreAndScale(NamedTuple):
    """What all candidates share: the core, the other records, and the scale of worth."""

    core: Ints32
    rest: Ints32
    scale: Scale


def core_and_scale(task: Task) -> CoreAndScale:
    """Return the core (none if it or the rest is too small for a cluster) and the scale of worth."""
    inside, rest = task.core_and_rest()
    least, data = task.method.min_cluster_size, task.data
    if inside.size < least or 0 < rest.size < least:
        inside, rest = inside[:0], task.everyone()
    supports = np.where(secret_terms(data), 0, data.supports())  # the most frequent terms are ordinary ones
    ranked = np.argsort(-supports, kind="stable")[: TOP_TERMS if len(data) <= MANY else TOP_OF_MANY].astype(np.int32)
    ranked = ranked[supports[ranked] > 0]
    top = np.full(data.n_terms, -1, np.int32)
    top[ranked] = np.arange(ranked.size, dtype=np.int32)
    among = data.records.sums(top[data.items] >= 0)
    pairs, among_top = (max(1, int((n * (n - 1) // 2).sum())) for n in (data.records.lengths, among))
    return CoreAndScale(inside, rest, Scale(pairs, among_top, max(1, data.items.size), top))


def bounded_clusters(
    task: Task, price: float | None, share: float = 0.0, shared: CoreAndScale | None = None
) -> Clustered:
    """Cluster all records: the core, the large leaf if it has a price, and the leaves of the pruned tree."""
    core, rest, scale = shared or core_and_scale(task)
    data, method = task.data, task.method
    parts = [horpart.one_cluster(core)] if core.size else []
    limits = (method.min_support, method.m, data.records.longest)
    if price is not None and rest.size:
        rows = horpart.in_place(*horpart.copied_records(horpart.records_in(data, rest), rest))
        stays = stays_in_leaf(rows, limits, secret_terms(data), price, task.engine.spread)
        if min(stays.sum(), rest.size - stays.sum()) >= method.min_cluster_size:
            parts.append(horpart.one_cluster(rest[stays]))
            rest = rest[~stays]
    if rest.size:
        parts.append(_pruned_tree(task, rest, share, scale))
    return Clustered(horpart.one_partition(parts), core.size, share)


def _pruned_tree(task: Task, records: Ints32, share: float, scale: Scale) -> Partition:
    data, method = task.data, task.method
    largest = LARGEST_LEAF if records.size <= MANY else LARGEST_OF_MANY
    order, sizes = split_in_parallel(task, records, horpart.ABANDON_NEXT, (largest + 1, method.min_cluster_size))
    ends = Partition(order, sizes).ends
    limits = (method.min_support, method.m, data.records.longest, method.min_cluster_size)
    runs, rows, secret = horpart.spans(ends, SHARD_RECORDS), horpart.records_in(data, order), secret_terms(data)

    def shard_of(run: tuple[int, int]) -> TreeShard:
        return TreeShard(*horpart.copied_pieces(rows, ends[run[0] : run[1] + 1]), limits, share, secret, scale)

    leaves = task.engine.map(pruned_shard, runs, task.reporting("splitting", len(runs)), shard_of)
    order = order.copy()
    return Partition(order, np.diff(put_together(order, leaves), prepend=0))
