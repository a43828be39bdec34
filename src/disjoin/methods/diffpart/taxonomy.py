"""A tree over all terms that knows nothing of the data: neighbours in the order of their names go together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Node(NamedTuple):
    """A node by its level and its place there, from 0; leaves, which are terms, are level 0."""

    level: int
    place: int


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Terms grouped by `fan_out`, groups grouped again, until one node is left: arithmetic on positions.

    There is at least one level above the terms, even if there is one term only.

    >>> tree = Taxonomy(5, 2)
    >>> tree.root, tree.sizes, tree.inner_nodes(tree.root), [*tree.children(Node(1, 2))]
    (Node(level=3, place=0), (5, 3, 2, 1), 6, [4])
    """

    n_terms: int
    fan_out: int
    sizes: tuple[int, ...] = field(init=False)  # nodes at each level

    def __post_init__(self) -> None:
        assert self.n_terms >= 1 and self.fan_out >= 2, "a tree needs a leaf, and must come to an end"
        sizes = [self.n_terms, -(-self.n_terms // self.fan_out)]
        while sizes[-1] > 1:
            sizes.append(-(-sizes[-1] // self.fan_out))
        object.__setattr__(self, "sizes", tuple(sizes))

    @property
    def root(self) -> Node:
        """The node above all others."""
        return Node(len(self.sizes) - 1, 0)

    def children(self, node: Node) -> range:
        """Return the places, one level below, of the children of an inner node."""
        return self._below(node, 1)

    def terms(self, node: Node) -> range:
        """Return the positions of the terms under a node."""
        return self._below(node, node.level)

    def terms_of_a_child(self, node: Node) -> int:
        """Return how many terms each child of an inner node has, the last child perhaps fewer."""
        return int(self.fan_out ** (node.level - 1))

    def inner_nodes(self, node: Node) -> int:
        """Return how many nodes above level 0 there are in the subtree, with the node itself."""
        return sum(len(self._below(node, steps)) for steps in range(node.level))

    def _below(self, node: Node, steps: int) -> range:
        width = self.fan_out**steps
        return range(node.place * width, min((node.place + 1) * width, self.sizes[node.level - steps]))
