"""V10: at least one original is possible.

It follows from V1-V4, V7 and V9. For a tree that breaks one of them it is decided exactly while the tree is small.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from disjoin.verify.clusters.structure import Positions
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import Finding


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


SUFFICIENT = ("V1", "V2", "V3", "V4", "V7", "V9")
MOST_LINKS = 200_000  # subrecords x leaves of a joint cluster that is still decided exactly
MOST_LINKS_IN_ALL = 2_000_000
MOST_RECORDS = 2**30  # the flow computation counts in 32 bits


def check_existence(
    forest: Forest, positions: Positions, findings: Iterable[Finding]
) -> tuple[list[Finding], dict[str, Any]]:
    """Decide V10 for the trees in which something that it follows from is broken.

    The facts tell how many trees were decided and how many are too large for that.
    """
    nodes = [finding.node for finding in findings if finding.node >= 0 and finding.invariant in SUFFICIENT]
    suspects = np.unique(positions.roots(forest)[nodes]).tolist()
    countable = max(int(np.maximum(forest.sizes, 0).sum()), int(forest.counts.sum())) <= MOST_RECORDS
    broken, undecided, spent = [], 0, 0
    for root in suspects:
        links = _links(forest, positions, root) if countable else MOST_LINKS + 1
        if links > MOST_LINKS or spent + links > MOST_LINKS_IN_ALL:
            undecided += 1
            continue
        spent += links
        if not has_reconstruction(forest, positions, root):
            broken.append(Finding("V10", "its parts cannot be put together to records, none of them empty.", root))
    facts = {"trees_put_together": len(suspects) - undecided, "trees_too_large": undecided} if suspects else {}
    return broken, facts


def has_reconstruction(forest: Forest, positions: Positions, root: int) -> bool:
    """Tell whether a tree has a reconstruction.

    First every record of the leaves without a term chunk must get a part of its own; then every chunk must place all
    its parts, at most one per record. A chunk that can do each can do both at once (Mendelsohn and Dulmage), and term
    chunks fill what is left.
    """
    if not forest.is_joint[root]:
        return _leaf_has_reconstruction(forest, root)
    parts = parts_of(forest, positions, root)
    room = {leaf: max(0, int(forest.sizes[leaf])) for leaf in leaves_of(forest, positions, root)}
    has_terms = {leaf: forest.term_chunk(leaf).size > 0 for leaf in room}
    if any(has_terms[leaf] and room[leaf] == 0 for leaf in room):
        return False
    needy = {leaf: size for leaf, size in room.items() if not has_terms[leaf]}
    if _flow(parts, needy) < sum(needy.values()):
        return False
    return all(
        _flow(mine, room) == sum(part.count for part in mine)
        for mine in ([p for p in parts if p.chunk == chunk] for chunk in sorted({p.chunk for p in parts}))
    )


def _leaf_has_reconstruction(forest: Forest, leaf: int) -> bool:
    size = int(forest.sizes[leaf])
    cuts = forest.subrecord_offsets[forest.chunk_offsets[leaf] : forest.chunk_offsets[leaf + 1] + 1].tolist()
    chunk_sizes = [int(forest.counts[a:b].sum()) for a, b in pairwise(cuts)]
    fits = max(chunk_sizes, default=0) <= max(0, size)
    return fits and (size >= 1 if forest.term_chunk(leaf).size else sum(chunk_sizes) >= size)


def _flow(parts: list[Part], room: dict[int, int]) -> int:
    """Return how many parts can be placed when leaf P takes `room[P]` of them."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    source, sink = 0, 1
    number = {leaf: 2 + len(parts) + i for i, leaf in enumerate(room)}
    links = [(source, 2 + i, part.count) for i, part in enumerate(parts)]
    links += [(2 + i, number[leaf], part.count) for i, part in enumerate(parts) for leaf in part.leaves if leaf in room]
    links += [(number[leaf], sink, size) for leaf, size in room.items()]
    rows, columns, capacities = np.array(links, dtype=np.int32).reshape(-1, 3).T
    n = 2 + len(parts) + len(room)
    graph = csr_array((capacities, (rows, columns)), shape=(n, n), dtype=np.int32)
    return int(maximum_flow(graph, source, sink).flow_value)


def _links(forest: Forest, positions: Positions, root: int) -> int:
    """Say how much work a tree is: its subrecords times its leaves; nothing for a leaf, which has a closed form."""
    if not forest.is_joint[root]:
        return 0
    below = positions.walk[positions.first[root] : positions.last[root] + 1]
    first = forest.subrecord_offsets[forest.chunk_offsets[below]]
    last = forest.subrecord_offsets[forest.chunk_offsets[below + 1]]
    return int((last - first).sum()) * int(forest.is_leaf[below].sum())
