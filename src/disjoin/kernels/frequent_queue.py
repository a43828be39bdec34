"""A queue of itemsets from which the best is taken: largest support, then fewest items, then earliest items.

The queue is a binary heap over places; `heap` is a permutation of all places, those in use first, so the free ones
stand behind. It never needs to hold more than are still wanted: when it is full it drops its worst half.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.kernels.compiling import inner

USED, WORST = range(2)  # in `state`: places in use, and the worst that was kept when the queue was cut, or -1


class Queue(NamedTuple):
    """Itemsets that wait."""

    heap: Any  # (places,)
    supports: Any  # (places,)
    sizes: Any  # (places,)
    sets: Any  # (places, width), items ascending
    state: Any  # (2,)


@inner
def empty_queue(places, width):
    """Return a queue with room for so many itemsets of up to `width` items."""
    heap = np.empty(places, dtype=np.int64)
    for place in range(places):
        heap[place] = place
    state = np.zeros(2, dtype=np.int64)
    state[WORST] = -1
    sets = np.empty((places, width), dtype=np.int32)
    return Queue(heap, np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64), sets, state)


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
