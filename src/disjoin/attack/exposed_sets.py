"""Rare itemsets of a given size in rows, found without a table of all sets.

Terms are ranked from the rarest to the most frequent, and sets are looked at in that order. The rows that hold a term
are copied without what comes before it; in this smaller collection single terms represent pairs, and so on. Rare sets
are met first; a row in which one was found is counted from then on, but not searched any more. Where all rows of a
collection have been found, it is not looked into. Memory is that of the largest chunk, once for every term of a set.

Steps are counted: the terms of rows that are read. They depend on the chunks alone, never on the machine, and a search
that pauses after some number of them goes on where it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ragged import sort_rows
from disjoin.jit.kernel import inner, kernel
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Bag, Flags, Ints32, Ints64, frozen

STEPS, PAUSE, CHUNK, ROWS, LEVEL = range(5)  # of a pace
BEGIN, END, SOURCE, WEIGHT = range(4)  # of a row; side by side, as they are read together
ROW, PLACE = range(2)  # of a post
HEAVIEST = 2**31 - 1
MOST_PAIRS = 1 << 20  # different ones that are counted in a table, which is still near the processor
AT_ONCE = 20_000_000  # pairs that are counted in one turn, for which Ctrl-C waits
BREATH = 50_000_000  # steps between two returns to Python, which handles Ctrl-C there
MOST_STEPS = 300_000_000  # one or two seconds; five datasets took a quarter of it at most


class Chunks(NamedTuple):
    """Where chunks and subrecords begin, the items, and how many records each subrecord represents."""

    subrecord_offsets: Ints64  # (chunks + 1,)
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    counts: Ints64  # (subrecords,)


def chunks_of(published: Clusters) -> Chunks:
    return Chunks(published.subrecord_offsets, published.item_offsets, published.items, published.counts)


def one_chunk(records: Bag) -> Chunks:
    # Read-only as the others: for other arrays everything would be compiled again.
    return Chunks(frozen([0, len(records)], np.int64), records.offsets, records.items, records.counts)


class Levels(NamedTuple):
    """Working space.

    Level j has the rows that hold some set of j terms, and what comes later in each of them. Rows of level j are
    numbered from `first_rows[j]` and written from `first_items[j]` on, and so are its posts. A row is
    `items[BEGIN:END]`; SOURCE is the row of level 0 that it comes from, WEIGHT how many records it represents
    (HEAVIEST, if these are more). The posts of a term, `first[j, term]` to `last[j, term]`, are the rows that hold it,
    ascending, and where: those after which enough terms are left. They are read side by side; in a chain of rows each
    would wait for the one before.
    """

    rows: Ints32  # (rows, 4)
    items: Ints32  # ranks of terms, ascending in a row
    posts: Ints32  # (items, 2)
    first: Ints32  # (levels, terms)
    last: Ints32  # (levels, terms)
    pairs: Ints32  # room to count pairs of candidates in, all zero between uses
    candidates: Ints32  # (levels, terms): the terms of the level that are to be looked at, ascending
    first_rows: Ints64  # (levels,)
    first_items: Ints64  # (levels,)
    numbers: Ints64  # (levels,) of candidates
    turns: Ints64  # (levels,): how many of them are done


class ChunkRows(NamedTuple):
    """The rows of level 0: which subrecord each is, and whether it is searched, for no rare set was found in it yet."""

    subrecords: Ints64
    is_open: Flags


class Marks(NamedTuple):
    """What is noted of terms, all zero between uses, which terms these are, and how far the work is. A pace has the
    steps done, the steps at which to pause, the chunk, the rows searched in it, and the level (-1: not begun)."""

    tallies: Ints64  # (terms,)
    touched: Ints64  # (terms,)
    ranks: Ints32  # (terms,)
    pace: Ints64  # (5,)


@inner
def put_row(levels, row, begin, end, source, weight):
    levels.rows[row, BEGIN], levels.rows[row, END] = begin, end
    levels.rows[row, SOURCE], levels.rows[row, WEIGHT] = source, weight


@inner
def post_rows(levels, level, end, least):
    """Post the rows of a level up to `end` under those of its candidates after which at least that many are left."""
    first, last, items = levels.first[level], levels.last[level], levels.items
    for i in range(levels.numbers[level]):
        last[levels.candidates[level, i]] = 0
    for row in range(levels.first_rows[level], end):
        for p in range(levels.rows[row, BEGIN], levels.rows[row, END] - least + 1):
            last[items[p]] += 1
    free = np.int32(levels.first_items[level])
    for i in range(levels.numbers[level]):
        term = levels.candidates[level, i]
        first[term] = free
        free += last[term]
        last[term] = first[term]
    for row in range(levels.first_rows[level], end):
        for p in range(levels.rows[row, BEGIN], levels.rows[row, END] - least + 1):
            post = last[items[p]]
            levels.posts[post, ROW], levels.posts[post, PLACE] = row, p
            last[items[p]] = post + 1


@inner
def count_what_follows(levels, span, rows, k, most, marks):
    """Tally the terms that follow in rows which are searched; return how many there are, and whether some are rare.
    Counting ends as soon as none can be rare: `most` terms can follow. Rows that are not searched count only as long as
    a term of the others seems rare."""
    found = frequent = np.int64(0)
    for searched in (True, False):
        post = span[0]
        while post < span[1] and frequent < most and (searched or frequent < found):
            row, place = levels.posts[post, ROW], levels.posts[post, PLACE]
            end, weight = levels.rows[row, END], levels.rows[row, WEIGHT]
            if rows.is_open[levels.rows[row, SOURCE]] == searched:
                marks.pace[STEPS] += end - place
                for p in range(place + 1, end):
                    before = marks.tallies[levels.items[p]]
                    if before == 0 and searched:
                        marks.touched[found] = levels.items[p]
                        found += 1
                    if before > 0 or searched:
                        marks.tallies[levels.items[p]] = before + weight
                        if before < k <= before + weight:
                            frequent += 1
            post += 1
    return found, frequent < found


@inner
def search_last(levels, span, rows, k, most, marks):
    """Close the rows of some posts in which a term follows that follows in fewer than k records."""
    found, any_rare = count_what_follows(levels, span, rows, k, most, marks)
    for post in range(span[0], span[1] if any_rare else span[0]):
        row = levels.posts[post, ROW]
        if rows.is_open[levels.rows[row, SOURCE]]:
            for p in range(levels.posts[post, PLACE] + 1, levels.rows[row, END]):
                if marks.tallies[levels.items[p]] < k:
                    rows.is_open[levels.rows[row, SOURCE]] = False
                    break
    for i in range(found):
        marks.tallies[marks.touched[i]] = 0


@inner
def descend(levels, level, span, rows, least, marks):
    """Copy what follows in the rows of some posts to the next level: candidates, and at least that many of them.
    Candidates are the terms that follow in rows which are searched. Returns the end of the rows there."""
    found = np.int64(0)
    for post in range(span[0], span[1]):
        row = levels.posts[post, ROW]
        if rows.is_open[levels.rows[row, SOURCE]]:
            for p in range(levels.posts[post, PLACE] + 1, levels.rows[row, END]):
                if marks.tallies[levels.items[p]] == 0:
                    marks.tallies[levels.items[p]] = 1
                    levels.candidates[level + 1, found] = levels.items[p]
                    found += 1
    sort_rows(levels.candidates[level + 1], np.array([0, found]))
    levels.numbers[level + 1], levels.turns[level + 1] = found, 0
    copy, end = levels.first_rows[level + 1], levels.first_items[level + 1]
    for post in range(span[0], span[1]):
        begin, row = end, levels.posts[post, ROW]
        marks.pace[STEPS] += levels.rows[row, END] - levels.posts[post, PLACE]
        for p in range(levels.posts[post, PLACE] + 1, levels.rows[row, END]):
            if marks.tallies[levels.items[p]] > 0:
                levels.items[end] = levels.items[p]
                end += 1
        if end - begin >= least:
            put_row(levels, copy, begin, end, levels.rows[row, SOURCE], levels.rows[row, WEIGHT])
            copy += 1
        else:
            end = begin
    for i in range(levels.numbers[level + 1]):
        marks.tallies[levels.candidates[level + 1, i]] = 0
    return copy


@inner
def has_rare_pair(levels, row, n, k):
    """Report whether a row holds two of n candidates whose pair was counted fewer than k times."""
    for p in range(levels.rows[row, BEGIN], levels.rows[row, END]):
        line = n * levels.items[p]
        for q in range(p + 1, levels.rows[row, END]):
            if levels.pairs[line + levels.items[q]] < k:
                return True
    return False


@inner
def fits_a_table(levels, level, end, k):
    """Report whether the pairs of the rows of a level can be counted in a table, and in one turn."""
    pairs = np.int64(0)
    for row in range(levels.first_rows[level], end):
        length = np.int64(levels.rows[row, END] - levels.rows[row, BEGIN])
        pairs += length * (length - 1) // 2
    records = (end - levels.first_rows[level]) * k
    return levels.numbers[level] ** 2 <= levels.pairs.size and pairs <= AT_ONCE and records <= HEAVIEST


@inner
def search_pairs(levels, level, end, rows, k, marks):
    """Close the rows of a level that hold two terms which fewer than k records of it hold: count all pairs at once."""
    n = levels.numbers[level]
    for i in range(n):
        marks.tallies[levels.candidates[level, i]] = i
    for row in range(levels.first_rows[level], end):  # numbers among the candidates instead of terms
        for p in range(levels.rows[row, BEGIN], levels.rows[row, END]):
            levels.items[p] = marks.tallies[levels.items[p]]
    for i in range(n):
        marks.tallies[levels.candidates[level, i]] = 0
    for row in range(levels.first_rows[level], end):
        begin, stop, weight = levels.rows[row, BEGIN], levels.rows[row, END], min(levels.rows[row, WEIGHT], k)
        marks.pace[STEPS] += (stop - begin) * (stop - begin - 1) // 2
        for p in range(begin, stop):
            line = n * levels.items[p]
            for q in range(p + 1, stop):
                levels.pairs[line + levels.items[q]] += weight
    for row in range(levels.first_rows[level], end):
        source = levels.rows[row, SOURCE]
        if rows.is_open[source] and has_rare_pair(levels, row, n, k):
            rows.is_open[source] = False
    for i in range(n * n):
        levels.pairs[i] = 0


@inner
def search(levels, rows, k, width, marks):
    """Close the rows of level 0 that hold a set of `width` terms which fewer than k records hold. Goes on at the level
    of the pace, and leaves there at which one it paused: -1 at the end."""
    level = marks.pace[LEVEL]
    while level >= 0 and marks.pace[STEPS] < marks.pace[PAUSE]:
        if levels.turns[level] == levels.numbers[level]:
            level -= 1
            continue
        term = levels.candidates[level, levels.turns[level]]
        levels.turns[level] += 1
        span = levels.first[level, term], levels.last[level, term]
        marks.pace[STEPS] += span[1] - span[0]
        records, any_open, post = np.int64(0), False, span[0]
        while post < span[1] and (records < k or not any_open):  # k records are enough to know
            row = levels.posts[post, ROW]
            records += levels.rows[row, WEIGHT]
            any_open |= rows.is_open[levels.rows[row, SOURCE]]
            post += 1
        if any_open and records < k:
            for rare in range(span[0], span[1]):
                rows.is_open[levels.rows[levels.posts[rare, ROW], SOURCE]] = False
        elif any_open and level < width - 2:
            least = width - level - 1
            end = descend(levels, level, span, rows, least, marks)
            if least == 2 and fits_a_table(levels, level + 1, end, k):
                search_pairs(levels, level + 1, end, rows, k, marks)
            else:
                post_rows(levels, level + 1, end, least)
                level += 1
        elif any_open:
            search_last(levels, span, rows, k, levels.numbers[level] - levels.turns[level], marks)
    marks.pace[LEVEL] = level


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
    sort_rows(keys, np.array([0, found]))
    for i in range(found):
        marks.ranks[keys[i] % n_terms] = i
    return found


@inner
def load(chunks, first, last, width, levels, rows, marks):
    """Write the subrecords that have `width` terms to level 0; return how many there are, and for how many records."""
    item_offsets, items = chunks.item_offsets, chunks.items
    row = end = records = np.int64(0)
    bounds = np.zeros(2, np.int64)
    for s in range(first, last):
        if item_offsets[s + 1] - item_offsets[s] >= width:
            bounds[0] = end
            for p in range(item_offsets[s], item_offsets[s + 1]):
                levels.items[end] = marks.ranks[items[p]]
                end += 1
            bounds[1] = end
            sort_rows(levels.items, bounds)
            put_row(levels, row, bounds[0], end, row, min(chunks.counts[s], HEAVIEST))
            rows.subrecords[row] = s
            records += chunks.counts[s]
            row += 1
    return row, records


@kernel
def measure_room(chunks, width, room, marks):
    """Find how many rows and items the largest chunk has, and what any one term is in, both without short rows."""
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
    """Write a chunk to level 0 and return how many rows there are to search among. A row is exposed (it has a rare
    term), cannot be (too few records lack one of its rarest terms), or must be searched."""
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
        begin, least = levels.rows[row, BEGIN], records
        for p in range(begin, begin + width):
            least -= records - keys[levels.items[p]] // marks.ranks.size
        has_rare = keys[levels.items[begin]] // marks.ranks.size < k
        rows.is_open[row] = levels.rows[row, WEIGHT] < k and least < k and not has_rare
        exposed[rows.subrecords[row]] = has_rare or rows.is_open[row]
        any_open |= rows.is_open[row]
    if not any_open:
        return np.int64(0)
    post_rows(levels, 0, n_rows, width)
    return n_rows


@kernel
def mark_exposed(chunks, k, width, levels, rows, marks, keys, exposed):
    """Mark the subrecords that hold a set of `width` terms which fewer than k records of their chunk hold. Pauses as
    the pace of `marks` says, and goes on from there when it is called again."""
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
    """Report for every subrecord whether it holds `width` terms (two or more) that fewer than k of its chunk hold. None
    if that takes more steps than `most`, which depends on the chunks alone."""
    pace = np.array([0, 0, 0, 0, -1])
    marks = Marks(np.zeros(n_terms, np.int64), np.empty(n_terms, np.int64), np.empty(n_terms, np.int32), pace)
    room, keys = np.zeros(4, np.int64), np.empty(n_terms, np.int64)
    measure_room(chunks, width, room, marks)
    rows = ChunkRows(np.empty(room[0], np.int64), np.empty(room[0], np.bool_))
    exposed = np.zeros(chunks.counts.size, np.bool_)
    levels = _levels(room, n_terms, width - 1)
    while room[0] and pace[CHUNK] < chunks.subrecord_offsets.size - 1:
        if pace[STEPS] >= most:
            return None
        pace[PAUSE] = min(most, pace[STEPS] + BREATH)
        mark_exposed(chunks, k, width, levels, rows, marks, keys, exposed)
    return exposed


def _levels(room: Ints64, n_terms: int, depth: int) -> Levels:
    """Allocate memory for the largest chunk, and `depth` - 1 times for the largest rows of a term."""
    rows, items, rows_below, items_below = (int(number) for number in room)
    assert items + depth * items_below < 2**31, "rows and items are numbered in 32 bits"
    steps = np.arange(depth - 1)
    first_rows, first_items = rows + 1 + steps * (rows_below + 1), items + steps * items_below
    all_rows, all_items = rows + 1 + (depth - 1) * (rows_below + 1), items + (depth - 1) * items_below
    return Levels(
        rows=np.empty((all_rows, 4), np.int32),
        items=np.empty(all_items, np.int32),
        posts=np.empty((all_items, 2), np.int32),
        first=np.empty((depth, n_terms), np.int32),
        last=np.empty((depth, n_terms), np.int32),
        pairs=np.zeros(min(n_terms**2, MOST_PAIRS) if depth > 1 else 0, np.int32),
        candidates=np.empty((depth, n_terms), np.int32),
        first_rows=np.append(0, first_rows),
        first_items=np.append(0, first_items),
        numbers=np.zeros(depth, np.int64),
        turns=np.zeros(depth, np.int64),
    )
