"""Sorting of keys and rows, and an indexed heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.arrays.ragged import heap_sort
from disjoin.jit.kernel import inner, kernel

if TYPE_CHECKING:
    from disjoin.model import Transactions
    from disjoin.model.ragged import Ints32, Ints64


@inner
def goes_before(key, term, base, left, right):
    """Return whether local term `left` is more frequent than `right`, or as frequent and smaller."""
    if key[base + left] != key[base + right]:
        return key[base + left] > key[base + right]
    return term[base + left] < term[base + right]


@inner
def sift_up(heap, place, key, term, base, position):
    entry = heap[base + position]
    while position > 0:
        above = (position - 1) // 2
        other = heap[base + above]
        if not goes_before(key, term, base, entry, other):
            break
        heap[base + position] = other
        place[base + other] = position
        position = above
    heap[base + position] = entry
    place[base + entry] = position


@inner
def sift_down(heap, place, key, term, base, size, position):
    entry = heap[base + position]
    while True:
        below = 2 * position + 1
        if below >= size:
            break
        if below + 1 < size and goes_before(key, term, base, heap[base + below + 1], heap[base + below]):
            below += 1
        other = heap[base + below]
        if not goes_before(key, term, base, other, entry):
            break
        heap[base + position] = other
        place[base + other] = position
        position = below
    heap[base + position] = entry
    place[base + entry] = position


@inner
def drop_top(heap, place, key, term, base, size):
    place[base + heap[base]] = -1
    size -= 1
    if size > 0:
        heap[base] = heap[base + size]
        sift_down(heap, place, key, term, base, size, 0)
    return size


@inner
def compare_lists(items, a, a_end, b, b_end):
    """Compare items[a:a_end] with items[b:b_end]: negative, zero or positive."""
    while a < a_end and b < b_end:
        if items[a] != items[b]:
            return -1 if items[a] < items[b] else 1
        a += 1
        b += 1
    if a < a_end:
        return 1
    return -1 if b < b_end else 0


@inner
def compare_chunks(items, item_offsets, counts, a, a_end, b, b_end):
    """Compare two runs of distinct, sorted subrecords as lists with repeats."""
    while a < a_end and b < b_end:
        order = compare_lists(items, item_offsets[a], item_offsets[a + 1], item_offsets[b], item_offsets[b + 1])
        if order != 0:
            return order
        if counts[a] != counts[b]:
            # When the shorter run ends, the longer one repeats its subrecord and the other continues with a greater
            # one, or has ended and is a prefix.
            if counts[a] > counts[b]:
                return -1 if b + 1 < b_end else 1
            return 1 if a + 1 < a_end else -1
        a += 1
        b += 1
    if a < a_end:
        return 1
    return -1 if b < b_end else 0


@inner
def sort_subrecords(items, starts, lengths, index, spare, lo, hi):
    """Merge-sort index[lo:hi], which numbers lists items[starts[i]:starts[i] + lengths[i]]."""
    for left in range(lo, hi, 8):  # runs of eight by insertion
        right = min(left + 8, hi)
        for i in range(left + 1, right):
            moving = index[i]
            a, a_end = starts[moving], starts[moving] + lengths[moving]
            j = i - 1
            while j >= left:
                other = index[j]
                if compare_lists(items, a, a_end, starts[other], starts[other] + lengths[other]) >= 0:
                    break
                index[j + 1] = other
                j -= 1
            index[j + 1] = moving
    width = 8
    while width < hi - lo:
        for left in range(lo, hi, 2 * width):
            middle = min(left + width, hi)
            right = min(left + 2 * width, hi)
            i, j = left, middle
            for out in range(left, right):
                take_left = j >= right
                if not take_left and i < middle:
                    a, b = index[i], index[j]
                    order = compare_lists(items, starts[a], starts[a] + lengths[a], starts[b], starts[b] + lengths[b])
                    take_left = order <= 0
                if take_left:
                    spare[out] = index[i]
                    i += 1
                else:
                    spare[out] = index[j]
                    j += 1
        for out in range(lo, hi):
            index[out] = spare[out]
        width *= 2


@kernel
def ordinary_then_sensitive(items, starts, lengths, sensitive, content):
    """Write each list as its ordinary items, -1, its sensitive items, list by list."""
    place = 0
    for row in range(starts.size):
        first, last = starts[row], starts[row] + lengths[row]
        for secret in range(2):
            for i in range(first, last):
                if sensitive[items[i]] == (secret == 1):
                    content[place] = items[i]
                    place += 1
            if secret == 0:
                content[place] = -1
                place += 1


@kernel
def first_items(items, starts, lengths, bits, keys):
    """Write the first items of each list into 64 bits, `bits` each, so that keys compare like these prefixes. Items
    are at least -1. A list that has ended is smaller than one that continues."""
    fit = 64 // bits
    for row in range(starts.size):
        key = np.uint64(0)
        for place in range(fit):
            digit = items[starts[row] + place] + 2 if place < lengths[row] else 0
            key = (key << np.uint64(bits)) | np.uint64(digit)
        keys[row] = key


@kernel
def sort_ties(items, starts, lengths, keys, index, spare):
    """Finish a sort by `keys`: sort runs of lists of equal key. `index` is in the order of the keys."""
    n = index.size
    first = 0
    while first < n:
        last = first + 1
        while last < n and keys[index[last]] == keys[index[first]]:
            last += 1
        if last - first > 1:
            sort_subrecords(items, starts, lengths, index, spare, first, last)
        first = last


@inner
def compare_leaves(forest, a, b):
    if forest.sizes[a] != forest.sizes[b]:
        return -1 if forest.sizes[a] < forest.sizes[b] else 1
    c, c_end = forest.chunk_offsets[a], forest.chunk_offsets[a + 1]
    d, d_end = forest.chunk_offsets[b], forest.chunk_offsets[b + 1]
    while c < c_end and d < d_end:
        order = compare_chunks(
            forest.items,
            forest.item_offsets,
            forest.counts,
            forest.subrecord_offsets[c],
            forest.subrecord_offsets[c + 1],
            forest.subrecord_offsets[d],
            forest.subrecord_offsets[d + 1],
        )
        if order != 0:
            return order
        c += 1
        d += 1
    if c < c_end:
        return 1
    if d < d_end:
        return -1
    return compare_lists(
        forest.term_items,
        forest.term_offsets[a],
        forest.term_offsets[a + 1],
        forest.term_offsets[b],
        forest.term_offsets[b + 1],
    )


@inner
def sort_keys(keys, n):
    heap_sort(keys, 0, n)


def by_content(data: Transactions, records: Ints32) -> Ints32:
    """Sort records by their ordinary terms, then by their sensitive ones (as lists, a proper prefix first)."""
    starts, lengths = data.offsets[records], data.offsets[records + 1] - data.offsets[records]
    content = data.items
    if data.sensitive is not None and data.sensitive.any():
        content = np.empty(int(lengths.sum()) + lengths.size, dtype=np.int32)
        ordinary_then_sensitive(data.items, starts, lengths, data.sensitive, content)
        lengths = lengths + 1  # with a separator smaller than any term
        starts = np.cumsum(lengths) - lengths
    return records[in_order(content, starts, lengths, data.n_terms)]


def in_order(items: Ints32, starts: Ints64, lengths: Ints64, n_terms: int) -> Ints64:
    """Return the order of lists items[starts[i]:starts[i] + lengths[i]] of terms; -1 is smaller than any."""
    keys = np.empty(starts.size, dtype=np.uint64)
    first_items(items, starts, lengths, max(1, int(n_terms + 1).bit_length()), keys)
    index = np.argsort(keys, kind="stable")
    sort_ties(items, starts, lengths, keys, index, np.empty_like(index))
    return index
