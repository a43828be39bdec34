"""Top-k frequent itemsets of given records, exact, ties included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.top_itemsets_search import MANY, Store, best_itemsets, count_ties, filled_bits
from disjoin.arrays.ragged import add_pairs, mirrored, narrowed, replaced, weighed
from disjoin.errors import InvalidParameter, described
from disjoin.model import Clusters, Hierarchy, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of, strings

# Weighted rows of items: what records, chunks and records with their ancestors have in common for a miner.


@dataclass(frozen=True, slots=True, eq=False)
class ItemRows(Ragged):
    """Sets of items, each standing for a number of records.

    `items[offsets[i]:offsets[i + 1]]` are the items of row `i`, ascending and distinct, in 0..n_terms - 1; the row
    stands for `weights[i]` records. A row may be empty.
    """

    weights: Ints64  # (rows,)
    n_terms: int


def rows_of(data: Transactions) -> ItemRows:
    """Return the records, each for itself.

    >>> rows_of(Transactions.from_sets([{"tea"}, {"tea", "milk"}])).items.tolist()
    [1, 0, 1]
    """
    return ItemRows(data.offsets, data.items, np.ones(len(data), dtype=np.int64), data.n_terms)


def chunk_rows(published: Clusters) -> ItemRows:
    """Return the subrecords of all record and shared chunks with their counts: what is certain without term chunks.

    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> chunk_rows(Clusters.from_nested([leaf])).weights.tolist()
    [2]
    """
    n_terms = len(published.vocabulary)
    own = np.arange(n_terms, dtype=np.int32)  # every item stays what it is; only order and repeats are put right
    rows = _replaced(published.subrecords, [own[i : i + 1] for i in own], n_terms)
    return ItemRows(rows.offsets, rows.items, published.counts, n_terms)


def extended(rows: ItemRows, hierarchy: Hierarchy, names: pa.StringArray | Sequence[str]) -> tuple[ItemRows, Ints32]:
    """Return the rows with all ancestors of their terms, without the root, and the parent of every item.

    `names` are the terms of `rows` by item; each must be a node of the hierarchy, a leaf or not. The new items are
    numbered as in `extended_names`, whatever the rows are, so that original and published data can be compared. The
    parent is -1 below the root: it is what `top_itemsets` takes as `related`.

    >>> tree = Hierarchy.from_rows([["cat", "pet", "*"], ["dog", "pet", "*"], ["cow", "farm", "*"]])
    >>> rows, parents = extended(rows_of(Transactions.from_sets([{"cat", "dog"}])), tree, ["cat", "dog"])
    >>> [extended_names(tree)[item].as_py() for item in rows.items], parents.tolist()
    (['cat', 'dog', 'pet'], [4, 3, 4, -1, -1])
    """
    number = {name: item for item, name in enumerate(extended_names(hierarchy).to_pylist())}
    chains, parents = _chains(hierarchy, number)
    terms = strings(names).to_pylist()
    unknown = sum(term not in chains for term in terms)
    if unknown:
        raise InvalidParameter(
            f"every term needs a place in the hierarchy, {unknown:,} of {len(terms):,} have none; add a row for each."
        )
    longer = _replaced(rows, [chains[term] for term in terms], len(number))
    return ItemRows(longer.offsets, longer.items, rows.weights, len(number)), parents


def extended_names(hierarchy: Hierarchy) -> pa.StringArray:
    """Return the names of all nodes but the root, each once, in code-point order: the vocabulary of extended rows."""
    names = set(hierarchy.names.to_pylist()) - {hierarchy.names[hierarchy.root].as_py()}
    return strings(sorted(names))


def _chains(hierarchy: Hierarchy, number: dict[str, int]) -> tuple[dict[str, Ints32], Ints32]:
    """Return, for every name, its own item and those of its ancestors, and for every item the parent's."""
    names = hierarchy.names.to_pylist()
    above: dict[int, tuple[int, ...]] = {hierarchy.root: ()}
    for node in range(hierarchy.root - 1, -1, -1):  # a parent comes after its children
        rest = above[int(hierarchy.parents[node])]
        item = number.get(names[node], -1)
        # A leaf may be repeated upwards, and so may the root downwards: one name is one item.
        above[node] = rest if item < 0 or item in rest else (item, *rest)
    parents = np.full(len(number), -1, dtype=np.int32)
    for chain in above.values():
        if len(chain) > 1:
            parents[chain[0]] = chain[1]
    return {names[node]: np.array(chain, dtype=np.int32) for node, chain in above.items()}, parents


