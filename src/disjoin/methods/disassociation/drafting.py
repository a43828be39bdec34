"""From leaves and joint clusters to a draft: canonical order, and published terms only."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import compare_leaves
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.write_leaves import Leaves, rearranged
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.arrays import Ints64
from disjoin.model.ragged import ranks_of, used_by


@inner
def compare_own(nodes, is_joint, a, b):
    """Compare two nodes by size, kind, chunks and term chunk; children are left aside."""
    if nodes.sizes[a] == nodes.sizes[b] and is_joint[a] != is_joint[b]:
        return -1 if is_joint[b] else 1
    return compare_leaves(nodes, a, b)


@inner
def compare_trees(nodes, is_joint, first, children, stack, a, b):
    """Compare two nodes with all below them, whose children are in order; `stack` (depth, 4) is scratch."""
    order = compare_own(nodes, is_joint, a, b)
    if order != 0 or not is_joint[a]:
        return order
    depth = 0
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = first[a], first[a + 1], first[b], first[b + 1]
    while depth >= 0:
        i, j = stack[depth, 0], stack[depth, 2]
        if i == stack[depth, 1] or j == stack[depth, 3]:
            if i < stack[depth, 1]:
                return 1
            if j < stack[depth, 3]:
                return -1
            depth -= 1
            continue
        stack[depth, 0] += 1
        stack[depth, 2] += 1
        order = compare_own(nodes, is_joint, children[i], children[j])
        if order != 0:
            return order
        if is_joint[children[i]]:
            depth += 1
            stack[depth, 0], stack[depth, 1] = first[children[i]], first[children[i] + 1]
            stack[depth, 2], stack[depth, 3] = first[children[j]], first[children[j] + 1]
    return 0


@inner
def sort_siblings(nodes, is_joint, first, children, stack, spare, lo, hi):
    """Merge-sort children[lo:hi]."""
    width = 1
    while width < hi - lo:
        for left in range(lo, hi, 2 * width):
            middle = min(left + width, hi)
            right = min(left + 2 * width, hi)
            i, j = left, middle
            for out in range(left, right):
                if j >= right or (
                    i < middle and compare_trees(nodes, is_joint, first, children, stack, children[i], children[j]) <= 0
                ):
                    spare[out] = children[i]
                    i += 1
                else:
                    spare[out] = children[j]
                    j += 1
        for out in range(lo, hi):
            children[out] = spare[out]
        width *= 2


@kernel
def nodes_in_order(nodes, parents):
    """Return the nodes' numbers in canonical pre-order; a parent must have a greater number than its children."""
    n = parents.size
    first = np.zeros(n + 2, np.int64)  # node -> start of its children; the roots are the children of number n
    is_joint = np.zeros(n, np.bool_)
    height = np.ones(n + 1, np.int64)
    deepest = 1
    for node in range(n):
        parent = parents[node] if parents[node] >= 0 else n
        first[parent + 1] += 1
        height[parent] = max(height[parent], height[node] + 1)
        deepest = max(deepest, height[parent])
        if parents[node] >= 0:
            is_joint[parents[node]] = True
    for node in range(n + 1):
        first[node + 1] += first[node]
    children = np.empty(n, np.int64)
    free = first.copy()
    for node in range(n):
        parent = parents[node] if parents[node] >= 0 else n
        children[free[parent]] = node
        free[parent] += 1
    stack = np.empty((deepest + 1, 4), np.int64)
    spare = np.empty(n, np.int64)
    for node in range(n + 1):  # from below: what is compared has its own children in order
        sort_siblings(nodes, is_joint, first, children, stack, spare, first[node], first[node + 1])
    index = np.empty(n, np.int64)
    waiting = np.empty(n, np.int64)
    n_waiting = 0
    for i in range(first[n + 1] - 1, first[n] - 1, -1):
        waiting[n_waiting] = children[i]
        n_waiting += 1
    for place in range(n):
        n_waiting -= 1
        node = waiting[n_waiting]
        index[place] = node
        for i in range(first[node + 1] - 1, first[node] - 1, -1):
            waiting[n_waiting] = children[i]
            n_waiting += 1
    return index


def forest_in_canonical_order(nodes: Leaves, parents: Ints64) -> tuple[Leaves, Ints64, Ints64]:
    """Return the nodes in canonical order, their parents, and for every new place the old number.

    The chunks of every node are in order already.
    """
    index = nodes_in_order(nodes, parents)
    place = np.empty(index.size + 1, np.int64)
    place[index] = np.arange(index.size)
    place[-1] = -1
    moved = rearranged(nodes, index, np.arange(nodes.subrecord_offsets.size - 1))
    return moved, place[parents[index]], index


class Forest(NamedTuple):
    """Leaves in the order of their partition, then joint clusters; a parent has a greater number than its children."""

    nodes: Leaves
    parents: Ints64  # -1 for a root

    @classmethod
    def without_joints(cls, leaves: Leaves) -> Forest:
        """Return a forest of leaves alone."""
        return cls(leaves, np.full(leaves.sizes.size, -1, np.int64))


def draft_of(forest: Forest, data: Transactions, partition: Partition) -> Draft[Clusters]:
    """Put the forest in canonical order and say where every record went."""
    nodes, parents, source = forest_in_canonical_order(*forest)
    return Draft(_clusters(nodes, parents, data), _places(len(data), partition, source))


def _places(n: int, partition: Partition, source: Ints64) -> Ints64:
    """Return for every record the number of its published leaf, -1 for a suppressed one."""
    place = np.empty_like(source)
    place[source] = np.arange(source.size)
    part_of_record = np.full(n, -1, np.int64)
    part_of_record[partition.records] = np.repeat(place[: partition.sizes.size], partition.sizes)
    return part_of_record


def _clusters(nodes: Leaves, parents: Ints64, data: Transactions) -> Clusters:
    """Wrap the nodes, with a vocabulary of published terms only (an unused name would betray a suppressed record)."""
    used = used_by(data.n_terms, nodes.items, nodes.term_items)
    items, term_items, vocabulary = nodes.items, nodes.term_items, data.vocabulary
    if not used.all():
        rank = ranks_of(used)
        items, term_items = rank[items], rank[term_items]
        vocabulary = vocabulary.take(pa.array(np.flatnonzero(used)))
    return Clusters(
        vocabulary=vocabulary,
        parents=parents,
        sizes=nodes.sizes,
        term_offsets=nodes.term_offsets,
        term_items=term_items,
        chunk_offsets=nodes.chunk_offsets,
        subrecord_offsets=nodes.subrecord_offsets,
        item_offsets=nodes.item_offsets,
        items=items,
        counts=nodes.counts,
    )
