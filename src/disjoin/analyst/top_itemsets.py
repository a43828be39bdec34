"""Top-k frequent itemsets of given records, exact, ties included: a best-first search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.arrays.ragged import add_pairs, mirrored, narrowed, replaced, weighed
from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner, kernel, overflowing
from disjoin.model import Clusters, Hierarchy, Transactions
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of, strings

MOST = 2**60  # itemsets: more than can be listed
MANY = 2**61  # counts stop here, so that no sum of two overflows
CELLS = 2**22  # pairs that are counted at once
MOST_PAIRS = 2**20  # that are kept if no more are wanted
DENSE = 32  # an item is dense if it is in one record of this many: then its bits need no more room than its list
WORD = 64
FIRST_PLACES = 1024  # of the queue, and of what is found

RANK, SUPPORT = range(2)  # lines of what is found
USED, WORST = range(2)  # in `state`: places in use, and the worst that was kept when the queue was cut, or -1

_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_BYTES, _TOTAL = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP_BYTE = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@dataclass(frozen=True, slots=True, eq=False)
class ItemRows(Ragged):
    """Sets of items, each standing for a number of records. `items[offsets[i]:offsets[i + 1]]` are the items of row
    `i`, ascending and distinct, in 0..n_terms - 1; the row represents `weights[i]` records. A row may be empty."""

    weights: Ints64  # (rows,)
    n_terms: int


def rows_of(data: Transactions) -> ItemRows:
    """Return the records, one row per record.

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


@dataclass(frozen=True, slots=True, eq=False)
class TopItemsets:
    """Itemsets in order: support from the largest, then the smaller set, then the earlier items. `tied` itemsets in all
    have the support of the last one listed, and `cut` of them are not listed because they come later in the order."""

    offsets: Ints64  # (itemsets + 1,)
    items: Ints32  # ascending in an itemset
    supports: Ints64  # (itemsets,)
    tied: int
    cut: int
    ties_are_exact: bool = True  # if not, `tied` and `cut` are at least so large

    def __len__(self) -> int:
        return self.supports.size

    def itemset(self, position: int) -> tuple[int, ...]:
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
    top = min(require_integer("top", top, 1, "it is the number of itemsets to list."), MOST)
    store, rank_of, singles, single_supports, pairs = _prepared(rows, top, walk_through(related, rows.n_terms))
    if not singles.size:
        return TopItemsets(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), single_supports, 0, 0)
    # All subsets of an itemset are better than it is, so one of n items is the 2**n - 1st of the list, or later.
    width = min((top + 1).bit_length() - 1, rows.longest)
    sets, sizes, supports = best_itemsets(store, rank_of, singles, single_supports, pairs.bound, top, width)
    tied = int(count_ties(store, rank_of, singles, single_supports, sets, sizes, supports))
    listed = np.arange(width) < sizes[:, None]
    cut = tied - int(np.count_nonzero(supports == supports[-1]))
    are_exact = tied < MANY and pairs.dropped < supports[-1]
    return TopItemsets(offsets_of(sizes), sets[listed], supports, tied, cut, bool(are_exact))


class Walk(NamedTuple):
    """When a walk through the hierarchy enters an item, and the time after the last item below it."""

    enters: Ints64  # (terms,)
    leaves: Ints64  # (terms,)

    def related(self, some: Ints64, others: Ints64) -> Flags:
        """Report, one by one, whether an item is an ancestor of the other or the other way round."""
        first = np.minimum(self.enters[some], self.enters[others])
        last = np.maximum(self.enters[some], self.enters[others])
        return last < self.leaves[np.where(self.enters[some] == first, some, others)]


class FrequentPairs(NamedTuple):
    """Pairs of ranks, the rarer one first, sorted by both, whose support is at least `bound`."""

    rarer: Ints64
    partners: Ints64
    supports: Ints64
    bound: int
    dropped: int = 0  # the largest support of pairs that reach the bound and were dropped for want of room


