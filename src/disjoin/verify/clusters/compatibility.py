"""Which leaves a part may go to when published data is put together again (section A.7 of the specification)."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.verify.clusters.tree import Positions
from disjoin.verify.forest import Forest


@dataclass(frozen=True, slots=True)
class Part:
    """One distinct subrecord of a chunk: its terms, how often it must be placed, and the leaves that may take it."""

    chunk: int
    terms: frozenset[int]
    count: int
    leaves: tuple[int, ...]


def leaves_of(forest: Forest, positions: Positions, root: int) -> list[int]:
    """Return the leaves below a node, itself if it is one."""
    below = positions.walk[positions.first[root] : positions.last[root] + 1]
    return [int(node) for node in below if not forest.is_joint[node]]


def parts_of(forest: Forest, positions: Positions, root: int) -> list[Part]:
    """Return all parts of a tree.

    A subrecord of a record chunk stays in its leaf. One of a shared chunk of J may go to a leaf below J unless it has
    a term of the leaf's record chunks or term chunk, or of a shared chunk of a joint strictly between.
    """
    below = positions.walk[positions.first[root] : positions.last[root] + 1]
    own = {int(node): _terms_of_chunks(forest, int(node)) for node in below}
    parts = []
    for node in own:
        taken = {leaf: _taken(forest, own, leaf, node) for leaf in leaves_of(forest, positions, node)}
        for chunk in range(int(forest.chunk_offsets[node]), int(forest.chunk_offsets[node + 1])):
            for row in range(int(forest.subrecord_offsets[chunk]), int(forest.subrecord_offsets[chunk + 1])):
                terms = frozenset(forest.subrecord(row).tolist())
                leaves = tuple(leaf for leaf, others in taken.items() if not terms & others)
                parts.append(Part(chunk, terms, int(forest.counts[row]), leaves))
    return parts


def _taken(forest: Forest, own: dict[int, frozenset[int]], leaf: int, top: int) -> frozenset[int]:
    """Return the terms that a part of `top` must not bring to `leaf`; none if they are the same node."""
    if leaf == top:
        return frozenset()
    terms = frozenset(forest.term_chunk(leaf).tolist())
    node = leaf
    while node != top:
        terms |= own[node]
        node = int(forest.parents[node])
    return terms


def _terms_of_chunks(forest: Forest, node: int) -> frozenset[int]:
    first, last = forest.chunk_offsets[node], forest.chunk_offsets[node + 1]
    rows = forest.subrecord_offsets[first], forest.subrecord_offsets[last]
    return frozenset(forest.items[forest.item_offsets[rows[0]] : forest.item_offsets[rows[1]]].tolist())
