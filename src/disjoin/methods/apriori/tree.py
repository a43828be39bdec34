"""A hierarchy of terms as a tree whose nodes are its names: copies of a name, one below the other, are one node."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import Hierarchy
from disjoin.model.ragged import Flags, Ints32, Ints64


@dataclass(frozen=True, slots=True, eq=False)
class ItemTree:
    """Nodes are numbered by name, in code-point order, so comparing nodes compares names.

    The nodes under a node, itself included, are neighbours in preorder: they have the places from `places[node]` to
    `ends[node]`.

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

    @property
    def root(self) -> int:
        """The node above all others."""
        return int(self.preorder[0])

    def is_under(self, node: int, other: int) -> bool:
        """Tell whether a node is another one, or below it."""
        return bool(self.places[other] <= self.places[node] < self.ends[other])

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> ItemTree:
        """Return the tree of a hierarchy's names; a name of two different nodes is an error."""
        written = hierarchy.names.to_pylist()
        lowest = _lowest_copies(written, hierarchy.parents.tolist())
        kept = sorted({*lowest}, key=written.__getitem__)
        names = [written[node] for node in kept]
        _require_different(names)
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


def _lowest_copies(names: list[str], parents: list[int]) -> list[int]:
    """Return for every node the lowest one below it with the same name."""
    lowest = list(range(len(names)))
    for node, parent in enumerate(parents[:-1]):  # a parent comes after its children
        if names[node] == names[parent]:
            lowest[parent] = lowest[node]
    return lowest


def _require_different(names: list[str]) -> None:
    for name, other in pairwise(names):
        if name == other:
            raise InvalidParameter(f"two nodes of the hierarchy are called {name!r}; give them different names.")


def _preorder(parents: list[int], bottom_up: list[int]) -> tuple[Ints64, Ints64]:
    """Return the place of every node, and the place behind the last one under it."""
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
