"""An indexed binary heap of terms: the most frequent first, the smaller term first among equals.

A heap lives in slices of three arrays that start at `base`: `heap` (positions to local terms), `place` (local terms to
positions, -1 when absent) and `key` (the count under which a term is filed). `term` breaks ties.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from disjoin.jit.compiled import inner


@inner
def goes_before(key, term, base, left, right):
    """Tell whether local term `left` is more frequent than `right`, or as frequent and smaller."""
    if key[base + left] != key[base + right]:
        return key[base + left] > key[base + right]
    return term[base + left] < term[base + right]


@inner
def sift_up(heap, place, key, term, base, position):
    """Move the entry at `position` up to where it belongs."""
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
    """Move the entry at `position` down to where it belongs."""
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
    """Remove the first entry; return the new size."""
    place[base + heap[base]] = -1
    size -= 1
    if size > 0:
        heap[base] = heap[base + size]
        sift_down(heap, place, key, term, base, size, 0)
    return size
