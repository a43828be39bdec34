"""Which terms a chunk has, and which combinations of them are rare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints32, Ints64
from disjoin.verify.counting import compiled

Bools = NDArray[np.bool_]
Bags = tuple[Ints64, Ints64, Ints32, Ints64]  # subrecord offsets, item offsets, items, counts
Entries = tuple[Ints64, Ints64, Ints64, Ints64, Ints64, Ints64, Ints64]


@compiled
def domains(
    chunk_offsets: Ints64, bags: Bags, term_offsets: Ints64, term_items: Ints32, n_terms: int
) -> tuple[Ints64, Ints32, Ints64, Bools, Bools]:
    """List the distinct terms of every chunk with their supports.

    Return offsets by chunk, terms, supports, whether an earlier chunk of the same node has the term too, and for
    every term-chunk entry whether a chunk of the same node has it. What lies behind the last offset is unused room.
    """
    subrecord_offsets, item_offsets, items, counts = bags
    offsets = np.zeros(subrecord_offsets.size, np.int64)
    terms = np.empty(items.size, np.int32)
    supports = np.empty(items.size, np.int64)
    repeated = np.empty(items.size, np.bool_)
    in_chunk = np.empty(term_items.size, np.bool_)
    slot = np.empty(n_terms, np.int64)  # where the term was listed last
    for term in range(n_terms):
        slot[term] = -1
    listed = 0
    for node in range(chunk_offsets.size - 1):
        first_of_node = listed
        for chunk in range(chunk_offsets[node], chunk_offsets[node + 1]):
            first_of_chunk = listed
            for subrecord in range(subrecord_offsets[chunk], subrecord_offsets[chunk + 1]):
                for p in range(item_offsets[subrecord], item_offsets[subrecord + 1]):
                    term = items[p]
                    if slot[term] >= first_of_chunk:
                        supports[slot[term]] += counts[subrecord]
                    else:
                        terms[listed] = term
                        supports[listed] = counts[subrecord]
                        repeated[listed] = slot[term] >= first_of_node
                        slot[term] = listed
                        listed += 1
            offsets[chunk + 1] = listed
        for p in range(term_offsets[node], term_offsets[node + 1]):
            in_chunk[p] = slot[term_items[p]] >= first_of_node
    return offsets, terms, supports, repeated, in_chunk


@compiled
def _project(
    entries: Entries, frame: tuple[int, int, int, int], items: Ints32, scratch: tuple[Ints64, Ints64, Bools], k: int
) -> tuple[int, int]:
    """List the terms of the suffixes `entries[lo:hi]` and, for each worth following, the suffixes behind it.

    `frame` is (lo, hi, first free entry, first free extension); returns the new free places and leaves the scratch
    arrays zero. Worth following: frequent so far, and in a suffix that stands for fewer than k records.
    """
    tails, stops, weights, ext_terms, ext_supports, ext_firsts, ext_lasts = entries
    lo, hi, top, first_ext = frame
    support, room, weak = scratch
    end_ext = first_ext
    for e in range(lo, hi):
        for p in range(tails[e], stops[e]):
            term = items[p]
            if support[term] == 0:
                ext_terms[end_ext] = term
                end_ext += 1
            support[term] += weights[e]
            room[term] += 1
            if weights[e] < k:
                weak[term] = True
    for i in range(first_ext, end_ext):
        term = ext_terms[i]
        ext_supports[i] = support[term]
        ext_firsts[i] = top
        if support[term] >= k and weak[term]:
            top += room[term]
            room[term] = ext_firsts[i]
        else:
            room[term] = -1
        ext_lasts[i] = top
    for e in range(lo, hi):
        for p in range(tails[e], stops[e]):
            free = room[items[p]]
            if free >= 0:
                tails[free] = p + 1
                stops[free] = stops[e]
                weights[free] = weights[e]
                room[items[p]] += 1
    for i in range(first_ext, end_ext):
        support[ext_terms[i]] = 0
        room[ext_terms[i]] = 0
        weak[ext_terms[i]] = False
    return top, end_ext


@compiled
def _tally(entries: Entries, lo: int, hi: int, first_ext: int, items: Ints32, support: Ints64) -> int:
    """List the terms of the suffixes `entries[lo:hi]` with their supports; return the end of the list."""
    tails, stops, weights, ext_terms, ext_supports = entries[0], entries[1], entries[2], entries[3], entries[4]
    end_ext = first_ext
    for e in range(lo, hi):
        for p in range(tails[e], stops[e]):
            term = items[p]
            if support[term] == 0:
                ext_terms[end_ext] = term
                end_ext += 1
            support[term] += weights[e]
    for i in range(first_ext, end_ext):
        ext_supports[i] = support[ext_terms[i]]
        support[ext_terms[i]] = 0
    return end_ext


@compiled
def rare_itemsets(chunks: Ints64, bags: Bags, n_terms: int, k: int, m: int) -> tuple[Ints64, Ints64, Ints64, Ints32]:
    """Look in each of `chunks` for itemsets of 1 to m >= 2 terms that occur, but in fewer than k subrecords.

    Return, by chunk, how many were found (supersets of a found one are not looked for), the least support, and the
    length and items of a shortest itemset that has it. Subrecords must be ascending, counts at least 1.

    Depth first: every itemset is met once, as its terms in ascending order, with the list of the suffixes behind it.
    What lies behind is skipped when it cannot be rare: each further term takes away at most as many records as lack
    the rarest term among those that may follow (`gap`).
    """
    subrecord_offsets, item_offsets, items, counts = bags
    most_items, most_rows, longest = 0, 0, 1
    for chunk in chunks:
        first, last = subrecord_offsets[chunk], subrecord_offsets[chunk + 1]
        most_items = max(most_items, item_offsets[last] - item_offsets[first])
        most_rows = max(most_rows, last - first)
        for row in range(first, last):
            longest = max(longest, item_offsets[row + 1] - item_offsets[row])
    m = max(2, min(m, longest))
    room_for = most_rows + m * most_items
    entries = (
        np.empty(room_for, np.int64),
        np.empty(room_for, np.int64),
        np.empty(room_for, np.int64),
        np.empty(room_for, np.int64),
        np.empty(room_for, np.int64),
        np.empty(room_for, np.int64),
        np.empty(room_for, np.int64),
    )
    scratch = (np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64), np.zeros(n_terms, np.bool_))
    worst = (
        np.zeros(chunks.size, np.int64),
        np.zeros(chunks.size, np.int64),
        np.zeros(chunks.size, np.int64),
        np.empty((chunks.size, m), np.int32),
    )
    at, end, top, gap = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    prefix = np.empty(m, np.int32)
    for c in range(chunks.size):
        first, last = subrecord_offsets[chunks[c]], subrecord_offsets[chunks[c] + 1]
        total = 0
        for row in range(first, last):
            total += counts[row]
            entries[0][row - first] = item_offsets[row]
            entries[1][row - first] = item_offsets[row + 1]
            entries[2][row - first] = counts[row]
        depth = 0
        at[0] = 0
        top[0], end[0] = _project(entries, (0, last - first, last - first, 0), items, scratch, k)
        gap[0] = total - _least(entries[4], 0, end[0])
        while depth >= 0:
            if at[depth] == end[depth]:
                depth -= 1
                continue
            here = at[depth]
            at[depth] += 1
            prefix[depth] = entries[3][here]
            lo, hi, seen = entries[5][here], entries[6][here], entries[4][here]
            if seen < k:
                _note(c, prefix, depth + 1, seen, worst)
            elif lo == hi or seen - (m - depth - 1) * gap[depth] >= k:
                continue
            elif depth + 2 < m:
                at[depth + 1] = end[depth]
                top[depth + 1], end[depth + 1] = _project(entries, (lo, hi, top[depth], end[depth]), items, scratch, k)
                gap[depth + 1] = seen - _least(entries[4], end[depth], end[depth + 1])
                depth += 1
            else:
                for i in range(end[depth], _tally(entries, lo, hi, end[depth], items, scratch[0])):
                    if entries[4][i] < k:
                        prefix[depth + 1] = entries[3][i]
                        _note(c, prefix, depth + 2, entries[4][i], worst)
    return worst


@compiled
def _least(values: Ints64, first: int, last: int) -> int:
    least = values[first]
    for i in range(first, last):
        least = min(least, values[i])
    return least


@compiled
def _note(c: int, prefix: Ints32, length: int, seen: int, worst: tuple[Ints64, Ints64, Ints64, Ints32]) -> None:
    """Count a rare itemset and keep it if it is the worst so far."""
    found, least, lengths, examples = worst
    worse = found[c] == 0 or seen < least[c] or (seen == least[c] and length < lengths[c])
    found[c] += 1
    if worse:
        least[c], lengths[c] = seen, length
        for i in range(length):
            examples[c, i] = prefix[i]
