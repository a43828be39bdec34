"""HORPART: cut records into clusters by their most frequent terms, in O(N log N) visits of items. The records of a part
are a range of `order`; a split moves those with the term to its front, so parts are processed from left to right.
Counts, posting lists and a heap are built once per part: a split subtracts the lighter side, and the heavier side
reuses the structures ("small to large"). They are kept on a stack, those of the left side on top."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.arrays.ordering import drop_top, sift_down, sift_up
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.model.ragged import Flags, Ints32, Ints64, frozen, new_state, offsets_of

if TYPE_CHECKING:
    from disjoin.model import Transactions

LISTING, ABANDON, ABANDON_NEXT, ADDING = 0, 1, 2, 3  # rules for small parts
SPANS = 4  # spans of records that are counted in parallel


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Records in the order of their clusters, and the clusters' sizes; suppressed records are in none."""

    records: Ints32
    sizes: Ints64

    @property
    def ends(self) -> Ints64:
        """Where clusters begin and end: `records[ends[i]:ends[i + 1]]` is cluster i."""
        return offsets_of(self.sizes)


def one_cluster(records: Ints32) -> Partition:
    return Partition(records, np.array([records.size], np.int64))


def one_partition(parts: list[Partition]) -> Partition:
    """Return the clusters of several partitions, one after the other."""
    return Partition(np.concatenate([part.records for part in parts]), np.concatenate([part.sizes for part in parts]))


class Records(NamedTuple):
    """The data and the current position of each record."""

    offsets: Ints64
    items: Ints32
    order: Ints32  # position -> record
    where: Ints32  # record -> position


def in_place(offsets: Ints64, items: Ints32) -> Records:
    """Return records in their order in memory, for loops that do not need the position of a record."""
    numbers = np.arange(offsets.size - 1, dtype=np.int32)
    return Records(frozen(offsets, np.int64), frozen(items, np.int32), numbers, np.empty(0, np.int32))


def records_in(data: Transactions, order: Ints32) -> Records:
    """Return records in this order, for loops that do not need the position of a record."""
    return Records(data.offsets, data.items, order, np.empty(0, np.int32))


def secret_terms(data: Transactions) -> Flags:
    """Return for every term whether it must stay in term chunks."""
    return np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive


