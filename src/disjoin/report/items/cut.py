"""What terms are published as, node by node: the cut through the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.model.arrays import Ints64, offsets_of
from disjoin.model.generalized_items import GeneralizedItems


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
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
        return np.diff(self.offsets)

    def terms_of(self, node: int) -> list[str]:
        """Return the terms that a node stands for, in the order of the mapping."""
        places = self.members[self.offsets[node] : self.offsets[node + 1]]
        return self.published.terms.take(pa.array(places)).to_pylist()  # type: ignore[no-any-return]


def cut_of(published: GeneralizedItems) -> Cut:
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
    return Cut(published, taken, is_category[order], _supports(published, taken), members, offsets_of(sizes[order]))


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
