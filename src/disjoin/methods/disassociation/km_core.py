"""The k^m core: the largest part of the records that is already k^m-anonymous, found by peeling, and published."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.arrays.ordering import compare_lists, first_items, sort_keys, sort_ties
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation.horpart import secret_terms, spans
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.methods.disassociation.packing import PairTable, TermRows, pair_table, pairs_to_count, rows_of
from disjoin.methods.disassociation.verpart import BREATH, MOST, USED, insert, new_steps, require_end
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, inverse, offsets_of, used_by

if TYPE_CHECKING:
    from disjoin.methods.disassociation.clustering import Task


# Whether every set of terms that some records have is in k of them; records that have a rarer one are dropped. Sets are
# tested by their smallest term: the terms that follow it in its records form a smaller collection of records, in which
# single terms represent pairs, and so on. No table of sets is stored, so memory does not grow with the size of the
# sets.


class Views(NamedTuple):
    """Working space; level i is for sets of i + 1 terms: the records that have the set, and the terms that follow it in
    each. It starts at i * width in arrays of entries, and at i * n_terms in those of terms. Between uses `counts` are
    zero."""

    begin: Ints32  # entry -> the following terms are items[begin:end] ...
    end: Ints32
    row: Ints32  # ... in this row
    counts: Ints32  # term -> entries of the level that have it as a follower
    touched: Ints32  # the terms that follow
    first: Ints64  # where the entries of the i-th of them begin, on the next level
    is_open: Flags  # term -> whether a set with it can be rare, on the next level
    largest: Ints64  # (levels + 1,) see `open_terms`
    steps: Ints64  # (2,) see `steps`
    bounds: Ints64  # (4 * levels,) of a level: first entry, end, number of followers, number of them done
    width: int
    n_terms: int


LO, HI, FOUND, DONE = range(4)


def new_views(n_terms: int, depth: int, rows: int, followers: int, steps: Ints64) -> Views:
    """Allocate space for terms with that many rows and followers in all; `depth` is the size of the largest set."""
    assert followers < 2**31, "followers are numbered in 32 bits"
    levels = max(1, depth - 1)
    width = max(rows, followers) if levels > 1 else rows
    begin, end, row = (np.empty(levels * width, np.int32) for _ in range(3))
    counts, touched = np.zeros(levels * n_terms, np.int32), np.empty(levels * n_terms, np.int32)
    first, is_open = np.empty(levels * n_terms + 1, np.int64), np.zeros(levels * n_terms, np.bool_)
    largest, bounds = np.zeros(levels + 1, np.int64), np.zeros(4 * levels, np.int64)
    return Views(begin, end, row, counts, touched, first, is_open, largest, steps, bounds, width, n_terms)


@inner
def count_followers(items, views, level, alive):
    """Count the terms that follow in the remaining rows; return the number of different ones."""
    base = level * views.n_terms
    found = np.int64(0)
    for i in range(views.bounds[4 * level + LO], views.bounds[4 * level + HI]):
        if alive[views.row[i]]:
            for p in range(views.begin[i], views.end[i]):
                term = items[p]
                if views.counts[base + term] == 0:
                    views.touched[base + found], views.is_open[base + term] = term, False
                    found += 1
                views.counts[base + term] += 1
            views.steps[USED] += 1 + views.end[i] - views.begin[i]
    return found


@inner
def drop_rare_followers(items, views, level, k, alive):
    """Drop rows with a follower that fewer than k rows have, until there is none."""
    base = level * views.n_terms
    is_done = False
    while not is_done:
        is_done = True
        for i in range(views.bounds[4 * level + LO], views.bounds[4 * level + HI]):
            if not alive[views.row[i]]:
                continue
            is_rare = False
            for p in range(views.begin[i], views.end[i]):
                is_rare |= views.counts[base + items[p]] < k
            if is_rare:
                alive[views.row[i]] = is_done = False
                for p in range(views.begin[i], views.end[i]):
                    views.counts[base + items[p]] -= 1


@inner
def open_terms(items, views, level, k, more, alive):
    """Open the followers that may be in a rare set with up to `more` terms; return whether there are any. A further
    term removes at most the rows that lack it: a row whose terms lack too few rows in all has no rare set."""
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
    """Drop rows that have the level's set, or this set with one more term, if that is too rare. If sets may be larger
    still, the entries of the next level are written."""
    views.bounds[4 * level + FOUND], views.bounds[4 * level + DONE] = 0, 0
    lo, hi, left = views.bounds[4 * level + LO], views.bounds[4 * level + HI], np.int64(0)
    for i in range(lo, hi):
        if alive[views.row[i]]:
            left += 1
    if left < k:
        for i in range(lo, hi):
            alive[views.row[i]] = False
    if left < k or level + 2 > depth:
        return
    found = count_followers(items, views, level, alive)
    drop_rare_followers(items, views, level, k, alive)
    if level + 3 <= depth and open_terms(items, views, level, k, depth - level - 1, alive):
        enter_followers(items, views, level, found, alive)
        views.bounds[4 * level + FOUND] = found
    for i in range(found):
        views.counts[level * views.n_terms + views.touched[level * views.n_terms + i]] = 0


@kernel
def fill_tails(rows, marked, start, end, cursor, place, tails, views):
    """Copy the followers of each marked term of start..end-1 in its rows, term by term, with an entry for each
    occurrence. `cursor` has where the tails of a term begin, `place` where its entries do. Rows are read in order,
    because random access to memory would be much slower."""
    for row in range(rows.offsets.size - 1):
        stop = rows.offsets[row + 1]
        for p in range(rows.offsets[row], stop):
            term = rows.items[p]
            if term >= end:
                break
            if term >= start and marked[term]:
                at, entry = cursor[term - start], place[term - start]
                views.row[entry], views.begin[entry] = row, at
                for q in range(p + 1, stop):
                    tails[at] = rows.items[q]
                    at += 1
                views.end[entry], cursor[term - start] = at, at
                place[term - start] = entry + 1


@kernel
def check_terms(tails, views, first, at, k, depth, alive):
    """Drop rows that have a set of up to `depth` terms that is too rare, by the smallest terms of sets from `at` on.
    The entries of a term are first[i] .. first[i + 1] - 1. Returns where to continue after many steps. If rows were
    dropped, sets that were tested earlier may have become rare."""
    pause = views.steps[USED] + BREATH
    for i in range(at, first.size - 1):
        if views.steps[USED] > pause:
            return i
        level = np.int64(0)
        views.bounds[LO], views.bounds[HI] = first[i], first[i + 1]
        look_at(tails, views, level, k, depth, alive)
        while level >= 0 and views.steps[USED] <= views.steps[MOST]:
            place = level * views.n_terms + views.bounds[4 * level + DONE]
            if views.bounds[4 * level + DONE] == views.bounds[4 * level + FOUND]:
                level -= 1
                continue
            views.bounds[4 * level + DONE] += 1
            begin, end = views.first[place], views.first[place + 1]
            if begin < end and views.is_open[level * views.n_terms + views.touched[place]]:
                level += 1
                views.bounds[4 * level + LO], views.bounds[4 * level + HI] = begin, end
                look_at(tails, views, level, k, depth, alive)
    return first.size - 1


class PairPeeling(NamedTuple):
    """Posting lists, `rows[first[t] : first[t + 1]]`, ascending, with the sign of each row and the current state. The
    sign of a row has two bits of each of its terms. For most rows it shows that they lack a term, without reading the
    rows, which are scattered in memory."""

    first: Ints64
    rows: Ints32
    signs: NDArray[np.uint64]
    sign_of: NDArray[np.uint64]  # (n_terms,)
    alive: Flags  # rows that were not dropped
    supports: Ints64  # term -> remaining rows
    pairs: PairTable  # the same for pairs, updated in the row of the smaller term only
    waiting: Ints64  # a stack of terms and pairs that became rare, as smaller * n_terms + greater
    used: Ints64  # (1,) the number waiting


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


@inner
def first_not_below(values, start, end, wanted):
    """Return the position of the first of the ascending values[start:end] that is not below the wanted one. Steps
    double until they overshoot, so that near values are found quickly."""
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
def drop_row(rows, row, tally, k):
    """Drop a row, and put terms and pairs that become rare without it on the stack (terms only if there are no
    pairs)."""
    tally.alive[row] = False
    n_terms, pairs = np.int64(tally.supports.size), tally.pairs
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        term = rows.items[p]
        tally.supports[term] -= 1
        if tally.supports[term] == k - 1:
            tally.waiting[tally.used[0]] = term * n_terms + term
            tally.used[0] += 1
        if pairs.first.size == 0:
            continue
        at = pairs.first[term]
        for q in range(p + 1, rows.offsets[row + 1]):
            at = first_not_below(pairs.other, at, pairs.first[term + 1], rows.items[q])
            pairs.support[at] -= 1
            if pairs.support[at] == k - 1:
                tally.waiting[tally.used[0]] = term * n_terms + rows.items[q]
                tally.used[0] += 1


@inner
def drop_rows_with_both(rows, a, b, tally, k):
    """Drop the remaining rows that have two terms; fewer rows have the first one."""
    sign, is_signed = tally.sign_of[b], tally.signs.size > 0
    for i in range(tally.first[a], tally.first[a + 1]):
        row = tally.rows[i]
        if (not is_signed or tally.signs[i] & sign == sign) and tally.alive[row]:
            p, end = rows.offsets[row], rows.offsets[row + 1]
            while p < end and rows.items[p] < b:
                p += 1
            if p < end and rows.items[p] == b:
                drop_row(rows, row, tally, k)


@kernel
def drop_while_rare(rows, tally, k):
    """Drop rows with a term, or a pair of terms, that fewer than k rows have, until there is none."""
    n_terms, pairs = np.int64(tally.supports.size), tally.pairs
    waiting, used = tally.waiting, tally.used
    for term in range(n_terms):
        if 0 < tally.supports[term] < k:
            waiting[used[0]] = term * n_terms + term
            used[0] += 1
    for term in range(pairs.first.size - 1):
        for i in range(pairs.first[term], pairs.first[term + 1]):
            if pairs.other[i] > term and pairs.support[i] < k:
                waiting[used[0]] = term * n_terms + pairs.other[i]
                used[0] += 1
    while used[0] > 0:
        used[0] -= 1
        a, b = waiting[used[0]] // n_terms, waiting[used[0]] % n_terms
        if tally.first[a + 1] - tally.first[a] > tally.first[b + 1] - tally.first[b]:
            a, b = b, a
        drop_rows_with_both(rows, a, b, tally, k)


def without_rare(rows: TermRows, n_terms: int, k: int, pairs: PairTable | None = None) -> Flags:
    """Return which rows remain when each of their terms, and each pair if pairs are given, is in k of them. Without
    pairs there are no signs of rows, which take memory."""
    none = np.empty(0, np.int32)
    pairs = pairs or PairTable(np.empty(0, np.int64), none, none)
    first = offsets_of(np.bincount(rows.items, minlength=n_terms))
    low, high = np.divmod(np.arange(n_terms), 64)
    sign_of = np.uint64(1) << high.astype(np.uint64) | np.uint64(1) << (29 * low % 64).astype(np.uint64)
    listed = np.empty(rows.items.size, np.int32)
    signs = np.empty(rows.items.size if pairs.first.size else 0, np.uint64)
    list_rows_of_terms(rows.offsets, rows.items, first[:-1].copy(), sign_of, listed, signs)
    alive, waiting = np.ones(rows.offsets.size - 1, np.bool_), np.empty(n_terms + pairs.other.size // 2, np.int64)
    left = alive, np.diff(first), pairs, waiting, np.zeros(1, np.int64)
    drop_while_rare(rows, PairPeeling(first, listed, signs, sign_of, *left), k)
    return alive


SHARD_FOLLOWERS = 32_000_000  # followers of the terms of a shard: 128 MB; the result is the same for any number
FEW = 10  # pairs are counted in a table after a sweep that drops fewer than one row in FEW


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
    """Return which records, each with ascending items, are in the k^m core; only wanted terms count.

    >>> import numpy as np
    >>> baskets = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32)
    >>> core_of(*baskets, np.ones(3, np.bool_), k=2, m=2).tolist()
    [True, True, False]
    """
    left, n_terms = np.arange(offsets.size - 1, dtype=np.int32), wanted.size
    inside = np.zeros(left.size, np.bool_)
    rows = rows_of(offsets, items, left, wanted)
    rows, left = _kept(rows, left, without_rare(rows, n_terms, k))
    order = np.argsort(np.bincount(rows.items, minlength=n_terms), kind="stable")  # rare sets are found early
    renumber(rows.offsets, rows.items, inverse(order.astype(np.int32)), np.empty(_longest(rows), np.int64))
    steps = new_steps(rows.items.size)
    for size in range(2, min(m, _longest(rows)) + 1):
        rows, left = _peeled(rows, left, n_terms, k, size, spread, steps)
    inside[left] = True
    return inside


def _kept(rows: TermRows, records: Ints32, alive: Flags) -> tuple[TermRows, Ints32]:
    if alive.all():
        return rows, records
    return rows_of(*rows, np.flatnonzero(alive)), records[alive]


def _longest(rows: TermRows) -> int:
    return int(np.diff(rows.offsets).max(initial=0))


def _peeled(
    rows: TermRows, records: Ints32, n_terms: int, k: int, size: int, spread: Spread, steps: Ints64
) -> tuple[TermRows, Ints32]:
    """Drop rows until each set of up to `size` terms is in none or at least k of the remaining ones."""
    marked = np.ones(n_terms, np.bool_)
    while records.size:
        alive = _swept(rows, marked, k, size, spread, steps)
        fallen = int(alive.size - alive.sum())
        if fallen == 0:
            break
        # Only sets of a dropped row change; all of these are tested again by their smallest terms.
        marked = used_by(n_terms, rows_of(*rows, np.flatnonzero(~alive)).items)
        rows, records = _kept(rows, records, alive)
        if fallen * FEW <= alive.size:
            alive = without_rare(rows, n_terms, k, pair_table(rows, n_terms, spread))
            marked |= used_by(n_terms, rows_of(*rows, np.flatnonzero(~alive)).items)
            rows, records = _kept(rows, records, alive)
            if size == 2:
                break
    return rows, records


def _swept(rows: TermRows, marked: Flags, k: int, size: int, spread: Spread, steps: Ints64) -> Flags:
    """Test once the sets of up to `size` terms whose smallest is marked; return the remaining rows. Each range of terms
    is tested as if no row of another range were dropped."""
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

    seen = list(spread(check, spans(offsets_of(followers), SHARD_FOLLOWERS)))
    steps[USED] += sum(taken for _, taken in seen)
    require_end(steps, size)
    kept: Flags = np.logical_and.reduce([alive for alive, _ in seen])
    return kept


def core_and_rest(task: Task) -> tuple[Ints32, Ints32]:
    """Return the records of the core and the others, both ascending. Sensitive terms do not count, because only term
    chunks have them: a record of only sensitive terms is in the core."""
    data, method = task.data, task.method
    task.progress("peeling", 0, 0)
    inside = core_of(data.offsets, data.items, ~secret_terms(data), method.min_support, method.m, task.engine.spread)
    task.progress("peeling", 1, 1)
    return np.flatnonzero(inside).astype(np.int32), np.flatnonzero(~inside).astype(np.int32)


def core_leaf(data: Transactions, records: Ints32) -> Leaves:
    """Publish the core: its records without sensitive terms are one chunk, the same that VERPART would find.

    >>> data = Transactions.from_sets([["a", "b"], ["a", "b"], ["c"]]).with_sensitive(["c"])
    >>> leaf = core_leaf(data, np.arange(3, dtype=np.int32))
    >>> leaf.items.tolist(), leaf.counts.tolist(), leaf.term_items.tolist()
    ([0, 1], [2], [2])
    """
    secret = secret_terms(data)
    rows = rows_of(data.offsets, data.items, records, ~secret)
    index = _sorted_rows(rows, secret.size)
    item_offsets = np.zeros(index.size + 1, np.int64)
    distinct, counts = np.empty(rows.items.size, np.int32), np.empty(index.size, np.int64)
    found = write_distinct(rows, index, item_offsets, distinct, counts)
    hidden = np.unique(rows_of(data.offsets, data.items, records, secret).items)
    subrecords = Ragged(item_offsets[: found + 1], distinct[: item_offsets[found]])
    return _leaf(subrecords, counts[:found], hidden, records.size)


# The leaf of the core: its records unchanged, in one chunk, without the terms of the term chunk.


@kernel
def write_distinct(rows, index, offsets, items, counts):
    """Write the rows in the order of `index`, equal neighbours once with their number; return the number written."""
    found, at = 0, 0
    for i in range(index.size):
        a, a_end = rows.offsets[index[i]], rows.offsets[index[i] + 1]
        if i > 0:
            b, b_end = rows.offsets[index[i - 1]], rows.offsets[index[i - 1] + 1]
            if compare_lists(rows.items, a, a_end, b, b_end) == 0:
                counts[found - 1] += 1
                continue
        for p in range(a, a_end):
            items[at] = rows.items[p]
            at += 1
        counts[found] = 1
        found += 1
        offsets[found] = at
    return found


def leaf_of_distinct(rows: Ragged, counts: Ints64, hidden: Ints32, size: int) -> Leaves:
    """Return the same leaf from distinct rows, not empty and in any order, and the number of records equal to each."""
    index = _sorted_rows(TermRows(rows.offsets, rows.items), int(rows.items.max(initial=0)) + 1)
    return _leaf(rows.take(index), counts[index], hidden, size)


def _leaf(subrecords: Ragged, counts: Ints64, hidden: Ints32, size: int) -> Leaves:
    chunks = min(1, counts.size)
    return Leaves(
        sizes=np.array([size], np.int64),
        term_offsets=np.array([0, hidden.size], np.int64),
        term_items=hidden,
        chunk_offsets=np.array([0, chunks], np.int64),
        subrecord_offsets=np.array([0, counts.size][: chunks + 1], np.int64),
        item_offsets=subrecords.offsets,
        items=subrecords.items,
        counts=counts,
    )


def _sorted_rows(rows: TermRows, n_terms: int) -> Ints64:
    """Return the numbers of the rows that are not empty, in canonical order."""
    lengths = np.diff(rows.offsets)
    there = np.flatnonzero(lengths)
    starts, lengths = rows.offsets[there], lengths[there]
    keys = np.empty(there.size, np.uint64)
    first_items(rows.items, starts, lengths, max(1, int(n_terms + 1).bit_length()), keys)
    index = np.argsort(keys, kind="stable")
    sort_ties(rows.items, starts, lengths, keys, index, np.empty_like(index))
    return there[index]
