"""Best-first search for the top-k frequent itemsets."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel, overflowing

_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_TOTAL = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP_BYTE = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)

RANK, SUPPORT = range(2)  # lines of what is found


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
    for word in range(common.size):
        common[word] = store.bits[members[0], word]
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

    `members` are ranks, ascending; `floor` is not below the least support of a frequent pair. Returns their number.
    """
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


USED, WORST = range(2)  # in `state`: places in use, and the worst that was kept when the queue was cut, or -1


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
    heap = np.empty(places, dtype=np.int64)
    for place in range(places):
        heap[place] = place
    state = np.zeros(2, dtype=np.int64)
    state[WORST] = -1
    sets = np.empty((places, width), dtype=np.int32)
    return ItemsetQueue(heap, np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64), sets, state)


@inner
def goes_before(queue, left, right):
    """Tell whether the itemset at place `left` is better than the one at `right`."""
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
    """Return the place of the best; what is there stays until the next push."""
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
    for i in range(queue.state[USED] - 1, -1, -1):  # popped places stand behind the rest; put them first
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
    for place in range(places):
        larger.heap[place] = queue.heap[place]
        larger.supports[place] = queue.supports[place]
        larger.sizes[place] = queue.sizes[place]
        for i in range(queue.sizes[place]):
            larger.sets[place, i] = queue.sets[place, i]
    larger.state[USED] = queue.state[USED]
    larger.state[WORST] = queue.state[WORST]
    return larger


FIRST_PLACES = 1024
MANY = 2**61  # counts stop here, so that no sum of two overflows


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


@inner
def doubled(sets, sizes, supports):
    """Return the list of what was found with twice the room."""
    n, width = sets.shape
    more_sets = np.empty((2 * n, width), dtype=np.int32)
    more_sizes, more_supports = np.empty(2 * n, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    for i in range(n):
        more_sizes[i] = sizes[i]
        more_supports[i] = supports[i]
        for j in range(sizes[i]):
            more_sets[i, j] = sets[i, j]
    return more_sets, more_sizes, more_supports


@kernel
def best_itemsets(store, rank_of, singles, single_supports, bound, top, width):
    """Return the `top` best itemsets in order: items (found, width), sizes and supports.

    What is taken from the queue is better than all that is still there and all that will come of it, as a superset has
    no larger support and more items. So what is taken is final, and no more itemsets are extended than are wanted.
    No itemset of more than `width` items can be wanted, and none whose support is less than `bound`.
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
            sets, sizes, supports = doubled(sets, sizes, supports)
        for i in range(size):
            sets[found, i] = queue.sets[place, i]
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
    """Count all itemsets that have the support of the last one; `MANY` if there are that many or more.

    Such an itemset is a single one, or extends one that has more, or extends one of these two kinds by items that all
    its rows have; and any set of those will do. Those that have more are all listed.
    """
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
                for k in range(size):
                    larger[k + 1] = members[k]
                n = extensions(store, larger, size + 1, support, equal, tallies, common)
                total = min(MANY, total + combinations(store, equal[RANK], n, ways))
    return total
