"""Equal records of groups."""

from __future__ import annotations

import numpy as np

from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.counting import compiled
from disjoin.verify.counting.forests import NARROW, SPREAD, compare_bags, compare_rows
from disjoin.verify.counting.itemsets import Bags


def places_for(rows: int) -> Ints32:
    """Return the empty hash table that `first_equal` needs for that many rows: a power of two, at least half free."""
    return np.full(2 ** max(4, (2 * rows).bit_length()), -1, dtype=np.int32)


@compiled
def first_equal(keys: Ints64, offsets: Ints64, items: Ints32, places: Ints32) -> Ints64:
    """Find for every row the first row with the same key and items: exact, because rows are compared.

    All rows are hashed before the first is looked up, so that memory accesses overlap.
    """
    first = np.empty(keys.size, np.int64)
    last_place = places.size - 1
    for row in range(keys.size):
        code = (np.int64(keys[row]) * SPREAD + 1) & NARROW
        for i in range(offsets[row], offsets[row + 1]):
            code = (code * SPREAD + np.int64(items[i]) + 1) & NARROW
        first[row] = (code ^ (code >> 19)) & last_place
    for row in range(keys.size):
        start, end, place = offsets[row], offsets[row + 1], first[row]
        while True:
            other = places[place]
            if other < 0:
                places[place] = row
                first[row] = row
                break
            if keys[other] == keys[row]:
                other_start, other_end = offsets[other], offsets[other + 1]
                if (
                    other_end - other_start == end - start
                    and compare_rows(items, other_start, other_end, start, end) == 0
                ):
                    first[row] = other
                    break
            place = (place + 1) & last_place
    return first


@compiled
def signs_of_neighbours(group_offsets: Ints64, row_offsets: Ints64, items: Ints32) -> Ints64:
    """Compare every row with the one before it in its group: below 0 if it is greater; -1 if there is none."""
    signs = np.empty(row_offsets.size - 1, np.int64)
    for group in range(group_offsets.size - 1):
        for row in range(group_offsets[group], group_offsets[group + 1]):
            signs[row] = -1
            if row > group_offsets[group]:
                before, here, after = row_offsets[row - 1], row_offsets[row], row_offsets[row + 1]
                signs[row] = compare_rows(items, before, here, here, after)
    return signs


@compiled
def groups_out_of_order(sizes: Ints64, records: Bags, secrets: Bags) -> Flags:
    """Return for every group whether the one before it is greater, by size, records and sensitive items."""
    out = np.zeros(sizes.size, np.bool_)
    for group in range(1, sizes.size):
        sign = sizes[group - 1] - sizes[group]
        if sign == 0:
            sign = np.int64(compare_bags(group - 1, group, records))
        if sign == 0:
            sign = np.int64(compare_bags(group - 1, group, secrets))
        out[group] = sign > 0
    return out
