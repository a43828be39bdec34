"""The k^m core: the largest part of the records in which each set of up to m terms occurs k times or not at all.

There is only one such part (PROOF.md of disassociation), and dropping records that hold a rarer set, in any order and
until there are none, leaves it. So work is done where it is cheapest: terms first, then pairs among what is left, then
larger sets; sweeps over everything while many records fall, side by side for ranges of terms, then only what changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.ordering import sort_keys
from disjoin.kernels.pair_table import Rows, Spread, pairs_to_count, rows_of, shards_of
from disjoin.kernels.peeling_rows import check_sets, fill_tails, new_views
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of

SHARD_FOLLOWERS = 16_000_000  # occurrences behind the terms of a shard: 64 MB; the result is the same for any number
FEW = 50  # after a sweep that drops fewer than one row in so many, only what changed is looked at again


class Postings(NamedTuple):
    """Which rows have a term: `rows[first[t] : first[t + 1]]`, ascending."""

    first: Ints64
    rows: Ints32


@kernel
def list_rows_of_terms(offsets, items, cursor, rows):
    """Write the rows of each term, term by term; `cursor` has where they begin."""
    for row in range(offsets.size - 1):
        for p in range(offsets[row], offsets[row + 1]):
            rows[cursor[items[p]]] = row
            cursor[items[p]] += 1


def postings_of(rows: Rows, n_terms: int) -> Postings:
    """Return for each term the rows that have it."""
    first = offsets_of(np.bincount(rows.items, minlength=n_terms))
    listed = np.empty(rows.items.size, np.int32)
    list_rows_of_terms(rows.offsets, rows.items, first[:-1].copy(), listed)
    return Postings(first, listed)


@kernel
def drop_rare_terms(rows, postings, supports, k, waiting, alive):
    """Drop rows with a term that fewer than k have, until there is none; `supports` are kept up to date."""
    depth = 0
    for term in range(supports.size):
        if 0 < supports[term] < k:
            waiting[depth] = term
            depth += 1
    while depth > 0:
        depth -= 1
        term = waiting[depth]
        for i in range(postings.first[term], postings.first[term + 1]):
            row = postings.rows[i]
            if not alive[row]:
                continue
            alive[row] = False
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                other = rows.items[p]
                supports[other] -= 1
                if supports[other] == k - 1:  # it was not waiting before
                    waiting[depth] = other
                    depth += 1


@kernel
def renumber(offsets, items, rank, keys):
    """Replace terms by their ranks, and put each row in ascending order again."""
    for row in range(offsets.size - 1):
        start, n = offsets[row], offsets[row + 1] - offsets[row]
        for i in range(n):
            keys[i] = rank[items[start + i]]
        if n <= 32:
            for i in range(1, n):
                moving = keys[i]
                j = i - 1
                while j >= 0 and keys[j] > moving:
                    keys[j + 1] = keys[j]
                    j -= 1
                keys[j + 1] = moving
        else:
            sort_keys(keys, n)
        for i in range(n):
            items[start + i] = keys[i]


@inner
def enter_rows(rows, postings, term, views, alive):
    """Enter the rows that are left of a term, with what follows it, without copying; return how many."""
    entries = np.int64(0)
    for i in range(postings.first[term], postings.first[term + 1]):
        row = postings.rows[i]
        if alive[row]:
            begin = rows.offsets[row + 1]
            while rows.items[begin - 1] > term:
                begin -= 1
            views.begin[entries] = begin
            views.end[entries] = rows.offsets[row + 1]
            views.row[entries] = row
            entries += 1
    return entries


@inner
def mark_terms_of_dropped(rows, views, entries, marks, alive):
    """Mark the terms of the entered rows that fell, for sets of all sizes."""
    for i in range(entries):
        row = views.row[i]
        if not alive[row]:
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                for size in range(2, marks.shape[0]):
                    marks[size, rows.items[p]] = True


@kernel
def check_marked(items, views, first, rows, postings, k, marks, alive):
    """Check the terms that `marks` (largest set + 1, terms) has for sets up to a size, small sets before larger ones.

    If `first` is not empty, the entries first[t] .. first[t + 1] - 1 of level 0 are those of term t, with what follows
    in `items`, and each mark is looked at once. Otherwise terms are entered from their postings (`items` are those of
    the rows), and when a row falls its terms are marked again, until no mark is left.
    """
    is_entered = first.size > 0
    size = np.int64(2)
    while size < marks.shape[0]:
        fell = False
        for term in range(marks.shape[1]):
            if not marks[size, term]:
                continue
            marks[size, term] = False
            if is_entered:
                lo, hi = first[term], first[term + 1]
            else:
                lo, hi = np.int64(0), enter_rows(rows, postings, term, views, alive)
            if check_sets(items, views, lo, hi, k, size, alive) > 0 and not is_entered:
                fell = True
                mark_terms_of_dropped(rows, views, hi, marks, alive)
                if size > 2:
                    break
        if not fell:
            size += 1
        else:
            size = np.int64(2)


def core_of(offsets: Ints64, items: Ints32, wanted: Flags, k: int, m: int, spread: Spread = map) -> Flags:
    """Return for each record `items[offsets[r] : offsets[r + 1]]` (ascending) whether it is in the k^m core.

    Only wanted terms count; a record without any is in the core.

    >>> import numpy as np
    >>> baskets = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32)
    >>> core_of(*baskets, np.ones(3, np.bool_), k=2, m=2).tolist()
    [True, True, False]
    """
    everyone = np.arange(offsets.size - 1, dtype=np.int32)
    rows, n_terms = rows_of(offsets, items, everyone, wanted), wanted.size
    left = everyone[_without_rare_terms(rows, n_terms, k)]
    for depth in range(2, min(m, int(np.diff(rows.offsets).max(initial=0))) + 1):
        left = left[_peeled(rows_of(offsets, items, left, wanted), n_terms, k, depth, spread)]
    inside = np.zeros(everyone.size, np.bool_)
    inside[left] = True
    return inside


def _without_rare_terms(rows: Rows, n_terms: int, k: int) -> Flags:
    """Tell which rows are left when each term of theirs is in k of them."""
    alive = np.ones(rows.offsets.size - 1, np.bool_)
    postings = postings_of(rows, n_terms)
    drop_rare_terms(rows, postings, np.diff(postings.first), k, np.empty(n_terms, np.int32), alive)
    return alive


def _peeled(rows: Rows, n_terms: int, k: int, depth: int, spread: Spread) -> Flags:
    """Tell which rows are left when each set of up to `depth` terms is in k or none of them."""
    supports = np.bincount(rows.items, minlength=n_terms)
    rank = np.empty(n_terms, np.int32)
    rank[np.argsort(supports, kind="stable")] = np.arange(n_terms, dtype=np.int32)  # rare sets fall first
    longest = int(np.diff(rows.offsets).max(initial=0))
    renumber(rows.offsets, rows.items, rank, np.empty(longest, np.int64))
    alive = np.ones(rows.offsets.size - 1, np.bool_)
    here = np.arange(alive.size, dtype=np.int32)
    everything = np.ones(n_terms, np.bool_)
    while here.size:
        kept = _swept(rows, n_terms, k, depth, spread)
        changed = np.zeros(n_terms, np.bool_)
        changed[rows_of(*rows, np.flatnonzero(~kept).astype(np.int32), everything).items] = True
        fallen = kept.size - int(kept.sum())
        alive[here[~kept]] = False
        rows, here = rows_of(*rows, np.flatnonzero(kept).astype(np.int32), everything), here[kept]
        if fallen * FEW <= kept.size:
            break
    if here.size and changed.any():
        alive[here[~_settled(rows, k, depth, changed)]] = False
    return alive


def _swept(rows: Rows, n_terms: int, k: int, depth: int, spread: Spread) -> Flags:
    """Look at all sets once, each range of terms by itself; tell which rows are left."""
    followers, supports = pairs_to_count(rows, n_terms), np.bincount(rows.items, minlength=n_terms)
    nobody = Postings(np.empty(0, np.int64), np.empty(0, np.int32))

    def check(shard: tuple[int, int]) -> Flags:
        start, end = shard
        cursor, first = offsets_of(followers[start:end]), offsets_of(supports[start:end])
        alive = np.ones(rows.offsets.size - 1, np.bool_)
        tails = np.empty(cursor[-1], np.int32)
        views = new_views(n_terms, depth, int(first[-1]), int(followers[start:end].max(initial=0)))
        fill_tails(rows, start, end, cursor, first[:-1].copy(), tails, views)
        marks = np.zeros((depth + 1, end - start), np.bool_)
        marks[depth] = True
        check_marked(tails, views, first, rows, nobody, k, marks, alive)
        return alive

    kept: Flags = np.logical_and.reduce(list(spread(check, shards_of(followers, SHARD_FOLLOWERS))))
    return kept


def _settled(rows: Rows, k: int, depth: int, changed: Flags) -> Flags:
    """Look again at the sets of terms that changed, and on from there; tell which rows are left."""
    n_terms = changed.size
    alive = np.ones(rows.offsets.size - 1, np.bool_)
    postings, followers = postings_of(rows, n_terms), pairs_to_count(rows, n_terms)
    views = new_views(n_terms, depth, int(np.diff(postings.first).max()), int(followers.max()))
    marks = np.zeros((depth + 1, n_terms), np.bool_)
    marks[2:] = changed
    check_marked(rows.items, views, np.empty(0, np.int64), rows, postings, k, marks, alive)
    return alive
