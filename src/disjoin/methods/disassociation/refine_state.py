"""The ledger of REFINE: what every top-level cluster has in term chunks, and what it can no longer share.

Joining clusters needs to know, term by term, which leaves list it in their term chunks and which records have it
there. Every (leaf, term) of a term chunk is an *entry*; a top-level cluster has *lines*, one per term, and a line
chains the entries of its term. Joining chains the chains, so nothing is copied but the lines.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.compiled import kernel
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.pair_table import Spread
from disjoin.methods.disassociation.write_leaves import Leaves
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of

Bytes = NDArray[np.uint8]

LISTED, SPENT = 1, 2  # marks of a line: in a term chunk of the cluster; in one of its record or shared chunks
NODES, LINES = 0, 1  # places in `used`
SPAN_OCCURRENCES = 400_000  # listed by one thread at a time


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
    line_leaves: Ints32  # entries of the chain, each of another leaf
    line_records: Ints32  # records of these leaves
    used: Ints64  # how many nodes and lines there are


@kernel
def list_entries(data, ends, leaves, span, slot, first, rows):
    """List in `rows` the positions of the records of every entry of the leaves in `span`; return how many they are.

    `first` gets where each entry starts; `slot` is scratch (terms, -1) and stays so. The records of a leaf are gone
    through twice, the second time while they are still at hand.
    """
    at = np.int64(0)
    for leaf in range(span[0], span[1]):
        begin, end = leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]
        for e in range(begin, end):
            slot[leaves.term_items[e]] = e
            first[e] = 0
        for position in range(ends[leaf], ends[leaf + 1]):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                e = slot[data.items[i]]
                if e >= 0:
                    first[e] += 1
        for e in range(begin, end):  # from how many there are to where they end
            at += first[e]
            first[e] = at
        for position in range(ends[leaf + 1] - 1, ends[leaf] - 1, -1):  # backwards, so that each ends at its start
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                e = slot[data.items[i]]
                if e >= 0:
                    first[e] -= 1
                    rows[first[e]] = position
        for e in range(begin, end):
            slot[leaves.term_items[e]] = -1
    return at


def entry_records(
    data: Records, ends: Ints64, leaves: Leaves, n_terms: int, spread: Spread
) -> tuple[NDArray[Any], Ints32]:
    """Return for every entry the positions of its records: where they start, and all of them."""
    occurrences = offsets_of(np.diff(data.offsets)[data.order])[ends]  # before each leaf
    wide = np.int32 if occurrences[-1] < 2**31 else np.int64  # there are many of them
    first: NDArray[Any] = np.empty(leaves.term_items.size + 1, wide)
    parts = spans(occurrences, SPAN_OCCURRENCES)

    def listed(span: tuple[int, int]) -> Ints32:
        rows = np.empty(int(occurrences[span[1]] - occurrences[span[0]]), np.int32)
        slot = np.full(n_terms, -1, np.int64)
        return rows[: list_entries(data, ends, leaves, span, slot, first, rows)]

    rows = list(spread(listed, parts))
    before = 0
    for (lo, hi), part in zip(parts, rows, strict=True):
        first[leaves.term_offsets[lo] : leaves.term_offsets[hi]] += wide(before)
        before += part.size
    first[-1] = before
    return first, np.concatenate(rows)


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
            ledger.line_leaves[line] = 1
            ledger.line_records[line] = leaves.sizes[leaf]
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
                ledger.line_leaves[line] = 0
                ledger.line_records[line] = 0
                line += 1
        ledger.end[leaf] = line
    ledger.used[NODES] = leaves.sizes.size
    ledger.used[LINES] = line


@kernel
def count_clusters(ledger, tops, only_free, step, counts):
    """Add `step` to each term for every cluster that lists it in a term chunk (`only_free`: and can share it)."""
    for i in range(tops.size):
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            marks = ledger.line_marks[p]
            if marks & LISTED and not (only_free and marks & SPENT):
                counts[ledger.line_term[p]] += step


@kernel
def close_gaps(ledger):
    """Close the gaps that joined clusters left between the lines, which are in the order of their nodes."""
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
            ledger.line_leaves[line] = ledger.line_leaves[p]
            ledger.line_records[line] = ledger.line_records[p]
            line += 1
        ledger.begin[node] = begin
        ledger.end[node] = line
    ledger.used[LINES] = line


def open_ledger(
    data: Records, n_terms: int, ends: Ints64, leaves: Leaves, leans: Flags, spread: Spread
) -> RefineLedger:
    """Open the ledger for leaves in the order of the partition that `ends` cuts; `leans` as in `RefineLedger`."""
    entries, n = leaves.term_items.size, leaves.sizes.size
    first, rows = entry_records(data, ends, leaves, n_terms, spread)
    lines = entries + leaves.items.size  # at most: repeated terms of record chunks have one line
    room = lines + lines // 2 + n_terms  # one joint fits in, whatever the others need, once the gaps are closed
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
        line_leaves=np.empty(room, np.int32),
        line_records=np.empty(room, np.int32),
        used=np.zeros(2, np.int64),
    )
    open_lists(ledger, leaves, np.full(n_terms, -1, np.int64))
    return ledger


def spans(before: Ints64, size: int) -> list[tuple[int, int]]:
    """Cut things into runs of about `size`; `before` has what comes before each of them, and before the end."""
    cuts = np.flatnonzero(np.diff(before[:-1] // size)) + 1
    return list(pairwise([0, *cuts.tolist(), before.size - 1]))
