"""The ledger of REFINE: what every top-level cluster has in term chunks, and what it can no longer share.

Joining clusters needs to know, term by term, which leaves list it in their term chunks and which records have it
there. Every (leaf, term) of a term chunk is an *entry*; a top-level cluster has *lines*, one per term, and a line
chains the entries of its term. Joining chains the chains, so nothing is copied but the lines.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.model.arrays import Flags, Ints32, Ints64

Bytes = NDArray[np.uint8]

LISTED, SPENT = 1, 2  # marks of a line: in a term chunk of the cluster; in one of its record or shared chunks
NODES, LINES = 0, 1  # places in `used`


class RefineLedger(NamedTuple):
    """Entries (in the order of the term chunks), leaves, nodes (leaves, then joints as they are made), lines."""

    leaf: Ints32  # entry -> its leaf
    term: Ints32  # entry -> its term
    first: NDArray[Any]  # (32 or 64 bits) entry -> start of its records in `rows`
    rows: Ints32
    following: Ints32  # entry -> the next of its chain
    moved: Flags  # entry -> whether it is in a shared chunk now
    left: Ints64  # leaf -> terms left in its term chunk
    leans: Flags  # leaf -> whether it has too few subrecords to do without a term chunk
    sizes: Ints64  # node -> records
    parents: Ints64  # node -> the joint that it is part of, -1
    begin: Ints64  # node -> its first line
    end: Ints64
    line_term: Ints32
    line_marks: Bytes
    line_head: Ints32  # chain of entries, -1 where nothing is listed
    line_tail: Ints32
    line_support: Ints32  # records in the chain
    used: Ints64  # how many nodes and lines there are


@kernel
def list_entries(data, ends, leaves, slot, first, rows, counting):
    """Go through the records of every entry: count them in first[entry + 1], or list their positions from first[entry].

    Listing moves `first` on, to where the next entry starts; `slot` is scratch (terms, -1) and stays so.
    """
    for leaf in range(leaves.sizes.size):
        for e in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            slot[leaves.term_items[e]] = e
        for position in range(ends[leaf], ends[leaf + 1]):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                e = slot[data.items[i]]
                if e >= 0 and counting:
                    first[e + 1] += 1
                elif e >= 0:
                    rows[first[e]] = position
                    first[e] += 1
        for e in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            slot[leaves.term_items[e]] = -1


def entry_records(data: Records, ends: Ints64, leaves: Leaves, slot: Ints64) -> tuple[NDArray[Any], Ints32]:
    """Return for every entry the positions of its records: where they start, and all of them."""
    at_most = int(np.diff(data.offsets)[data.order].sum())
    first = np.zeros(leaves.term_items.size + 1, np.int32 if at_most < 2**31 else np.int64)  # there are many of them
    rows = np.empty(0, np.int32)
    list_entries(data, ends, leaves, slot, first, rows, True)
    np.cumsum(first, out=first)
    rows = np.empty(int(first[-1]), np.int32)
    list_entries(data, ends, leaves, slot, first, rows, False)
    first[1:] = first[:-1].copy()
    first[0] = 0
    return first, rows


@kernel
def count_lines(leaves, slot):
    """Count the distinct terms of all leaves; `slot` is scratch (terms, -1) and stays so."""
    lines = leaves.term_items.size
    for leaf in range(leaves.sizes.size):
        for step in range(2):  # note the terms of the record chunks, wipe the notes
            first = leaves.subrecord_offsets[leaves.chunk_offsets[leaf]]
            last = leaves.subrecord_offsets[leaves.chunk_offsets[leaf + 1]]
            for i in range(leaves.item_offsets[first], leaves.item_offsets[last]):
                if step == 0 and slot[leaves.items[i]] < 0:
                    lines += 1
                slot[leaves.items[i]] = leaf if step == 0 else -1
    return lines


@kernel
def open_lists(ledger, leaves, slot):
    """Write the lines of every leaf: its term chunk, and the terms of its record chunks; `slot` is scratch (-1)."""
    line = 0
    for leaf in range(leaves.sizes.size):
        ledger.begin[leaf] = line
        for e in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            ledger.line_term[line] = ledger.term[e]
            ledger.line_marks[line] = LISTED
            ledger.line_head[line] = e
            ledger.line_tail[line] = e
            ledger.line_support[line] = ledger.first[e + 1] - ledger.first[e]
            line += 1
        spent = line
        first = leaves.subrecord_offsets[leaves.chunk_offsets[leaf]]
        last = leaves.subrecord_offsets[leaves.chunk_offsets[leaf + 1]]
        for i in range(leaves.item_offsets[first], leaves.item_offsets[last]):
            term = leaves.items[i]
            if slot[term] < spent:
                slot[term] = line
                ledger.line_term[line] = term
                ledger.line_marks[line] = SPENT
                ledger.line_head[line] = -1
                ledger.line_tail[line] = -1
                ledger.line_support[line] = 0
                line += 1
        ledger.end[leaf] = line
    ledger.used[NODES] = leaves.sizes.size
    ledger.used[LINES] = line


@inner
def make_room(ledger, wanted):
    """Close the gaps that joined clusters left, if that many more lines would not fit in.

    The clusters that are joined have parents already, and a joint has no more lines than they had, so it fits in then.
    Lines are in the order of their nodes.
    """
    if ledger.used[LINES] + wanted <= ledger.line_term.size:
        return
    line = 0
    for node in range(ledger.used[NODES]):
        if ledger.parents[node] >= 0:
            continue
        begin = line
        for p in range(ledger.begin[node], ledger.end[node]):
            ledger.line_term[line] = ledger.line_term[p]
            ledger.line_marks[line] = ledger.line_marks[p]
            ledger.line_head[line] = ledger.line_head[p]
            ledger.line_tail[line] = ledger.line_tail[p]
            ledger.line_support[line] = ledger.line_support[p]
            line += 1
        ledger.begin[node] = begin
        ledger.end[node] = line
    ledger.used[LINES] = line


def open_ledger(data: Records, n_terms: int, ends: Ints64, leaves: Leaves, leans: Flags) -> RefineLedger:
    """Open the ledger for leaves in the order of the partition that `ends` cuts; `leans` as in `Ledger`."""
    slot = np.full(n_terms, -1, np.int64)
    entries, n = leaves.term_items.size, leaves.sizes.size
    first, rows = entry_records(data, ends, leaves, slot)
    lines = count_lines(leaves, slot)
    room = lines + lines // 8  # a joint has no more than its children had; some slack, to close gaps seldom
    ledger = RefineLedger(
        leaf=np.repeat(np.arange(n, dtype=np.int32), np.diff(leaves.term_offsets)),
        term=leaves.term_items,
        first=first,
        rows=rows,
        following=np.full(entries, -1, np.int32),
        moved=np.zeros(entries, np.bool_),
        left=np.diff(leaves.term_offsets),
        leans=leans,
        sizes=np.concatenate([leaves.sizes, np.zeros(n, np.int64)]),
        parents=np.full(2 * n, -1, np.int64),
        begin=np.empty(2 * n, np.int64),
        end=np.empty(2 * n, np.int64),
        line_term=np.empty(room, np.int32),
        line_marks=np.empty(room, np.uint8),
        line_head=np.empty(room, np.int32),
        line_tail=np.empty(room, np.int32),
        line_support=np.empty(room, np.int32),
        used=np.zeros(2, np.int64),
    )
    open_lists(ledger, leaves, slot)
    return ledger
