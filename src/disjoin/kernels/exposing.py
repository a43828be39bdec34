"""Which rows hold a set of a given width that few records hold, found without a table of sets.

Terms are ranked from the rarest to the most frequent, and sets are looked at in that order. The rows that hold a term
are copied without what comes before it; in this smaller collection single terms stand for pairs, and so on. Rare sets
are met first; a row in which one was found is counted from then on, but not searched any more. Where all rows of a
collection have been found, it is not looked into. Memory is that of the largest chunk, once for every term of a set.

Steps are counted: the terms of rows that are read. They depend on the chunks alone, never on the machine, and a search
that pauses after some number of them goes on where it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.kernels.compiling import inner
from disjoin.kernels.record_rows import sort_rows
from disjoin.model.arrays import Flags, Ints32, Ints64

STEPS, PAUSE, CHUNK, ROWS, LEVEL = range(5)  # of a pace


class Levels(NamedTuple):
    """Working space. Level j has the rows that hold some set of j terms, and what comes later in each of them.

    Rows of level j are numbered from `first_rows[j]` and written from `first_items[j]` on. A row is in the list of one
    of its terms, the one at its place: `heads` of the level and the term begins that list, -1 if it is empty, as all
    are between uses.
    """

    begin: Ints64  # row -> items[begin[row]:begin[row + 1]]
    place: Ints64
    following: Ints32  # the next row of the list, -1 for the last
    source: Ints32  # the row of level 0 that it comes from
    weight: Ints64  # how many records it stands for
    items: Ints32  # ranks of terms, ascending in a row
    heads: Ints64  # (levels, terms)
    candidates: Ints32  # (levels, terms): the terms of the level that are to be looked at, ascending
    first_rows: Ints64  # (levels,)
    first_items: Ints64  # (levels,)
    numbers: Ints64  # (levels,) of candidates
    turns: Ints64  # (levels,): how many of them are done


class Rows(NamedTuple):
    """The rows of level 0: which subrecord each is, and whether it is searched, for no rare set was found in it yet."""

    subrecords: Ints64
    is_open: Flags


class Marks(NamedTuple):
    """What is noted of terms, all zero between uses, and which terms these are; and how far the work is.

    A pace has the steps that are done, after how many of them to pause, and where: in which chunk, how many rows of
    it are searched, and at which level (-1: the chunk is not begun).
    """

    tallies: Ints64  # (terms,)
    touched: Ints64  # (terms,)
    ranks: Ints32  # (terms,)
    pace: Ints64  # (5,)


@inner
def put_in_list(levels, level, row):
    """Put a row in the list of the term at its place."""
    term = levels.items[levels.place[row]]
    levels.following[row] = levels.heads[level, term]
    levels.heads[level, term] = row


@inner
def move_on(levels, level, head, least, pace):
    """Put the rows of a list in those of their next terms, unless fewer than `least` terms are left."""
    row = head
    while row >= 0:
        pace[STEPS] += 1
        next_row = levels.following[row]
        levels.place[row] += 1
        if levels.begin[row + 1] - levels.place[row] >= least:
            put_in_list(levels, level, row)
        row = next_row


@inner
def look_over(levels, head, rows, k):
    """Tell how many records a list stands for, at least if these are k, and whether a row of it is searched."""
    records, any_open = np.int64(0), False
    row = head
    while row >= 0 and (records < k or not any_open):
        records += levels.weight[row]
        any_open |= rows.is_open[levels.source[row]]
        row = levels.following[row]
    return records, any_open


@inner
def close_all(levels, head, rows):
    """Note that a rare set has been found in every row of a list."""
    row = head
    while row >= 0:
        rows.is_open[levels.source[row]] = False
        row = levels.following[row]


@inner
def count_what_follows(levels, head, rows, k, most, marks):
    """Tally the terms that follow in rows which are searched; return how many there are, and whether some are rare.

    Counting ends as soon as none can be rare: `most` terms can follow. Rows that are not searched count only as long
    as a term of the others seems rare.
    """
    found = frequent = np.int64(0)
    for searched in (True, False):
        row = head
        while row >= 0 and frequent < most and (searched or frequent < found):
            weight = levels.weight[row]
            if rows.is_open[levels.source[row]] == searched:
                marks.pace[STEPS] += levels.begin[row + 1] - levels.place[row]
                for p in range(levels.place[row] + 1, levels.begin[row + 1]):
                    before = marks.tallies[levels.items[p]]
                    if before == 0 and searched:
                        marks.touched[found] = levels.items[p]
                        found += 1
                    if before > 0 or searched:
                        marks.tallies[levels.items[p]] = before + weight
                        if before < k <= before + weight:
                            frequent += 1
            row = levels.following[row]
    return found, frequent < found


@inner
def search_last(levels, head, rows, k, most, marks):
    """Close the rows of a list in which a term follows that follows in fewer than k records."""
    found, any_rare = count_what_follows(levels, head, rows, k, most, marks)
    row = head if any_rare else np.int64(-1)
    while row >= 0:
        if rows.is_open[levels.source[row]]:
            for p in range(levels.place[row] + 1, levels.begin[row + 1]):
                if marks.tallies[levels.items[p]] < k:
                    rows.is_open[levels.source[row]] = False
                    break
        row = levels.following[row]
    for i in range(found):
        marks.tallies[marks.touched[i]] = 0


@inner
def mark_what_follows(levels, level, head, rows, marks):
    """Mark the terms that follow in rows which are searched, and make them the next level's candidates."""
    found = np.int64(0)
    row = head
    while row >= 0:
        if rows.is_open[levels.source[row]]:
            for p in range(levels.place[row] + 1, levels.begin[row + 1]):
                if marks.tallies[levels.items[p]] == 0:
                    marks.tallies[levels.items[p]] = 1
                    levels.candidates[level + 1, found] = levels.items[p]
                    found += 1
        row = levels.following[row]
    bounds = np.zeros(2, np.int64)
    bounds[1] = found
    sort_rows(levels.candidates[level + 1], bounds)
    levels.numbers[level + 1] = found
    levels.turns[level + 1] = 0


