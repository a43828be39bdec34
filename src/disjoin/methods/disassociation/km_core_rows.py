"""Whether every set of terms that some records hold is held by k of them; records that hold a rarer one are dropped.

The sets are looked at by their smallest term: what follows that term in its records is a smaller collection of records
of the same kind, in which single terms stand for pairs, and so on. No table of sets is kept, so that memory does not
grow with the size of the sets.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.disassociation.safe_sets import BREATH, MOST, USED, insert
from disjoin.model.ragged import Flags, Ints32, Ints64


class Views(NamedTuple):
    """Working space; level i is for sets of i + 1 terms: the records that hold the set, and what follows it in each.

    Level i has the places from i * width on in the arrays of entries, and from i * n_terms on in those of terms.
    Between uses `counts` are zero.
    """

    begin: Ints32  # entry -> what follows is items[begin:end] ...
    end: Ints32
    row: Ints32  # ... in this row
    counts: Ints32  # term -> entries of the level that it follows
    touched: Ints32  # the terms that follow
    first: Ints64  # where the entries begin of the i-th of them, one level on
    is_open: Flags  # term -> whether a set with it can be rare, one level on
    largest: Ints64  # (levels + 1,) see `open_terms`
    steps: Ints64  # (2,) see `steps`
    bounds: Ints64  # (4 * levels,) of a level: first entry, end, how many terms follow, how many of them are done
    width: int
    n_terms: int


LO, HI, FOUND, DONE = range(4)


def new_views(n_terms: int, depth: int, rows: int, followers: int, steps: Ints64) -> Views:
    """Make space for terms with that many rows and that many followers in all; `depth` is the largest set."""
    assert followers < 2**31, "what follows is numbered in 32 bits"
    levels = max(1, depth - 1)
    width = max(rows, followers) if levels > 1 else rows
    return Views(
        begin=np.empty(levels * width, np.int32),
        end=np.empty(levels * width, np.int32),
        row=np.empty(levels * width, np.int32),
        counts=np.zeros(levels * n_terms, np.int32),
        touched=np.empty(levels * n_terms, np.int32),
        first=np.empty(levels * n_terms + 1, np.int64),
        is_open=np.zeros(levels * n_terms, np.bool_),
        largest=np.zeros(levels + 1, np.int64),
        steps=steps,
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
                    views.is_open[base + term] = False
                    found += 1
                views.counts[base + term] += 1
            views.steps[USED] += 1 + views.end[i] - views.begin[i]
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
def open_terms(items, views, level, k, more, alive):
    """Open the followers that may be in a rare set with up to `more` terms; return whether there are any.

    A further term takes away at most the rows that lack it. A row whose terms lack too few rows, all together, has no
    rare set; and a term that no row lacks changes no support.
    """
    base, lo, hi = level * views.n_terms, views.bounds[4 * level + LO], views.bounds[4 * level + HI]
    left = np.int64(0)
    for i in range(lo, hi):
        if alive[views.row[i]]:
            left += 1
    some = False
    for i in range(lo, hi):
        if not alive[views.row[i]]:
            continue
        filled = 0
        for p in range(views.begin[i], views.end[i]):
            lack = left - views.counts[base + items[p]]
            if lack > 0:
                filled = insert(views.largest, filled, more, lack)
        views.steps[USED] += views.end[i] - views.begin[i]
        if left - views.largest[:filled].sum() < k:
            some = True
            for p in range(views.begin[i], views.end[i]):
                views.is_open[base + items[p]] = views.counts[base + items[p]] < left
    return some


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
    """Drop rows that hold the level's set, or this set with one more term, if that is too rare; return how many.

    If sets may be larger still, the entries of the next level are written.
    """
    views.bounds[4 * level + FOUND] = 0
    views.bounds[4 * level + DONE] = 0
    dropped = drop_small_crowd(views, level, k, alive)
    if dropped > 0 or level + 2 > depth:
        return dropped
    found = count_followers(items, views, level, alive)
    dropped = drop_rare_followers(items, views, level, k, alive)
    if level + 3 <= depth and open_terms(items, views, level, k, depth - level - 1, alive):
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
        is_open = views.is_open[level * views.n_terms + views.touched[level * views.n_terms + i]]
        if views.steps[USED] > views.steps[MOST]:
            return dropped
        if begin < end and is_open:
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
def check_terms(tails, views, first, at, k, depth, alive):
    """Check the sets of each smallest term, whose entries are first[i] .. first[i + 1] - 1, of up to `depth` terms.

    Begins with the term `at`, and returns where to go on after many steps.
    """
    pause = views.steps[USED] + BREATH
    for i in range(at, first.size - 1):
        if views.steps[USED] > pause:
            return i
        check_sets(tails, views, first[i], first[i + 1], k, depth, alive)
    return first.size - 1
