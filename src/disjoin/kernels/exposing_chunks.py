"""Chunks in which some rows show more than the promise is about: they hold a set of terms that few records hold."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.exposing import CHUNK, LEVEL, PAUSE, ROWS, STEPS, Levels, Marks, Rows, put_in_list, search
from disjoin.kernels.published_chunks import Chunks
from disjoin.kernels.record_rows import sort_rows
from disjoin.model.arrays import Flags, Ints64

BREATH = 50_000_000  # steps between two returns to Python, which hears Ctrl-C there
MOST_STEPS = 300_000_000  # one or two seconds; five datasets took a quarter of it at most


@inner
def rank_terms(chunks, first, last, width, marks, keys):
    """Tally the terms of the subrecords that have `width` of them, and rank these from the rarest; return how many."""
    item_offsets, items, counts = chunks.item_offsets, chunks.items, chunks.counts
    found = np.int64(0)
    for s in range(first, last):
        if item_offsets[s + 1] - item_offsets[s] >= width:
            for p in range(item_offsets[s], item_offsets[s + 1]):
                if marks.tallies[items[p]] == 0:
                    marks.touched[found] = items[p]
                    found += 1
                marks.tallies[items[p]] += counts[s]
    n_terms = marks.ranks.size
    for i in range(found):
        keys[i] = marks.tallies[marks.touched[i]] * n_terms + marks.touched[i]
    bounds = np.zeros(2, np.int64)
    bounds[1] = found
    sort_rows(keys, bounds)
    for i in range(found):
        marks.ranks[keys[i] % n_terms] = i
    return found


@inner
def load(chunks, first, last, width, levels, rows, marks):
    """Write the subrecords that have `width` terms to level 0; return how many there are, and for how many records."""
    item_offsets, items = chunks.item_offsets, chunks.items
    row = end = records = np.int64(0)
    levels.begin[0] = 0
    for s in range(first, last):
        if item_offsets[s + 1] - item_offsets[s] >= width:
            for p in range(item_offsets[s], item_offsets[s + 1]):
                levels.items[end] = marks.ranks[items[p]]
                end += 1
            rows.subrecords[row], levels.weight[row] = s, chunks.counts[s]
            levels.place[row], levels.source[row] = levels.begin[row], row
            records += chunks.counts[s]
            row += 1
            levels.begin[row] = end
    sort_rows(levels.items, levels.begin[: row + 1])
    return row, records


@inner
def judge_by_supports(row, records, k, width, levels, rows, keys, n_terms, exposed):
    """Note whether a row is exposed for sure (it has a rare term), cannot be, or must be searched.

    A set is in all records but those that lack one of its terms; the rarest terms come first.
    """
    begin = levels.begin[row]
    least = records
    for p in range(begin, begin + width):
        least -= records - keys[levels.items[p]] // n_terms
    has_rare = keys[levels.items[begin]] // n_terms < k
    rows.is_open[row] = levels.weight[row] < k and least < k and not has_rare
    exposed[rows.subrecords[row]] = has_rare or rows.is_open[row]


@kernel
def measure_room(chunks, width, room, marks):
    """Find how many rows and items the largest chunk has, and what any one term is in, both beside short rows."""
    subrecord_offsets, item_offsets, items = chunks.subrecord_offsets, chunks.item_offsets, chunks.items
    followers = np.zeros(marks.ranks.size, np.int64)
    for chunk in range(subrecord_offsets.size - 1):
        rows = held = found = np.int64(0)
        for s in range(subrecord_offsets[chunk], subrecord_offsets[chunk + 1]):
            length = item_offsets[s + 1] - item_offsets[s]
            if length >= width:
                rows += 1
                held += length
                for p in range(item_offsets[s], item_offsets[s + 1]):
                    if marks.tallies[items[p]] == 0:
                        marks.touched[found] = items[p]
                        found += 1
                    marks.tallies[items[p]] += 1
                    followers[items[p]] += length - 1
        room[0], room[1] = max(room[0], rows), max(room[1], held)
        for i in range(found):
            term = marks.touched[i]
            room[2], room[3] = max(room[2], marks.tallies[term]), max(room[3], followers[term])
            marks.tallies[term] = followers[term] = 0


@inner
def begin_chunk(chunks, chunk, k, width, levels, rows, marks, keys, exposed):
    """Write a chunk to level 0 and judge its rows by their terms; return how many rows there are to search among."""
    first, last = chunks.subrecord_offsets[chunk], chunks.subrecord_offsets[chunk + 1]
    marks.pace[STEPS] += chunks.item_offsets[last] - chunks.item_offsets[first]
    n_terms = rank_terms(chunks, first, last, width, marks, keys)
    if n_terms == 0:
        return np.int64(0)
    n_rows, records = load(chunks, first, last, width, levels, rows, marks)
    for i in range(n_terms):
        marks.tallies[marks.touched[i]] = 0
        levels.candidates[0, i] = i
    levels.numbers[0], levels.turns[0] = n_terms, 0
    any_open = False
    for row in range(n_rows):
        judge_by_supports(row, records, k, width, levels, rows, keys, marks.ranks.size, exposed)
        any_open |= rows.is_open[row]
    if not any_open:
        return np.int64(0)
    for row in range(n_rows):
        put_in_list(levels, 0, row)
    return n_rows


@kernel
def mark_exposed(chunks, k, width, levels, rows, marks, keys, exposed):
    """Mark the subrecords that hold a set of `width` terms which fewer than k records of their chunk hold.

    Pauses as the pace of `marks` says, and goes on from there when it is called again.
    """
    pace = marks.pace
    while pace[CHUNK] < chunks.subrecord_offsets.size - 1 and pace[STEPS] < pace[PAUSE]:
        if pace[LEVEL] < 0:
            pace[ROWS] = begin_chunk(chunks, pace[CHUNK], k, width, levels, rows, marks, keys, exposed)
            pace[LEVEL] = min(pace[ROWS], 1) - 1
        search(levels, rows, k, width, marks)
        if pace[LEVEL] < 0:
            for row in range(pace[ROWS]):
                exposed[rows.subrecords[row]] &= not rows.is_open[row]
            pace[CHUNK] += 1


def exposed_subrecords(chunks: Chunks, n_terms: int, k: int, width: int, most: int = MOST_STEPS) -> Flags | None:
    """Tell of every subrecord whether it holds `width` terms (two or more) that fewer than k of its chunk hold.

    None if that takes more steps than `most`; this is a matter of the chunks alone.
    """
    pace = np.array([0, 0, 0, 0, -1])
    marks = Marks(np.zeros(n_terms, np.int64), np.empty(n_terms, np.int64), np.empty(n_terms, np.int32), pace)
    room, keys = np.zeros(4, np.int64), np.empty(n_terms, np.int64)
    measure_room(chunks, width, room, marks)
    rows = Rows(np.empty(room[0], np.int64), np.empty(room[0], np.bool_))
    exposed = np.zeros(chunks.counts.size, np.bool_)
    levels = _levels(room, n_terms, width - 1)
    while room[0] and pace[CHUNK] < chunks.subrecord_offsets.size - 1:
        if pace[STEPS] >= most:
            return None
        pace[PAUSE] = min(most, pace[STEPS] + BREATH)
        mark_exposed(chunks, k, width, levels, rows, marks, keys, exposed)
    return exposed


def _levels(room: Ints64, n_terms: int, depth: int) -> Levels:
    """Make space for the largest chunk, and `depth` - 1 times for the rows of the term that needs most."""
    rows, items, rows_below, items_below = (int(number) for number in room)
    assert rows + depth * rows_below < 2**31, "rows are numbered in 32 bits"
    first_rows = np.array([0] + [rows + 1 + level * (rows_below + 1) for level in range(depth - 1)])
    first_items = np.array([0] + [items + level * items_below for level in range(depth - 1)])
    all_rows, all_items = rows + 1 + (depth - 1) * (rows_below + 1), items + (depth - 1) * items_below
    return Levels(
        begin=np.empty(all_rows, np.int64),
        place=np.empty(all_rows, np.int64),
        following=np.empty(all_rows, np.int32),
        source=np.empty(all_rows, np.int32),
        weight=np.empty(all_rows, np.int64),
        items=np.empty(all_items, np.int32),
        heads=np.full((depth, n_terms), -1, np.int64),
        candidates=np.empty((depth, n_terms), np.int32),
        first_rows=first_rows,
        first_items=first_items,
        numbers=np.zeros(depth, np.int64),
        turns=np.zeros(depth, np.int64),
    )
