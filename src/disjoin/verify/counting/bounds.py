"""Support bounds of itemsets, counted by the verifier without the code of `analyst`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.model.ragged import Ints32, Ints64
from disjoin.verify.counting import compiled, inner

NOWHERE = -1
IN_TERM_CHUNK = -2

# Rows of a table with one column per node: parent (-1: none), size, whether it is joint, position in pre-order, last
# position below it, root; the number of subrecords beyond one per record if nothing else can fill a record (otherwise
# a large number); the node at this position in pre-order.
PARENT, SIZE, JOINT, FIRST, LAST, ROOT, SPARE, WALK = range(8)


class Index(NamedTuple):
    """The posting list of every item, and the weight of each row."""

    weights: Ints64  # (rows,)
    offsets: Ints64  # (items + 1,)
    rows: Ints64  # ascending for each item


class Tree(NamedTuple):
    """The forest around the chunks."""

    nodes: Ints64  # (8, nodes), rows as named above
    chunks: Ints64  # (3, chunks): first subrecord, end of the subrecords, node
    entry_offsets: Ints64  # (terms + 1,) for every term, the chunks that have it ...
    entries: Ints64  # ... as a chunk, or as -1 - leaf for a term chunk


@compiled
def postings(row_offsets: Ints64, items: Ints32, offsets: Ints64, free: Ints64, rows: Ints64) -> None:
    """Fill `rows` with the posting lists, cut by `offsets` (items + 1,); that and `free` (items,) are 0 at first."""
    for p in range(items.size):
        offsets[items[p] + 1] += 1
    for item in range(free.size):
        free[item] = offsets[item]
        offsets[item + 1] += offsets[item]
    for row in range(row_offsets.size - 1):
        for p in range(row_offsets[row], row_offsets[row + 1]):
            rows[free[items[p]]] = row
            free[items[p]] += 1


@inner
def _seek(rows: Ints64, start: int, end: int, row: int) -> int:
    """Return the first position in the ascending `rows[start:end]` that is not before `row`; near ones are fast."""
    step = 1
    while start + step < end and rows[start + step] < row:
        start += step
        step *= 2
    end = min(end, start + step + 1)
    while start < end:
        middle = (start + end) // 2
        if rows[middle] < row:
            start = middle + 1
        else:
            end = middle
    return start


@inner
def weight_between(itemset: Ints64, chosen: int, rows: tuple[int, int], index: Index, at: Ints64) -> int:
    """Add the weights of rows that have all items of `itemset` whose bit is set in `chosen`, from positions `at`."""
    row, end_row = rows
    total, agreed, wanted, i = 0, 0, 0, 0
    for j in range(itemset.size):
        at[j] = index.offsets[itemset[j]]
        wanted += chosen >> j & 1
    while row < end_row:
        if chosen >> i & 1:
            end = index.offsets[itemset[i] + 1]
            at[i] = _seek(index.rows, at[i], end, row)
            if at[i] == end or index.rows[at[i]] >= end_row:
                break
            agreed = agreed + 1 if index.rows[at[i]] == row else 1
            row = index.rows[at[i]]
            if agreed == wanted:
                total += index.weights[row]
                row, agreed = row + 1, 0
        i = i + 1 if i + 1 < itemset.size else 0
    return total


@compiled
def supports(itemsets: Ints64, index: Index, at: Ints64) -> Ints64:
    """Add the weights of all rows that have each itemset (a row of `itemsets`); `at` is scratch, one entry per term."""
    totals = np.zeros(itemsets.shape[0], np.int64)
    everything = (1 << itemsets.shape[1]) - 1
    for x in range(itemsets.shape[0]):
        totals[x] = weight_between(itemsets[x], everything, (0, index.weights.size), index, at)
    return totals


@inner
def _node_bound(
    node: int, missing: int, itemset: Ints64, where: Ints64, tree: Tree, index: Index, at: Ints64
) -> tuple[int, int, int]:
    """Bound the records by the terms that a node publishes; also return the number of their chunks, and which."""
    bound, parts, held = tree.nodes[SIZE, node], 0, 0
    for i in range(itemset.size):
        if not (missing & ~held) >> i & 1 or where[i, node] == NOWHERE:
            continue
        chunk, together = where[i, node], 0
        for j in range(i, itemset.size):
            if missing >> j & 1 and where[j, node] == chunk:
                together |= 1 << j
        held |= together
        if chunk >= 0:
            rows = (tree.chunks[0, chunk], tree.chunks[1, chunk])
            bound = min(bound, weight_between(itemset, together, rows, index, at))
            parts += 1
    return bound, parts, held


@inner
def _tree_bound(
    root: int, itemset: Ints64, where: Ints64, tree: Tree, index: Index, scratch: Ints64, apart: bool
) -> int:
    """Bound how many records of a tree can have the itemset.

    A term belongs to its leaf or else to the lowest joint cluster above that has it. `apart`: no shared term occurs
    below its joint cluster, so a shared chunk bounds its whole joint cluster at once, not only leaf by leaf.
    """
    nodes, full = tree.nodes, (1 << itemset.size) - 1
    reach, values, at = scratch[0], scratch[1], scratch[2]  # what is published here or above; bounds; places
    for position in range(nodes[FIRST, root], nodes[LAST, root] + 1):
        node = nodes[WALK, position]
        reach[node] = 0 if node == root else reach[nodes[PARENT, node]]
        for i in range(itemset.size):
            if where[i, node] != NOWHERE:
                reach[node] |= 1 << i
        values[node] = 0 if nodes[JOINT, node] or reach[node] != full else nodes[SIZE, node]
    for position in range(nodes[LAST, root], nodes[FIRST, root] - 1, -1):
        node = nodes[WALK, position]
        here, missing = node, full
        if values[node] == 0 or (nodes[JOINT, node] and not apart):
            missing = 0
        while missing != 0:
            bound, parts, held = _node_bound(here, missing, itemset, where, tree, index, at)
            if parts >= 2:
                bound = min(bound, max(0, nodes[SPARE, here] // (parts - 1)))
            values[node] = min(values[node], bound)
            missing = 0 if apart else missing & ~held
            here = nodes[PARENT, here]
        if node != root:
            values[nodes[PARENT, node]] += values[node]
    return values[root]


@compiled
def upper_bounds(
    itemsets: Ints64,
    tree: Tree,
    index: Index,
    where: Ints64,  # (terms of an itemset, nodes) scratch: the chunk that has the term; NOWHERE at first
    scratch: Ints64,  # (4, nodes or more); the last row 0 at first
    apart: bool,
) -> Ints64:
    """Return upper bounds on the supports of itemsets (rows) of distinct published terms, best with rare terms first.

    `where` and the last row of `scratch`, which counts the terms that a tree has, are unchanged afterwards.
    """
    bounds, met = np.zeros(itemsets.shape[0], np.int64), scratch[3]
    for x in range(itemsets.shape[0]):
        itemset = itemsets[x]
        for step in range(3):  # mark where the terms are, add up the trees that have all of them, clear the marks
            for i in range(1 if step == 1 else itemset.size):
                for e in range(tree.entry_offsets[itemset[i]], tree.entry_offsets[itemset[i] + 1]):
                    entry = tree.entries[e]
                    node = tree.chunks[2, entry] if entry >= 0 else -1 - entry
                    root = tree.nodes[ROOT, node]
                    if step == 0:
                        where[i, node] = entry if entry >= 0 else IN_TERM_CHUNK
                        met[root] += 1 if met[root] == i else 0
                    elif step == 2:
                        where[i, node], met[root] = NOWHERE, 0
                    elif met[root] == itemset.size:
                        met[root] = 0
                        bounds[x] += _tree_bound(root, itemset, where, tree, index, scratch, apart)
    return bounds
