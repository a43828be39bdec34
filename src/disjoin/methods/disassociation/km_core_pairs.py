"""Terms and pairs that became rare, one after the other: counters are kept, so that only what changed is looked at."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.disassociation.pair_table import PairTable, Rows, Spread, pair_table
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of


class Postings(NamedTuple):
    """Which rows have a term: `rows[first[t] : first[t + 1]]`, ascending."""

    first: Ints64
    rows: Ints32


class Tally(NamedTuple):
    """What is left: rows that were not dropped, how many have a term, and both terms of a pair."""

    alive: Flags
    supports: Ints64
    pairs: PairTable  # kept up to date in the row of the smaller term only
    waiting: Ints64  # a stack of terms and pairs that became rare, as smaller * n_terms + greater
    used: Ints64  # (1,) how many wait


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


@inner
def first_not_below(values, start, end, wanted):
    """Return where the first of the ascending values[start:end] is that is not smaller than the wanted one.

    Steps get longer until they overshoot, so that what is near is found soon.
    """
    step = np.int64(1)
    while start + step < end and values[start + step] < wanted:
        start += step
        step *= 2
    end = min(end, start + step + 1)
    while start < end:
        middle = (start + end) // 2
        if values[middle] < wanted:
            start = middle + 1
        else:
            end = middle
    return start


@inner
def wait(tally, code):
    """Put a term or pair that became rare on the stack; none does so twice."""
    tally.waiting[tally.used[0]] = code
    tally.used[0] += 1


@inner
def drop_row(rows, row, tally, k):
    """Drop a row, and note what becomes rare without it. (Without pairs, terms only.)"""
    tally.alive[row] = False
    n_terms = np.int64(tally.supports.size)
    pairs = tally.pairs
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        term = rows.items[p]
        tally.supports[term] -= 1
        if tally.supports[term] == k - 1:
            wait(tally, term * n_terms + term)
        if pairs.first.size == 0:
            continue
        at = pairs.first[term]
        for q in range(p + 1, rows.offsets[row + 1]):
            at = first_not_below(pairs.other, at, pairs.first[term + 1], rows.items[q])
            pairs.support[at] -= 1
            if pairs.support[at] == k - 1:
                wait(tally, term * n_terms + rows.items[q])


@inner
def drop_rows_with_both(rows, postings, a, b, tally, k):
    """Drop the rows that are left of those that have two terms."""
    if postings.first[a + 1] - postings.first[a] > postings.first[b + 1] - postings.first[b]:
        a, b = b, a
    j, end = postings.first[b], postings.first[b + 1]
    for i in range(postings.first[a], postings.first[a + 1]):
        row = postings.rows[i]
        j = first_not_below(postings.rows, j, end, row)
        if j == end:
            break
        if postings.rows[j] == row and tally.alive[row]:
            drop_row(rows, row, tally, k)


@kernel
def drop_while_rare(rows, postings, tally, k):
    """Drop rows with a term, or a pair of terms, that fewer than k have, until there is none."""
    n_terms = np.int64(tally.supports.size)
    for term in range(n_terms):
        if 0 < tally.supports[term] < k:
            wait(tally, term * n_terms + term)
    for term in range(tally.pairs.first.size - 1):
        for i in range(tally.pairs.first[term], tally.pairs.first[term + 1]):
            if tally.pairs.other[i] > term and tally.pairs.support[i] < k:
                wait(tally, term * n_terms + tally.pairs.other[i])
    while tally.used[0] > 0:
        tally.used[0] -= 1
        code = tally.waiting[tally.used[0]]
        drop_rows_with_both(rows, postings, code // n_terms, code % n_terms, tally, k)


def without_rare_terms(rows: Rows, n_terms: int, k: int) -> Flags:
    """Tell which rows are left when each term of theirs is in k of them."""
    return _settled(rows, n_terms, k, PairTable(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)))


def without_rare_pairs(rows: Rows, n_terms: int, k: int, spread: Spread) -> Flags:
    """Tell which rows are left when each term and each pair of terms of theirs is in k of them."""
    everyone, everything = np.arange(rows.offsets.size - 1, dtype=np.int32), np.ones(n_terms, np.bool_)
    return _settled(rows, n_terms, k, pair_table(rows.offsets, rows.items, everyone, everything, spread))


def _settled(rows: Rows, n_terms: int, k: int, pairs: PairTable) -> Flags:
    postings = postings_of(rows, n_terms)
    tally = Tally(
        alive=np.ones(rows.offsets.size - 1, np.bool_),
        supports=np.diff(postings.first),
        pairs=pairs,
        waiting=np.empty(n_terms + pairs.other.size // 2, np.int64),
        used=np.zeros(1, np.int64),
    )
    drop_while_rare(rows, postings, tally, k)
    return tally.alive
