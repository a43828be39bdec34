"""The k^m core, the largest part of the records that is k^m-anonymous as it stands: found by peeling, and published."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import sort_keys
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.km_core_rows import check_terms, fill_tails, new_views
from disjoin.methods.disassociation.pair_table import (
    PairTable,
    Spread,
    TermRows,
    pair_table,
    pairs_to_count,
    rows_of,
    shards_of,
)
from disjoin.methods.disassociation.safe_sets import USED, new_steps, require_end
from disjoin.methods.disassociation.single_chunk_leaf import whole_leaf
from disjoin.methods.disassociation.verpart_shards import secret_terms
from disjoin.methods.disassociation.write_leaves import Leaves
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


class PairPostings(NamedTuple):
    """Which rows have a term: `rows[first[t] : first[t + 1]]`, ascending; and by signs what else each of them has.

    The sign of a row has two bits of each of its terms. It shows for most rows that they lack a term that is looked
    for, without a look at the rows themselves, which are scattered in memory.
    """

    first: Ints64
    rows: Ints32
    signs: NDArray[np.uint64]
    sign_of: NDArray[np.uint64]  # (n_terms,)


class PairTally(NamedTuple):
    """What is left: rows that were not dropped, how many have a term, and both terms of a pair."""

    alive: Flags
    supports: Ints64
    pairs: PairTable  # kept up to date in the row of the smaller term only
    waiting: Ints64  # a stack of terms and pairs that became rare, as smaller * n_terms + greater
    used: Ints64  # (1,) how many wait


@kernel
def list_rows_of_terms(offsets, items, cursor, sign_of, rows, signs):
    """Write the rows of each term and their signs, term by term; `cursor` has where they begin."""
    for row in range(offsets.size - 1):
        sign = np.uint64(0)
        for p in range(offsets[row], offsets[row + 1]):
            sign |= sign_of[items[p]]
        for p in range(offsets[row], offsets[row + 1]):
            rows[cursor[items[p]]] = row
            if signs.size > 0:
                signs[cursor[items[p]]] = sign
            cursor[items[p]] += 1


def postings_of(rows: TermRows, n_terms: int, *, signed: bool) -> PairPostings:
    """Return for each term the rows that have it; where no pair is looked for, without signs, which take memory."""
    first = offsets_of(np.bincount(rows.items, minlength=n_terms))
    low, high = np.divmod(np.arange(n_terms), 64)
    sign_of = np.uint64(1) << high.astype(np.uint64) | np.uint64(1) << (29 * low % 64).astype(np.uint64)
    listed, signs = np.empty(rows.items.size, np.int32), np.empty(rows.items.size if signed else 0, np.uint64)
    list_rows_of_terms(rows.offsets, rows.items, first[:-1].copy(), sign_of, listed, signs)
    return PairPostings(first, listed, signs, sign_of)


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
    """Put a term or pair that became rare on the stack; none is put there twice."""
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
def has_term(rows, row, term):
    """Tell whether a row has a term."""
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= term:
            return rows.items[p] == term
    return False


@inner
def drop_rows_with_both(rows, postings, a, b, tally, k):
    """Drop the rows that are left of those that have two terms."""
    if postings.first[a + 1] - postings.first[a] > postings.first[b + 1] - postings.first[b]:
        a, b = b, a
    sign, is_signed = postings.sign_of[b], postings.signs.size > 0
    for i in range(postings.first[a], postings.first[a + 1]):
        if not is_signed or postings.signs[i] & sign == sign:
            row = postings.rows[i]
            if tally.alive[row] and has_term(rows, row, b):
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


def without_rare_terms(rows: TermRows, n_terms: int, k: int) -> Flags:
    """Tell which rows are left when each term of theirs is in k of them."""
    return _settled(rows, n_terms, k, PairTable(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)))


def without_rare_pairs(rows: TermRows, n_terms: int, k: int, spread: Spread) -> Flags:
    """Tell which rows are left when each term and each pair of terms of theirs is in k of them."""
    everyone, everything = np.arange(rows.offsets.size - 1, dtype=np.int32), np.ones(n_terms, np.bool_)
    return _settled(rows, n_terms, k, pair_table(rows.offsets, rows.items, everyone, everything, spread))


def _settled(rows: TermRows, n_terms: int, k: int, pairs: PairTable) -> Flags:
    postings = postings_of(rows, n_terms, signed=pairs.first.size > 0)
    tally = PairTally(
        alive=np.ones(rows.offsets.size - 1, np.bool_),
        supports=np.diff(postings.first),
        pairs=pairs,
        waiting=np.empty(n_terms + pairs.other.size // 2, np.int64),
        used=np.zeros(1, np.int64),
    )
    drop_while_rare(rows, postings, tally, k)
    return tally.alive


SHARD_FOLLOWERS = 32_000_000  # occurrences behind the terms of a shard: 128 MB; the result is the same for any number
FEW = 10  # after a sweep that drops fewer than one row in this many, pairs are counted in a table


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


def core_of(offsets: Ints64, items: Ints32, wanted: Flags, k: int, m: int, spread: Spread = map) -> Flags:
    """Return for each record `items[offsets[r] : offsets[r + 1]]` (ascending) whether it is in the k^m core.

    Only wanted terms count; a record without any is in the core.

    >>> import numpy as np
    >>> baskets = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32)
    >>> core_of(*baskets, np.ones(3, np.bool_), k=2, m=2).tolist()
    [True, True, False]
    """
    left, n_terms = np.arange(offsets.size - 1, dtype=np.int32), wanted.size
    inside = np.zeros(left.size, np.bool_)
    rows = rows_of(offsets, items, left, wanted)
    rows, left = _kept(rows, left, without_rare_terms(rows, n_terms, k))
    _rare_terms_first(rows, n_terms)
    steps = new_steps(rows.items.size)
    for size in range(2, min(m, _longest(rows)) + 1):
        rows, left = _peeled(rows, left, n_terms, k, size, spread, steps)
    inside[left] = True
    return inside


def _kept(rows: TermRows, records: Ints32, alive: Flags) -> tuple[TermRows, Ints32]:
    """Return the rows that are left, close together in memory, and their records."""
    if alive.all():
        return rows, records
    everything = np.ones(int(rows.items.max(initial=-1)) + 1, np.bool_)
    return rows_of(rows.offsets, rows.items, np.flatnonzero(alive).astype(np.int32), everything), records[alive]


def _rare_terms_first(rows: TermRows, n_terms: int) -> None:
    """Number the terms of the rows anew, in place, so that rare sets are met, and their rows dropped, early."""
    rank = np.empty(n_terms, np.int32)
    supports = np.bincount(rows.items, minlength=n_terms)
    rank[np.argsort(supports, kind="stable")] = np.arange(n_terms, dtype=np.int32)
    renumber(rows.offsets, rows.items, rank, np.empty(_longest(rows), np.int64))


def _longest(rows: TermRows) -> int:
    return int(np.diff(rows.offsets).max(initial=0))


def _peeled(
    rows: TermRows, records: Ints32, n_terms: int, k: int, size: int, spread: Spread, steps: Ints64
) -> tuple[TermRows, Ints32]:
    """Drop rows until each set of up to `size` terms is in k or none of those that are left."""
    marked = np.ones(n_terms, np.bool_)
    while records.size:
        alive = _swept(rows, marked, k, size, spread, steps)
        fallen = int(alive.size - alive.sum())
        if fallen == 0:
            break
        # Sets change only where a row fell; all of them are looked at again by their smallest terms.
        marked = _terms_of(rows, ~alive, n_terms)
        rows, records = _kept(rows, records, alive)
        if fallen * FEW <= alive.size:
            alive = without_rare_pairs(rows, n_terms, k, spread)
            marked |= _terms_of(rows, ~alive, n_terms)
            rows, records = _kept(rows, records, alive)
            if size == 2:
                break
    return rows, records


def _terms_of(rows: TermRows, chosen: Flags, n_terms: int) -> Flags:
    """Tell which terms the chosen rows have."""
    found = np.zeros(n_terms, np.bool_)
    numbers = np.flatnonzero(chosen).astype(np.int32)
    found[rows_of(rows.offsets, rows.items, numbers, np.ones(n_terms, np.bool_)).items] = True
    return found


def _swept(rows: TermRows, marked: Flags, k: int, size: int, spread: Spread, steps: Ints64) -> Flags:
    """Look once at the sets of up to `size` terms whose smallest is marked; tell which rows are left.

    Each range of terms is looked at as if no row fell elsewhere.
    """
    n_terms = marked.size
    followers = np.where(marked, pairs_to_count(rows, n_terms), 0)
    steps[USED] += followers.sum()
    require_end(steps, size)
    supports = np.where(marked, np.bincount(rows.items, minlength=n_terms), 0)

    def check(shard: tuple[int, int]) -> tuple[Flags, int]:
        start, end = shard
        cursor, first = offsets_of(followers[start:end]), offsets_of(supports[start:end])
        alive = np.ones(rows.offsets.size - 1, np.bool_)
        tails = np.empty(cursor[-1], np.int32)
        views = new_views(n_terms, size, int(first[-1]), int(followers[start:end].max(initial=0)), steps.copy())
        fill_tails(rows, marked, start, end, cursor, first[:-1].copy(), tails, views)
        at = 0
        while at < end - start:
            at = check_terms(tails, views, first, at, k, size, alive)
        return alive, int(views.steps[USED] - steps[USED])

    seen = list(spread(check, shards_of(followers, SHARD_FOLLOWERS)))
    steps[USED] += sum(taken for _, taken in seen)
    require_end(steps, size)
    kept: Flags = np.logical_and.reduce([alive for alive, _ in seen])
    return kept


def core_and_rest(
    data: Transactions, method: Disassociation, engine: Engine, progress: Progress
) -> tuple[Ints32, Ints32]:
    """Return the records of the core and the others, both ascending.

    Sensitive terms do not count, as they are published in term chunks only. So a record of sensitive terms alone is in
    the core: no set of ordinary terms is in it that could be rare.
    """
    progress("peeling", 0, 0)
    inside = core_of(data.offsets, data.items, ~secret_terms(data), method.crowd, method.m, engine.spread)
    progress("peeling", 1, 1)
    return np.flatnonzero(inside).astype(np.int32), np.flatnonzero(~inside).astype(np.int32)


def core_leaf(data: Transactions, records: Ints32) -> Leaves:
    """Publish the core: its records without their sensitive terms are one chunk, as nothing in it is too rare.

    VERPART would come to the same chunk, after counting everything again.
    """
    return whole_leaf(data.offsets, data.items, records, secret_terms(data))
