"""Bounds on pair supports for the minimality attack."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.model.ragged import Flags, Ints32, Ints64


class Bounds(NamedTuple):
    """What is known of every term in every leaf, leaf after leaf, terms ascending: an entry each.

    `low` and `high` bound the records of the leaf with the term. Entries of one chunk have its number; those of term
    chunks a negative one. `partners` of an entry are the later ones that it is a witness pair with.
    """

    offsets: Ints64  # (leaves + 1,)
    terms: Ints64  # (entries,)
    chunks: Ints64  # (entries,)
    low: Ints64  # (entries,)
    high: Ints64  # (entries,)
    sizes: Ints64  # (leaves,)
    spare: Ints64  # (leaves,) in how many records terms of different chunks can be together, at most
    partner_offsets: Ints64  # (entries + 1,)
    partners: Ints64
    by_term: Ints64  # (entries,) grouped by term
    term_offsets: Ints64  # (terms + 1,)
    leaf_of: Ints64  # (entries,)
    subrecord_offsets: Ints64  # of the release
    item_offsets: Ints64
    items: Ints32
    counts: Ints64


class Company(NamedTuple):
    """The records of the original, and for every term the records that have it; none, if it is not there."""

    offsets: Ints64
    items: Ints32
    holder_offsets: Ints64
    holders: Ints32


class PairSums(NamedTuple):
    """Room for sums, and what is marked."""

    least: Ints64  # (terms,)
    most: Ints64  # (terms,)
    touched: Ints64  # (terms,)
    is_touched: Flags  # (terms,)
    leaves: Flags  # (leaves,) those in which a pair surely occurs that fewer than k records have
    records: Flags  # (records of the original,) those with a pair that has fewer than k candidates
    example: Ints64  # (3,) a pair, and in how many records it is at most


def new_tallies(n_terms: int, leaves: int, records: int) -> PairSums:
    """Make room."""
    return PairSums(
        np.zeros(n_terms, np.int64),
        np.zeros(n_terms, np.int64),
        np.empty(n_terms, np.int64),
        np.zeros(n_terms, np.bool_),
        np.zeros(leaves, np.bool_),
        np.zeros(records, np.bool_),
        np.full(3, -1, np.int64),
    )


@inner
def add(term, low, high, tallies, touched):
    """Add the bounds of a pair in a leaf; return how many terms have been touched."""
    if not tallies.is_touched[term]:
        tallies.is_touched[term] = True
        tallies.touched[touched] = term
        touched += 1
    tallies.least[term] += low
    tallies.most[term] += high
    return touched


@inner
def add_rows(entry, bounds, tallies, touched):
    """Add the later terms that stand with an entry in the subrecords of its chunk."""
    chunk, x = bounds.chunks[entry], bounds.terms[entry]
    for row in range(bounds.subrecord_offsets[chunk], bounds.subrecord_offsets[chunk + 1]):
        first, last = bounds.item_offsets[row], bounds.item_offsets[row + 1]
        place = first
        while place < last and bounds.items[place] != x:
            place += 1
        for i in range(place + 1, last):
            low = bounds.counts[row] if bounds.low[entry] > 0 else 0  # shared chunks do not say in which leaf
            touched = add(bounds.items[i], low, bounds.counts[row], tallies, touched)
    return touched


@inner
def apart(entry, other, bounds):
    """Bound the records of a leaf with two terms that are not in one chunk."""
    leaf = bounds.leaf_of[entry]
    high = min(bounds.high[entry], bounds.high[other], bounds.spare[leaf])
    low = max(0, bounds.low[entry] + bounds.low[other] - bounds.sizes[leaf])
    return low, high


@inner
def add_leaf(entry, k, bounds, tallies, touched):
    """Add the bounds of an entry with all later ones of its leaf."""
    chunk = bounds.chunks[entry]
    if chunk >= 0:
        touched = add_rows(entry, bounds, tallies, touched)
    for other in range(entry + 1, bounds.offsets[bounds.leaf_of[entry] + 1]):
        if chunk < 0 or bounds.chunks[other] != chunk:
            low, high = apart(entry, other, bounds)
            touched = add(bounds.terms[other], low, high, tallies, touched)
    for i in range(bounds.partner_offsets[entry], bounds.partner_offsets[entry + 1]):
        low, high = apart(entry, bounds.partners[i], bounds)
        term = bounds.terms[bounds.partners[i]]
        tallies.least[term] += max(0, 1 - low)
        tallies.most[term] -= max(0, high - (k - 1))
    return touched


@inner
def mark_leaves(entry, k, bounds, tallies):
    """Mark the leaf of an entry if it surely has a pair with it that fewer than k records have."""
    leaf = bounds.leaf_of[entry]
    for other in range(entry + 1, bounds.offsets[leaf + 1]):
        term = bounds.terms[other]
        if tallies.least[term] > 0 and tallies.most[term] < k:
            low, _ = apart(entry, other, bounds)
            for i in range(bounds.partner_offsets[entry], bounds.partner_offsets[entry + 1]):
                if bounds.partners[i] == other:
                    low = 1
            if low > 0:
                tallies.leaves[leaf] = True


@inner
def look_at_original(x, k, company, tallies, seen):
    """Count the later terms that records with x have, and those with fewer than k candidates; mark their records."""
    occurring = told = 0
    for i in range(company.holder_offsets[x], company.holder_offsets[x + 1]):
        record = company.holders[i]
        for p in range(company.offsets[record], company.offsets[record + 1]):
            y = company.items[p]
            if y > x:
                is_told = tallies.most[y] < k
                if seen[y] != x:
                    seen[y] = x
                    occurring += 1
                    told += is_told
                if is_told:
                    tallies.records[record] = True
    return occurring, told


@kernel
def pairs_below(bounds, company, k, tallies):
    """Return how many pairs surely occur, but in fewer than k records; how many the original has; and has below k.

    The last are those that the original has and that surely have fewer than k candidates.
    """
    found = np.zeros(3, np.int64)
    n_terms = bounds.term_offsets.size - 1
    seen = np.full(n_terms, -1, np.int64)
    for x in range(n_terms):
        touched = 0
        for p in range(bounds.term_offsets[x], bounds.term_offsets[x + 1]):
            touched = add_leaf(bounds.by_term[p], k, bounds, tallies, touched)
        some = False
        for i in range(touched):
            y = tallies.touched[i]
            if tallies.least[y] > 0 and tallies.most[y] < k:
                found[0] += 1
                some = True
                if tallies.example[0] < 0:
                    tallies.example[0], tallies.example[1], tallies.example[2] = x, y, tallies.most[y]
        if some:
            for p in range(bounds.term_offsets[x], bounds.term_offsets[x + 1]):
                mark_leaves(bounds.by_term[p], k, bounds, tallies)
        occurring, told = look_at_original(x, k, company, tallies, seen)
        found[1] += occurring
        found[2] += told
        for i in range(touched):
            y = tallies.touched[i]
            tallies.least[y] = tallies.most[y] = 0
            tallies.is_touched[y] = False
    return found
