"""Whether every set of terms that some records hold is held by k of them; records that hold a rarer one are dropped.

The sets are looked at by their smallest term: what follows that term in its records is a smaller collection of records
of the same kind, in which single terms stand for pairs, and so on. No table of sets is kept, so that memory does not
grow with the size of the sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.model.arrays import Ints32, Ints64


class Views(NamedTuple):
    """Working space; level i is for sets of i + 1 terms: the records that hold the set, and what follows it in each.

    Level i has the places from i * width on in the arrays of entries, and from i * n_terms on in those of terms.
    Between uses `counts` are zero.
    """

    begin: Ints64  # entry -> what follows is items[begin:end] ...
    end: Ints64
    row: Ints32  # ... in this row
    counts: Ints32  # term -> entries of the level that it follows
    touched: Ints32  # the terms that follow
    first: Ints64  # where the entries begin of the i-th of them, one level on
    bounds: Ints64  # (4 * levels,) of a level: first entry, end, how many terms follow, how many of them are done
    width: int
    n_terms: int


LO, HI, FOUND, DONE = range(4)


def new_views(n_terms: int, depth: int, rows: int, followers: int) -> Views:
    """Make space for terms that so many rows have and so many others follow in all; `depth` is the largest set."""
    levels = max(1, depth - 1)
    width = max(rows, followers) if levels > 1 else rows
    return Views(
        begin=np.empty(levels * width, np.int64),
        end=np.empty(levels * width, np.int64),
        row=np.empty(levels * width, np.int32),
        counts=np.zeros(levels * n_terms, np.int32),
        touched=np.empty(levels * n_terms, np.int32),
        first=np.empty(levels * n_terms + 1, np.int64),
        bounds=np.zeros(4 * levels, np.int64),
        width=width,
        n_terms=n_terms,
    )


@inner
def drop_small_crowd(views, level, k, alive):
    """Drop the rows of the entries if they are fewer than k; return how many were dropped."""
    lo, hi = views.bounds[4 * level + LO], views.bounds[4 * level + HI]
    left = np.int64(0)
    for i in range(lo, hi):
        if alive[views.row[i]]:
            left += 1
    if left >= k:
        return np.int64(0)
    for i in range(lo, hi):
        alive[views.row[i]] = False
    return left


@inner
def count_followers(items, views, level, alive):
    """Count the terms that follow in rows which are left; return how many different ones there are."""
    base = level * views.n_terms
    found = np.int64(0)
    for i in range(views.bounds[4 * level + LO], views.bounds[4 * level + HI]):
        if alive[views.row[i]]:
            for p in range(views.begin[i], views.end[i]):
                term = items[p]
                if views.counts[base + term] == 0:
                    views.touched[base + found] = term
                    found += 1
                views.counts[base + term] += 1
    return found


@inner
def drop_rare_followers(items, views, level, k, alive):
    """Drop rows in which a term follows that follows in fewer than k, until there is none; return how many."""
    base = level * views.n_terms
    dropped, before = np.int64(0), np.int64(-1)
    while dropped != before:
        before = dropped
        for i in range(views.bounds[4 * level + LO], views.bounds[4 * level + HI]):
            if not alive[views.row[i]]:
                continue
            is_rare = False
            for p in range(views.begin[i], views.end[i]):
                is_rare |= views.counts[base + items[p]] < k
            if is_rare:
                alive[views.row[i]] = False
                dropped += 1
                for p in range(views.begin[i], views.end[i]):
                    views.counts[base + items[p]] -= 1
    return dropped


@inner
def enter_followers(items, views, level, found, alive):
    """Write the entries of the next level, follower by follower."""
    base = level * views.n_terms
    start = (level + 1) * views.width
    for i in range(found):
        term = views.touched[base + i]
        views.first[base + i] = start
        start += views.counts[base + term]
        views.counts[base + term] = 0
    views.first[base + found] = start
    for i in range(found):
        views.counts[base + views.touched[base + i]] = i
    for i in range(views.bounds[4 * level + LO], views.bounds[4 * level + HI]):
        if alive[views.row[i]]:
            for p in range(views.begin[i], views.end[i]):
                follower = base + views.counts[base + items[p]]
                at = views.first[follower]
                views.begin[at] = p + 1
                views.end[at] = views.end[i]
                views.row[at] = views.row[i]
                views.first[follower] = at + 1
    for i in range(found, 0, -1):
        views.first[base + i] = views.first[base + i - 1]
    views.first[base] = (level + 1) * views.width


@inner
def look_at(items, views, level, k, depth, alive):
    """Drop rows that hold the level's set, or that and one more term, if it is too rare; return how many.

    If sets may be larger still, the entries of the next level are written.
    """
    views.bounds[4 * level + FOUND] = 0
    views.bounds[4 * level + DONE] = 0
    dropped = drop_small_crowd(views, level, k, alive)
    if dropped > 0 or level + 2 > depth:
        return dropped
    found = count_followers(items, views, level, alive)
    dropped = drop_rare_followers(items, views, level, k, alive)
    if level + 3 <= depth:
        enter_followers(items, views, level, found, alive)
        views.bounds[4 * level + FOUND] = found
    for i in range(found):
        views.counts[level * views.n_terms + views.touched[level * views.n_terms + i]] = 0
    return dropped


@inner
def check_sets(items, views, lo, hi, k, depth, alive):
    """Drop rows among the entries lo..hi-1 of level 0 that hold a set of up to `depth` terms that is too rare.

    Returns how many were dropped. If that is more than none, sets that were looked at earlier may have become rare.
    """
    views.bounds[LO], views.bounds[HI] = lo, hi
    dropped, level = np.int64(0), np.int64(0)
    is_new = True
    while level >= 0:
        if is_new:
            dropped += look_at(items, views, level, k, depth, alive)
            is_new = False
        i = views.bounds[4 * level + DONE]
        if i == views.bounds[4 * level + FOUND]:
            level -= 1
            continue
        views.bounds[4 * level + DONE] += 1
        begin, end = views.first[level * views.n_terms + i], views.first[level * views.n_terms + i + 1]
        if begin < end:
            level += 1
            views.bounds[4 * level + LO], views.bounds[4 * level + HI] = begin, end
            is_new = True
    return dropped


@kernel
def fill_tails(rows, marked, start, end, cursor, place, tails, views):
    """Copy what follows each marked term of start..end-1 in its rows, term by term, with an entry for each occurrence.

    `cursor` has where the tails of a term begin, `place` where its entries do. Rows are read one after the other:
    jumping from row to row would wait for memory all the time.
    """
    for row in range(rows.offsets.size - 1):
        stop = rows.offsets[row + 1]
        for p in range(rows.offsets[row], stop):
            term = rows.items[p]
            if term >= end:
                break
            if term >= start and marked[term]:
                at, entry = cursor[term - start], place[term - start]
                views.row[entry] = row
                views.begin[entry] = at
                for q in range(p + 1, stop):
                    tails[at] = rows.items[q]
                    at += 1
                views.end[entry] = at
                cursor[term - start] = at
                place[term - start] = entry + 1


@kernel
def check_terms(tails, views, first, k, depth, alive):
    """Check the sets of each smallest term, whose entries are first[i] .. first[i + 1] - 1, of up to `depth` terms."""
    for i in range(first.size - 1):
        check_sets(tails, views, first[i], first[i + 1], k, depth, alive)
