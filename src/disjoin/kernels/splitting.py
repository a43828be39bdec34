"""HORPART: cut records into clusters by their most frequent terms, in O(N log N) visits of items.

The records of a part are a range of `order`; a split moves those with the term to the front of the range, so parts are
worked off from left to right, as the method demands. Counts, posting lists and a heap are built for a part once; on a
split the lighter side is subtracted and the heavier side goes on with what was built ("small to large"). Built things
lie on a shelf like a stack of books: while the left side is worked on top, the right side's waits below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from disjoin.kernels.shelf import (
    ABANDON,
    ABANDON_NEXT,
    ADDING,
    LISTING,
    Records,
    add_back,
    bring_forward,
    build,
    choose,
    new_shelf,
    subtract,
    take_down,
)
from disjoin.model.arrays import Flags, Ints32, Ints64, frozen


class Parts(NamedTuple):
    """The stack of parts that wait, the leftmost on top."""

    lo: Ints64
    hi: Ints64
    items: Ints64  # occurrences in the part
    mark: Ints64  # length of the trail when the part was cut
    extra: Ints32  # the term it was cut by, or -1
    built: Flags


def new_parts(room: int) -> Parts:
    """Make an empty stack of parts."""
    lo, hi, items, mark = (np.empty(room, np.int64) for _ in range(4))
    return Parts(lo, hi, items, mark, np.empty(room, np.int32), np.empty(room, np.bool_))


@njit(cache=True, nogil=True)
def push(parts, depth, part, mark, extra, built):
    """Put a part (lo, hi, occurrences) on the stack; return the new depth."""
    parts.lo[depth] = part[0]
    parts.hi[depth] = part[1]
    parts.items[depth] = part[2]
    parts.mark[depth] = mark
    parts.extra[depth] = extra
    parts.built[depth] = built
    return depth + 1


@njit(cache=True, nogil=True)
def split_parts(data, shelf, parts, depth, ignored, limits, ends):
    """Work off the stack; write the ends of the clusters, in order, and return their number.

    `limits` is (largest, least, rule): parts with fewer than `largest` records are not split, `least` is the smallest
    cluster that may be published. `ignored` marks the terms that are never split on.
    """
    largest, least, rule = limits
    slot = np.empty(ignored.size, np.int64)
    trail = np.empty(ignored.size, np.int32)
    for term in range(ignored.size):
        slot[term] = -1
    length = 0
    level = -1  # the topmost built part
    saved = 0
    while depth > 0:
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
                take_down(shelf, level, slot)
                level -= 1
            if rule != ADDING or hi - lo >= least:
                ends[saved] = hi
                saved += 1
            elif depth > 0:  # too small: the next part takes it in, with all that it must not split on
                parts.lo[depth - 1] = lo
                parts.items[depth - 1] += weight
                parts.mark[depth - 1] = length
                if parts.built[depth - 1]:
                    add_back(data, shelf, level, slot, ignored, lo, hi)
            else:  # the last part of all: the last cluster takes it in
                ends[saved - 1] = hi
            continue
        term = shelf.term[chosen]
        middle, left = bring_forward(data, shelf, chosen, lo, hi)
        left_is_lighter = left <= weight - left
        if left_is_lighter:
            subtract(data, shelf, slot, lo, middle)
        else:
            subtract(data, shelf, slot, middle, hi)
        depth = push(parts, depth, (middle, hi, weight - left), length, np.int32(-1), left_is_lighter)
        depth = push(parts, depth, (lo, middle, left), length, term, not left_is_lighter)
    return saved


def split_records(data: Records, pieces: Ints64, limits: tuple[int, int, int], ignored: Flags) -> Ints64:
    """Split each piece `order[pieces[i]:pieces[i + 1]]` in place; return the ends of all clusters, in order.

    `limits` is (largest, least, rule) as in `split_parts`; `ignored` marks terms that are never split on.
    """
    weights = _weights(data, pieces)
    records = int(pieces[-1] - pieces[0])
    parts = new_parts(min(records, ignored.size) + pieces.size + 2)
    depth = pieces.size - 1
    parts.lo[:depth], parts.hi[:depth] = pieces[:-1][::-1], pieces[1:][::-1]  # the leftmost on top
    parts.items[:depth] = weights[::-1]
    parts.mark[:depth], parts.extra[:depth], parts.built[:depth] = 0, -1, False
    ends = np.empty(records, np.int64)
    shelf = new_shelf(int(weights.max()), ignored.size)
    saved = split_parts(data, shelf, parts, depth, ignored.copy(), limits, ends)
    return ends[:saved].copy()


def split_shard(data: Records, pieces: Ints64, limits: tuple[int, int, int], ignored: Flags) -> Ints64:
    """Do what `split_records` does, on a copy of the records that lies together in memory (twice as fast)."""
    start = pieces[0]
    records = data.order[start : pieces[-1]].copy()
    offsets = np.zeros(records.size + 1, np.int64)
    np.cumsum(data.offsets[records + 1] - data.offsets[records], out=offsets[1:])
    items = np.empty(offsets[-1], np.int32)
    copy_records(data, records, items)
    numbers = np.arange(records.size, dtype=np.int32)
    local = Records(frozen(offsets, np.int64), frozen(items, np.int32), numbers, numbers.copy())
    ends = split_records(local, pieces - start, limits, ignored) + start
    data.order[start : pieces[-1]] = records[local.order]
    return ends


@njit(cache=True, nogil=True)
def copy_records(data, records, out):
    """Copy the items of the records one after the other."""
    at = 0
    for i in range(records.size):
        for p in range(data.offsets[records[i]], data.offsets[records[i] + 1]):
            out[at] = data.items[p]
            at += 1


def _weights(data: Records, pieces: Ints64) -> Ints64:
    """Count the occurrences in each piece."""
    running = np.zeros(int(pieces[-1] - pieces[0]) + 1, np.int64)
    records = data.order[pieces[0] : pieces[-1]]
    np.cumsum(data.offsets[records + 1] - data.offsets[records], out=running[1:])
    return np.diff(running[pieces - pieces[0]])


__all__ = ["ABANDON", "ABANDON_NEXT", "ADDING", "LISTING", "Records", "split_records", "split_shard"]
