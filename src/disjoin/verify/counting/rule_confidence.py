"""Confidence of association rules inside chunks."""

from __future__ import annotations

import numpy as np

from disjoin.model.ragged import Ints32, Ints64
from disjoin.verify.counting import compiled, inner
from disjoin.verify.counting.itemsets import BREATH, CHUNK, DEPTH, MOST_STEPS, PAUSE, STEPS, Bags, Table

TERM, SUPPORT, FIRST, LAST = 0, 1, 2, 3  # of an extension: its term, support, and where its subrecords are listed
AT, END, TOP = 0, 1, 2  # by depth: next extension, end of the extensions, first free place of the list
FOUND, TOLD, OF, LENGTH = 0, 1, 2, 3  # by chunk: number of rules; records with the rule, of records; known terms


@inner
def _note(c: int, known: tuple[Ints32, int], term: int, counts: tuple[int, int], told: Table, examples: Ints32) -> None:
    told[FOUND, c] += 1
    if told[FOUND, c] == 1:
        prefix, length = known
        told[TOLD, c], told[OF, c] = counts
        told[LENGTH, c] = length
        for i in range(length):
            examples[c, i] = prefix[i]
        examples[c, length] = term


@inner
def _count(lo: int, hi: int, bags: Bags, rows: Ints64, touched: Ints32, seen: Ints64) -> int:
    _, item_offsets, items, counts = bags
    found = 0
    for e in range(lo, hi):
        for p in range(item_offsets[rows[e]], item_offsets[rows[e] + 1]):
            if seen[items[p]] == 0:
                touched[found] = items[p]
                found += 1
            seen[items[p]] += counts[rows[e]]
    return found


@inner
def _extend(
    span: tuple[int, int, int, int], last: int, found: int, bags: Bags, rows: Ints64, extensions: Table, scratch: Table
) -> tuple[int, int]:
    """List the subrecords of every counted term greater than `last`, term by term.

    `span` is (first subrecord, end, first free place, first free extension); returns the new free ones.
    """
    lo, hi, top, end = span
    _, item_offsets, items, _ = bags
    seen, touched, room = scratch[0], scratch[1], scratch[2]
    for e in range(lo, hi):
        for p in range(item_offsets[rows[e]], item_offsets[rows[e] + 1]):
            room[items[p]] += 1
    for i in range(found):
        term = touched[i]
        if term > last:
            extensions[TERM, end], extensions[SUPPORT, end], extensions[FIRST, end] = term, seen[term], top
            top += room[term]
            extensions[LAST, end] = top
            room[term] = extensions[FIRST, end]
            end += 1
    for e in range(lo, hi):
        for p in range(item_offsets[rows[e]], item_offsets[rows[e] + 1]):
            term = items[p]
            if term > last:
                rows[room[term]] = rows[e]
                room[term] += 1
    for i in range(found):
        room[touched[i]] = 0
    return top, end


@compiled
def told_terms(
    chunks: Ints64,
    bags: Bags,
    sizes: Ints64,  # (chunks,) records of the cluster
    limits: tuple[int, int, int],  # m, share, whole: c is share / whole
    tables: tuple[Ints64, Table, Table, Table],  # rows, extensions, scratch, frames
    found: tuple[Table, Ints32, Ints32],  # implied terms (4, chunks), examples (chunks, m + 1), prefix (m,)
    pace: Ints64,  # (4,)
) -> None:
    """Search each chunk for sets of 0 to m terms that imply another, with a confidence of c or more.

    For the empty set, all records of the cluster count. Every set that occurs is visited once, as its terms in
    ascending order. Pauses between two sets, as the pace requires, and resumes when it is called again.
    """
    subrecord_offsets, item_offsets, _, _ = bags
    m, share, whole = limits
    rows, extensions, scratch, frames = tables
    told, examples, prefix = found
    while pace[CHUNK] < chunks.size and pace[STEPS] < pace[PAUSE]:
        c, depth = pace[CHUNK], pace[DEPTH]
        first, last = subrecord_offsets[chunks[c]], subrecord_offsets[chunks[c] + 1]
        lo, hi, top, end, weight, opens = 0, last - first, last - first, 0, sizes[c], depth < 0
        for row in range(first, last if opens else first):
            rows[row - first] = row
        while opens or (depth >= 0 and pace[STEPS] < pace[PAUSE]):
            if opens:
                depth, opens = depth + 1, False
                for e in range(lo, hi):
                    pace[STEPS] += 1 + item_offsets[rows[e] + 1] - item_offsets[rows[e]]
                met = _count(lo, hi, bags, rows, scratch[1], scratch[0])
                for i in range(depth):
                    scratch[3, prefix[i]] = 1
                for i in range(met):
                    term = scratch[1, i]
                    if scratch[3, term] == 0 and scratch[0, term] * whole >= share * weight:
                        _note(c, (prefix, depth), term, (scratch[0, term], weight), told, examples)
                frames[AT, depth] = end
                if depth < m:
                    greatest = prefix[depth - 1] if depth > 0 else -1
                    top, end = _extend((lo, hi, top, end), greatest, met, bags, rows, extensions, scratch)
                frames[END, depth], frames[TOP, depth] = end, top
                for i in range(depth):
                    scratch[3, prefix[i]] = 0
                for i in range(met):
                    scratch[0, scratch[1, i]] = 0
            here = frames[AT, depth]
            if here == frames[END, depth]:
                depth -= 1
                continue
            frames[AT, depth] += 1
            prefix[depth] = extensions[TERM, here]
            lo, hi, weight = extensions[FIRST, here], extensions[LAST, here], extensions[SUPPORT, here]
            top, end, opens = frames[TOP, depth], frames[END, depth], True
        pace[DEPTH] = depth
        if depth < 0:
            pace[CHUNK] += 1


def look_for_covers(
    chunks: Ints64, bags: Bags, sizes: Ints64, limits: tuple[int, int, int], n_terms: int, most: int = MOST_STEPS
) -> tuple[Table, Ints32, bool]:
    """Search all chunks; return, by chunk, the implied terms and an example, and whether the search finished."""
    subrecord_offsets, item_offsets, _, _ = bags
    lengths = np.diff(item_offsets)
    m = min(limits[0], int(lengths.max(initial=1)))
    first, last = subrecord_offsets[chunks], subrecord_offsets[chunks + 1]
    most_items = int((item_offsets[last] - item_offsets[first]).max(initial=0))
    room = int((last - first).max(initial=0)) + m * most_items
    tables = (
        np.empty(room, np.int64),
        np.empty((4, (m + 1) * (min(n_terms, most_items) + 1)), np.int64),
        np.zeros((4, max(1, n_terms)), np.int64),
        np.zeros((3, m + 1), np.int64),
    )
    told, examples = np.zeros((4, chunks.size), np.int64), np.zeros((chunks.size, m + 1), np.int32)
    pace, prefix = np.array([0, 0, 0, -1]), np.empty(m, np.int32)
    while pace[CHUNK] < chunks.size and pace[STEPS] < most:
        pace[PAUSE] = min(most, pace[STEPS] + BREATH)
        told_terms(chunks, bags, sizes, (m, *limits[1:]), tables, (told, examples, prefix), pace)
    return told, examples, bool(pace[CHUNK] == chunks.size)
