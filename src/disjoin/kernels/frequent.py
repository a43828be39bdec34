"""The most frequent itemsets, best first, and how many tie with the last of them."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.frequent_counting import may_join, tally
from disjoin.kernels.frequent_queue import USED, empty_queue, pop, push, with_room

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


@inner
def ranks_by_item(store):
    """Return the rank of every item that has one."""
    largest = 0
    for item in store.items:
        largest = max(largest, item)
    rank_of = np.empty(largest + 1, dtype=np.int64)
    for rank in range(store.items.size):
        rank_of[store.items[rank]] = rank
    return rank_of


@kernel
def best_itemsets(store, top, width):
    """Return the `top` best itemsets in order: items (found, width), sizes and supports.

    What is taken from the queue is better than all that is still there and all that will come of it, as a superset has
    no larger support and more items. So what is taken is final, and exactly as many itemsets are extended as are
    wanted. No itemset of more than `width` items can be wanted: all its subsets are better.
    """
    queue = empty_queue(FIRST_PLACES, width)
    sets = np.empty((FIRST_PLACES, width), dtype=np.int32)
    sizes, supports = np.empty(FIRST_PLACES, dtype=np.int64), np.empty(FIRST_PLACES, dtype=np.int64)
    members, tallies = np.empty(width + 1, dtype=np.int64), np.empty(store.items.size, dtype=np.int64)
    common = np.empty(store.bits.shape[1], dtype=np.uint64)
    rank_of = ranks_by_item(store)
    for rank in range(store.items.size):
        queue = with_room(queue, top)
        push(queue, store.supports[rank], store.items, 0, store.items[rank])
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
        if size == width or found == top:
            continue
        set_members(members, sets[found - 1], size, rank_of)
        tally(store, members, size, tallies, common)
        for rank in range(members[0]):
            if tallies[rank] > 0 and may_join(store, rank, members, size):
                queue = with_room(queue, top - found)
                push(queue, tallies[rank], sets[found - 1], size, store.items[rank])
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


@inner
def ties_above(store, members, size, support, work, common):
    """Count the itemsets of a support that extend `members`, which have it, by more frequent items, and `members`.

    These items have all rows of the members, and so has every set of them.
    """
    tallies, equals, ways = work[0], work[1], work[2]
    tally(store, members, size, tallies, common)
    n = 0
    for rank in range(members[0]):
        if tallies[rank] == support and may_join(store, rank, members, size):
            equals[n] = rank
            n += 1
    return combinations(store, equals, n, ways)


@kernel
def count_ties(store, sets, sizes, supports):
    """Count all itemsets that have the support of the last one; `MANY` if there are so many or more.

    An itemset with this support extends one that has it and does not extend another such one, which in turn extends
    one that has more, and all of these are listed.
    """
    support = supports[-1]
    total = 0
    members, grown = np.empty(sets.shape[1] + 1, dtype=np.int64), np.empty(sets.shape[1] + 1, dtype=np.int64)
    tallies = np.empty(store.items.size, dtype=np.int64)
    work = np.empty((3, store.items.size + 1), dtype=np.int64)
    common = np.empty(store.bits.shape[1], dtype=np.uint64)
    rank_of = ranks_by_item(store)
    for rank in range(store.items.size):
        if store.supports[rank] == support:
            grown[0] = rank
            total = min(MANY, total + ties_above(store, grown, 1, support, work, common))
    for i in range(supports.size):
        if supports[i] == support:
            break
        size = sizes[i]
        set_members(members, sets[i], size, rank_of)
        tally(store, members, size, tallies, common)
        for rank in range(members[0]):
            if tallies[rank] == support and may_join(store, rank, members, size):
                grown[0] = rank
                for j in range(size):
                    grown[j + 1] = members[j]
                total = min(MANY, total + ties_above(store, grown, size + 1, support, work, common))
    return total
