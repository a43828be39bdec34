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
