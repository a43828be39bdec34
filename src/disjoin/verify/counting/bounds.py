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
    """For every item the rows that have it, and what each row weighs."""

    weights: Ints64  # (rows,)
    offsets: Ints64  # (items + 1,)
    rows: Ints64  # ascending for each item


class Tree(NamedTuple):
    """The forest around the chunks."""

    walk: Ints64  # nodes in pre-order
    first: Ints64  # (nodes,) position of each node in the walk
    last: Ints64  # (nodes,) last position below each node
    roots: Ints64  # (nodes,) the root above each node
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


class Query(NamedTuple):
    """One itemset to bound."""

    itemset: Ints64
    where: NDArray[np.int64]  # (items, nodes) the chunk of a node that has the item, NOWHERE or IN_TERM_CHUNK
    tree: Tree
    index: Index


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
def _seek(rows: Ints64, start: int, end: int, row: int) -> int:
    """Return the first place in the ascending `rows[start:end]` that is not before `row`; near places are cheap."""
    step = 1
    while start + step < end and rows[start + step] < row:
        start += step
        step *= 2
    low, high = start, min(end, start + step + 1)
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def weight_between(itemset: Ints64, chosen: int, first_row: int, end_row: int, index: Index) -> int:
    """Add the weights of the rows in a range that have every item of `itemset` whose bit is set in `chosen`."""
    rarest, fewest = -1, 0
    at = np.empty(itemset.size, np.int64)  # for each item the place in its list up to which it was read
    for i in range(itemset.size):
        at[i] = index.offsets[itemset[i]]
        length = index.offsets[itemset[i] + 1] - at[i]
        if chosen >> i & 1 and (rarest < 0 or length < fewest):
            rarest, fewest = i, length
    end = index.offsets[itemset[rarest] + 1]
    place = _seek(index.rows, at[rarest], end, first_row)
    total = 0
    while place < end and index.rows[place] < end_row:
        row = index.rows[place]
        complete = True
        for i in range(itemset.size):
            if chosen >> i & 1 and i != rarest and complete:
                stop = index.offsets[itemset[i] + 1]
                at[i] = _seek(index.rows, at[i], stop, row)
                complete = at[i] < stop and index.rows[at[i]] == row
        if complete:
            total += index.weights[row]
        place += 1
    return total


@compiled
def _least_in(node: int, wanted: int, query: Query) -> tuple[int, int]:
    """Over the chunks of a node that hold wanted terms: the least weight of what they hold, and how many they are."""
    tree, where, size = query.tree, query.where, query.itemset.size
    least, parts = tree.sizes[node], 0
    for i in range(size):
        chunk = where[i, node]
        if not wanted >> i & 1 or chunk < 0:
            continue
        together = 0
        for j in range(i, size):
            if wanted >> j & 1 and where[j, node] == chunk:
                together |= 1 << j
        wanted &= ~together
        first, end = tree.subrecord_offsets[chunk], tree.subrecord_offsets[chunk + 1]
        least = min(least, weight_between(query.itemset, together, first, end, query.index))
        parts += 1
    return least, parts


