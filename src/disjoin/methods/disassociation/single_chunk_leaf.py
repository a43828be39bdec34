"""A leaf whose records are published as they are: one chunk, with all terms but those that belong to the term chunk."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import kernel
from disjoin.jit.ordering import compare_lists, first_items, sort_ties
from disjoin.methods.disassociation.pair_table import TermRows, rows_of
from disjoin.methods.disassociation.write_leaves import Leaves
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged


@kernel
def write_distinct(rows, index, offsets, items, counts):
    """Write the rows in the order of `index`, equal neighbours once with their number; return how many there are."""
    found, at = 0, 0
    for i in range(index.size):
        a, a_end = rows.offsets[index[i]], rows.offsets[index[i] + 1]
        if i > 0:
            b, b_end = rows.offsets[index[i - 1]], rows.offsets[index[i - 1] + 1]
            if compare_lists(rows.items, a, a_end, b, b_end) == 0:
                counts[found - 1] += 1
                continue
        for p in range(a, a_end):
            items[at] = rows.items[p]
            at += 1
        counts[found] = 1
        found += 1
        offsets[found] = at
    return found


def whole_leaf(offsets: Ints64, items: Ints32, records: Ints32, secret: Flags) -> Leaves:
    """Return one leaf of the records, with one chunk; secret terms are in its term chunk, nothing else is.

    >>> import numpy as np
    >>> baskets = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32)
    >>> leaf = whole_leaf(*baskets, np.arange(3, dtype=np.int32), np.array([False, False, True]))
    >>> leaf.items.tolist(), leaf.counts.tolist(), leaf.term_items.tolist()
    ([0, 1], [2], [2])
    """
    rows = rows_of(offsets, items, records, ~secret)
    index = _sorted_rows(rows, secret.size)
    item_offsets = np.zeros(index.size + 1, np.int64)
    distinct, counts = np.empty(rows.items.size, np.int32), np.empty(index.size, np.int64)
    found = write_distinct(rows, index, item_offsets, distinct, counts)
    hidden = np.unique(rows_of(offsets, items, records, secret).items)
    subrecords = Ragged(item_offsets[: found + 1], distinct[: item_offsets[found]])
    return _leaf(subrecords, counts[:found], hidden, records.size)


def leaf_of_distinct(rows: Ragged, counts: Ints64, hidden: Ints32, size: int) -> Leaves:
    """Return the same leaf from different rows, none empty and in any order, and how many records show each."""
    index = _sorted_rows(TermRows(rows.offsets, rows.items), int(rows.items.max(initial=0)) + 1)
    return _leaf(rows.take(index), counts[index], hidden, size)


def _leaf(subrecords: Ragged, counts: Ints64, hidden: Ints32, size: int) -> Leaves:
    chunks = min(1, counts.size)
    return Leaves(
        sizes=np.array([size], np.int64),
        term_offsets=np.array([0, hidden.size], np.int64),
        term_items=hidden,
        chunk_offsets=np.array([0, chunks], np.int64),
        subrecord_offsets=np.array([0, counts.size][: chunks + 1], np.int64),
        item_offsets=subrecords.offsets,
        items=subrecords.items,
        counts=counts,
    )


def _sorted_rows(rows: TermRows, n_terms: int) -> Ints64:
    """Return the numbers of the rows that are not empty, in canonical order."""
    lengths = np.diff(rows.offsets)
    there = np.flatnonzero(lengths)
    starts, lengths = rows.offsets[there], lengths[there]
    keys = np.empty(there.size, np.uint64)
    first_items(rows.items, starts, lengths, max(1, int(n_terms + 1).bit_length()), keys)
    index = np.argsort(keys, kind="stable")
    sort_ties(rows.items, starts, lengths, keys, index, np.empty_like(index))
    return there[index]
