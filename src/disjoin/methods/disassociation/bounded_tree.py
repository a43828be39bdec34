"""Pruned HORPART tree: a part stays whole where that is worth more than splitting it.

The worth of a leaf is what it shows of pairs, less a price for estimates that it makes wrong and for terms that all of
its records have. Errors of parts are added before their absolute values are taken: those of small leaves cancel out.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.bounded_chunks import grow_chunks, new_growth
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.safe_sets import BREATH, USED, require_end
from disjoin.methods.disassociation.verpart import list_rows, new_desk, rank_terms
from disjoin.model.ragged import Flags, Ints32, Ints64, frozen

RATIO = 0.7  # a part is weighed if it has at most this share of the next larger part that is: O(log) times per record
PRICE_OF_ERROR, PRICE_OF_UNIVERSAL = 0.3, 0.1  # found on four datasets; docs/methods/bounded.md
UNIT = 1024  # errors are whole numbers of this part of a record, so that sums do not depend on their order
TOP_TERMS = 300  # the most frequent: pairs of these are estimated


class Scale(NamedTuple):
    """What the worth of a leaf is measured in: facts about all records."""

    pairs: int  # of terms in a record
    frequent_pairs: int  # of the most frequent terms
    occurrences: int
    top: Ints32  # (n_terms,) term -> its number among the most frequent, -1 for others


class TreeShard(NamedTuple):
    """Parts of the tree as a value: it can be sent anywhere.

    Record i has the terms `items[offsets[i] : offsets[i + 1]]`; `pieces` cut the records, from 0 to their number.
    `limits` is (k, p, length of the longest record, least records of a cluster).
    """

    offsets: Ints64
    items: Ints32
    pieces: Ints64
    limits: tuple[int, int, int, int]
    share: float  # of the records of a leaf that may be exposed
    secret: Flags
    scale: Scale


class Parts(NamedTuple):
    """Parts that are weighed, a larger one before those in it: where they begin and end, and in which they lie."""

    lo: Ints64
    hi: Ints64
    inside: Ints64  # -1 for none
    leaf: Flags  # cannot be split


def new_parts(most: int) -> Parts:
    """Make space for that many parts."""
    return Parts(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.bool_))


def first_parts(parts: Parts, number: int) -> Parts:
    """Return the first of the parts."""
    return Parts(parts.lo[:number], parts.hi[:number], parts.inside[:number], parts.leaf[:number])


@inner
def count_terms_of(data, lo, hi, counts, terms, secret):
    """Count the ordinary terms of a part; return how many different ones there are."""
    found = 0
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            if secret[term]:
                continue
            if counts[term] == 0:
                terms[found] = term
                found += 1
            counts[term] += 1
    return found


@inner
def term_to_split_on(counts, terms, found, size, least):
    """Return the most frequent term that leaves enough records on both sides, or -1, and how many terms are left.

    A term that is too rare, or too common, to split a part is so in all parts of it.
    """
    best, kept = np.int64(-1), 0
    for i in range(found):
        term = terms[i]
        count = counts[term]
        if count < least or size - count < least:
            continue
        terms[kept] = term
        kept += 1
        if best < 0 or count > counts[best] or (count == counts[best] and term < best):
            best = np.int64(term)
    return best, kept


@inner
def has_term(data, record, wanted):
    """Tell whether a record has a term."""
    lo, hi = data.offsets[record], data.offsets[record + 1]
    end = hi
    while lo < hi:
        middle = (lo + hi) // 2
        if data.items[middle] < wanted:
            lo = middle + 1
        else:
            hi = middle
    return lo < end and data.items[lo] == wanted


@inner
def bring_to_front(data, lo, hi, term, counts):
    """Move the records with the term to the front of a range, and take them out of the counts; return their end."""
    middle = lo
    for position in range(lo, hi):
        record = data.order[position]
        if has_term(data, record, term):
            data.order[position] = data.order[middle]
            data.order[middle] = record
            middle += 1
            for i in range(data.offsets[record], data.offsets[record + 1]):
                counts[data.items[i]] -= 1
    return middle


@inner
def list_parts(data, lo, hi, least, secret, space, parts, listed):
    """Split the records order[lo:hi] until nothing can be split; list the parts to weigh behind those that are listed.

    `space` is (counts, terms, stack): counts are zero before and after. Returns how many parts are listed.
    """
    counts, terms, stack = space
    waiting = 1
    stack[0, 0], stack[0, 1], stack[0, 2] = lo, hi, -1
    while waiting > 0:
        waiting -= 1
        lo, hi, inside = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start = lo
        found = count_terms_of(data, lo, hi, counts, terms, secret)
        while True:
            term, found = term_to_split_on(counts, terms, found, hi - lo, least)
            around = parts.hi[inside] - parts.lo[inside] if inside >= 0 else 0
            if term < 0 or inside < 0 or hi - lo <= RATIO * around:
                parts.lo[listed], parts.hi[listed] = lo, hi
                parts.inside[listed], parts.leaf[listed] = inside, term < 0
                inside = listed
                listed += 1
            if term < 0:
                break
            middle = bring_to_front(data, lo, hi, term, counts)
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = lo, middle, inside
            waiting += 1
            lo = middle
        for position in range(start, hi):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                counts[data.items[i]] = 0
    return listed


@kernel
def list_all_parts(data, pieces, least, secret, space, parts):
    """List the parts of each of the pieces; return how many there are."""
    listed = np.int64(0)
    for piece in range(pieces.size - 1):
        listed = list_parts(data, pieces[piece], pieces[piece + 1], least, secret, space, parts, listed)
    return listed


class Worths(NamedTuple):
    """Sums over leaves: errors of pairs of the most frequent terms, pairs that are shown, universal occurrences.

    Level i is for the parts that lie in a part of depth i - 1, as far as they are weighed; the last level is for the
    part that is being weighed. There, every pair with an error is listed once, and no flag is needed to tell.
    """

    errors: Ints64  # (levels, TOP_TERMS^2)
    is_listed: Flags
    listed: Ints32  # (levels, TOP_TERMS^2) the pairs with an error
    used: Ints64  # (levels,) how many are listed
    pairs: Ints64
    universal: Ints64


def new_worths(levels: int, top: int) -> Worths:
    """Make space for parts that lie that deep in one another."""
    size = max(1, top * top)
    return Worths(
        errors=np.zeros((levels, size), np.int64),
        is_listed=np.zeros((levels, size), np.bool_),
        listed=np.empty((levels, size), np.int32),
        used=np.zeros(levels, np.int64),
        pairs=np.zeros(levels, np.int64),
        universal=np.zeros(levels, np.int64),
    )


@inner
def add_error(worths, level, pair, error):
    """Add the error of a pair."""
    if not worths.is_listed[level, pair]:
        worths.is_listed[level, pair] = True
        worths.listed[level, worths.used[level]] = pair
        worths.used[level] += 1
    worths.errors[level, pair] += error


@inner
def empty(worths, level):
    """Forget a level."""
    for i in range(worths.used[level]):
        pair = worths.listed[level, i]
        worths.errors[level, pair] = 0
        worths.is_listed[level, pair] = False
    worths.used[level] = 0
    worths.pairs[level] = 0
    worths.universal[level] = 0


@inner
def move_up(worths, source, target):
    """Add one level to another."""
    for i in range(worths.used[source]):
        pair = worths.listed[source, i]
        add_error(worths, target, pair, worths.errors[source, pair])
    worths.pairs[target] += worths.pairs[source]
    worths.universal[target] += worths.universal[source]


@inner
def worth(worths, level, scale):
    """Return what the leaves of a level are worth together."""
    error = np.int64(0)
    for i in range(worths.used[level]):
        error += abs(worths.errors[level, worths.listed[level, i]])
    shown = worths.pairs[level] / scale.pairs
    wrong = PRICE_OF_ERROR * (error / UNIT) / scale.frequent_pairs
    return shown - wrong - PRICE_OF_UNIVERSAL * worths.universal[level] / scale.occurrences


@inner
def expect_pairs(desk, worths, level, known, rows, scale, present):
    """Write down what one would estimate of pairs of frequent terms that stand in different chunks.

    A term of the term chunk is expected once, as in all estimates.
    """
    n_top = np.int64(present.shape[1])
    found = listed = 0
    for local in range(known):
        number = scale.top[desk.terms[local]]
        if number >= 0:
            present[0, found] = number
            present[1, found] = desk.chunk[desk.rank[local]] if desk.rank[local] >= 0 else -1
            present[2, found] = desk.held[local] if desk.rank[local] >= 0 else 1
            found += 1
    for i in range(found):
        for j in range(i):
            if present[1, i] == present[1, j] and present[1, i] >= 0:
                continue
            a, b = min(present[0, i], present[0, j]), max(present[0, i], present[0, j])
            worths.errors[level, a * n_top + b] = present[2, i] * present[2, j] * UNIT // rows
            worths.listed[level, listed] = a * n_top + b
            listed += 1
    worths.used[level] = listed


@inner
def take_true_pairs(data, desk, worths, level, lo, hi, scale, present):
    """Take away in how many records these pairs really are."""
    n_top = np.int64(present.shape[1])
    for position in range(lo, hi):
        record = data.order[position]
        found = 0
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            if scale.top[term] >= 0:
                rank = desk.rank[desk.slot[term]]
                present[0, found] = scale.top[term]
                present[1, found] = desk.chunk[rank] if rank >= 0 else -1
                found += 1
        for i in range(found):
            for j in range(i):
                if present[1, i] == present[1, j] and present[1, i] >= 0:
                    continue
                a, b = min(present[0, i], present[0, j]), max(present[0, i], present[0, j])
                worths.errors[level, a * n_top + b] -= UNIT
        desk.steps[USED] += found * found // 2


@inner
def weigh(data, desk, grown, worths, level, part, limits, share, secret, scale, present):
    """Write down, on a level, what the records order[part] are as one leaf."""
    k, p, longest = limits
    lo, hi = part
    known, frequent = rank_terms(data, desk, lo, hi, k, secret)
    list_rows(data, desk, lo, hi, known, frequent)
    most = np.int64(share * (hi - lo)) if p <= longest else np.int64(0)  # otherwise smaller sets would be rare
    _, pairs = grow_chunks(desk, grown, (k, min(p, longest), np.int64(frequent), hi - lo, most))
    expect_pairs(desk, worths, level, known, hi - lo, scale, present)
    take_true_pairs(data, desk, worths, level, lo, hi, scale, present)
    worths.pairs[level], worths.universal[level] = pairs, 0
    for rank in range(frequent):
        if desk.first[rank + 1] - desk.first[rank] == hi - lo:
            worths.universal[level] += hi - lo
    for local in range(known):
        desk.slot[desk.terms[local]] = -1


@kernel
def weigh_parts(data, desk, grown, worths, parts, order, depth, at, facts, present, whole):
    """Tell of each part, innermost first by `order`, whether it stays whole; return where to go on after many steps.

    `facts` is (limits, share, secret terms, scale).
    """
    limits, share, secret, scale = facts
    own = worths.used.size - 1
    pause = desk.steps[USED] + BREATH
    for i in range(at, order.size):
        if desk.steps[USED] > pause:
            return i
        part = order[i]
        level = depth[part]
        weigh(data, desk, grown, worths, own, (parts.lo[part], parts.hi[part]), limits, share, secret, scale, present)
        whole[part] = parts.leaf[part] or worth(worths, own, scale) >= worth(worths, level + 1, scale)
        move_up(worths, own if whole[part] else level + 1, level)
        empty(worths, level + 1)
    return order.size


def pruned_shard(shard: TreeShard) -> tuple[Ints32, Ints64]:
    """Split each piece, and prune; return the order of the records, leaf by leaf, and the ends of the leaves."""
    numbers = np.arange(shard.offsets.size - 1, dtype=np.int32)
    data = Records(frozen(shard.offsets, np.int64), frozen(shard.items, np.int32), numbers, np.empty(0, np.int32))
    parts = _parts_of(data, shard)
    whole = _stay_whole(data, parts, shard)
    return data.order, _outermost(parts, whole)


def _parts_of(data: Records, shard: TreeShard) -> Parts:
    """Split each piece, and list the parts to weigh."""
    n_terms, least, sizes = shard.secret.size, shard.limits[3], np.diff(shard.pieces)
    waiting = int(sizes.max()) // least + 2
    space = np.zeros(n_terms, np.int64), np.empty(n_terms, np.int32), np.empty((waiting, 3), np.int64)
    parts = new_parts(int((2 * (sizes // least) + 1).sum()))
    return first_parts(parts, int(list_all_parts(data, shard.pieces, least, shard.secret, space, parts)))


def _stay_whole(data: Records, parts: Parts, shard: TreeShard) -> Flags:
    """Tell of each part whether it is worth more than the leaves in it."""
    largest = int(np.diff(shard.pieces).max())
    room = int(np.add.reduceat(np.diff(shard.offsets), shard.pieces[:-1]).max())
    desk = new_desk(shard.secret.size, room, largest, min(shard.limits[1], shard.limits[2]))
    grown, depth = new_growth(shard.secret.size, room, largest), _depths(parts)
    top = int(shard.scale.top.max(initial=-1)) + 1
    worths, present = new_worths(int(depth.max()) + 3, top), np.empty((3, max(1, top)), np.int64)
    order = np.lexsort((-depth, parts.hi))  # what lies in a part comes before it
    whole, at = np.zeros(parts.lo.size, np.bool_), 0
    facts = (shard.limits[:3], shard.share, shard.secret, shard.scale)
    while at < order.size:
        at = weigh_parts(data, desk, grown, worths, parts, order, depth, at, facts, present, whole)
        require_end(desk.steps, shard.limits[1])
    return whole


def _depths(parts: Parts) -> Ints64:
    """Return in how many others each part lies."""
    depth = np.zeros(parts.lo.size, np.int64)
    for part, around in enumerate(parts.inside.tolist()):
        depth[part] = depth[around] + 1 if around >= 0 else 0
    return depth


def _outermost(parts: Parts, whole: Flags) -> Ints64:
    """Return the ends of the parts that stay whole and lie in no other such part."""
    is_inside = np.zeros(whole.size, np.bool_)
    for part, around in enumerate(parts.inside.tolist()):
        is_inside[part] = around >= 0 and (is_inside[around] or whole[around])
    return np.sort(parts.hi[whole & ~is_inside])