@compiled
def _leaf_bound(leaf: int, here: int, query: Query, apart: bool) -> int:
    """Bound how many records of a leaf can have the itemset, of which the leaf itself publishes the terms `here`."""
    tree, size = query.tree, query.itemset.size
    bound, parts = _least_in(leaf, here, query)
    if parts >= 2:
        bound = min(bound, max(0, tree.spare[leaf] // (parts - 1)))
    missing = ((1 << size) - 1) & ~here
    node = tree.parents[leaf]
    while not apart and missing != 0:
        found = 0
        for i in range(size):
            if missing >> i & 1 and query.where[i, node] >= 0:
                found |= 1 << i
        bound = min(bound, _least_in(node, found, query)[0])
        missing &= ~found
        node = tree.parents[node]
    return bound


@compiled
def _tree_bound(root: int, query: Query, apart: bool, scratch: NDArray[np.int64]) -> int:
    """Bound how many records of a tree can have the itemset.

    `apart`: no shared term occurs below its joint, so that a shared chunk bounds its whole joint.
    """
    tree, size = query.tree, query.itemset.size
    reach, values = scratch[0], scratch[1]  # terms published at a node or above it; bounds
    full = (1 << size) - 1
    for position in range(tree.first[root], tree.last[root] + 1):
        node = tree.walk[position]
        above = reach[tree.parents[node]] if node != root else 0
        here = 0
        for i in range(size):
            if query.where[i, node] != NOWHERE:
                here |= 1 << i
        reach[node] = above | here
        values[node] = 0
        if not tree.is_joint[node] and reach[node] == full:
            values[node] = _leaf_bound(node, here, query, apart)
    for position in range(tree.last[root], tree.first[root] - 1, -1):
        node = tree.walk[position]
        if tree.is_joint[node] and apart and values[node] > 0:
            values[node] = min(values[node], _least_in(node, full, query)[0])
        if node != root:
            values[tree.parents[node]] += values[node]
    return values[root]


@compiled
def _settle(item: int, mark: bool, where: Ints64, tree: Tree) -> None:
    """Note in `where`, for every node that publishes an item, the chunk that does; or wipe the notes again."""
    for e in range(tree.entry_offsets[item], tree.entry_offsets[item + 1]):
        where[tree.chunk_nodes[tree.entry_chunks[e]]] = tree.entry_chunks[e] if mark else NOWHERE
    for e in range(tree.holder_offsets[item], tree.holder_offsets[item + 1]):
        where[tree.holder_nodes[e]] = IN_TERM_CHUNK if mark else NOWHERE


@compiled
def bounds(itemsets: NDArray[np.int64], tree: Tree, index: Index, apart: bool) -> tuple[Ints64, Ints64]:
    """Return lower and upper bounds on the supports of itemsets (a row each) of distinct published terms."""
    n, size = tree.walk.size, itemsets.shape[1]
    lower, upper = np.zeros(itemsets.shape[0], np.int64), np.zeros(itemsets.shape[0], np.int64)
    where, scratch, done = np.empty((size, n), np.int64), np.empty((2, n), np.int64), np.empty(n, np.int64)
    for node in range(n):
        done[node] = -1
        for i in range(size):
            where[i, node] = NOWHERE
    for x in range(itemsets.shape[0]):
        itemset = itemsets[x]
        query = Query(itemset, where, tree, index)
        for i in range(size):
            _settle(itemset[i], True, where[i], tree)
        for e in range(tree.entry_offsets[itemset[0]], tree.entry_offsets[itemset[0] + 1]):
            chunk = tree.entry_chunks[e]
            together = True
            for i in range(1, size):
                together = together and where[i, tree.chunk_nodes[chunk]] == chunk
            if together:
                first, end = tree.subrecord_offsets[chunk], tree.subrecord_offsets[chunk + 1]
                lower[x] += weight_between(itemset, (1 << size) - 1, first, end, index)
            root = tree.roots[tree.chunk_nodes[chunk]]
            if done[root] != x:  # only trees with the first term can have all of them
                done[root] = x
                upper[x] += _tree_bound(root, query, apart, scratch)
        for e in range(tree.holder_offsets[itemset[0]], tree.holder_offsets[itemset[0] + 1]):
            lower[x] += 1 if size == 1 else 0
            root = tree.roots[tree.holder_nodes[e]]
            if done[root] != x:
                done[root] = x
                upper[x] += _tree_bound(root, query, apart, scratch)
        for i in range(size):
            _settle(itemset[i], False, where[i], tree)
    return lower, upper


@compiled
def supports(itemsets: NDArray[np.int64], index: Index) -> Ints64:
    """Add the weights of all rows that have each itemset (a row of `itemsets`)."""
    totals = np.zeros(itemsets.shape[0], np.int64)
    for x in range(itemsets.shape[0]):
        everything = (1 << itemsets.shape[1]) - 1
        totals[x] = weight_between(itemsets[x], everything, 0, index.weights.size, index)
    return totals
