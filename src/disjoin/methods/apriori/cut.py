"""A cut through the tree: which node is published for which term, what that costs, and how it is raised."""

from __future__ import annotations

import numpy as np

from disjoin.methods.apriori.tree import ItemTree
from disjoin.model.arrays import Ints64


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
