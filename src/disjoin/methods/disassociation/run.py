"""Disassociation, from records to a draft: cluster, make sensitive terms diverse, cut into chunks, join, sort."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.arrays.ordering import compare_leaves
from disjoin.errors import InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.clustering import Clustered, Task, merge_until_diverse, true_association
from disjoin.methods.disassociation.horpart import Partition, one_cluster
from disjoin.methods.disassociation.km_core import core_leaf
from disjoin.methods.disassociation.leaves import Buffers, Forest, Leaves, concatenated, rearranged
from disjoin.methods.disassociation.packing import cut_into_chunks
from disjoin.methods.disassociation.refine import refine
from disjoin.methods.disassociation.resistance import resisting
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.ragged import Ints64, inverse, ranks_of, used_by


@inner
def compare_own(nodes, is_joint, a, b):
    """Compare two nodes by size, kind, chunks and term chunk, without their children."""
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
    """Merge-sort children[lo:hi]; halves that are already in order are not merged."""
    width = 1
    while width < hi - lo:
        for left in range(lo, hi - width, 2 * width):
            middle, right = left + width, min(left + 2 * width, hi)
            i, j = left, middle
            if compare_trees(nodes, is_joint, first, children, stack, children[middle - 1], children[middle]) <= 0:
                continue
            for out in range(left, right):
                if j >= right or (
                    i < middle and compare_trees(nodes, is_joint, first, children, stack, children[i], children[j]) <= 0
                ):
                    spare[out] = children[i]
                    i += 1
                else:
                    spare[out] = children[j]
                    j += 1
            for out in range(left, right):
                children[out] = spare[out]
        width *= 2


@kernel
def nodes_in_order(nodes, parents, roughly):
    """Return the nodes' numbers in canonical pre-order; a parent must have a greater number than its children.
    `roughly` has the numbers with siblings in about that order; a better approximation saves time."""
    n = parents.size  # also the number of the parent of the roots
    above = np.where(parents < 0, n, parents)
    first = np.zeros(n + 2, np.int64)  # node -> start of its children
    is_joint = np.zeros(n + 1, np.bool_)
    height = np.ones(n + 1, np.int64)
    for node in range(n):
        first[above[node] + 1] += 1
        is_joint[above[node]] = True
        height[above[node]] = max(height[above[node]], height[node] + 1)
    for node in range(n + 1):
        first[node + 1] += first[node]
    children, free = np.empty(n, np.int64), first.copy()
    for i in range(n):
        parent = above[roughly[i]]
        children[free[parent]] = roughly[i]
        free[parent] += 1
    stack, spare = np.empty((height[n] + 1, 4), np.int64), np.empty(n, np.int64)
    for node in range(n + 1):  # bottom up: compared nodes have sorted children
        sort_siblings(nodes, is_joint, first, children, stack, spare, first[node], first[node + 1])
    index, waiting = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    waiting[0], n_waiting = n, 1
    for place in range(-1, n):
        n_waiting -= 1
        node = waiting[n_waiting]
        if place >= 0:
            index[place] = node
        for i in range(first[node + 1] - 1, first[node] - 1, -1):
            waiting[n_waiting] = children[i]
            n_waiting += 1
    return index


def forest_in_canonical_order(
    nodes: Leaves, parents: Ints64, room: Buffers = np.zeros
) -> tuple[Leaves, Ints64, Ints64]:
    """Return the nodes, with chunks in order, in canonical order, their parents, and for every place the old number."""
    index = nodes_in_order(nodes, parents, _in_rough_order(nodes, parents))
    place = np.append(inverse(index), -1)
    moved = rearranged(nodes, index, np.arange(nodes.subrecord_offsets.size - 1), room)
    return moved, place[parents[index]], index


def _in_rough_order(nodes: Leaves, parents: Ints64) -> Ints64:
    """Sort nodes by what is compared first: size, kind, and the first two terms of the first subrecord."""
    is_joint = np.zeros(parents.size, np.bool_)
    is_joint[parents[parents >= 0]] = True
    has_chunks = nodes.chunk_offsets[1:] > nodes.chunk_offsets[:-1]
    row = nodes.subrecord_offsets[nodes.chunk_offsets[:-1][has_chunks]]
    at, end = nodes.item_offsets[row], nodes.item_offsets[row + 1]
    terms = np.full((2, parents.size), -1, np.int64)
    terms[0, has_chunks] = nodes.items[at]
    terms[1, has_chunks] = np.where(at + 1 < end, nodes.items[np.minimum(at + 1, end - 1)], -1)
    return np.lexsort((terms[1], terms[0], is_joint, nodes.sizes))


def draft_of(forest: Forest, data: Transactions, partition: Partition) -> Draft[Clusters]:
    """Put the forest in canonical order and store where every record is published: -1 for a suppressed one."""
    nodes, parents, source = forest_in_canonical_order(*forest)
    place = inverse(source)
    part_of_record = np.full(len(data), -1, np.int64)
    part_of_record[partition.records] = np.repeat(place[: partition.sizes.size], partition.sizes)
    return Draft(clusters_of(nodes, parents, data.vocabulary)[0], part_of_record)


def clusters_of(
    nodes: Leaves, parents: Ints64, names: pa.StringArray, pages: Path | None = None
) -> tuple[Clusters, Ints64]:
    """Wrap the nodes, with a vocabulary of published terms only (an unused name would reveal a suppressed record). Also
    returns which of the `names` are published. The nodes are changed: their terms are renumbered in place."""
    used = used_by(len(names), nodes.items, nodes.term_items)
    vocabulary = names
    if not used.all():
        numbers = ranks_of(used)
        for items in (nodes.items, nodes.term_items):
            for at in range(0, items.size, _AT_ONCE):  # otherwise numpy copies everything
                items[at : at + _AT_ONCE] = numbers[items[at : at + _AT_ONCE]]
        vocabulary = vocabulary.take(pa.array(np.flatnonzero(used)))
    return Clusters(vocabulary, parents, **nodes._asdict(), pages=pages), np.flatnonzero(used)


_AT_ONCE = 1 << 20  # terms
INTERPRETED = 40e-6  # seconds per occurrence: HORPART, VERPART and REFINE on 3,000 to 60,000 records


def prepare_loops(task: Task) -> None:
    prepare(INTERPRETED * min(task.method.m, task.data.records.longest) * task.data.items.size / 2)


def disassociate(task: Task, clustered: Clustered | None = None) -> Draft[Clusters]:
    """Publish records whose sensitive terms are marked; if clusters are given, they are used."""
    method, data = task.method, task.data
    if clustered is None:
        if method.clustering_record.tries_others:
            raise InvalidParameter(
                f"the clustering {method.clustering!r} compares releases, which a method cannot do by itself. Publish "
                "with disjoin.disassociate, or with disjoin.advise.publisher_of(method)."
            )
        prepare_loops(task)
        found: Clustered = method.clustering_record.load()(task)
        clustered = found
    private: dict[str, Any] = {}
    if data.sensitive is not None and data.sensitive.any():
        if method.l is not None:
            clustered = merge_until_diverse(data, clustered, method.l)
        rate = true_association(data, clustered.partition)
        private["true_association"] = [rate.numerator, rate.denominator]
    draft = draft_of(forest_of(task, clustered), data, clustered.partition)
    published = set(draft.published.vocabulary.to_pylist())
    sensitive = tuple(term for term in data.sensitive_terms() if term in published)
    return replace(draft, sensitive=sensitive, private=private)


def forest_of(task: Task, clustered: Clustered) -> Forest:
    """Cut clusters into chunks and, if asked for, join them; the core has nothing to cut or to share."""
    partition, core = clustered.partition, clustered.core
    if core == 0:
        return _forest_without_core(task, clustered)
    alone = one_cluster(partition.records[:core])
    head = _resistant(task, alone, core_leaf(task.data, alone.records), task.method.m)
    if partition.sizes.size == 1:
        return Forest.without_joints(head)
    others = replace(clustered, partition=Partition(partition.records[core:], partition.sizes[1:]))
    rest = _forest_without_core(task, others)
    parents = np.where(rest.parents < 0, -1, rest.parents + 1)
    return Forest(concatenated([head, rest.nodes]), np.concatenate([[-1], parents]))


def _resistant(task: Task, partition: Partition, leaves: Leaves, known: int) -> Leaves:
    """Return the leaves unchanged unless the method asks for more than k and m."""
    asks_for_more = task.method.cover_aware is not None or task.method.slack > 0
    return resisting(task, partition, leaves, known) if asks_for_more else leaves


def _forest_without_core(task: Task, clustered: Clustered) -> Forest:
    method, partition, share = task.method, clustered.partition, clustered.share
    packs = method.clustering_record.has_core and share is None  # HORPART's clusters are cut as in the paper
    leaves = cut_into_chunks(task, partition, packs=packs, share=share)
    leaves = _resistant(task, partition, leaves, method.m - 1 if share else method.m)  # exposed: sets of m may be rare
    joins = method.refine and partition.sizes.size > 1
    return refine(task, leaves, partition) if joins else Forest.without_joints(leaves)
