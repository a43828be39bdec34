"""Rows made ready for mining: the items and pairs that can matter, and the rows in which more than a pair does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.analyst.top_itemsets_pairs import Pairs, Walk, frequent_pairs, promising
from disjoin.analyst.top_itemsets_rows import Rows
from disjoin.kernels.frequent_counting import Store, filled_bits
from disjoin.kernels.frequent_rows import mirrored, narrowed, weighed
from disjoin.model.arrays import Ints64, offsets_of

DENSE = 32  # an item is dense if it is in one record of so many: then its bits need no more room than its list
WORD = 64


class Mine(NamedTuple):
    """Where to look for the `top` best itemsets and for those that tie with the last of them."""

    store: Store
    rank_of: Ints64  # (terms,), of each item in the store, or -1
    singles: Ints64  # items, best first
    single_supports: Ints64
    bound: int  # nothing below it is wanted
    dropped: int  # if this is the support of the last one, not all that tie with it can be counted


def mine_of(rows: Rows, top: int, walk: Walk) -> Mine:
    """Return all that can matter."""
    totals = weighed(rows.offsets, rows.items, rows.weights, rows.n_terms)
    singles = promising(totals, top)
    pairs = frequent_pairs(rows, singles, totals[singles], top, walk)
    in_pairs = np.zeros(singles.size, dtype=np.bool_)
    in_pairs[pairs.rarer] = in_pairs[pairs.partners] = True
    ranked = singles[in_pairs]
    rank_of = np.full(rows.n_terms, -1, dtype=np.int64)
    rank_of[ranked] = np.arange(ranked.size)
    store = _store(rows, rank_of, ranked, totals[ranked], pairs.renumbered(rank_of[singles]), walk)
    return Mine(store, rank_of, singles, totals[singles], pairs.bound, pairs.dropped)


def _store(rows: Rows, rank_of: Ints64, items: Ints64, supports: Ints64, pairs: Pairs, walk: Walk) -> Store:
    offsets, ranks, sources = narrowed(rows.offsets, rows.items, rank_of, 3)
    weights = rows.weights[sources]
    starts, lists = mirrored(offsets, ranks, items.size)
    offsets, ranks = mirrored(starts, lists, weights.size)
    places, word_weights = _places(weights)
    dense = np.count_nonzero(supports * DENSE >= weights.sum())
    most = (ranks.size + 2**16) // max(1, word_weights.size)  # where weights differ much there could be too many
    return Store(
        items=items,
        pair_starts=offsets_of(np.bincount(pairs.rarer, minlength=items.size)),
        partners=pairs.partners,
        pair_supports=pairs.supports,
        offsets=offsets,
        ranks=ranks,
        weights=weights,
        starts=starts,
        rows=lists,
        bits=filled_bits(starts, lists, places, min(dense, most), word_weights.size),
        word_weights=word_weights,
        enters=walk.enters[items],
        leaves=walk.leaves[items],
    )


def _places(weights: Ints64) -> tuple[Ints64, Ints64]:
    """Return a bit for every row and the weight of every word: rows of different weights are in different words."""
    values, group, counts = np.unique(weights, return_inverse=True, return_counts=True)
    words = -(-counts // WORD)
    order = np.argsort(group, kind="stable")
    places = np.empty(weights.size, dtype=np.int64)
    shifts = offsets_of(words)[:-1] * WORD - offsets_of(counts)[:-1]
    places[order] = np.arange(weights.size) + np.repeat(shifts, counts)
    return places, np.repeat(values, words)
