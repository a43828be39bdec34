"""Promises that finished tables keep for nothing: a larger m with the same k, a larger k with the same m.

Asked before a release is certified; what is found becomes part of the promise, and is inspected like the rest of it.
The search ends after a number of steps that grows with the tables. What it could not decide is not promised.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity
from disjoin.model.ragged import Ints64
from disjoin.verify import chunks
from disjoin.verify.chunks import Domains, sums_by_row
from disjoin.verify.clusters import structure
from disjoin.verify.forest import Forest, check_shape

MOST_KNOWN = 10  # terms; nobody asks for more
STEPS_PER_ITEM, FEWEST_STEPS = 20, 10_000
FIRST_CHUNKS = 100  # are looked at before the others: mostly one of them decides


def with_free_promises(published: Clusters, guarantee: KmAnonymity) -> KmAnonymity:
    """Return the promise with other k and m that the tables keep as well; it must itself hold for them.

    >>> leaf = {"size": 4, "record_chunks": [{"subrecords": [[["jam", "tea"], 4]]}], "term_chunk": ["milk"]}
    >>> with_free_promises(Clusters.from_nested([leaf]), KmAnonymity(2, 1)).also
    ((2, 10), (4, 1))
    """
    if not guarantee.proven or check_shape(published):
        return guarantee
    tables = _Tables(published)
    m, k = tables.largest_m(guarantee), tables.largest_k(guarantee)
    found = ((guarantee.k, m), (k, guarantee.m))
    return replace(guarantee, also=tuple(pair for pair in found if pair != (guarantee.k, guarantee.m)))


class _Tables:
    """Tables that are asked what they keep."""

    def __init__(self, published: Clusters) -> None:
        self.forest = Forest.of(published)
        self.domains = Domains.of(self.forest)
        self.steps = FEWEST_STEPS + STEPS_PER_ITEM * published.items.size
        lengths = np.diff(self.forest.item_offsets)
        parts = np.diff(self.forest.chunk_offsets)
        self.saturated = int(max(lengths.max(initial=1), parts.max(initial=1)))  # a larger m asks for nothing more

    def largest_m(self, guarantee: KmAnonymity) -> int:
        """Return the largest m up to MOST_KNOWN for which the tables keep the promise, as far as that can be told."""
        found = guarantee.m
        while found < MOST_KNOWN and (found >= self.saturated or self.keep(guarantee.plain(guarantee.k, found + 1))):
            found += 1
        return found

    def largest_k(self, guarantee: KmAnonymity) -> int:
        """Return the largest k for which the tables keep the promise, as far as that can be told."""
        found, limit = guarantee.k, self._most_k(guarantee.m) + 1
        if found + 1 >= limit or not self.keep(guarantee.plain(found + 1, guarantee.m)):
            return found
        found += 1
        while limit - found > 1:
            middle = (found + limit) // 2
            if self.keep(guarantee.plain(middle, guarantee.m)):
                found = middle
            else:
                limit = middle
        return found

    def _most_k(self, m: int) -> int:
        """Return the largest k that the sizes and numbers of subrecords allow."""
        forest, leaf = self.forest, self.forest.is_leaf
        most = int(forest.sizes[leaf].min(initial=2**31))
        bare = np.flatnonzero(leaf & (np.diff(forest.term_offsets) == 0))
        spread = np.minimum(min(m, 2**31), np.diff(forest.chunk_offsets)[bare]) - 1
        spare = sums_by_row(forest.chunk_offsets, self.domains.chunk_sizes)[bare] - forest.sizes[bare]
        return min(most, int((spare[spread > 0] // spread[spread > 0]).min(initial=2**31)))

    def keep(self, guarantee: KmAnonymity) -> bool:
        """Tell whether V5 to V8 hold for another k and m; if that takes too long, they do not."""
        forest, nobody = self.forest, np.zeros(len(self.forest), np.bool_)
        too_small = structure.check_least_sizes(forest, guarantee, nobody)
        too_few = structure.check_counts(forest, self.domains, guarantee)[0]
        if too_small or too_few or self.domains.supports.min(initial=2**31) < guarantee.k:
            return False
        if guarantee.m == 1:
            return True
        weak = forest.chunks_with(np.flatnonzero(forest.counts < guarantee.k))
        return self._none_rare(weak[:FIRST_CHUNKS], guarantee) and self._none_rare(weak[FIRST_CHUNKS:], guarantee)

    def _none_rare(self, those: Ints64, guarantee: KmAnonymity) -> bool:
        try:
            (found, _, _), _ = chunks.find_rare(self.forest, those, guarantee.k, guarantee.m, self.steps)
        except InvalidParameter:  # not decided
            return False
        return not found.any()
