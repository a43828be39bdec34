"""Rare itemsets of a chunk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.counting import compiled, inner

Bags = tuple[Ints64, Ints64, Ints32, Ints64]  # subrecord offsets, item offsets, items, counts
Table = NDArray[np.int64]  # a few named rows of numbers in one array, because each array adds compile time

TAIL, STOP, WEIGHT = 0, 1, 2  # of a suffix: it is `items[TAIL:STOP]`, and its number of records
TERM, SUPPORT, FIRST, LAST = 0, 1, 2, 3  # of an extension: its term, support, and the suffixes after it
SEEN, ROOM, WEAK = 0, 1, 2  # by term; zero between uses
AT, END, TOP, GAP = 0, 1, 2, 3  # by depth: next extension, end of the extensions, first free suffix, see below
FOUND, LEAST, LENGTH = 0, 1, 2  # by chunk: results of `rare_itemsets`
STEPS, PAUSE, CHUNK, DEPTH = 0, 1, 2, 3  # of a pace: terms read so far, when to pause, and where (depth -1: not begun)
BREATH = 50_000_000  # steps between two returns to Python, which handles Ctrl-C
FIRST_BREATH = 10_000  # the first interval if one finding is enough; it doubles each time
MOST_STEPS = 10_000_000_000  # about a minute


class Listing(NamedTuple):
    """The distinct terms of every chunk, in the order of their first occurrence; with space for all items."""

    offsets: Ints64  # (chunks + 1,) 0 at first
    terms: Ints32
    supports: Ints64
    repeated: Flags  # whether an earlier chunk of the same node has the term too
    in_chunk: Flags  # (term chunk entries,) whether a chunk of the same node has the term too


@compiled
def domains(
    chunk_offsets: Ints64, bags: Bags, term_offsets: Ints64, term_items: Ints32, slot: Ints64, listing: Listing
) -> None:
    subrecord_offsets, item_offsets, items, counts = bags
    listed = 0
    for node in range(chunk_offsets.size - 1):
        first_of_node = listed
        for chunk in range(chunk_offsets[node], chunk_offsets[node + 1]):
            first_of_chunk = listed
            for subrecord in range(subrecord_offsets[chunk], subrecord_offsets[chunk + 1]):
                for p in range(item_offsets[subrecord], item_offsets[subrecord + 1]):
                    term = items[p]
                    if slot[term] < first_of_chunk:
                        listing.terms[listed] = term
                        listing.supports[listed] = 0
                        listing.repeated[listed] = slot[term] >= first_of_node
                        slot[term] = listed
                        listed += 1
                    listing.supports[slot[term]] += counts[subrecord]
            listing.offsets[chunk + 1] = listed
        for e in range(term_offsets[node], term_offsets[node + 1]):
            listing.in_chunk[e] = slot[term_items[e]] >= first_of_node


@inner
def _project(
    frame: tuple[int, int, int, int], items: Ints32, k: int, suffixes: Table, extensions: Table, scratch: Table
) -> tuple[int, int]:
    """List the terms of the suffixes `lo` to `hi` and, for each worth following, the suffixes after it.

    `frame` is (lo, hi, first free suffix, first free extension); returns the new free places. A term is worth following
    if it is frequent so far, and in a suffix of fewer than k records.
    """
    lo, hi, top, first = frame
    end = first
    for e in range(lo, hi):
        for p in range(suffixes[TAIL, e], suffixes[STOP, e]):
            term = items[p]
            if scratch[SEEN, term] == 0:
                extensions[TERM, end] = term
                end += 1
            scratch[SEEN, term] += suffixes[WEIGHT, e]
            scratch[ROOM, term] += 1
            if suffixes[WEIGHT, e] < k:
                scratch[WEAK, term] = 1
    for i in range(first, end):
        term = extensions[TERM, i]
        extensions[SUPPORT, i] = scratch[SEEN, term]
        extensions[FIRST, i] = top
        if scratch[SEEN, term] >= k and scratch[WEAK, term] == 1:
            top += scratch[ROOM, term]
            scratch[ROOM, term] = extensions[FIRST, i]
        else:
            scratch[ROOM, term] = -1
        extensions[LAST, i] = top
    for e in range(lo, hi):
        for p in range(suffixes[TAIL, e], suffixes[STOP, e]):
            free = scratch[ROOM, items[p]]
            if free >= 0:
                suffixes[TAIL, free] = p + 1
                suffixes[STOP, free] = suffixes[STOP, e]
                suffixes[WEIGHT, free] = suffixes[WEIGHT, e]
                scratch[ROOM, items[p]] += 1
    for i in range(first, end):
        for row in range(scratch.shape[0]):
            scratch[row, extensions[TERM, i]] = 0
    return top, end


@inner
def _tally(lo: int, hi: int, first: int, items: Ints32, suffixes: Table, extensions: Table, scratch: Table) -> int:
    """List the terms of the suffixes `lo` to `hi` with their supports; return the end of the list."""
    end = first
    for e in range(lo, hi):
        for p in range(suffixes[TAIL, e], suffixes[STOP, e]):
            term = items[p]
            if scratch[SEEN, term] == 0:
                extensions[TERM, end] = term
                end += 1
            scratch[SEEN, term] += suffixes[WEIGHT, e]
    for i in range(first, end):
        extensions[SUPPORT, i] = scratch[SEEN, extensions[TERM, i]]
        scratch[SEEN, extensions[TERM, i]] = 0
    return end


@inner
def _terms_in(lo: int, hi: int, suffixes: Table) -> int:
    terms = hi - lo
    for e in range(lo, hi):
        terms += suffixes[STOP, e] - suffixes[TAIL, e]
    return terms


@inner
def _note(c: int, prefix: Ints32, length: int, seen: int, worst: Table, examples: Ints32) -> None:
    better = seen > worst[LEAST, c] or (seen == worst[LEAST, c] and length >= worst[LENGTH, c])
    worst[FOUND, c] += 1
    if worst[FOUND, c] == 1 or not better:
        worst[LEAST, c] = seen
        worst[LENGTH, c] = length
        for i in range(length):
            examples[c, i] = prefix[i]


@compiled
def rare_itemsets(
    chunks: Ints64,
    bags: Bags,
    k: int,
    tables: tuple[Table, Table, Table, Table],  # suffixes, extensions, scratch, frames
    worst: Table,  # (3, chunks)
    examples: Ints32,  # (chunks, m)
    prefix: Ints32,  # (m,)
    pace: Ints64,  # (4,)
) -> None:
    """Search each of `chunks` for itemsets of 1 to m >= 2 terms that occur, but in fewer than k subrecords.

    Fills, by chunk, the number found (without supersets of these), the least support, and a shortest itemset that has
    it. Subrecords must be ascending, counts at least 1. Depth first: every itemset is visited once, in ascending order,
    with the list of the suffixes after it. A branch is skipped when nothing in it can be rare: each further term
    removes at most as many records as lack the rarest of the terms that may follow (the gap). Pauses between two
    itemsets, as the pace requires; the frames have the state from which it resumes.
    """
    subrecord_offsets, item_offsets, items, counts = bags
    suffixes, extensions, scratch, frames = tables
    m = prefix.size
    while pace[CHUNK] < chunks.size and pace[STEPS] < pace[PAUSE]:
        c, depth = pace[CHUNK], pace[DEPTH]
        first, last = subrecord_offsets[chunks[c]], subrecord_offsets[chunks[c] + 1]
        lo, hi, top, end, seen, deeper = 0, last - first, last - first, 0, 0, depth < 0
        for row in range(first, last if deeper else first):
            suffixes[TAIL, row - first] = item_offsets[row]
            suffixes[STOP, row - first] = item_offsets[row + 1]
            suffixes[WEIGHT, row - first] = counts[row]
            seen += counts[row]
        while deeper or (depth >= 0 and pace[STEPS] < pace[PAUSE]):
            if deeper:
                pace[STEPS] += _terms_in(lo, hi, suffixes)
                depth, deeper = depth + 1, False
                frames[AT, depth] = end
                top, end = _project((lo, hi, top, end), items, k, suffixes, extensions, scratch)
                frames[TOP, depth], frames[END, depth], frames[GAP, depth] = top, end, 0
                for i in range(frames[AT, depth], end):
                    frames[GAP, depth] = max(frames[GAP, depth], seen - extensions[SUPPORT, i])
            here = frames[AT, depth]
            if here == frames[END, depth]:
                depth -= 1
                continue
            frames[AT, depth] += 1
            prefix[depth] = extensions[TERM, here]
            lo, hi, seen = extensions[FIRST, here], extensions[LAST, here], extensions[SUPPORT, here]
            top, end = frames[TOP, depth], frames[END, depth]
            if seen < k:
                _note(c, prefix, depth + 1, seen, worst, examples)
            elif lo < hi and seen - (m - depth - 1) * frames[GAP, depth] < k:
                deeper = depth + 2 < m
                if not deeper:
                    pace[STEPS] += _terms_in(lo, hi, suffixes)
                    for i in range(end, _tally(lo, hi, end, items, suffixes, extensions, scratch)):
                        if extensions[SUPPORT, i] < k:
                            prefix[depth + 1] = extensions[TERM, i]
                            _note(c, prefix, depth + 2, extensions[SUPPORT, i], worst, examples)
        pace[DEPTH] = depth
        if depth < 0:
            pace[CHUNK] += 1


def search(
    chunks: Ints64,
    bags: Bags,
    k: int,
    tables: tuple[Table, Table, Table, Table],
    found: tuple[Table, Ints32, Ints32],  # worst, examples, prefix
    most: int = MOST_STEPS,
    *,
    one: bool = False,
) -> bool:
    """Return whether `rare_itemsets` finished in `most` steps; if `one` is enough, it stops after the first."""
    pace: Ints64 = np.array([0, 0, 0, -1])
    breath = FIRST_BREATH if one else BREATH
    while pace[CHUNK] < chunks.size and pace[STEPS] < most and not (one and found[0].any()):
        pace[PAUSE] = min(most, pace[STEPS] + breath)
        breath = min(2 * breath, BREATH)
        rare_itemsets(chunks, bags, k, tables, *found, pace)
    return bool(pace[CHUNK] == chunks.size)
