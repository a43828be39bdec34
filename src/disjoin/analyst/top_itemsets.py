"""The most frequent itemsets of given records, exactly: no threshold is guessed and no tie is left to chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
import pyarrow as pa

from disjoin.analyst.top_itemsets_rows import Rows, chunk_rows, extended, extended_names, rows_of
from disjoin.errors import InvalidParameter
from disjoin.model.arrays import Ints32, Ints64, offsets_of, strings

__all__ = ["Rows", "TopItemsets", "chunk_rows", "extended", "extended_names", "rows_of", "top_itemsets"]


@dataclass(frozen=True, slots=True, eq=False)
class TopItemsets:
    """Itemsets in order: support from the largest, then the smaller set, then the earlier items.

    Itemset `i` is `items[offsets[i]:offsets[i + 1]]`, ascending, and is in `supports[i]` records. `tied` itemsets in
    all have the support of the last one listed, and `cut` of them are not listed because they come later in the order.
    """

    offsets: Ints64  # (itemsets + 1,)
    items: Ints32
    supports: Ints64  # (itemsets,)
    tied: int
    cut: int
    ties_are_exact: bool = True  # if not, `tied` and `cut` are at least so large

    def __len__(self) -> int:
        return self.supports.size

    @property
    def tied_at_cut(self) -> int:
        """How many itemsets, listed or not, have the support of the last one listed."""
        return self.tied

    def itemset(self, position: int) -> tuple[int, ...]:
        """Return the items at a position of the list."""
        return tuple(self.items[self.offsets[position] : self.offsets[position + 1]].tolist())

    def as_sets(self) -> set[frozenset[int]]:
        """Return the itemsets without their order, for comparisons."""
        return {frozenset(self.itemset(position)) for position in range(len(self))}

    def named(self, vocabulary: pa.StringArray | Sequence[str]) -> list[tuple[str, ...]]:
        """Return the itemsets in order, in words: item `i` is called `vocabulary[i]`."""
        names = strings(vocabulary).to_pylist()
        return [tuple(names[item] for item in self.itemset(position)) for position in range(len(self))]


def top_itemsets(rows: Rows, top: int = 1000, *, related: Ints32 | None = None) -> TopItemsets:
    """Return the `top` itemsets with the largest supports, of any size from 1; all there are if these are fewer.

    `related[item]` is the parent of an item in a hierarchy, -1 for none: then itemsets with an item and one of its
    ancestors are left out (`extended` returns both).

    >>> found = top_itemsets(Rows(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.array([1, 1]), 3), 3)
    >>> [found.itemset(i) for i in range(3)], found.supports.tolist(), found.tied, found.cut
    ([(1,), (0,), (2,)], [2, 1, 1], 4, 2)
    """
    if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
        raise InvalidParameter(f"top must be a whole number, 1 or more, got {top!r}.")
    parents = np.full(rows.n_terms, -1, dtype=np.int32) if related is None else related
    found, tied, cut = _best_first(rows, int(top), parents)
    return TopItemsets(
        offsets_of([len(items) for items, _ in found]),
        np.array([item for items, _ in found for item in items], dtype=np.int32),
        np.array([support for _, support in found], dtype=np.int64),
        tied,
        cut,
    )


def _best_first(rows: Rows, top: int, parents: Ints32) -> tuple[list[tuple[tuple[int, ...], int]], int, int]:
    """Take the best from a queue and put its children there: no child is better than its parent."""
    cuts = rows.offsets.tolist()
    bags = [set(rows.items[a:b].tolist()) for a, b in pairwise(cuts)]
    above = [set(_ancestors(parents, item)) for item in range(rows.n_terms)]
    queue = [(-s, 1, (i,)) for i, s in enumerate(_supports(rows, bags, ())) if s]
    heapify(queue)
    found: list[tuple[tuple[int, ...], int]] = []
    cut = 0
    while queue and (len(found) < top or -queue[0][0] == found[-1][1]):
        negative, size, items = heappop(queue)
        if len(found) < top:
            found.append((items, -negative))
        else:
            cut += 1
        for item, support in enumerate(_supports(rows, bags, items)):
            if item > items[-1] and support and not any(item in above[x] or x in above[item] for x in items):
                heappush(queue, (-support, size + 1, (*items, item)))
    return found, cut + sum(support == found[-1][1] for _, support in found), cut


def _supports(rows: Rows, bags: list[set[int]], items: tuple[int, ...]) -> list[int]:
    supports = [0] * rows.n_terms
    for bag, weight in zip(bags, rows.weights.tolist(), strict=True):
        if bag.issuperset(items):
            for item in bag:
                supports[item] += weight
    return supports


def _ancestors(parents: Ints32, item: int) -> Iterator[int]:
    while (item := int(parents[item])) >= 0:
        yield item