def _prepared(rows: ItemRows, top: int, walk: Walk) -> tuple[Store, Ints64, Ints64, Ints64, FrequentPairs]:
    """Return the store, the rank in it of each item (or -1), the items that may be wanted, best first, with their
    supports, and the frequent pairs."""
    totals = weighed(rows.offsets, rows.items, rows.weights, rows.n_terms)
    singles = np.flatnonzero(totals)
    if singles.size > top:
        singles = singles[totals[singles] >= _least_of_best(totals[singles], top)]
    singles = singles[np.lexsort((singles, -totals[singles]))]
    pairs = frequent_pairs(rows, singles, totals[singles], top, walk)
    ranked = singles[np.unique(np.concatenate((pairs.rarer, pairs.partners)))]
    rank_of = np.full(rows.n_terms, -1, dtype=np.int64)
    rank_of[ranked] = np.arange(ranked.size)
    numbers = rank_of[singles]
    pairs = pairs._replace(rarer=numbers[pairs.rarer], partners=numbers[pairs.partners])
    store = _store(rows, rank_of, ranked, totals[ranked], pairs, walk)
    return store, rank_of, singles, totals[singles], pairs


def frequent_pairs(rows: ItemRows, singles: Ints64, supports: Ints64, top: int, walk: Walk) -> FrequentPairs:
    """Return all pairs of unrelated items that reach the support of the `top` best among items and pairs. Ranks are
    positions in `singles`. No itemset with less than this support is wanted, nor any that has a pair with less. Block
    by block: the bound rises on the way, so rare items may never be looked at."""
    rank_of = np.full(rows.n_terms, -1, dtype=np.int64)
    rank_of[singles] = np.arange(singles.size)
    dtype: type[np.signedinteger] = np.int32 if rows.weights.sum() < 2**31 else np.int64
    best, bound, dropped = supports, _least_of_best(supports, top), 0
    found = np.zeros((3, 0), dtype=np.int64)  # rarer ranks, partners, supports
    first, alive = 0, int(np.count_nonzero(supports >= bound))
    while first < alive:
        end = min(alive, first + max(1, CELLS // (first + 2048)))
        table = np.zeros((end - first, end), dtype=dtype)
        add_pairs(rows.offsets, rows.items, rows.weights, rank_of, first, table)
        rarer, partners = np.nonzero(table >= bound)
        block = np.stack((rarer + first, partners, table[rarer, partners].astype(np.int64)))
        block = block[:, ~walk.related(singles[block[0]], singles[block[1]])]
        best = np.concatenate((best, block[2]))
        best = np.partition(best, -top)[-top:] if best.size > top else best
        bound = _least_of_best(best, top)
        found = np.concatenate((found, block), axis=1)
        found = found[:, found[2] >= bound]
        if found.shape[1] > max(top, MOST_PAIRS):
            found, dropped = _without_the_last(found, bound, singles, max(top, MOST_PAIRS // 2)), bound
        first, alive = end, int(np.count_nonzero(supports >= bound))
    rarer, partners, supports = found.copy()
    return FrequentPairs(rarer, partners, supports, bound, dropped)


def _without_the_last(found: Ints64, bound: int, singles: Ints64, kept: int) -> Ints64:
    """Return that many of the best pairs, not fewer than are wanted: first all above the bound, which are fewer."""
    one, other = singles[found[0]], singles[found[1]]
    order = np.minimum(one, other) * (singles.max() + 1) + np.maximum(one, other)
    order[found[2] > bound] = -1  # those at the bound come in the order of items
    return found[:, np.sort(np.argpartition(order, kept)[:kept])]


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
    enters = np.full(n_terms, -1, dtype=np.int64)
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


class Store(NamedTuple):
    """The rows that have three ranks or more, as a miner wants them; the first `bits.shape[0]` ranks are dense."""

    items: Any  # (ranks,), the item of each rank
    pair_starts: Any  # (ranks + 1,)
    partners: Any  # more frequent ranks with which each rank makes a frequent pair, ascending
    pair_supports: Any
    offsets: Any  # (rows + 1,)
    ranks: Any  # of each row, ascending
    weights: Any  # (rows,)
    starts: Any  # (ranks + 1,)
    rows: Any  # that have each rank, ascending
    bits: Any  # (dense ranks, words)
    word_weights: Any  # (words,), of each of the rows that have their bits in a word
    enters: Any  # (ranks,), numbers of nodes in a walk through the hierarchy, a parent before its children
    leaves: Any  # (ranks,), the number after that of the last descendant


@inner
@overflowing
def ones(word):
    """Count the bits that are set, pairs first, then fours, then bytes; the product adds all bytes into the top one."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _TOTAL) >> _TOP_BYTE)


@kernel
def filled_bits(starts, rows, places, n_dense, n_words):
    """Return a bit for every row that has a dense rank, at the row's place."""
    bits = np.zeros((n_dense, n_words), dtype=np.uint64)
    for rank in range(n_dense):
        for at in range(starts[rank], starts[rank + 1]):
            place = places[rows[at]]
            bits[rank, place >> 6] |= _ONE << np.uint64(place & 63)
    return bits


@inner
def pair_support(store, rank, partner):
    """Return the support of a pair, 0 if it is not frequent; the partner is the more frequent one."""
    low, high = store.pair_starts[rank], store.pair_starts[rank + 1]
    while low < high:
        middle = (low + high) // 2
        if store.partners[middle] < partner:
            low = middle + 1
        else:
            high = middle
    if low < store.pair_starts[rank + 1] and store.partners[low] == partner:
        return store.pair_supports[low]
    return 0


@inner
def candidates(store, members, size, floor, found):
    """Write the ranks before the first member, with their least pair supports, that make frequent pairs with all."""
    n = 0
    for at in range(store.pair_starts[members[0]], store.pair_starts[members[0] + 1]):
        least = store.pair_supports[at]
        i = 1
        while i < size and least >= floor:
            least = min(least, pair_support(store, members[i], store.partners[at]))
            i += 1
        if least >= floor:
            found[RANK, n] = store.partners[at]
            found[SUPPORT, n] = least
            n += 1
    return n


@inner
def count_words(store, members, size, found, n, common):
    """Set the supports of the candidates with bits: all ranks in question are dense."""
    common[:] = store.bits[members[0]]
    for i in range(1, size):
        for word in range(common.size):
            common[word] &= store.bits[members[i], word]
    for i in range(n):
        total = 0
        for word in range(common.size):
            total += store.word_weights[word] * ones(common[word] & store.bits[found[RANK, i], word])
        found[SUPPORT, i] = total


@inner
def count_rows(store, members, size, found, n, tallies):
    """Set the supports of the candidates row by row, over the rows of the least frequent member."""
    for i in range(n):
        tallies[found[RANK, i]] = 0
    rarest, last = members[size - 1], found[RANK, n - 1]
    for at in range(store.starts[rarest], store.starts[rarest + 1]):
        row = store.rows[at]
        first, end = store.offsets[row], store.offsets[row + 1]
        if store.ranks[first] > last:
            continue
        seen, position = 0, first
        while seen < size and position < end and store.ranks[position] <= members[seen]:
            seen += store.ranks[position] == members[seen]
            position += 1
        if seen < size:
            continue
        position = first
        while store.ranks[position] <= last:
            tallies[store.ranks[position]] += store.weights[row]
            position += 1
    for i in range(n):
        found[SUPPORT, i] = tallies[found[RANK, i]]


@inner
def extensions(store, members, size, floor, found, tallies, common):
    """Write all more frequent ranks that have at least a support of `floor` with all members, and these supports.
    `members` are ranks, ascending; `floor` is not below the least support of a frequent pair. Returns their number."""
    n = candidates(store, members, size, floor, found)
    if size == 1 or n == 0:
        return n
    if members[size - 1] < store.bits.shape[0]:
        count_words(store, members, size, found, n, common)
    else:
        count_rows(store, members, size, found, n, tallies)
    kept = 0
    for i in range(n):
        if found[SUPPORT, i] >= floor:
            found[RANK, kept], found[SUPPORT, kept] = found[RANK, i], found[SUPPORT, i]
            kept += 1
    return kept


class ItemsetQueue(NamedTuple):
    """Itemsets that wait."""

    heap: Any  # (places,)
    supports: Any  # (places,)
    sizes: Any  # (places,)
    sets: Any  # (places, width), items ascending
    state: Any  # (2,)


@inner
def empty_queue(places, width):
    """Return a queue with room for that many itemsets of up to `width` items."""
    heap = np.arange(places)
    state = np.zeros(2, dtype=np.int64)
    state[WORST] = -1
    sets = np.empty((places, width), dtype=np.int32)
    return ItemsetQueue(heap, np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64), sets, state)


@inner
def goes_before(queue, left, right):
    """Report whether the itemset at place `left` is better than the one at `right`."""
    if queue.supports[left] != queue.supports[right]:
        return queue.supports[left] > queue.supports[right]
    if queue.sizes[left] != queue.sizes[right]:
        return queue.sizes[left] < queue.sizes[right]
    for i in range(queue.sizes[left]):
        if queue.sets[left, i] != queue.sets[right, i]:
            return queue.sets[left, i] < queue.sets[right, i]
    return False


@inner
def push(queue, support, items, size, more):
    """Let `size` items, ascending, and one more enter, unless there are enough better ones; there must be room."""
    place = queue.heap[queue.state[USED]]
    queue.supports[place] = support
    queue.sizes[place] = size + 1
    at = size
    while at > 0 and items[at - 1] > more:
        queue.sets[place, at] = items[at - 1]
        at -= 1
    queue.sets[place, at] = more
    for i in range(at):
        queue.sets[place, i] = items[i]
    if queue.state[WORST] >= 0 and not goes_before(queue, place, queue.state[WORST]):
        return
    position = queue.state[USED]
    queue.state[USED] += 1
    while position > 0:
        above = (position - 1) // 2
        if not goes_before(queue, place, queue.heap[above]):
            break
        queue.heap[position] = queue.heap[above]
        position = above
    queue.heap[position] = place


@inner
def pop(queue):
    """Return the place of the best itemset; its content stays until the next push."""
    best = queue.heap[0]
    queue.state[USED] -= 1
    used = queue.state[USED]
    last = queue.heap[used]
    position = 0
    while True:
        below = 2 * position + 1
        if below >= used:
            break
        if below + 1 < used and goes_before(queue, queue.heap[below + 1], queue.heap[below]):
            below += 1
        if not goes_before(queue, queue.heap[below], last):
            break
        queue.heap[position] = queue.heap[below]
        position = below
    queue.heap[position] = last
    queue.heap[used] = best
    return best


@inner
def cut(queue, wanted):
    """Keep only the best; what is not better than the worst of these need not enter any more."""
    best = np.empty(wanted, dtype=np.int64)
    for i in range(wanted):
        best[i] = pop(queue)
    for i in range(queue.state[USED] - 1, -1, -1):  # popped places are behind the rest; put them first
        queue.heap[i + wanted] = queue.heap[i]
    for i in range(wanted):
        queue.heap[i] = best[i]  # sorted, and so a heap
    queue.state[USED] = wanted
    queue.state[WORST] = best[wanted - 1]


@inner
def with_room(queue, wanted):
    """Return the queue with a free place at least: cut if it has twice as many as are wanted, else with more room."""
    places, width = queue.sets.shape
    if queue.state[USED] < places:
        return queue
    if places >= 2 * wanted:
        cut(queue, wanted)
        return queue
    larger = empty_queue(2 * places, width)
    larger.heap[:places], larger.supports[:places], larger.sizes[:places] = queue.heap, queue.supports, queue.sizes
    larger.sets[:places], larger.state[:] = queue.sets, queue.state
    return larger


@inner
def set_members(members, items, size, rank_of):
    """Write the ranks of some items, ascending."""
    for i in range(size):
        rank = rank_of[items[i]]
        at = i
        while at > 0 and members[at - 1] > rank:
            members[at] = members[at - 1]
            at -= 1
        members[at] = rank


@kernel
def best_itemsets(store, rank_of, singles, single_supports, bound, top, width):
    """Return the `top` best itemsets in order: items (found, width), sizes and supports.

    What is taken from the queue is better than all that is still there and all that will come of it, as a superset has
    no larger support and more items. So what is taken is final, and no more itemsets are extended than are wanted. No
    itemset of more than `width` items can be wanted, and none whose support is less than `bound`.
    """
    queue = empty_queue(FIRST_PLACES, width)
    sets = np.empty((FIRST_PLACES, width), dtype=np.int32)
    sizes, supports = np.empty(FIRST_PLACES, dtype=np.int64), np.empty(FIRST_PLACES, dtype=np.int64)
    members, extra = np.empty(width, dtype=np.int64), np.empty((2, store.items.size), dtype=np.int64)
    tallies, common = np.empty(store.items.size, dtype=np.int64), np.empty(store.bits.shape[1], dtype=np.uint64)
    for i in range(singles.size):
        queue = with_room(queue, top)
        push(queue, single_supports[i], singles, 0, singles[i])
    found = 0
    while found < top and queue.state[USED] > 0:
        place = pop(queue)
        size = queue.sizes[place]
        if found == sizes.size:
            sets, sizes = np.concatenate((sets, sets)), np.concatenate((sizes, sizes))  # twice the room
            supports = np.concatenate((supports, supports))
        sets[found, :size] = queue.sets[place, :size]
        sizes[found], supports[found] = size, queue.supports[place]
        found += 1
        set_members(members, sets[found - 1], size, rank_of)
        if size == width or found == top or members[0] < 0:
            continue
        floor = bound if queue.state[WORST] < 0 else max(bound, queue.supports[queue.state[WORST]])
        for i in range(extensions(store, members, size, floor, extra, tallies, common)):
            queue = with_room(queue, top - found)
            push(queue, extra[SUPPORT, i], sets[found - 1], size, store.items[extra[RANK, i]])
    return sets[:found], sizes[:found], supports[:found]


@inner
def combinations(store, ranks, n, ways):
    """Count the sets, the empty one as well, of some ranks of which none is an ancestor of another; `ways` is room."""
    for i in range(1, n):  # in the order of a walk through the hierarchy
        rank, at = ranks[i], i
        while at > 0 and store.enters[ranks[at - 1]] > store.enters[rank]:
            ranks[at] = ranks[at - 1]
            at -= 1
        ranks[at] = rank
    ways[n] = 1
    for i in range(n - 1, -1, -1):  # without the i-th or with it, and then without its descendants, which follow
        after = i + 1
        while after < n and store.enters[ranks[after]] < store.leaves[ranks[i]]:
            after += 1
        ways[i] = min(MANY, ways[i + 1] + ways[after])
    return ways[0]


@kernel
def count_ties(store, rank_of, singles, single_supports, sets, sizes, supports):
    """Count all itemsets that have the support of the last one; `MANY` if there are that many or more. Such an itemset
    is a single one, or extends one that has more, or extends one of these two kinds by items that all its rows have;
    and any set of those will do. Those that have more are all listed."""
    support = supports[-1]
    total = 0
    members, larger = np.empty(sets.shape[1], dtype=np.int64), np.empty(sets.shape[1] + 1, dtype=np.int64)
    n_ranks = store.items.size
    extra, equal = np.empty((2, n_ranks), dtype=np.int64), np.empty((2, n_ranks), dtype=np.int64)
    tallies, ways = np.empty(n_ranks, dtype=np.int64), np.empty(n_ranks + 1, dtype=np.int64)
    common = np.empty(store.bits.shape[1], dtype=np.uint64)
    for i in range(singles.size):
        if single_supports[i] == support:
            larger[0] = rank_of[singles[i]]
            n = 0 if larger[0] < 0 else extensions(store, larger, 1, support, equal, tallies, common)
            total = min(MANY, total + combinations(store, equal[RANK], n, ways))
    for i in range(supports.size):
        if supports[i] == support:
            break
        size = sizes[i]
        set_members(members, sets[i], size, rank_of)
        if members[0] < 0:
            continue
        for j in range(extensions(store, members, size, support, extra, tallies, common)):
            if extra[SUPPORT, j] == support:
                larger[0] = extra[RANK, j]
                larger[1 : size + 1] = members[:size]
                n = extensions(store, larger, size + 1, support, equal, tallies, common)
                total = min(MANY, total + combinations(store, equal[RANK], n, ways))
    return total
