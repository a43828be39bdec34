"""Positions in a forest, and the canonical order of nodes, chunks and subrecords."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Flags, Ints32, Ints64
from disjoin.verify.counting import compiled, inner
from disjoin.verify.counting.itemsets import Bags


@compiled
def preorder(parents: Ints64) -> tuple[Ints64, Ints64, Ints64]:
    """Number a forest, whose parents come before their children, from 0 in pre-order.

    Return for every node its position, the last position below it, and its depth (a root: 0).
    """
    n = parents.size
    position = np.empty(n, np.int64)
    last = np.empty(n, np.int64)
    depth = np.zeros(n, np.int64)
    free = np.empty(n, np.int64)  # at first how many nodes the subtree has, then where the next child goes
    for node in range(n):
        free[node] = 1
    for node in range(n - 1, -1, -1):
        if parents[node] >= 0:
            free[parents[node]] += free[node]
    next_root = 0
    for node in range(n):
        below = free[node]
        parent = parents[node]
        if parent < 0:
            position[node] = next_root
            next_root += below
        else:
            position[node] = free[parent]
            free[parent] += below
            depth[node] = depth[parent] + 1
        last[node] = position[node] + below - 1
        free[node] = position[node] + 1
    return position, last, depth


class Owned(NamedTuple):
    """The terms of the chunks of every node, and of its term chunk; nodes are visited in pre-order."""

    walk: Ints64  # (nodes,) nodes in pre-order
    last: Ints64  # (nodes,) last position below each node
    is_joint: Flags
    chunk_offsets: Ints64
    domain_offsets: Ints64
    domain_terms: Ints32
    term_offsets: Ints64
    term_items: Ints32


@compiled
def shared_below(owned: Owned, nearest: NDArray[np.int64], in_chunk: Flags, in_term_chunk: Flags) -> None:
    """Tell for every term of a joint's chunks whether a chunk, or the term chunk of a leaf, strictly below has it too.

    The flags have one entry for every entry of the domains, False at first. The forest is walked backwards, so that
    `nearest` (2 rows, by term: of chunks and of term chunks) has the next position behind that has the term; at first
    it has positions behind all others.
    """
    for position in range(owned.walk.size - 1, -1, -1):
        node = owned.walk[position]
        last = owned.last[node]
        first_chunk, end_chunk = owned.chunk_offsets[node], owned.chunk_offsets[node + 1]
        entries = (owned.domain_offsets[first_chunk], owned.domain_offsets[end_chunk])
        if owned.is_joint[node]:
            for e in range(entries[0], entries[1]):
                in_chunk[e] = nearest[0, owned.domain_terms[e]] <= last
                in_term_chunk[e] = nearest[1, owned.domain_terms[e]] <= last
        else:
            for e in range(owned.term_offsets[node], owned.term_offsets[node + 1]):
                nearest[1, owned.term_items[e]] = position
        for e in range(entries[0], entries[1]):
            nearest[0, owned.domain_terms[e]] = position


@inner
def compare_rows(items: Ints32, a: int, a_end: int, b: int, b_end: int) -> int:
    """Compare `items[a:a_end]` with `items[b:b_end]`: below, at or above 0; a proper prefix is smaller."""
    while a < a_end and b < b_end:
        if items[a] != items[b]:
            return -1 if items[a] < items[b] else 1
        a += 1
        b += 1
    return (1 if a < a_end else 0) - (1 if b < b_end else 0)


@compiled
def first_not_ascending(group_offsets: Ints64, row_offsets: Ints64, items: Ints32) -> Ints64:
    """Find, in every group of rows, the first row that is not greater than the one before it (-1: there is none)."""
    first = np.empty(group_offsets.size - 1, np.int64)
    for group in range(first.size):
        first[group] = -1
        for row in range(group_offsets[group] + 1, group_offsets[group + 1]):
            before, here, after = row_offsets[row - 1], row_offsets[row], row_offsets[row + 1]
            if compare_rows(items, before, here, here, after) >= 0:
                first[group] = row
                break
    return first


@inner
def compare_bags(left: int, right: int, bags: Bags) -> int:
    """Compare two chunks as sorted lists of subrecords in which each is written as often as it counts."""
    subrecord_offsets, item_offsets, items, counts = bags
    a, a_end = subrecord_offsets[left], subrecord_offsets[left + 1]
    b, b_end = subrecord_offsets[right], subrecord_offsets[right + 1]
    while a < a_end and b < b_end:
        sign = compare_rows(items, item_offsets[a], item_offsets[a + 1], item_offsets[b], item_offsets[b + 1])
        if sign != 0:
            return sign
        if counts[a] < counts[b]:  # left goes on to a greater subrecord, or it ends and is a prefix
            return 1 if a + 1 < a_end else -1
        if counts[a] > counts[b]:
            return -1 if b + 1 < b_end else 1
        a += 1
        b += 1
    return (1 if a < a_end else 0) - (1 if b < b_end else 0)


@compiled
def compare_nodes(
    pairs: NDArray[np.int64],  # (pairs, 2)
    kinds: tuple[Ints64, NDArray[np.bool_], Ints64],
    bags: Bags,
    term_offsets: Ints64,
    term_items: Ints32,
) -> Ints64:
    """Compare pairs of nodes by size, kind, chunks and term chunk, children left aside.

    `kinds` is (sizes, is_joint, chunk_offsets).
    """
    sizes, is_joint, chunk_offsets = kinds
    signs = np.zeros(pairs.shape[0], np.int64)
    for i in range(pairs.shape[0]):
        a, b = pairs[i, 0], pairs[i, 1]
        sign = sizes[a] - sizes[b]
        if sign == 0:
            sign = np.int64(is_joint[a]) - np.int64(is_joint[b])
        p, p_end, q, q_end = chunk_offsets[a], chunk_offsets[a + 1], chunk_offsets[b], chunk_offsets[b + 1]
        while sign == 0 and p < p_end and q < q_end:
            sign = np.int64(compare_bags(p, q, bags))
            p += 1
            q += 1
        if sign == 0:
            sign = (p_end - p) - (q_end - q)
        if sign == 0 and not is_joint[a]:
            p, p_end, q, q_end = term_offsets[a], term_offsets[a + 1], term_offsets[b], term_offsets[b + 1]
            sign = np.int64(compare_rows(term_items, p, p_end, q, q_end))
        signs[i] = sign
    return signs


@compiled
def chunks_out_of_order(chunk_offsets: Ints64, bags: Bags) -> NDArray[np.bool_]:
    """Tell for every chunk whether the chunk before it in its node is greater."""
    out = np.zeros(bags[0].size - 1, np.bool_)
    for node in range(chunk_offsets.size - 1):
        for chunk in range(chunk_offsets[node] + 1, chunk_offsets[node + 1]):
            out[chunk] = compare_bags(chunk - 1, chunk, bags) > 0
    return out
