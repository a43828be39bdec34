"""The IBM Quest generator: patterns first, then records made of corrupted patterns."""

from __future__ import annotations

import numpy as np
from numba import njit

from disjoin.kernels.randomness import exponential, normal, poisson, shuffle_front, uniform, weighted


@njit(cache=True, nogil=True)
def draw_weights(state, size):
    """Draw exponential weights and return their running sums: float64 (size,)."""
    cumulative = np.empty(size, dtype=np.float64)
    total = 0.0
    for position in range(size):
        total += exponential(state)
        cumulative[position] = total
    return cumulative


@njit(cache=True, nogil=True)
def draw_lengths(state, size, mean, longest):
    """Draw pattern lengths 1 + Poisson(mean - 1), at most `longest`: int64 (size,)."""
    lengths = np.empty(size, dtype=np.int64)
    for position in range(size):
        lengths[position] = min(longest, 1 + poisson(state, mean - 1.0))
    return lengths


@njit(cache=True, nogil=True)
def draw_confidences(state, size, mean, deviation):
    """Draw the probability, for each pattern, that corruption stops before the next item: float64 (size,)."""
    confidences = np.empty(size, dtype=np.float64)
    for position in range(size):
        confidences[position] = min(1.0, max(0.0, mean + deviation * normal(state)))
    return confidences


@njit(cache=True, nogil=True)
def draw_patterns(state, offsets, cumulative, correlation):
    """Fill the patterns with terms 1..N: some of the previous pattern's, the rest drawn by weight, all distinct.

    `offsets` (patterns + 1,) say how long they are, `cumulative` (N,) are the running sums of the terms' weights.
    """
    items = np.empty(offsets[offsets.size - 1], dtype=np.int32)
    holder = np.zeros(cumulative.size + 1, dtype=np.int64)  # the last pattern that a term was put into, from 1
    previous = np.empty(cumulative.size, dtype=np.int32)
    previous_length = 0
    for pattern in range(offsets.size - 1):
        start = offsets[pattern]
        length = offsets[pattern + 1] - start
        shared = 0
        if pattern > 0:
            shared = min(length, previous_length, int(length * correlation * exponential(state) + 0.5))
        shuffle_front(state, previous, previous_length, shared)
        for position in range(shared):
            items[start + position] = previous[position]
            holder[previous[position]] = pattern + 1
        filled = shared
        while filled < length:
            term = 1 + weighted(state, cumulative)
            if holder[term] != pattern + 1:
                holder[term] = pattern + 1
                items[start + filled] = term
                filled += 1
        for position in range(length):
            previous[position] = items[start + position]
        previous_length = length
    return items


@njit(cache=True, nogil=True)
def _draw_record(state, waiting, offsets, items, cumulative, confidences, mean, in_record, pool, record):
    """Draw one record into `record` and return its size, which may be 0.

    `waiting` (1,) is the pattern put back by the record before, or -1; `in_record` (N + 1,) marks the terms of this
    record; `pool` is room for one pattern.
    """
    length = 1 + poisson(state, mean - 1.0)
    size = 0
    tries = 0
    while size < length and tries < cumulative.size:
        tries += 1
        pattern = waiting[0] if waiting[0] >= 0 else weighted(state, cumulative)
        waiting[0] = -1
        start = offsets[pattern]
        whole = offsets[pattern + 1] - start
        kept = whole
        while kept > 0 and uniform(state) > confidences[pattern]:
            kept -= 1
        if kept + size > length and uniform(state) > 0.5:
            waiting[0] = pattern
            break
        for position in range(whole):
            pool[position] = items[start + position]
        shuffle_front(state, pool, whole, kept)
        for position in range(kept):
            if not in_record[pool[position]]:
                in_record[pool[position]] = True
                record[size] = pool[position]
                size += 1
    for position in range(size):
        in_record[record[position]] = False
    return size


@njit(cache=True, nogil=True)
def _append_sorted(record, size, items, used):
    """Copy a record behind the `used` items, ascending; return the items, moved to a larger array when full."""
    if used + size > items.size:
        larger = np.empty(2 * (used + size), dtype=np.int32)
        for position in range(used):
            larger[position] = items[position]
        items = larger
    for position in range(size):
        item = record[position]
        place = used + position
        while place > used and items[place - 1] > item:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item
    return items


@njit(cache=True, nogil=True)
def draw_records(state, waiting, pattern_offsets, pattern_items, cumulative, confidences, mean, n_terms, n_records):
    """Draw the next `n_records` non-empty records: offsets int64 (n_records + 1,) and items int32, ascending.

    `state` and `waiting` go from call to call, so the records do not depend on where the calls cut them.
    """
    longest = 0
    for pattern in range(pattern_offsets.size - 1):
        longest = max(longest, pattern_offsets[pattern + 1] - pattern_offsets[pattern])
    in_record = np.zeros(n_terms + 1, dtype=np.bool_)
    pool = np.empty(longest, dtype=np.int32)
    record = np.empty(n_terms, dtype=np.int32)
    offsets = np.zeros(n_records + 1, dtype=np.int64)
    items = np.empty(int(n_records * (mean + 1.0)) + n_terms, dtype=np.int32)
    drawn = 0
    while drawn < n_records:
        size = _draw_record(
            state, waiting, pattern_offsets, pattern_items, cumulative, confidences, mean, in_record, pool, record
        )
        if size > 0:
            items = _append_sorted(record, size, items, offsets[drawn])
            offsets[drawn + 1] = offsets[drawn] + size
            drawn += 1
    return offsets, items[: offsets[n_records]]


@njit(cache=True, nogil=True)
def write_fimi(offsets, items, text):
    """Write records as lines of blank-separated numbers into `text`: uint8, room enough; return the bytes used."""
    used = 0
    for record in range(offsets.size - 1):
        for position in range(offsets[record], offsets[record + 1]):
            number = np.int64(items[position])
            digits = 1
            bound = 10
            while number >= bound:
                digits += 1
                bound *= 10
            for place in range(used + digits - 1, used - 1, -1):
                text[place] = 48 + number % 10
                number //= 10
            text[used + digits] = 32
            used += digits + 1
        text[used - 1] = 10  # the blank after the last item becomes the line end
    return used