def _replaced(rows: Ragged, chains: list[Ints32], n_terms: int) -> Ragged:
    """Return rows in which every item has made room for its chain: ascending, without repeats."""
    links = np.concatenate([*chains, np.zeros(0, dtype=np.int32)])
    chain_offsets = offsets_of([chain.size for chain in chains])
    unsorted = replaced(rows.offsets, rows.items, chain_offsets, links, n_terms)
    return Ragged(*mirrored(*mirrored(*unsorted, n_terms), len(rows)))


# Pairs of items that may be frequent, and the store that counts what goes together with an itemset.

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


MOST = 2**60  # itemsets: more than can be listed


@dataclass(frozen=True, slots=True, eq=False)
class TopItemsets:
    """Itemsets in order: support from the largest, then the smaller set, then the earlier items.

    Itemset `i` is `items[offsets[i]:offsets[i + 1]]`, ascending, and is in `supports[i]` records. `tied` itemsets in
    all have the support of the last one listed, and `cut` of them are not listed because they come later in the order.
    """

    offsets: Ints64  # (itemsets + 1,)
    items: Ints32
    supports: Ints64  # (itemsets,)
    tied: int
    cut: int
    ties_are_exact: bool = True  # if not, `tied` and `cut` are at least so large

    def __len__(self) -> int:
        return self.supports.size

    @property
    def tied_at_cut(self) -> int:
        """How many itemsets, listed or not, have the support of the last one listed."""
        return self.tied

    def itemset(self, position: int) -> tuple[int, ...]:
        """Return the items at a position of the list."""
        return tuple(self.items[self.offsets[position] : self.offsets[position + 1]].tolist())

    def as_sets(self) -> set[frozenset[int]]:
        """Return the itemsets without their order, for comparisons."""
        return {frozenset(self.itemset(position)) for position in range(len(self))}

    def named(self, vocabulary: pa.StringArray | Sequence[str]) -> list[tuple[str, ...]]:
        """Return the itemsets in order, in words: item `i` is called `vocabulary[i]`."""
        names = strings(vocabulary).to_pylist()
        return [tuple(names[item] for item in self.itemset(position)) for position in range(len(self))]


def top_itemsets(rows: ItemRows, top: int = 1000, *, related: Ints32 | None = None) -> TopItemsets:
    """Return the `top` itemsets with the largest supports, of any size from 1; all there are if these are fewer.

    `related[item]` is the parent of an item in a hierarchy, -1 for none: then itemsets with an item and one of its
    ancestors are left out (`extended` returns both).

    >>> found = top_itemsets(ItemRows(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.array([1, 1]), 3), 3)
    >>> [found.itemset(i) for i in range(3)], found.supports.tolist(), found.tied, found.cut
    ([(1,), (0,), (2,)], [2, 1, 1], 4, 2)
    """
    if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
        raise InvalidParameter(f"top must be a whole number, 1 or more, got {described(top)}.")
    top = min(int(top), MOST)
    mine = mine_of(rows, top, walk_through(related, rows.n_terms))
    if not mine.singles.size:
        return TopItemsets(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), mine.single_supports, 0, 0)
    # All subsets of an itemset are better than it is, so one of n items is the 2**n - 1st of the list, or later.
    width = min((top + 1).bit_length() - 1, rows.longest)
    sets, sizes, supports = best_itemsets(*mine[:-1], top, width)
    tied = int(count_ties(*mine[:-2], sets, sizes, supports))
    listed = np.arange(width) < sizes[:, None]
    cut = tied - int(np.count_nonzero(supports == supports[-1]))
    are_exact = tied < MANY and mine.dropped < supports[-1]
    return TopItemsets(offsets_of(sizes), sets[listed], supports, tied, cut, bool(are_exact))
