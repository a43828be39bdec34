"""Rows of item codes, in place: grouped by record, free of repeats, ranked, sorted."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import kernel

_SHORT_ROW = 24


@kernel
def group_rows(records, codes, offsets, items):
    """Bring the codes of each record together, in the order of the source.

    `records` numbers the record of every code; `offsets` (one longer than there are records) and `items` are filled.
    """
    for record in range(offsets.size):
        offsets[record] = 0
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
    """Keep the first of equal codes of a row, in order, and replace it by its rank; in place, returns how many stay."""
    seen = np.empty(ranks.size, np.int64)
    for code in range(seen.size):
        seen[code] = -1
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


@kernel
def _sift_down(items, first, root, size):
    """Restore the heap below `root` in items[first:first + size]."""
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
def _sort_long(items, first, size):
    for root in range(size // 2 - 1, -1, -1):
        _sift_down(items, first, root, size)
    for last in range(size - 1, 0, -1):
        items[first], items[first + last] = items[first + last], items[first]
        _sift_down(items, first, 0, last)


@kernel
def sort_rows(items, offsets):
    """Sort every row in place: short ones by insertion, long ones by a heap, so that no row is quadratic."""
    for row in range(offsets.size - 1):
        first, end = offsets[row], offsets[row + 1]
        if end - first > _SHORT_ROW:
            _sort_long(items, first, end - first)
            continue
        for position in range(first + 1, end):
            value = items[position]
            place = position
            while place > first and items[place - 1] > value:
                items[place] = items[place - 1]
                place -= 1
            items[place] = value
