"""A hierarchy in which a name is one node: what is above it, and what is right below."""

from __future__ import annotations

import numpy as np

from disjoin.model.hierarchy import Hierarchy


class Tree:
    """The nodes of a hierarchy by name; copies of a node that is repeated upwards count as one.

    >>> tree = Tree(Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]]))
    >>> tree.path("tea"), tree.below("*"), tree.level("rye"), tree.path("wine")
    (('*', 'drink'), ['drink', 'rye'], 0, ())
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.names: list[str] = hierarchy.names.to_pylist()
        # Levels follow one another, so the first node with a name is its lowest.
        self.places = dict(zip(reversed(self.names), range(len(self.names) - 1, -1, -1), strict=True))
        self._by_parent = np.argsort(hierarchy.parents, kind="stable")
        self._bounds = np.searchsorted(hierarchy.parents[self._by_parent], np.arange(len(self.names) + 1))

    def level(self, name: str) -> int:
        """Return the lowest level at which a name is; -1 if it is nowhere."""
        return int(self.hierarchy.levels[self.places[name]]) if name in self.places else -1

    def path(self, name: str) -> tuple[str, ...]:
        """Return what is above a name, from the root on."""
        above: list[str] = []
        parent = self.parent(name)
        while parent is not None:
            above.append(parent)
            parent = self.parent(parent)
        return tuple(reversed(above))

    def parent(self, name: str) -> str | None:
        """Return what is right above a name; None above the root and where there is no such name."""
        node = self.places.get(name, -1)
        while node >= 0 and self.names[node] == name:
            node = int(self.hierarchy.parents[node])
        return self.names[node] if node >= 0 else None

    def below(self, name: str) -> list[str]:
        """Return the names right below one, in code-point order; none below a leaf."""
        place = self.places.get(name)
        if place is None:
            return []
        return sorted(self.names[child] for child in self._by_parent[self._bounds[place] : self._bounds[place + 1]])

    def number_below(self, name: str) -> int:
        """Return how many names are right below one."""
        place = self.places.get(name, -1)
        return int(self._bounds[place + 1] - self._bounds[place]) if place >= 0 else 0

    def leaves(self, name: str) -> int:
        """Return how many leaves are below a name."""
        return int(self.hierarchy.leaf_counts[self.places[name]]) if name in self.places else 0
