"""Pairs of items that may be frequent, and the store that counts what goes together with an itemset."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.top_itemsets_rows import ItemRows
from disjoin.analyst.top_itemsets_search import Store, filled_bits
from disjoin.errors import InvalidParameter
from disjoin.jit.ragged import add_pairs, mirrored, narrowed, weighed
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of

CELLS = 2**22  # pairs that are counted at once
MOST_PAIRS = 2**20  # that are kept if no more are wanted


class Walk(NamedTuple):
    """When a walk through the hierarchy enters an item, and the time after the last item below it."""

    enters: Ints64  # (terms,)
    leaves: Ints64  # (terms,)

    def related(self, some: Ints64, others: Ints64) -> Flags:
        """Tell which items, one by one, are ancestors of the others or the other way round."""
        first = np.minimum(self.enters[some], self.enters[others])
        last = np.maximum(self.enters[some], self.enters[others])
        above = np.where(self.enters[some] == first, some, others)
        flags: Flags = last < self.leaves[above]
        return flags


class FrequentPairs(NamedTuple):
    """Pairs of ranks, the rarer one first, sorted by both, whose support is at least `bound`."""

    rarer: Ints64
    partners: Ints64
    supports: Ints64
    bound: int
    dropped: int = 0  # the largest support of pairs that reach the bound and were dropped for want of room

    def renumbered(self, numbers: Ints64) -> FrequentPairs:
        """Return the pairs with other ranks in the same order."""
        return self._replace(rarer=numbers[self.rarer], partners=numbers[self.partners])


def promising(totals: Ints64, top: int) -> Ints64:
    """Return the items that occur, best first, without those whose support is less than that of `top` others."""
    items = np.flatnonzero(totals)
    if items.size > top:
        items = items[totals[items] >= _least_of_best(totals[items], top)]
    return items[np.lexsort((items, -totals[items]))]


def frequent_pairs(rows: ItemRows, singles: Ints64, supports: Ints64, top: int, walk: Walk) -> FrequentPairs:
    """Return all pairs of unrelated items that reach the support of the `top` best among items and pairs.

    Ranks are positions in `singles`. No itemset with less than this support is wanted, nor any that has a pair with
    less. Block by block: the bound rises on the way, so rare items may never be looked at.
    """
    rank_of = np.full(rows.n_terms, -1, dtype=np.int64)
    rank_of[singles] = np.arange(singles.size)
    dtype: type[np.signedinteger] = np.int32 if rows.weights.sum() < 2**31 else np.int64
    best, bound = supports, _least_of_best(supports, top)
    nothing = np.zeros(0, dtype=np.int64)
    pairs = FrequentPairs(nothing, nothing, nothing, bound)
    first, alive = 0, int(np.count_nonzero(supports >= bound))
    while first < alive:
        end = min(alive, first + max(1, CELLS // (first + 2048)))
        table = np.zeros((end - first, end), dtype=dtype)
        add_pairs(rows.offsets, rows.items, rows.weights, rank_of, first, table)
        block = _block(table, first, bound, singles, walk)
        best = np.concatenate((best, block[2]))
        best = np.partition(best, -top)[-top:] if best.size > top else best
        bound = _least_of_best(best, top)
        pairs = _joined(pairs, block, bound)
        if pairs.rarer.size > max(top, MOST_PAIRS):
            pairs = _without_the_last(pairs, singles, max(top, MOST_PAIRS // 2))
        first, alive = end, int(np.count_nonzero(supports >= bound))
    return pairs


def _block(table: Ints32 | Ints64, first: int, bound: int, singles: Ints64, walk: Walk) -> Ints64:
    """Return the pairs of unrelated items that reach the bound: rarer ranks, partners, supports."""
    rarer, partners = np.nonzero(table >= bound)
    found: Ints64 = np.stack((rarer + first, partners, table[rarer, partners].astype(np.int64)))
    unrelated = ~walk.related(singles[found[0]], singles[found[1]])
    return found[:, unrelated]


def _joined(pairs: FrequentPairs, block: Ints64, bound: int) -> FrequentPairs:
    """Return all that reach the new bound."""
    found = np.concatenate((np.stack(pairs[:3]), block), axis=1)
    rarer, partners, supports = found[:, found[2] >= bound]
    return FrequentPairs(rarer, partners, supports, bound, pairs.dropped)


def _without_the_last(pairs: FrequentPairs, singles: Ints64, kept: int) -> FrequentPairs:
    """Return that many of the best pairs, not fewer than are wanted: first all above the bound, which are fewer."""
    one, other = singles[pairs.rarer], singles[pairs.partners]
    order = np.minimum(one, other) * (singles.max() + 1) + np.maximum(one, other)
    order[pairs.supports > pairs.bound] = -1  # those at the bound come in the order of items
    chosen = np.sort(np.argpartition(order, kept)[:kept])
    return FrequentPairs(pairs.rarer[chosen], pairs.partners[chosen], pairs.supports[chosen], pairs.bound, pairs.bound)


def _least_of_best(supports: Ints64, top: int) -> int:
    """Return the support of the last of the `top` best; 1 if there are fewer."""
    return int(np.partition(supports, -top)[-top]) if supports.size >= top else 1


def walk_through(related: Ints32 | None, n_terms: int) -> Walk:
    """Walk through the hierarchy that is given by the parent of every item; without one no items are related."""
    if related is None:
        numbers = np.arange(n_terms, dtype=np.int64)
        return Walk(numbers, numbers + 1)
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
        if item < 0:  # all below it has been seen
            leaves[~item] = clock
            continue
        enters[item], clock = clock, clock + 1
        waiting += [~item, *children[item]]
    if np.any(enters < 0):
        raise InvalidParameter(f"related goes round in a circle at item {int(np.argmin(enters))}.")
    return Walk(enters, leaves)


DENSE = 32  # an item is dense if it is in one record of this many: then its bits need no more room than its list
WORD = 64


class Mine(NamedTuple):
    """Where to look for the `top` best itemsets and for those that tie with the last of them."""

    store: Store
    rank_of: Ints64  # (terms,), of each item in the store, or -1
    singles: Ints64  # items, best first
    single_supports: Ints64
    bound: int  # nothing below it is wanted
    dropped: int  # if this is the support of the last one, not all that tie with it can be counted


def mine_of(rows: ItemRows, top: int, walk: Walk) -> Mine:
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


def _store(rows: ItemRows, rank_of: Ints64, items: Ints64, supports: Ints64, pairs: FrequentPairs, walk: Walk) -> Store:
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