@inner
def descend(levels, level, head, rows, least, marks):
    """Copy what follows in the rows of a list to the next level: candidates, and at least so many of them."""
    mark_what_follows(levels, level, head, rows, marks)
    copy, end = levels.first_rows[level + 1], levels.first_items[level + 1]
    row = head
    while row >= 0:
        begin = end
        marks.pace[STEPS] += levels.begin[row + 1] - levels.place[row]
        for p in range(levels.place[row] + 1, levels.begin[row + 1]):
            if marks.tallies[levels.items[p]] > 0:
                levels.items[end] = levels.items[p]
                end += 1
        if end - begin >= least:
            levels.begin[copy], levels.begin[copy + 1] = begin, end
            levels.place[copy], levels.source[copy], levels.weight[copy] = begin, levels.source[row], levels.weight[row]
            put_in_list(levels, level + 1, copy)
            copy += 1
        else:
            end = begin
        row = levels.following[row]
    for i in range(levels.numbers[level + 1]):
        marks.tallies[levels.candidates[level + 1, i]] = 0


@inner
def search(levels, rows, k, width, marks):
    """Close the rows of level 0 that hold a set of `width` terms which fewer than k records hold.

    Goes on at the level of the pace, and leaves there at which one it paused: -1 at the end.
    """
    level = marks.pace[LEVEL]
    while level >= 0 and marks.pace[STEPS] < marks.pace[PAUSE]:
        if levels.turns[level] == levels.numbers[level]:
            level -= 1
            continue
        term = levels.candidates[level, levels.turns[level]]
        levels.turns[level] += 1
        head = levels.heads[level, term]
        levels.heads[level, term] = -1
        records, any_open = look_over(levels, head, rows, k)
        goes_deeper = any_open and records >= k and level < width - 2
        if any_open and records < k:
            close_all(levels, head, rows)
        elif goes_deeper:
            descend(levels, level, head, rows, width - level - 1, marks)
        elif any_open:
            search_last(levels, head, rows, k, levels.numbers[level] - levels.turns[level], marks)
        move_on(levels, level, head, width - level, marks.pace)
        if goes_deeper:
            level += 1
    marks.pace[LEVEL] = level
