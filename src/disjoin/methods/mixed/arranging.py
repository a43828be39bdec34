"""Clusters with rows in canonical order: by their chunks as ever, and those that are equal by their rows."""

from __future__ import annotations

from collections import Counter

import numpy as np

from disjoin.methods.disassociation.run import forest_in_canonical_order
from disjoin.methods.disassociation.write_leaves import Forest, Leaves, chunks_in_order, concatenated, rearranged
from disjoin.model.ragged import Ints64, offsets_of

Entry = tuple[int, ...]


def in_canonical_order(forest: Forest) -> tuple[Forest, Ints64]:
    """Return a forest whose parents come first in canonical order, and the new number of every node."""
    nodes, n = forest.nodes, forest.parents.size
    nodes = rearranged(nodes, np.arange(n), chunks_in_order(nodes))
    backwards = np.arange(n)[::-1].copy()  # children first
    parents = np.where(forest.parents < 0, -1, n - 1 - forest.parents)[::-1].copy()
    moved, above, source = forest_in_canonical_order(
        rearranged(nodes, backwards, np.arange(nodes.subrecord_offsets.size - 1)), parents
    )
    new = np.empty(n, dtype=np.int64)
    new[backwards[source]] = np.arange(n)
    return Forest(moved, above), new


def without_terms(forest: Forest, terms: dict[int, frozenset[int]]) -> Forest:
    """Return the forest with these terms, by leaf, taken out of the leaves' chunks; chunks may be out of order then."""
    parts, start = [], 0
    for leaf in sorted(terms):
        parts += [_sliced(forest.nodes, start, leaf), _lessened(forest.nodes, leaf, terms[leaf])]
        start = leaf + 1
    parts.append(_sliced(forest.nodes, start, forest.parents.size))
    return Forest(concatenated(parts), forest.parents)


def _sliced(nodes: Leaves, first: int, last: int) -> Leaves:
    chunks = nodes.chunk_offsets[first], nodes.chunk_offsets[last]
    rows = nodes.subrecord_offsets[chunks[0]], nodes.subrecord_offsets[chunks[1]]
    items = nodes.item_offsets[rows[0]], nodes.item_offsets[rows[1]]
    terms = nodes.term_offsets[first], nodes.term_offsets[last]
    return Leaves(
        sizes=nodes.sizes[first:last],
        term_offsets=nodes.term_offsets[first : last + 1] - terms[0],
        term_items=nodes.term_items[terms[0] : terms[1]],
        chunk_offsets=nodes.chunk_offsets[first : last + 1] - chunks[0],
        subrecord_offsets=nodes.subrecord_offsets[chunks[0] : chunks[1] + 1] - rows[0],
        item_offsets=nodes.item_offsets[rows[0] : rows[1] + 1] - items[0],
        items=nodes.items[items[0] : items[1]],
        counts=nodes.counts[rows[0] : rows[1]],
    )


def _lessened(nodes: Leaves, leaf: int, terms: frozenset[int]) -> Leaves:
    """Return one leaf without some terms."""
    chunks: list[Counter[Entry]] = []
    for chunk in range(int(nodes.chunk_offsets[leaf]), int(nodes.chunk_offsets[leaf + 1])):
        bag: Counter[Entry] = Counter()
        for row in range(int(nodes.subrecord_offsets[chunk]), int(nodes.subrecord_offsets[chunk + 1])):
            has = nodes.items[nodes.item_offsets[row] : nodes.item_offsets[row + 1]].tolist()
            bag[tuple(item for item in has if item not in terms)] += int(nodes.counts[row])
        del bag[()]
        chunks += [bag] if bag else []
    rows = [row for bag in chunks for row in sorted(bag)]
    alone = _sliced(nodes, leaf, leaf + 1)
    return alone._replace(
        chunk_offsets=np.array([0, len(chunks)], dtype=np.int64),
        subrecord_offsets=offsets_of([len(bag) for bag in chunks]),
        item_offsets=offsets_of([len(row) for row in rows]),
        items=np.array([item for row in rows for item in row], dtype=np.int32),
        counts=np.array([bag[row] for bag in chunks for row in sorted(bag)], dtype=np.int64),
    )


def arranged(forest: Forest, entries: list[list[Entry]]) -> tuple[Forest, Ints64]:
    """Sort siblings that are equal by their rows; return the forest, which looks the same, and the new numbers."""
    n = forest.parents.size
    children: list[list[int]] = [[] for _ in range(n + 1)]  # the roots are those of number n, which is -1
    for node, parent in enumerate(forest.parents.tolist()):
        children[parent].append(node)
    sizes = _subtree_sizes(forest.parents)
    for parent in [*range(n - 1, -1, -1), n]:  # those further down first, the roots last
        children[parent] = _sorted_twins(forest, children, sizes, entries, children[parent])
    walk: list[int] = []
    waiting = children[n][::-1]
    while waiting:
        node = waiting.pop()
        walk.append(node)
        waiting += children[node][::-1]
    new = np.empty(n, dtype=np.int64)
    new[np.array(walk, dtype=np.int64)] = np.arange(n)
    return forest, new


def _subtree_sizes(parents: Ints64) -> list[int]:
    sizes = [1] * parents.size
    for node in range(parents.size - 1, -1, -1):
        if parents[node] >= 0:
            sizes[int(parents[node])] += sizes[node]
    return sizes


def _sorted_twins(
    forest: Forest, children: list[list[int]], sizes: list[int], entries: list[list[Entry]], siblings: list[int]
) -> list[int]:
    """Return siblings, which are in order, with runs of equal ones sorted by the rows below them."""

    def rows_below(node: int) -> list[list[Entry]]:
        if not children[node]:
            return [entries[node]]
        return [rows for child in children[node] for rows in rows_below(child)]

    arranged_siblings: list[int] = []
    start = 0
    for end in range(1, len(siblings) + 1):
        if end == len(siblings) or not _are_equal(forest, sizes, siblings[start], siblings[end]):
            run = siblings[start:end]
            arranged_siblings += sorted(run, key=rows_below) if len(run) > 1 else run
            start = end
    return arranged_siblings


def _are_equal(forest: Forest, sizes: list[int], one: int, other: int) -> bool:
    """Tell whether two subtrees are equal; nodes are in pre-order, so each is a stretch of them."""
    if sizes[one] != sizes[other] or forest.nodes.sizes[one] != forest.nodes.sizes[other]:
        return False
    first, second = (_sliced(forest.nodes, node, node + sizes[node]) for node in (one, other))
    above = [forest.parents[node + 1 : node + sizes[node]] - node for node in (one, other)]
    parts = [(getattr(first, name), getattr(second, name)) for name in Leaves._fields]
    return all(np.array_equal(one_part, other_part) for one_part, other_part in [(above[0], above[1]), *parts])
