"""A cut through the tree: which node is published for which term, what that costs, and the cheapest way to raise it."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from disjoin.methods.apriori.rows import Postings
from disjoin.methods.apriori.tree import ItemTree
from disjoin.model.ragged import Ints64


class Cut:
    """The images of all nodes at or below the cut; it only ever rises.

    Costs are whole numbers, in parts of a leaf: an occurrence of a term that is published as another node costs the
    number of leaves under that node (section E.2: NCP times the leaves of the root times all occurrences).
    """

    def __init__(self, tree: ItemTree, occurrences: Ints64) -> None:
        """Begin with every leaf as it is; `occurrences` (nodes,) is 0 but for leaves."""
        self.tree = tree
        self.image_of = np.arange(len(tree), dtype=np.int32)  # means something at and below the cut only
        self.is_image = tree.is_leaf.copy()
        self._occurs = occurrences > 0
        self._parents: list[int] = tree.parents.tolist()
        self._below = _summed(tree, occurrences)
        self._full_costs = [count * leaves for count, leaves in zip(self._below, tree.leaves.tolist(), strict=True)]
        self._costs = [0] * len(tree)  # of all occurrences under each node, for nodes at or above the cut

    @property
    def cost(self) -> int:
        """What the cut costs altogether."""
        return self._costs[self.tree.root]

    @property
    def ncp(self) -> float:
        """The normalised certainty penalty: 0 if nothing is generalised, 1 if everything is published as the root."""
        root = self.tree.root
        return self.cost / (self._below[root] * int(self.tree.leaves[root]))

    @property
    def raised_terms(self) -> int:
        """How many terms that occur are not published as themselves."""
        return int((self._occurs & ~self.is_image).sum())

    def parent(self, node: int) -> int:
        """Return the node above, -1 above the root."""
        return self._parents[node]

    def price(self, nodes: tuple[int, ...]) -> int:
        """Return what it costs more to publish these nodes, none below another, for all that is under them."""
        return sum(self._full_costs[node] - self._costs[node] for node in nodes if not self.is_image[node])

    def raise_to(self, node: int) -> None:
        """Publish the node for everything under it."""
        rise = self.price((node,))
        under = self.tree.preorder[self.tree.places[node] : self.tree.ends[node]]
        self.image_of[under] = node
        self.is_image[under] = False
        self.is_image[node] = True
        while node >= 0:
            self._costs[node] += rise
            node = self._parents[node]


def _summed(tree: ItemTree, occurrences: Ints64) -> list[int]:
    """Return how often terms under each node occur."""
    before = np.concatenate(([0], np.cumsum(occurrences[tree.preorder])))
    sums: list[int] = (before[tree.ends] - before[tree.places]).tolist()
    return sums


def cheapest_repair(rare: tuple[int, ...], k: int, cut: Cut, postings: Postings) -> tuple[int, ...]:
    """Return what to publish for the members of a rare set: nodes at or above them that k records have together.

    Members that fall together, or one of which would be above another, are one node. Of all ways the one is taken whose
    cut costs least, and of equal ones the first in the order of nodes. Sets are tried from the cheapest on: going up
    never costs less, and the root alone is in all records, so the search ends.
    """
    best: tuple[int, tuple[int, ...]] | None = None
    tried = {rare}
    waiting = [(0, rare)]
    while waiting and (best is None or waiting[0][0] <= best[0]):
        price, nodes = heappop(waiting)
        if (best is None or (price, nodes) < best) and postings.are_in(k, nodes):
            best = price, nodes
        for higher in _raised_by_one(nodes, cut):
            if higher not in tried:
                tried.add(higher)
                heappush(waiting, (cut.price(higher), higher))
    assert best is not None, "fewer records than k were refused before"
    return best[1]


def _raised_by_one(nodes: tuple[int, ...], cut: Cut) -> list[tuple[int, ...]]:
    """Return the sets in which one member is replaced by its parent, and whatever is under that by it, too."""
    found = []
    for node in nodes:
        parent = cut.parent(node)
        if parent >= 0:
            others = [other for other in nodes if other != node and not cut.tree.is_under(other, parent)]
            found.append(tuple(sorted([*others, parent])))
    return found
