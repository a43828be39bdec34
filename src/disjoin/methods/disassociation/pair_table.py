"""How many records have both terms of each pair, for some of the records; rows are kept compressed.

The row of a term is counted in one dense row over what follows the term in its records, so that the memory needed is
that of the pairs that occur, never the square of the number of terms. Ranges of terms can be counted side by side.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.compiled import kernel
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of

SHARD_PAIRS = 32_000_000  # pairs of occurrences counted at once: 128 MB; the result is the same for any number

# How work on shards is spread over threads: gives the results in the order of the shards.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class PairTable(NamedTuple):
    """Supports of pairs of terms, symmetric; pairs that do not occur are absent.

    The terms that occur together with `t` are `other[first[t] : first[t + 1]]`, ascending, and `support` says in how
    many records.
    """

    first: Ints64  # (n_terms + 1,)
    other: Ints32
    support: Ints32


class TermRows(NamedTuple):
    """Records that lie together in memory: row i has the terms `items[offsets[i] : offsets[i + 1]]`, ascending."""

    offsets: Ints64
    items: Ints32


@kernel
def copy_wanted(offsets, items, records, wanted, out_offsets, out_items):
    """Copy the wanted terms of the records, one record after the other; return how many there are."""
    at = 0
    for i in range(records.size):
        for p in range(offsets[records[i]], offsets[records[i] + 1]):
            if wanted[items[p]]:
                out_items[at] = items[p]
                at += 1
        out_offsets[i + 1] = at
    return at


def rows_of(offsets: Ints64, items: Ints32, records: Ints32, wanted: Flags) -> TermRows:
    """Return the wanted terms of the records, in the order given."""
    out_offsets = np.zeros(records.size + 1, np.int64)
    out_items = np.empty(int((offsets[records + 1] - offsets[records]).sum()), np.int32)
    used = copy_wanted(offsets, items, records, wanted, out_offsets, out_items)
    return TermRows(out_offsets, out_items[:used])


@kernel
def fill_tails(offsets, items, start, end, cursor, tails):
    """Copy what follows each term start..end-1 in its rows, term by term; `cursor` has where a term's tails begin.

    Rows are read one after the other: counting straight from the rows of a term would wait for memory all the time.
    """
    for row in range(offsets.size - 1):
        stop = offsets[row + 1]
        for p in range(offsets[row], stop):
            term = items[p]
            if term >= end:
                break
            if term >= start:
                at = cursor[term - start]
                for q in range(p + 1, stop):
                    tails[at] = items[q]
                    at += 1
                cursor[term - start] = at


@kernel
def count_tails(tails, first, counts, lengths, other, support):
    """Count the terms in `tails[first[i] : first[i + 1]]` for each i; return how many pairs there are.

    `counts` (n_terms,) is zero before and after. The pairs of a term are written in no particular order.
    """
    at = 0
    for i in range(first.size - 1):
        begin = at
        for p in range(first[i], first[i + 1]):
            term = tails[p]
            if counts[term] == 0:
                other[at] = term
                at += 1
            counts[term] += 1
        for p in range(begin, at):
            support[p] = counts[other[p]]
            counts[other[p]] = 0
        lengths[i] = at - begin
    return at


@kernel
def mirror(first, other, support, out_first, below, out_other, out_support):
    """Write each pair in both of its rows; `below` has how many pairs of each term are with a smaller one.

    Going through the terms in ascending order fills the smaller ones of every row in ascending order; going through
    these again does the same for the greater ones. Nothing has to be sorted.
    """
    n_terms = first.size - 1
    cursor = np.empty(n_terms, np.int64)
    for term in range(n_terms):
        cursor[term] = out_first[term]
    for term in range(n_terms):
        for i in range(first[term], first[term + 1]):
            out_other[cursor[other[i]]] = term
            out_support[cursor[other[i]]] = support[i]
            cursor[other[i]] += 1
    for term in range(n_terms):
        for i in range(out_first[term], out_first[term] + below[term]):
            out_other[cursor[out_other[i]]] = term
            out_support[cursor[out_other[i]]] = out_support[i]
            cursor[out_other[i]] += 1


def pair_table(offsets: Ints64, items: Ints32, records: Ints32, wanted: Flags, spread: Spread = map) -> PairTable:
    """Count the pairs of wanted terms in the given records of `items[offsets[r] : offsets[r + 1]]` (each ascending).

    >>> import numpy as np
    >>> baskets = np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2], np.int32)
    >>> table = pair_table(*baskets, np.arange(2, dtype=np.int32), np.ones(3, np.bool_))
    >>> table.first.tolist(), table.other.tolist(), table.support.tolist()
    ([0, 2, 4, 6], [1, 2, 0, 2, 0, 1], [2, 1, 2, 1, 1, 1])
    """
    rows, n_terms = rows_of(offsets, items, records, wanted), wanted.size
    work = pairs_to_count(rows, n_terms)

    def count(shard: tuple[int, int]) -> tuple[Ints64, Ints32, Ints32]:
        start, end = shard
        first = offsets_of(work[start:end])
        tails = np.empty(first[-1], np.int32)
        fill_tails(rows.offsets, rows.items, start, end, first[:-1].copy(), tails)
        room = min(tails.size, (end - start) * n_terms)
        other, support = np.empty(room, np.int32), np.empty(room, np.int32)
        lengths = np.empty(end - start, np.int64)
        used = count_tails(tails, first, np.zeros(n_terms, np.int32), lengths, other, support)
        return lengths, other[:used].copy(), support[:used].copy()

    parts = list(spread(count, shards_of(work, SHARD_PAIRS)))
    lengths, other, support = (np.concatenate([part[i] for part in parts]) for i in range(3))
    below = np.bincount(other, minlength=n_terms).astype(np.int64)
    first = offsets_of(lengths + below)
    mirrored = np.empty(2 * other.size, np.int32), np.empty(2 * other.size, np.int32)
    mirror(offsets_of(lengths), other, support, first, below, *mirrored)
    return PairTable(first, *mirrored)


@kernel
def count_later(offsets, items, later):
    """Add, for each term, how many greater terms stand beside it, over all rows."""
    for row in range(offsets.size - 1):
        for p in range(offsets[row], offsets[row + 1]):
            later[items[p]] += offsets[row + 1] - 1 - p


def pairs_to_count(rows: TermRows, n_terms: int) -> Ints64:
    """Return how many pairs of occurrences have each term as their smaller one."""
    later = np.zeros(n_terms, np.int64)
    count_later(rows.offsets, rows.items, later)
    return later


def shards_of(work: Ints64, size: int) -> list[tuple[int, int]]:
    """Cut a range into parts of about `size` work each; at least one part."""
    cuts = np.flatnonzero(np.diff(np.cumsum(work) // size)) + 1
    bounds = [0, *cuts.tolist(), work.size]
    return list(pairwise(bounds))
