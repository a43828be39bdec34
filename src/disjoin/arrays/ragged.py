"""Loops over compressed sparse rows: sorting, grouping, transposing, weighting; for methods, not the verifier."""

from __future__ import annotations

import numpy as np

from disjoin.jit.kernel import inner, kernel

_SHORT_ROW = 24


@kernel
def group_rows(records, codes, offsets, items):
    """Sort codes by record, stably, into `items`; `records` are of codes, `offsets` (records + 1,) are filled."""
    offsets[:] = 0
    for row in range(records.size):
        offsets[records[row] + 1] += 1
    for record in range(1, offsets.size):
        offsets[record] += offsets[record - 1]
    # While scattering, offsets[r] is the next free place of record r; afterwards it is the end of r.
    for row in range(records.size):
        record = records[row]
        items[offsets[record]] = codes[row]
        offsets[record] += 1
    for record in range(offsets.size - 1, 0, -1):
        offsets[record] = offsets[record - 1]
    offsets[0] = 0


@kernel
def rank_first_occurrences(items, offsets, ranks):
    """Keep the first of equal codes of a row, in order, and replace it by its rank; in place, returns the number."""
    seen = np.full(ranks.size, -1)
    kept = 0
    begin = offsets[0]
    for row in range(offsets.size - 1):
        end = offsets[row + 1]
        for position in range(begin, end):
            code = items[position]
            if seen[code] != row:
                seen[code] = row
                items[kept] = ranks[code]
                kept += 1
        begin = end
        offsets[row + 1] = kept
    return kept


@inner
def heap_sort(items, first, size):
    """Sort items[first:first + size] ascending, in place: without recursion, never quadratic."""
    for root in range(size // 2 - 1, -1, -1):
        _sink(items, first, root, size)
    for last in range(size - 1, 0, -1):
        items[first], items[first + last] = items[first + last], items[first]
        _sink(items, first, 0, last)


@inner
def _sink(items, first, root, size):
    value = items[first + root]
    child = 2 * root + 1
    while child < size:
        if child + 1 < size and items[first + child] < items[first + child + 1]:
            child += 1
        if items[first + child] <= value:
            break
        items[first + root] = items[first + child]
        root = child
        child = 2 * root + 1
    items[first + root] = value


@kernel
def sort_rows(items, offsets):
    """Sort every row in place: short ones by insertion, long ones by a heap, so no row takes quadratic time."""
    for row in range(offsets.size - 1):
        first, end = offsets[row], offsets[row + 1]
        if end - first > _SHORT_ROW:
            heap_sort(items, first, end - first)
            continue
        for position in range(first + 1, end):
            value = items[position]
            place = position
            while place > first and items[place - 1] > value:
                items[place] = items[place - 1]
                place -= 1
            items[place] = value


@kernel
def mirrored(offsets, items, n_items):
    """Return offsets and row numbers, ascending, of every item: the transposed rows. Applied twice, it sorts rows."""
    starts = np.zeros(n_items + 1, dtype=np.int64)
    for item in items:
        starts[item + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    free = starts.copy()
    rows = np.empty(items.size, dtype=np.int32)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            rows[free[items[at]]] = row
            free[items[at]] += 1
    return starts, rows


@kernel
def replaced(offsets, items, chain_offsets, chains, n_items):
    """Return the rows with every item replaced by its list of items below `n_items`, without repeats."""
    seen = np.full(n_items, -1)
    starts = np.zeros(offsets.size, dtype=np.int64)
    total = 0
    for at in range(items.size):
        total += chain_offsets[items[at] + 1] - chain_offsets[items[at]]
    found = np.empty(total, dtype=np.int32)
    n_found = 0
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            for link in range(chain_offsets[items[at]], chain_offsets[items[at] + 1]):
                if seen[chains[link]] != row:
                    seen[chains[link]] = row
                    found[n_found] = chains[link]
                    n_found += 1
        starts[row + 1] = n_found
    return starts, found[:n_found]


@kernel
def weighed(offsets, items, weights, n_items):
    totals = np.zeros(n_items, dtype=np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            totals[items[at]] += weights[row]
    return totals


@kernel
def add_pairs(offsets, items, weights, rank_of, first, table):
    """Add up, for ranks from `first` on (lines of `table`), the weight of the rows that have them together with a
    smaller rank; `rank_of` is -1 for ignored items."""
    longest = 0
    for row in range(offsets.size - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    ranks = np.empty(longest, dtype=np.int64)
    end = first + table.shape[0]
    for row in range(offsets.size - 1):
        n = 0
        for at in range(offsets[row], offsets[row + 1]):
            if 0 <= rank_of[items[at]] < first:
                ranks[n] = rank_of[items[at]]
                n += 1
        before = n
        for at in range(offsets[row], offsets[row + 1]):
            if first <= rank_of[items[at]] < end:
                ranks[n] = rank_of[items[at]]
                n += 1
        for i in range(before, n):
            for j in range(i):
                table[max(ranks[i], ranks[j]) - first, min(ranks[i], ranks[j])] += weights[row]


@kernel
def narrowed(offsets, items, rank_of, least):
    """Return the rows with at least `least` ranked items: offsets, ranks (in no order), and row numbers."""
    room = 0
    for item in items:
        room += rank_of[item] >= 0
    ranks = np.empty(room, dtype=np.int32)
    starts = np.zeros(offsets.size, dtype=np.int64)
    sources = np.empty(offsets.size - 1, dtype=np.int64)
    n_rows, end = 0, 0
    for row in range(offsets.size - 1):
        n = end
        for at in range(offsets[row], offsets[row + 1]):
            if rank_of[items[at]] >= 0:
                ranks[n] = rank_of[items[at]]
                n += 1
        if n - end >= least:
            sources[n_rows] = row
            n_rows += 1
            end = n
            starts[n_rows] = end
    return starts[: n_rows + 1], ranks[:end], sources[:n_rows]
