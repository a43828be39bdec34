"""The most frequent itemsets, best first, and how many tie with the last of them."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.frequent_counting import RANK, SUPPORT, extensions
from disjoin.kernels.frequent_queue import USED, WORST, empty_queue, pop, push, with_room

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
    """Count all itemsets that have the support of the last one; `MANY` if there are so many or more.

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
