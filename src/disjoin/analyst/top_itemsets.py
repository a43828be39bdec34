"""The most frequent itemsets of given records, exactly: no threshold is guessed and no tie is left to chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.analyst.top_itemsets_pairs import mine_of, walk_through
from disjoin.analyst.top_itemsets_rows import ItemRows
from disjoin.analyst.top_itemsets_search import MANY, best_itemsets, count_ties
from disjoin.errors import InvalidParameter, described
from disjoin.model.ragged import Ints32, Ints64, offsets_of, strings

MOST = 2**60  # itemsets: more than can be listed


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


def top_itemsets(rows: ItemRows, top: int = 1000, *, related: Ints32 | None = None) -> TopItemsets:
    """Return the `top` itemsets with the largest supports, of any size from 1; all there are if these are fewer.

    `related[item]` is the parent of an item in a hierarchy, -1 for none: then itemsets with an item and one of its
    ancestors are left out (`extended` returns both).

    >>> found = top_itemsets(ItemRows(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.array([1, 1]), 3), 3)
    >>> [found.itemset(i) for i in range(3)], found.supports.tolist(), found.tied, found.cut
    ([(1,), (0,), (2,)], [2, 1, 1], 4, 2)
    """
    if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
        raise InvalidParameter(f"top must be a whole number, 1 or more, got {described(top)}.")
    top = min(int(top), MOST)
    mine = mine_of(rows, top, walk_through(related, rows.n_terms))
    if not mine.singles.size:
        return TopItemsets(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), mine.single_supports, 0, 0)
    # All subsets of an itemset are better than it is, so one of n items is the 2**n - 1st of the list, or later.
    width = min((top + 1).bit_length() - 1, rows.longest)
    sets, sizes, supports = best_itemsets(*mine[:-1], top, width)
    tied = int(count_ties(*mine[:-2], sets, sizes, supports))
    listed = np.arange(width) < sizes[:, None]
    cut = tied - int(np.count_nonzero(supports == supports[-1]))
    are_exact = tied < MANY and mine.dropped < supports[-1]
    return TopItemsets(offsets_of(sizes), sets[listed], supports, tied, cut, bool(are_exact))
