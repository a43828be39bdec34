"""Bounds on the support of an itemset, as a reader of the published form can compute them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints32, Ints64
from disjoin.verify.counting import compiled

NOWHERE = -1
IN_TERM_CHUNK = -2


class Index(NamedTuple):
    """Rows of items with weights, and for every item the rows that have it."""

    row_offsets: Ints64
    items: Ints32
    weights: Ints64
    post_offsets: Ints64  # (items + 1,)
    post_rows: Ints64  # ascending for each item


class Tree(NamedTuple):
    """The forest around the chunks."""

    walk: Ints64  # nodes in pre-order
    parents: Ints64
    sizes: Ints64
    is_joint: NDArray[np.bool_]
    chunk_nodes: Ints64
    subrecord_offsets: Ints64
    spare: (
        Ints64  # (nodes,) subrecords beyond one a record, where nothing else fills a record; a large number elsewhere
    )
    entry_offsets: Ints64  # (terms + 1,) for every term the chunks that have it
    entry_chunks: Ints64
    holder_offsets: Ints64  # (terms + 1,) for every term the leaves that have it in their term chunk
    holder_nodes: Ints64


@compiled
def postings(row_offsets: Ints64, items: Ints32, n_terms: int) -> tuple[Ints64, Ints64]:
    """For every item, list the rows that have it, ascending: offsets by item, rows."""
    offsets = np.zeros(n_terms + 1, np.int64)
    for p in range(items.size):
        offsets[items[p] + 1] += 1
    for term in range(n_terms):
        offsets[term + 1] += offsets[term]
    free = offsets.copy()
    rows = np.empty(items.size, np.int64)
    for row in range(row_offsets.size - 1):
        for p in range(row_offsets[row], row_offsets[row + 1]):
            rows[free[items[p]]] = row
            free[items[p]] += 1
    return offsets, rows


@compiled
def _has(index: Index, row: int, item: int) -> bool:
    low, high = index.row_offsets[row], index.row_offsets[row + 1]
    while low < high:
        middle = (low + high) // 2
        if index.items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low < index.row_offsets[row + 1] and index.items[low] == item


@compiled
def weight_between(itemset: Ints64, chosen: int, first_row: int, end_row: int, index: Index) -> int:
    """Add the weights of the rows in a range that have every item of `itemset` whose bit is set in `chosen`."""
    rarest = -1
    for i in range(itemset.size):
        if chosen >> i & 1:
            length = index.post_offsets[itemset[i] + 1] - index.post_offsets[itemset[i]]
            if rarest < 0 or length < index.post_offsets[itemset[rarest] + 1] - index.post_offsets[itemset[rarest]]:
                rarest = i
    low, high = index.post_offsets[itemset[rarest]], index.post_offsets[itemset[rarest] + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if index.post_rows[middle] < first_row:
            low = middle + 1
        else:
            high = middle
    total = 0
    while low < end and index.post_rows[low] < end_row:
        row = index.post_rows[low]
        complete = True
        for i in range(itemset.size):
            if chosen >> i & 1 and i != rarest and not _has(index, row, itemset[i]):
                complete = False
                break
        if complete:
            total += index.weights[row]
        low += 1
    return total


@compiled
def _least_in(
    node: int, wanted: int, itemset: Ints64, where: NDArray[np.int64], tree: Tree, index: Index
) -> tuple[int, int]:
    """Over the chunks of a node that hold wanted terms: the least weight of what they hold, and how many they are."""
    least, parts = tree.sizes[node], 0
    for i in range(itemset.size):
        chunk = where[i, node]
        if not wanted >> i & 1 or chunk < 0:
            continue
        together = 0
        for j in range(i, itemset.size):
            if wanted >> j & 1 and where[j, node] == chunk:
                together |= 1 << j
        wanted &= ~together
        first, end = tree.subrecord_offsets[chunk], tree.subrecord_offsets[chunk + 1]
        least = min(least, weight_between(itemset, together, first, end, index))
        parts += 1
    return least, parts


@compiled
def _leaf_bound(
    leaf: int, here: int, itemset: Ints64, where: NDArray[np.int64], tree: Tree, index: Index, apart: bool
) -> int:
    """Bound how many records of a leaf can have the itemset, of which the leaf itself publishes the terms `here`."""
    bound, parts = _least_in(leaf, here, itemset, where, tree, index)
    if parts >= 2:
        bound = min(bound, max(0, tree.spare[leaf] // (parts - 1)))
    missing = ((1 << itemset.size) - 1) & ~here
    node = tree.parents[leaf]
    while not apart and missing != 0:
        found = 0
        for i in range(itemset.size):
            if missing >> i & 1 and where[i, node] >= 0:
                found |= 1 << i
        bound = min(bound, _least_in(node, found, itemset, where, tree, index)[0])
        missing &= ~found
        node = tree.parents[node]
    return bound


@compiled
def _upper(
    itemset: Ints64, where: NDArray[np.int64], tree: Tree, index: Index, apart: bool, reach: Ints64, values: Ints64
) -> int:
    """Bound from above. `apart`: no shared term occurs below its joint, so a shared chunk bounds its whole joint."""
    full = (1 << itemset.size) - 1
    for position in range(tree.walk.size):
        node = tree.walk[position]
        above = reach[tree.parents[node]] if tree.parents[node] >= 0 else 0
        here = 0
        for i in range(itemset.size):
            if where[i, node] != NOWHERE:
                here |= 1 << i
        reach[node] = above | here
        values[node] = 0
        if not tree.is_joint[node] and (above | here) == full:
            values[node] = _leaf_bound(node, here, itemset, where, tree, index, apart)
    total = 0
    for position in range(tree.walk.size - 1, -1, -1):
        node = tree.walk[position]
        if tree.is_joint[node] and apart and values[node] > 0:
            values[node] = min(values[node], _least_in(node, full, itemset, where, tree, index)[0])
        if tree.parents[node] >= 0:
            values[tree.parents[node]] += values[node]
        else:
            total += values[node]
    return total


@compiled
def bounds(itemsets: NDArray[np.int64], size: int, tree: Tree, index: Index, apart: bool) -> tuple[Ints64, Ints64]:
    """Return lower and upper bounds on the supports of itemsets of `size` distinct published terms each."""
    n = tree.walk.size
    lower, upper = np.zeros(itemsets.shape[0], np.int64), np.zeros(itemsets.shape[0], np.int64)
    where = np.empty((size, n), np.int64)
    reach, values = np.empty(n, np.int64), np.empty(n, np.int64)
    itemset = np.empty(size, np.int64)
    for x in range(itemsets.shape[0]):
        for i in range(size):
            itemset[i] = itemsets[x, i]
            for node in range(n):
                where[i, node] = NOWHERE
            for e in range(tree.entry_offsets[itemset[i]], tree.entry_offsets[itemset[i] + 1]):
                where[i, tree.chunk_nodes[tree.entry_chunks[e]]] = tree.entry_chunks[e]
            for e in range(tree.holder_offsets[itemset[i]], tree.holder_offsets[itemset[i] + 1]):
                where[i, tree.holder_nodes[e]] = IN_TERM_CHUNK
        if size == 1:
            lower[x] = tree.holder_offsets[itemset[0] + 1] - tree.holder_offsets[itemset[0]]
        for e in range(tree.entry_offsets[itemset[0]], tree.entry_offsets[itemset[0] + 1]):
            chunk = tree.entry_chunks[e]
            together = True
            for i in range(1, size):
                together = together and where[i, tree.chunk_nodes[chunk]] == chunk
            if together:
                first, end = tree.subrecord_offsets[chunk], tree.subrecord_offsets[chunk + 1]
                lower[x] += weight_between(itemset, (1 << size) - 1, first, end, index)
        upper[x] = _upper(itemset, where, tree, index, apart, reach, values)
    return lower, upper


@compiled
def supports(itemsets: NDArray[np.int64], size: int, index: Index) -> Ints64:
    """Add the weights of all rows that have each itemset of `size` items."""
    totals = np.zeros(itemsets.shape[0], np.int64)
    itemset = np.empty(size, np.int64)
    for x in range(itemsets.shape[0]):
        for i in range(size):
            itemset[i] = itemsets[x, i]
        totals[x] = weight_between(itemset, (1 << size) - 1, 0, index.row_offsets.size - 1, index)
    return totals
