"""Where in a published forest every term is: posting lists in pre-order, made once and asked many times.

Nodes are known by their place in pre-order, so that what lies below a node is a range of places. Every term has
entries, ascending by place; an entry leads to a holding (the term in a chunk, with its subrecords) or to a term chunk.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.compiled import inner, kernel
from disjoin.model.ragged import Ints32, Ints64

IN_TERM_CHUNK = -1

# Rows of the tables of an index. They are tables because handing a loop many arrays costs more than its work.
PLACE, LAST, PARENT, ROOT, ABOVE, DEPTH = range(6)  # what `lay_out` returns: PLACE is by node, the others by place
SIZE, SPARE, FORCED, MIXED = PLACE, ABOVE, DEPTH, 6  # nodes: together with LAST, PARENT and ROOT, all by place
WHERE, HOLDING, ENCLOSING = range(3)  # entries
CHUNK, SUPPORT, ROWS = range(3)  # holdings


class PostingIndex(NamedTuple):
    """The published form, turned round: from terms to places."""

    # (7, nodes) by place. SIZE: records. LAST: the last place below. PARENT: -1 for a root. ROOT. SPARE: subrecords
    # beyond one per record, where nothing else fills a record; a large number elsewhere. FORCED: at least that many
    # records have a term of the term chunk. MIXED: 1 if a term of the tree stands both in a node and below it.
    nodes: NDArray[np.int64]
    starts: Ints64  # (terms + 1,) the entries of a term
    # (3, entries) WHERE: the place. HOLDING: or IN_TERM_CHUNK. ENCLOSING: the nearest entry of the same term above, -1
    # for none; this row is there only if some tree is mixed.
    entries: NDArray[np.int32]
    # (3, holdings + 1) CHUNK. SUPPORT: records of the chunk that have the term. ROWS: where its subrecords start.
    holdings: NDArray[np.int64]
    rows: Ints64  # the subrecords of a holding, ascending
    counts: Ints64  # (subrecords,)
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    slots: Ints64  # (subrecords,) records that may have it, for shared chunks of mixed trees; else empty


@kernel
def lay_out(parents, own):
    """Return a table by node: place in pre-order, then by place: last below, parent, root, sum of `own` above, depth.

    A parent comes before its children; children keep their order. `own` is by node.
    """
    n = parents.size
    table = np.zeros((6, n), np.int64)
    below = np.ones(n, np.int64)
    free = np.zeros(n, np.int64)
    for v in range(n - 1, -1, -1):
        if parents[v] >= 0:
            below[parents[v]] += below[v]
    first = 0
    for v in range(n):
        above = parents[v]
        place = first if above < 0 else free[above]
        table[PLACE, v] = place
        free[v] = place + 1
        table[LAST, place] = place + below[v] - 1
        if above < 0:
            first += below[v]
            table[PARENT, place] = -1
            table[ROOT, place] = place
        else:
            up = table[PLACE, above]
            free[above] += below[v]
            table[PARENT, place] = up
            table[ROOT, place] = table[ROOT, up]
            table[ABOVE, place] = table[ABOVE, up] + own[above]
            table[DEPTH, place] = table[DEPTH, up] + 1
    return table


@kernel
def count_entries(forest, walk, tallies, latest):
    """Count the entries, holdings and subrecords of every term into three rows of `tallies`, 0 at first.

    `forest` is (chunk offsets, subrecord offsets, item offsets, items, term offsets, term items); `latest` is -1.
    """
    chunk_offsets, subrecord_offsets, item_offsets, items, _, term_items = forest
    for v in walk:
        for c in range(chunk_offsets[v], chunk_offsets[v + 1]):
            for i in range(item_offsets[subrecord_offsets[c]], item_offsets[subrecord_offsets[c + 1]]):
                term = items[i]
                tallies[2, term] += 1
                if latest[term] != c:
                    latest[term] = c
                    tallies[0, term] += 1
                    tallies[1, term] += 1
    for i in range(term_items.size):
        tallies[0, term_items[i]] += 1


@kernel
def fill_entries(forest, walk, counts, free, latest, entries, holdings, rows):
    """List the entries and holdings counted before; `free` has for every term where its next entry, holding and row
    go, `latest` is -1 again.
    """
    chunk_offsets, subrecord_offsets, item_offsets, items, term_offsets, term_items = forest
    for place in range(walk.size):
        v = walk[place]
        for c in range(chunk_offsets[v], chunk_offsets[v + 1]):
            for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
                for i in range(item_offsets[s], item_offsets[s + 1]):
                    term = items[i]
                    if latest[term] != c:
                        latest[term] = c
                        entries[WHERE, free[0, term]] = place
                        entries[HOLDING, free[0, term]] = free[1, term]
                        holdings[CHUNK, free[1, term]] = c
                        holdings[ROWS, free[1, term]] = free[2, term]
                        free[0, term] += 1
                        free[1, term] += 1
                    rows[free[2, term]] = s
                    holdings[SUPPORT, free[1, term] - 1] += counts[s]
                    free[2, term] += 1
        for i in range(term_offsets[v], term_offsets[v + 1]):
            term = term_items[i]
            entries[WHERE, free[0, term]] = place
            entries[HOLDING, free[0, term]] = IN_TERM_CHUNK
            free[0, term] += 1


@kernel
def find_enclosing(starts, entries, nodes):
    """Note for every entry the nearest entry of its term whose node lies above."""
    for term in range(starts.size - 1):
        for e in range(starts[term], starts[term + 1]):
            f = e - 1 if e > starts[term] else -1
            while f >= 0 and nodes[LAST, entries[WHERE, f]] < entries[WHERE, e]:
                f = entries[ENCLOSING, f]
            entries[ENCLOSING, e] = f


@inner
def seek(places, start, end, place):
    """Return the first position of the ascending places[start:end] that is not before `place`; near ones are cheap."""
    if start >= end or places[start] >= place:
        return start
    step = 1
    while start + step < end and places[start + step] < place:
        start += step
        step *= 2
    end = min(end, start + step + 1)
    while start < end:
        middle = (start + end) // 2
        if places[middle] < place:
            start = middle + 1
        else:
            end = middle
    return start


@inner
def may_take(leaf, joint, row, index):
    """Tell whether a shared subrecord of `joint` may go to a leaf: no node between has one of its terms."""
    places = index.entries[WHERE]
    for i in range(index.item_offsets[row], index.item_offsets[row + 1]):
        term = index.items[i]
        start = index.starts[term]
        e = seek(places, start, index.starts[term + 1], leaf + 1) - 1
        while e >= start and index.nodes[LAST, places[e]] < leaf:
            e = index.entries[ENCLOSING, e]
        if e >= start and places[e] > joint:
            return False
    return True


@kernel
def count_slots(owners, index, at, slots):
    """Count for the subrecords of shared chunks (`owners`: the joint's place, or -1) the records that may have them.

    A node below the joint that has one of the terms keeps everything below it from the subrecord.
    """
    places, sizes, last = index.entries[WHERE], index.nodes[SIZE], index.nodes[LAST]
    for row in range(owners.size):
        joint = owners[row]
        if joint < 0:
            continue
        first, n = index.item_offsets[row], index.item_offsets[row + 1] - index.item_offsets[row]
        for j in range(n):
            term = index.items[first + j]
            at[j] = seek(places, index.starts[term], index.starts[term + 1], joint + 1)
        free = sizes[joint]
        covered = joint
        while True:
            nearest = last[joint] + 1
            for j in range(n):
                end = index.starts[index.items[first + j] + 1]
                at[j] = seek(places, at[j], end, covered + 1)
                if at[j] < end and places[at[j]] < nearest:
                    nearest = places[at[j]]
            if nearest > last[joint]:
                break
            free -= sizes[nearest]
            covered = last[nearest]
        slots[row] = free
