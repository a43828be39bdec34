"""The k^m core: the largest part of the records in which each set of up to m terms occurs k times or not at all.

There is only one such part (PROOF.md of disassociation), and dropping records that hold a rarer set, in any order and
until there are none, leaves it. So work is done where it is cheapest: terms first, then pairs among what is left, then
larger sets. Sweeps look at all sets, side by side for ranges of terms, and keep no table of them; pairs are counted
in one when few records are left to fall.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import kernel
from disjoin.jit.ordering import sort_keys
from disjoin.methods.disassociation.km_core_pairs import without_rare_pairs, without_rare_terms
from disjoin.methods.disassociation.km_core_rows import check_terms, fill_tails, new_views
from disjoin.methods.disassociation.pair_table import Rows, Spread, pairs_to_count, rows_of, shards_of
from disjoin.methods.disassociation.steps import USED, new_steps, require_end
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of

SHARD_FOLLOWERS = 32_000_000  # occurrences behind the terms of a shard: 128 MB; the result is the same for any number
FEW = 10  # after a sweep that drops fewer than one row in so many, pairs are counted in a table


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


def _kept(rows: Rows, records: Ints32, alive: Flags) -> tuple[Rows, Ints32]:
    """Return the rows that are left, close together in memory, and their records."""
    if alive.all():
        return rows, records
    everything = np.ones(int(rows.items.max(initial=-1)) + 1, np.bool_)
    return rows_of(rows.offsets, rows.items, np.flatnonzero(alive).astype(np.int32), everything), records[alive]


def _rare_terms_first(rows: Rows, n_terms: int) -> None:
    """Number the terms of the rows anew, in place, so that rare sets are met, and their rows dropped, early."""
    rank = np.empty(n_terms, np.int32)
    supports = np.bincount(rows.items, minlength=n_terms)
    rank[np.argsort(supports, kind="stable")] = np.arange(n_terms, dtype=np.int32)
    renumber(rows.offsets, rows.items, rank, np.empty(_longest(rows), np.int64))


def _longest(rows: Rows) -> int:
    return int(np.diff(rows.offsets).max(initial=0))


def _peeled(
    rows: Rows, records: Ints32, n_terms: int, k: int, size: int, spread: Spread, steps: Ints64
) -> tuple[Rows, Ints32]:
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


def _terms_of(rows: Rows, chosen: Flags, n_terms: int) -> Flags:
    """Tell which terms the chosen rows have."""
    found = np.zeros(n_terms, np.bool_)
    numbers = np.flatnonzero(chosen).astype(np.int32)
    found[rows_of(rows.offsets, rows.items, numbers, np.ones(n_terms, np.bool_)).items] = True
    return found


def _swept(rows: Rows, marked: Flags, k: int, size: int, spread: Spread, steps: Ints64) -> Flags:
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
