"""State of REFINE (the *ledger*): the term chunks of every top-level cluster, and what it can no longer share.

Joining clusters needs, for each term, the number of records of a cluster that have it where a term chunk lists it, but
not which records. Every (leaf, term) of a term chunk is an *entry*; a top-level cluster has *lines*, one per term. The
leaves that list a term are needed only when it may move: then the entries of the cluster's leaves, which are chained,
are searched. They are neighbours in memory, so that is fast, and a chain of entries per line is not needed.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.kernel import kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.write_leaves import Leaves
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of

Bytes = NDArray[np.uint8]
Ints16 = NDArray[np.uint16]

MOST_PASSES = (1 << 16) - 1  # that fit into the ledger; 50 are many
LISTED, SPENT = 1, 2  # marks of a line: in a term chunk of the cluster; in one of its record or shared chunks
NODES, LINES, PASS = 0, 1, 2  # places in `used`
SPAN_OCCURRENCES = 400_000  # counted by one thread at a time


class RefineLedger(NamedTuple):
    """Entries (in the order of the term chunks), leaves, nodes (leaves, then joints as they are made), lines."""

    term_offsets: Ints64  # leaf -> its entries
    term_items: Ints32  # entry -> its term
    moved_in: Ints16  # entry -> the pass in which it moved to a shared chunk, 0 if it did not
    strict: Flags  # entry -> whether its term was in a chunk below when it moved
    left: Ints64  # leaf -> terms left in its term chunk
    leans: Flags  # leaf -> whether it has too few subrecords to do without a term chunk
    following: Ints32  # leaf -> the next of its top-level cluster
    first: Ints32  # node -> the first of its leaves
    last: Ints32
    sizes: Ints64  # node -> records
    parents: Ints64  # node -> the joint that it is part of, -1
    begin: Ints64  # node -> its first line
    end: Ints64
    line_term: Ints32
    line_marks: Bytes
    line_support: Ints32  # records that have the term where it is listed
    used: Ints64  # (3,) how many nodes and lines there are, and the pass at hand


@kernel
def count_entries(data, ends, leaves, span, slot, supports):
    """Count the records of every entry of the leaves in `span`; `slot` is scratch (terms, -1) and stays so."""
    for leaf in range(span[0], span[1]):
        begin, end = leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]
        for e in range(begin, end):
            slot[leaves.term_items[e]] = e
        for position in range(ends[leaf], ends[leaf + 1]):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                e = slot[data.items[i]]
                if e >= 0:
                    supports[e] += 1
        for e in range(begin, end):
            slot[leaves.term_items[e]] = -1


def supports_of_entries(data: Records, ends: Ints64, leaves: Leaves, n_terms: int, spread: Spread) -> Ints32:
    """Count for every entry the records of its leaf that have its term; `ends` cuts the records into leaves."""
    occurrences = offsets_of(np.diff(data.offsets)[data.order])[ends]  # before each leaf
    supports = np.zeros(leaves.term_items.size, np.int32)

    def count(span: tuple[int, int]) -> None:
        count_entries(data, ends, leaves, span, np.full(n_terms, -1, np.int64), supports)

    list(spread(count, spans(occurrences, SPAN_OCCURRENCES)))
    return supports


@kernel
def open_lists(ledger, leaves, supports, slot):
    """Write the lines of every leaf: its term chunk, and the terms of its record chunks; `slot` is scratch (-1)."""
    line = 0
    for leaf in range(leaves.sizes.size):
        ledger.begin[leaf] = line
        for e in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            ledger.line_term[line] = leaves.term_items[e]
            ledger.line_marks[line] = LISTED
            ledger.line_support[line] = supports[e]
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
                ledger.line_support[line] = 0
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
            ledger.line_support[line] = ledger.line_support[p]
            line += 1
        ledger.begin[node] = begin
        ledger.end[node] = line
    ledger.used[LINES] = line


def open_ledger(leaves: Leaves, supports: Ints32, n_terms: int, leans: Flags) -> RefineLedger:
    """Open the ledger for leaves in the order of their partition; `leans` as in `RefineLedger`."""
    entries, n = leaves.term_items.size, leaves.sizes.size
    lines = entries + leaves.items.size  # at most: repeated terms of record chunks have one line
    room = lines + lines // 8 + n_terms  # one joint fits in, whatever the others need, once the gaps are closed
    ledger = RefineLedger(
        term_offsets=leaves.term_offsets,
        term_items=leaves.term_items,
        moved_in=np.zeros(entries, np.uint16),
        strict=np.zeros(entries, np.bool_),
        left=np.diff(leaves.term_offsets),
        leans=leans,
        following=np.empty(n, np.int32),
        first=np.arange(2 * n, dtype=np.int32),
        last=np.arange(2 * n, dtype=np.int32),
        sizes=np.concatenate([leaves.sizes, np.zeros(n, np.int64)]),
        parents=np.full(2 * n, -1, np.int64),
        begin=np.empty(2 * n, np.int64),
        end=np.empty(2 * n, np.int64),
        line_term=np.empty(room, np.int32),
        line_marks=np.empty(room, np.uint8),
        line_support=np.empty(room, np.int32),
        used=np.zeros(3, np.int64),
    )
    open_lists(ledger, leaves, supports, np.full(n_terms, -1, np.int64))
    return ledger


def spans(before: Ints64, size: int) -> list[tuple[int, int]]:
    """Cut things into runs of about `size`; `before` has what comes before each of them, and before the end."""
    cuts = np.flatnonzero(np.diff(before[:-1] // size)) + 1
    return list(pairwise([0, *cuts.tolist(), before.size - 1]))
