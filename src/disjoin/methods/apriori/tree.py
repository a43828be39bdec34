"""Hierarchy of items as arrays, posting lists, and the cut."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from disjoin.arrays.ordering import by_content
from disjoin.arrays.ragged import rank_first_occurrences, sort_rows
from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Hierarchy, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of, strings


@dataclass(frozen=True, slots=True, eq=False)
class ItemTree:
    """Nodes numbered by name, in code-point order; a node and its descendants are at `places[node]` to `ends[node]`.

    >>> tree = ItemTree.of(Hierarchy.from_rows([["tea", "drink", "*"], ["ale", "drink", "*"], ["rye", "*"]]))
    >>> tree.names, tree.parents.tolist(), tree.leaves.tolist()
    (['*', 'ale', 'drink', 'rye', 'tea'], [-1, 2, 0, 0, 2], [3, 1, 2, 1, 1])
    """

    names: list[str]
    parents: Ints64  # (nodes,), -1 for the root
    leaves: Ints64  # (nodes,), how many are under each node; 1 for a leaf
    is_leaf: Flags  # (nodes,)
    places: Ints64  # (nodes,), in preorder
    ends: Ints64  # (nodes,)
    preorder: Ints32  # (nodes,), which node is at each place
    node_of_leaf: Ints32  # (leaves of the hierarchy,)

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> ItemTree:
        written = hierarchy.names.to_pylist()
        lowest = list(range(len(written)))  # below every node, with the same name
        for node, parent in enumerate(hierarchy.parents[:-1].tolist()):  # a parent comes after its children
            if written[node] == written[parent]:
                lowest[parent] = lowest[node]
        kept = sorted({*lowest}, key=written.__getitem__)
        names = [written[node] for node in kept]
        for name, other in pairwise(names):
            if name == other:
                raise InvalidParameter(f"two nodes of the hierarchy are called {name!r}; give them different names.")
        number = {node: rank for rank, node in enumerate(kept)}
        node_of = np.array([number[node] for node in lowest], dtype=np.int32)
        parents = np.full(len(kept), -1, dtype=np.int64)
        below = np.flatnonzero(node_of[:-1] != node_of[hierarchy.parents[:-1]])
        parents[node_of[below]] = node_of[hierarchy.parents[below]]
        places, ends = _preorder(parents.tolist(), node_of.tolist())
        leaf_nodes = node_of[: hierarchy.n_leaves]
        is_leaf = np.zeros(len(kept), dtype=np.bool_)
        is_leaf[leaf_nodes] = True
        leaves = hierarchy.leaf_counts[np.array(kept)].astype(np.int64)
        return cls(names, parents, leaves, is_leaf, places, ends, np.argsort(places).astype(np.int32), leaf_nodes)


def _preorder(parents: list[int], bottom_up: list[int]) -> tuple[Ints64, Ints64]:
    order = list(dict.fromkeys(bottom_up))
    sizes = [1] * len(parents)
    for node in order[:-1]:
        sizes[parents[node]] += sizes[node]
    places, free = [0] * len(parents), [1] * len(parents)
    for node in reversed(order[:-1]):
        places[node] = free[parents[node]]
        free[parents[node]] += sizes[node]
        free[node] = places[node] + 1
    return np.array(places), np.array(places) + np.array(sizes)


@kernel
def support_up_to(enough, begins, ends, posted, weights, seen, stamp):
    """Add up the weights of rows in every span until they reach `enough`; `seen` (rows,) must be below `stamp`."""
    total = 0
    last = begins.size - 1
    for span in range(begins.size):
        for place in range(begins[span], ends[span]):
            row = posted[place]
            has_all_before = seen[row] == stamp + span - 1 if span else seen[row] < stamp
            if has_all_before:
                seen[row] = stamp + span
                if span == last:
                    total += weights[row]
                    if total >= enough:
                        return total
    return total


@inner
def different_rows(begin, end, posted, is_row_taken):
    """Return the distinct rows of a span, and their number; `is_row_taken` is false before and after."""
    rows = np.empty(end - begin, np.int64)
    number = 0
    for place in range(begin, end):
        row = posted[place]
        if not is_row_taken[row]:
            is_row_taken[row] = True
            rows[number] = row
            number += 1
    for place in range(number):
        is_row_taken[rows[place]] = False
    return rows, number


@inner
def images_of_rows(rows, number, node, least, offsets, items, image_of, is_node_taken, starts):
    """Return the images of the rows' items, once per row, without `node` and those below `least`. `starts` (number +
    1,) gets the offsets of rows; `is_node_taken` (nodes,) is false before and after."""
    most = 0
    for place in range(number):
        most += offsets[rows[place] + 1] - offsets[rows[place]]
    images = np.empty(most, np.int32)
    filled = 0
    for row in range(number):
        starts[row] = filled
        for place in range(offsets[rows[row]], offsets[rows[row] + 1]):
            image = image_of[items[place]]
            if image >= least and image != node and not is_node_taken[image]:
                is_node_taken[image] = True
                images[filled] = image
                filled += 1
        for place in range(starts[row], filled):
            is_node_taken[images[place]] = False
    starts[number] = filled
    return images


@dataclass(frozen=True, slots=True, eq=False)
class NodeRows(Ragged):
    """Different rows in canonical order: nodes ascending, and the number of records equal to each row."""

    weights: Ints64  # (rows,)
    row_of_record: Ints64  # (records,)

    def published_as(self, image_of: Ints32, tree: ItemTree) -> NodeRows:
        codes, offsets = image_of[self.items], self.offsets.copy()
        kept = rank_first_occurrences(codes, offsets, np.arange(len(tree), dtype=np.int32))
        codes = codes[:kept]
        sort_rows(codes, offsets)
        content = Transactions(offsets, codes, strings(tree.names))
        order = by_content(content, np.arange(len(self), dtype=np.int32)).astype(np.int64)
        rows, numbers = content.records.take(order).distinct()
        row_of_old = np.empty(len(self), dtype=np.int64)
        row_of_old[order] = numbers
        weights = np.bincount(row_of_old, self.weights, len(rows)).astype(np.int64)
        return NodeRows(rows.offsets, rows.items, weights, row_of_old[self.row_of_record])


class Postings:
    """Supports under several nodes; `posted` are rows ordered by leaf: each node has a span, with repeats."""

    def __init__(self, rows: NodeRows, tree: ItemTree) -> None:
        places = tree.places[rows.items]
        self.rows, self.tree = rows, tree
        self.posted = rows.owners()[np.argsort(places, kind="stable")]
        self.offsets = offsets_of(np.bincount(places, minlength=len(tree)))
        self._seen, self._stamp = np.zeros(len(rows), dtype=np.int64), 1

    def span(self, node: int) -> tuple[int, int]:
        return int(self.offsets[self.tree.places[node]]), int(self.offsets[self.tree.ends[node]])

    def are_in(self, k: int, nodes: tuple[int, ...]) -> bool:
        spans = sorted((self.span(node) for node in nodes), key=lambda span: span[1] - span[0])
        bounds = np.array(spans, dtype=np.int64)
        begins, ends = bounds[:, 0].copy(), bounds[:, 1].copy()
        found = support_up_to(k, begins, ends, self.posted, self.rows.weights, self._seen, self._stamp)
        self._stamp += len(nodes)
        return bool(found >= k)


class Cut:
    """The images of all nodes at or below the cut, which only rises. Costs are integers: the leaves under the node of
    every generalised occurrence (section E.2: NCP times the leaves of the root times all occurrences)."""

    def __init__(self, tree: ItemTree, occurrences: Ints64) -> None:
        self.tree = tree
        self.image_of = np.arange(len(tree), dtype=np.int32)  # valid only at and below the cut
        self.is_image = tree.is_leaf.copy()
        self._occurs = occurrences > 0
        self.parents: list[int] = tree.parents.tolist()
        before = np.concatenate(([0], np.cumsum(occurrences[tree.preorder])))
        below = before[tree.ends] - before[tree.places]  # how often terms under each node occur
        self._full_costs: list[int] = (below * tree.leaves).tolist()
        self._costs = [0] * len(tree)  # cost of all occurrences under each node at or above the cut

    @property
    def ncp(self) -> float:
        """The normalised certainty penalty: 0 if nothing is generalised, 1 if everything is published as the root."""
        root = int(self.tree.preorder[0])
        return self._costs[root] / self._full_costs[root]

    @property
    def raised_terms(self) -> int:
        return int((self._occurs & ~self.is_image).sum())

    def price(self, nodes: tuple[int, ...]) -> int:
        return sum(self._full_costs[node] - self._costs[node] for node in nodes if not self.is_image[node])

    def raise_to(self, node: int) -> None:
        rise = self.price((node,))
        under = self.tree.preorder[self.tree.places[node] : self.tree.ends[node]]
        self.image_of[under] = node
        self.is_image[under] = False
        self.is_image[node] = True
        while node >= 0:
            self._costs[node] += rise
            node = self.parents[node]


def cheapest_repair(rare: tuple[int, ...], k: int, cut: Cut, postings: Postings) -> tuple[int, ...]:
    """Return nodes at or above the members of a rare set that k records have together: those with the lowest cost of
    the cut, then the first in order. Members with the same node, or with a node above another, become one node. Sets
    are tried in order of cost. A higher node never costs less, and all records have the root, so the search ends."""
    best: tuple[int, tuple[int, ...]] | None = None
    tried = {rare}
    places, ends = cut.tree.places, cut.tree.ends
    waiting = [(0, rare)]
    while waiting and (best is None or waiting[0][0] <= best[0]):
        price, nodes = heappop(waiting)
        if (best is None or (price, nodes) < best) and postings.are_in(k, nodes):
            best = price, nodes
        for parent in {cut.parents[node] for node in nodes} - {-1}:
            others = (node for node in nodes if not places[parent] <= places[node] < ends[parent])
            higher = tuple(sorted([*others, parent]))
            if higher not in tried:
                tried.add(higher)
                heappush(waiting, (cut.price(higher), higher))
    assert best is not None, "fewer records than k were refused before"
    return best[1]
