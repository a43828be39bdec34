"""The cut through the hierarchy that is published, and the tree it goes through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Ints64, Spans, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCut:
    """The published nodes: first categories, those that stand for most terms before others, then terms; each by name.

    A category is a node that is no term itself. Everything is read from the mapping and the records, so a cut can be
    looked at even if the mapping and the hierarchy do not fit together.
    """

    published: GeneralizedItems
    names: pa.StringArray  # (nodes,)
    is_category: NDArray[np.bool_]  # (nodes,)
    supports: Ints64  # (nodes,), records that have it
    members: Ints64  # (leaves,), positions in `published.terms`, node by node
    offsets: Ints64  # (nodes + 1,), into `members`

    def __len__(self) -> int:
        return len(self.names)

    @property
    def leaf_counts(self) -> Ints64:
        """How many terms each node stands for."""
        return Spans(self.offsets).lengths

    def terms_of(self, node: int) -> list[str]:
        """Return the terms that a node stands for, in the order of the mapping."""
        places = self.members[self.offsets[node] : self.offsets[node + 1]]
        return self.published.terms.take(pa.array(places)).to_pylist()  # type: ignore[no-any-return]


def cut_of(published: GeneralizedItems) -> PublishedCut:
    """Return the published nodes with what they stand for.

    >>> from disjoin.model.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    >>> mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    >>> cut = cut_of(GeneralizedItems.from_mapping([(["drink"], 2)], mapping, tree))
    >>> cut.names.to_pylist(), cut.leaf_counts.tolist(), cut.supports.tolist(), cut.terms_of(0)
    (['drink', 'rye'], [2, 1], [2, 0], ['milk', 'tea'])
    """
    import pyarrow.compute as pc  # here, as it is slow to import

    encoded = published.images.dictionary_encode()
    codes, names = encoded.indices.to_numpy().astype(np.int64), encoded.dictionary
    sizes = np.bincount(codes, minlength=len(names))
    is_category = np.ones(len(names), dtype=np.bool_)
    is_category[codes[pc.equal(published.terms, published.images).to_numpy(zero_copy_only=False)]] = False
    order = np.lexsort((_ranks(names), -sizes, ~is_category))
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    taken = names.take(pa.array(order))
    members = np.argsort(place[codes], kind="stable")
    return PublishedCut(
        published, taken, is_category[order], _supports(published, taken), members, offsets_of(sizes[order])
    )


def _ranks(names: pa.StringArray) -> Ints64:
    """Return the position of each name in code-point order."""
    texts = names.to_pylist()
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _supports(published: GeneralizedItems, names: pa.StringArray) -> Ints64:
    """Return in how many records each name is: 0 where none has it."""
    found = dict(zip(published.records.vocabulary.to_pylist(), published.records.supports().tolist(), strict=True))
    return np.array([found.get(name, 0) for name in names.to_pylist()], dtype=np.int64)


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
