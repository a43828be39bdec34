"""State of HORPART: counts, posting lists and heaps of the parts under way, kept as a stack."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner
from disjoin.jit.ordering import drop_top, sift_down, sift_up
from disjoin.model.arrays import Ints32, Ints64

LISTING, ABANDON, ABANDON_NEXT, ADDING = 0, 1, 2, 3  # what to do about small parts


class Records(NamedTuple):
    """The data and where each record stands at the moment."""

    offsets: Ints64
    items: Ints32
    order: Ints32  # position -> record
    where: Ints32  # record -> position


class HorpartState(NamedTuple):
    """Counts, posting lists and heaps of the parts under way, one after the other."""

    term: Ints32  # (capacity,) local to global term
    held: Ints64  # (capacity,) records of the part with the term
    first: Ints64  # (capacity + 1,) where the posting list starts
    before: Ints64  # (capacity,) the slot that the term had in the part below
    heap: Ints32
    place: Ints32
    key: Ints64
    postings: Ints32  # (postings,) record numbers
    base: Ints64  # (depth,) of a built part: first local term ...
    terms: Ints64  # ... number of local terms ...
    heaped: Ints64  # ... and of heap entries


def new_shelf(items: int, n_terms: int) -> HorpartState:
    """Make a state for parts of up to `items` occurrences."""
    depth = items.bit_length() + 2  # each built part has at most half of what lies below it
    room = min(2 * items, n_terms * depth) + depth
    narrow = [np.empty(room, np.int32) for _ in range(3)]
    return HorpartState(
        term=narrow[0],
        held=np.empty(room, np.int64),
        first=np.empty(room + 1, np.int64),
        before=np.empty(room, np.int64),
        heap=narrow[1],
        place=narrow[2],
        key=np.empty(room, np.int64),
        postings=np.empty(2 * items + 2, np.int32),
        base=np.zeros(depth, np.int64),
        terms=np.zeros(depth, np.int64),
        heaped=np.zeros(depth, np.int64),
    )


@inner
def build(data, shelf, level, slot, ignored, lo, hi):
    """Count the terms of a part, list their records and heap those that may be split on."""
    base = np.int64(0)
    start = np.int64(0)
    if level > 0:
        base = shelf.base[level - 1] + shelf.terms[level - 1]
        start = shelf.first[base]
        base += 1  # a part owns one more entry of `first` than it has terms
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
                shelf.term[local] = term
                shelf.held[local] = 0
                slot[term] = local
            shelf.held[local] += 1
    shelf.base[level] = base
    shelf.terms[level] = known
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
    """Heap the terms of a part that are not ignored."""
    base = shelf.base[level]
    size = 0
    for local in range(shelf.terms[level]):
        shelf.key[base + local] = shelf.held[base + local]
        shelf.place[base + local] = -1
        if not ignored[shelf.term[base + local]]:
            shelf.heap[base + size] = local
            shelf.place[base + local] = size
            size += 1
    for position in range(size // 2 - 1, -1, -1):
        sift_down(shelf.heap, shelf.place, shelf.key, shelf.term, base, size, position)
    shelf.heaped[level] = size


@inner
def take_down(shelf, level, slot):
    """Give the terms of a part back the slots that they have in the part below."""
    base = shelf.base[level]
    for local in range(base, base + shelf.terms[level]):
        slot[shelf.term[local]] = shelf.before[local]


@inner
def choose(shelf, level, ignored, trail, length, size, least, rule):
    """Return the local term to split on, or -1, and the trail's new length.

    Counts in the heap may be out of date; they are corrected when they come to the top. A term that every record has
    splits nothing and is ignored from here on. Whatever leaves the heap for good here is out for all smaller parts too.
    """
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
            ignored[term] = True
            trail[length] = term
            length += 1
        else:
            chosen = base + local
            break
    shelf.heaped[level] = heaped
    return chosen, length


@inner
def bring_forward(data, shelf, local, lo, hi):
    """Move the records with the term to the front of the range; return where they end and their occurrences."""
    middle = lo
    weight = 0
    for p in range(shelf.first[local], shelf.first[local + 1]):
        record = shelf.postings[p]
        position = data.where[record]
        if lo <= position < hi:
            other = data.order[middle]
            data.order[middle] = record
            data.where[record] = middle
            data.order[position] = other
            data.where[other] = position
            weight += data.offsets[record + 1] - data.offsets[record]
            middle += 1
    return middle, weight


@inner
def subtract(data, shelf, slot, lo, hi):
    """Take the records of a range out of the counts."""
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            shelf.held[slot[data.items[i]]] -= 1


@inner
def add_back(data, shelf, level, slot, ignored, lo, hi):
    """Put the records of a range into the counts again, and their terms into the heap."""
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
