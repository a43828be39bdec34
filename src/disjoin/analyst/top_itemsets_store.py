"""Rows made ready for mining: frequent items first, bits for dense items, lists for sparse ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.top_itemsets_rows import Rows
from disjoin.errors import InvalidParameter
from disjoin.kernels.frequent_counting import Store, filled_bits
from disjoin.kernels.frequent_rows import mirrored, replaced, weighed
from disjoin.model.arrays import Ints32, Ints64, offsets_of

DENSE = 32  # an item is dense if it is in one record of so many: then its bits need no more room than its list
WORD = 64


def store_of(rows: Rows, top: int, related: Ints32 | None) -> Store:
    """Return the rows with all items that can be in one of the `top` itemsets, or in one that ties with the last."""
    totals = weighed(rows.offsets, rows.items, rows.weights, rows.n_terms)
    kept = _promising(totals, top)
    supports = totals[kept]
    chosen = np.zeros(rows.n_terms, dtype=np.int64)
    chosen[kept] = 1
    rank_of = np.empty(rows.n_terms, dtype=np.int32)
    rank_of[kept] = np.arange(kept.size)
    ranked = replaced(rows.offsets, rows.items, offsets_of(chosen), rank_of[chosen > 0], kept.size)
    starts, lists = mirrored(*ranked, kept.size)
    offsets, ranks = mirrored(starts, lists, rows.weights.size)
    places, word_weights = _places(rows.weights)
    dense = np.count_nonzero(supports * DENSE >= rows.weights.sum())
    most = (rows.items.size + 2**16) // max(1, word_weights.size)  # where weights differ much there could be too many
    bits = filled_bits(starts, lists, places, min(dense, most), word_weights.size)
    enters, leaves = _walk(kept, rows.n_terms, related)
    return Store(kept, supports, offsets, ranks, rows.weights, starts, lists, bits, word_weights, enters, leaves)


def _promising(totals: Ints64, top: int) -> Ints64:
    """Return the items, best first, without those that as many as are wanted surpass."""
    items = np.flatnonzero(totals)
    if items.size > top:
        items = items[totals[items] >= np.partition(totals[items], -top)[-top]]
    return items[np.lexsort((items, -totals[items]))]


def _places(weights: Ints64) -> tuple[Ints64, Ints64]:
    """Return a bit for every row and the weight of every word: rows of different weights are in different words."""
    values, group, counts = np.unique(weights, return_inverse=True, return_counts=True)
    words = -(-counts // WORD)
    order = np.argsort(group, kind="stable")
    places = np.empty(weights.size, dtype=np.int64)
    shifts = offsets_of(words)[:-1] * WORD - offsets_of(counts)[:-1]
    places[order] = np.arange(weights.size) + np.repeat(shifts, counts)
    return places, np.repeat(values, words)


def _walk(kept: Ints64, n_terms: int, related: Ints32 | None) -> tuple[Ints64, Ints64]:
    """Return, by rank, when a walk through the hierarchy enters an item and when it has seen all below it."""
    if related is None:
        numbers = np.arange(kept.size, dtype=np.int64)
        return numbers, numbers + 1
    if related.size != n_terms:
        raise InvalidParameter(f"related must have a parent for each of {n_terms} items, found {related.size}.")
    children: list[list[int]] = [[] for _ in range(n_terms + 1)]
    for item, parent in enumerate(related.tolist()):
        children[parent].append(item)  # the parent -1 is the last place
    enters: NDArray[np.int64] = np.full(n_terms, -1, dtype=np.int64)
    leaves = np.zeros(n_terms, dtype=np.int64)
    clock, waiting = 0, [*reversed(children[-1])]
    while waiting:
        item = waiting.pop()
        if item < 0:
            leaves[~item] = clock
            continue
        enters[item], clock = clock, clock + 1
        waiting += [~item, *children[item]]
    if np.any(enters < 0):
        raise InvalidParameter(f"related goes round in a circle at item {int(np.argmin(enters))}.")
    return enters[kept], leaves[kept]