def spans(before: Ints64, size: int, alone: Flags | None = None) -> list[tuple[int, int]]:
    """Cut things into runs of about `size`, some `alone`; `before` has cumulative sizes, with a leading 0."""
    is_cut = np.diff(before[:-1] // size) != 0
    if alone is not None:
        is_cut |= alone[1:] | alone[:-1]
    return list(pairwise([0, *(np.flatnonzero(is_cut) + 1).tolist(), before.size - 1]))


class HorpartState(NamedTuple):
    """Counts, posting lists and heaps of the parts in progress, on a stack."""

    term: Ints32  # (capacity,) local to global term
    held: Ints64  # (capacity,) records of the part with the term
    first: Ints64  # (capacity + 1,) where the posting list starts
    before: Ints64  # (capacity,) the slot of the term in the part below
    heap: Ints32
    place: Ints32
    key: Ints64
    postings: Ints32  # (postings,) record numbers
    base: Ints64  # (depth,) of a built part: first local term ...
    terms: Ints64  # ... number of local terms ...
    heaped: Ints64  # ... and of heap entries


@inner
def build(data, shelf, level, slot, ignored, lo, hi):
    """Count the terms of a part, list their records and heap those that may be split on."""
    base, start = np.int64(0), np.int64(0)
    if level > 0:
        base = shelf.base[level - 1] + shelf.terms[level - 1]
        start = shelf.first[base]
        base += 1  # a part has one more entry of `first` than terms
    known = 0
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            local = slot[term]
            if local < base:
                local = base + known
                known += 1
                shelf.before[local] = slot[term]
                shelf.term[local], shelf.held[local], slot[term] = term, 0, local
            shelf.held[local] += 1
    shelf.base[level], shelf.terms[level] = base, known
    for local in range(base, base + known):
        shelf.first[local] = start
        start += shelf.held[local]
        shelf.held[local] = 0
    shelf.first[base + known] = start
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            local = slot[data.items[i]]
            shelf.postings[shelf.first[local] + shelf.held[local]] = record
            shelf.held[local] += 1
    fill_heap(shelf, level, ignored)


@inner
def fill_heap(shelf, level, ignored):
    base = shelf.base[level]
    size = 0
    for local in range(shelf.terms[level]):
        shelf.key[base + local] = shelf.held[base + local]
        shelf.place[base + local] = -1
        if not ignored[shelf.term[base + local]]:
            shelf.heap[base + size], shelf.place[base + local] = local, size
            size += 1
    for position in range(size // 2 - 1, -1, -1):
        sift_down(shelf.heap, shelf.place, shelf.key, shelf.term, base, size, position)
    shelf.heaped[level] = size


@inner
def choose(shelf, level, ignored, trail, length, size, least, rule):
    """Return the local term to split on, or -1, and the trail's new length. Counts in the heap may be outdated; they
    are corrected when they reach the top. A term that every record has splits nothing and is ignored from here on.
    A term that leaves the heap for good here is ignored in all smaller parts, too."""
    base = shelf.base[level]
    heaped = shelf.heaped[level]
    chosen = -1
    while heaped > 0:
        local = shelf.heap[base]
        count = shelf.held[base + local]
        term = shelf.term[base + local]
        if count == 0 or ignored[term] or (rule == ABANDON_NEXT and count < size and size - count < least):
            heaped = drop_top(shelf.heap, shelf.place, shelf.key, shelf.term, base, heaped)
        elif count != shelf.key[base + local]:
            shelf.key[base + local] = count
            sift_down(shelf.heap, shelf.place, shelf.key, shelf.term, base, heaped, 0)
        elif count == size:
            ignored[term], trail[length] = True, term
            length += 1
        else:
            chosen = base + local
            break
    shelf.heaped[level] = heaped
    return chosen, length


@inner
def bring_forward(data, shelf, local, lo, hi):
    """Move the records with the term to the front of the range; return where they end and their occurrences."""
    middle, weight = lo, 0
    for p in range(shelf.first[local], shelf.first[local + 1]):
        record = shelf.postings[p]
        position = data.where[record]
        if lo <= position < hi:
            other = data.order[middle]
            data.order[middle], data.where[record], data.order[position] = record, middle, other
            data.where[other] = position
            weight += data.offsets[record + 1] - data.offsets[record]
            middle += 1
    return middle, weight


@inner
def subtract(data, shelf, slot, lo, hi):
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            shelf.held[slot[data.items[i]]] -= 1


@inner
def add_back(data, shelf, level, slot, ignored, lo, hi):
    """Add the records of a range to the counts again, and their terms to the heap."""
    base = shelf.base[level]
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            local = slot[term]
            shelf.held[local] += 1
            if ignored[term] or (shelf.place[local] >= 0 and shelf.held[local] <= shelf.key[local]):
                continue
            shelf.key[local] = shelf.held[local]
            if shelf.place[local] < 0:
                shelf.heap[base + shelf.heaped[level]] = local - base
                shelf.place[local] = shelf.heaped[level]
                shelf.heaped[level] += 1
            sift_up(shelf.heap, shelf.place, shelf.key, shelf.term, base, shelf.place[local])


class HorpartParts(NamedTuple):
    """The stack of waiting parts, the leftmost on top, and the state kept between two calls."""

    lo: Ints64
    hi: Ints64
    items: Ints64  # occurrences in the part
    mark: Ints64  # length of the trail when the part was cut
    extra: Ints32  # the term it was cut by, or -1
    built: Flags
    slot: Ints64  # (terms,) term -> its place in the state, -1 for none
    trail: Ints32  # (terms,) the terms ignored in the current part, in the order of insertion
    state: Ints64  # number of waiting parts, top level of the state, length of the trail


@kernel
def split_parts(data, shelf, parts, ignored, limits, ends, pause):
    """Process the stack until it is empty or `pause` records are in clusters; return the number of clusters, whose ends
    are written in order. `limits` is (largest, least, rule): parts with fewer than `largest` records are not split, and
    `least` is the smallest cluster that may be published. `ignored` marks the terms that are never split on."""
    largest, least, rule = limits
    slot, trail = parts.slot, parts.trail
    depth, level, length = parts.state
    saved = 0
    stop = parts.lo[depth - 1] + pause
    while depth > 0 and parts.lo[depth - 1] < stop:
        depth -= 1
        lo, hi, weight = parts.lo[depth], parts.hi[depth], parts.items[depth]
        while length > parts.mark[depth]:
            length -= 1
            ignored[trail[length]] = False
        if parts.extra[depth] >= 0:
            ignored[parts.extra[depth]] = True
            trail[length] = parts.extra[depth]
            length += 1
        built = parts.built[depth]
        chosen = -1
        if hi - lo >= largest:
            if not built:
                level += 1
                build(data, shelf, level, slot, ignored, lo, hi)
                built = True
            chosen, length = choose(shelf, level, ignored, trail, length, hi - lo, least, rule)
            if chosen >= 0 and rule in (ABANDON, ABANDON_NEXT):
                with_term = shelf.held[chosen]
                if with_term < least or hi - lo - with_term < least:
                    chosen = -1
        if chosen < 0:
            if built:
                base = shelf.base[level]
                for local in range(base, base + shelf.terms[level]):  # back to their slots in the part below
                    slot[shelf.term[local]] = shelf.before[local]
                level -= 1
            if rule != ADDING or hi - lo >= least:
                ends[saved] = hi
                saved += 1
            elif depth > 0:  # too small: merge it and its ignored terms into the next part
                parts.lo[depth - 1] = lo
                parts.items[depth - 1] += weight
                parts.mark[depth - 1] = length
                if parts.built[depth - 1]:
                    add_back(data, shelf, level, slot, ignored, lo, hi)
            else:  # the last part: merge it into the last cluster
                ends[saved - 1] = hi
            continue
        term = shelf.term[chosen]
        middle, left = bring_forward(data, shelf, chosen, lo, hi)
        left_is_lighter = left <= weight - left
        if left_is_lighter:
            subtract(data, shelf, slot, lo, middle)
        else:
            subtract(data, shelf, slot, middle, hi)
        parts.lo[depth], parts.hi[depth], parts.items[depth] = middle, hi, weight - left
        parts.mark[depth], parts.extra[depth], parts.built[depth] = length, -1, left_is_lighter
        parts.lo[depth + 1], parts.hi[depth + 1], parts.items[depth + 1] = lo, middle, left
        parts.mark[depth + 1], parts.extra[depth + 1], parts.built[depth + 1] = length, term, not left_is_lighter
        depth += 2
    parts.state[0], parts.state[1], parts.state[2] = depth, level, length
    return saved


def split_records(data: Records, pieces: Ints64, limits: tuple[int, int, int], ignored: Flags) -> Ints64:
    """Split each piece `order[pieces[i]:pieces[i + 1]]` in place as `split_parts`; return the ends of all clusters."""
    shelf, parts = _new_state(data, pieces, ignored.size)
    ends = np.empty(int(pieces[-1] - pieces[0]), np.int64)
    return ends[: split_parts(data, shelf, parts, ignored.copy(), limits, ends, int(pieces[-1]) + 1)].copy()


def split_in_batches(
    data: Records, pieces: Ints64, limits: tuple[int, int, int], ignored: Flags, pause: int, spread: Spread
) -> Iterator[Ints64]:
    """Do the work of `split_records`; yield the ends whenever `pause` more records are in clusters. These do not change
    again, so other threads may work on them. All threads build the state of the last piece, on the right."""
    shelf, parts = _new_state(data, pieces, ignored.size)
    ignored = ignored.copy()
    if pieces[-1] - pieces[-2] >= limits[0]:
        build_side_by_side(data, shelf, parts, ignored, spread)
    ends = np.empty(int(pieces[-1] - pieces[0]), np.int64)
    while parts.state[0] > 0:
        saved = split_parts(data, shelf, parts, ignored, limits, ends, pause)
        yield ends[:saved].copy()


def _new_state(data: Records, pieces: Ints64, n_terms: int) -> tuple[HorpartState, HorpartParts]:
    """Make room for the largest piece, and put all pieces on a stack, the leftmost on top."""
    records, waiting = data.order[pieces[0] : pieces[-1]], pieces.size - 1
    weights = np.diff(offsets_of(data.offsets[records + 1] - data.offsets[records])[pieces - pieces[0]])
    items = int(weights.max())
    depth = items.bit_length() + 2  # each built part has at most half of the occurrences of the one below
    room = min(2 * items, n_terms * depth) + depth
    levels = dict.fromkeys(("base", "terms", "heaped"), depth)
    shelf = new_state(HorpartState, room, first=room + 1, postings=2 * items + 2, **levels)
    room = min(records.size, n_terms) + waiting + 2
    parts = new_state(HorpartParts, room, slot=n_terms, trail=n_terms, state=3)
    parts.lo[:waiting], parts.hi[:waiting], parts.items[:waiting] = pieces[:-1][::-1], pieces[1:][::-1], weights[::-1]
    parts.extra.fill(-1)
    parts.slot.fill(-1)
    parts.state[:] = waiting, -1, 0
    return shelf, parts


@kernel
def count_span(data, span, counts):
    for position in range(span[0], span[1]):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            counts[data.items[i]] += 1


@kernel
def list_span(data, span, cursor, postings):
    """Write the records order[span] into the posting lists of their terms, each from `cursor` on."""
    for position in range(span[0], span[1]):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            postings[cursor[data.items[i]]] = record
            cursor[data.items[i]] += 1


@kernel
def heap_first(shelf, ignored):
    """Heap the terms of the first part that was built; `fill_heap` is not called, because that makes loops slower."""
    fill_heap(shelf, 0, ignored)


def build_side_by_side(data: Records, shelf: HorpartState, parts: HorpartParts, ignored: Flags, spread: Spread) -> None:
    """Build the state of the piece at the bottom of the stack, several spans of its records in parallel."""
    lo, hi = int(parts.lo[0]), int(parts.hi[0])
    cuts = list(pairwise(np.linspace(lo, hi, SPANS + 1).astype(np.int64).tolist()))
    counts = np.zeros((SPANS, ignored.size), np.int64)
    list(spread(lambda i: count_span(data, cuts[i], counts[i]), range(SPANS)))
    held = counts.sum(axis=0)
    terms = np.flatnonzero(held)
    first = offsets_of(held)
    cursors = first[:-1] + np.cumsum(counts, axis=0) - counts
    list(spread(lambda i: list_span(data, cuts[i], cursors[i], shelf.postings), range(SPANS)))
    shelf.term[: terms.size], shelf.held[: terms.size], shelf.before[: terms.size] = terms, held[terms], -1
    shelf.first[: terms.size], shelf.first[terms.size] = first[terms], first[-1]
    shelf.base[0], shelf.terms[0] = 0, terms.size
    parts.slot[terms] = np.arange(terms.size)
    heap_first(shelf, ignored)
    parts.built[0], parts.state[1] = True, 0


class SplitShard(NamedTuple):
    """Pieces of records that no other thread works on, as a value that can be sent to other processes. Record i has the
    terms `items[offsets[i] : offsets[i + 1]]`; `pieces` cut the records, from 0 to their number."""

    offsets: Ints64
    items: Ints32
    pieces: Ints64
    limits: tuple[int, int, int]
    ignored: Flags


def split_shard(shard: SplitShard) -> tuple[Ints32, Ints64]:
    """Split each piece; return the order of the shard's records, cluster by cluster, and the ends of the clusters."""
    local = in_place(shard.offsets, shard.items)
    local = local._replace(where=local.order.copy())
    ends = split_records(local, shard.pieces, shard.limits, shard.ignored)
    return local.order, ends


def copied_records(data: Records, records: Ints32, spread: Spread | None = None) -> tuple[Ints64, Ints32]:
    """Return the records as flat arrays: where each begins, and their terms; `spread` uses all threads."""
    offsets = offsets_of(data.offsets[records + 1] - data.offsets[records])
    items = np.empty(offsets[-1], np.int32)
    cuts = np.linspace(0, records.size, 2 if spread is None else SPANS + 1).astype(np.int64).tolist()
    each = pairwise(cuts)
    list((spread or map)(lambda cut: copy_records(data, records[slice(*cut)], items[offsets[cut[0]] :]), each))
    return offsets, items


def copied_pieces(data: Records, pieces: Ints64) -> tuple[Ints64, Ints32, Ints64]:
    """Copy the records of the pieces next to each other; return offsets, terms and ends of pieces."""
    return *copied_records(data, data.order[pieces[0] : pieces[-1]]), pieces - pieces[0]


@kernel
def copy_records(data, records, out):
    at = 0
    for i in range(records.size):
        for p in range(data.offsets[records[i]], data.offsets[records[i] + 1]):
            out[at] = data.items[p]
            at += 1
