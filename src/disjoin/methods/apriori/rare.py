"""The rare sets of current images, in order: found when they are needed, not before.

Whether a set is rare does not depend on the cut, only whether its members are images does. So a set can become one to
repair only when a member becomes an image, and looking through the sets with each new image finds them all.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np

from disjoin.kernels.rare_sets import rare_sets_with
from disjoin.methods.apriori.cut import Cut
from disjoin.methods.apriori.rows import Postings
from disjoin.model.arrays import Ints32, Ints64
from disjoin.progress import Progress, silent

SETS_AT_ONCE = 1024
STEPS_AT_ONCE = 50_000_000  # a fraction of a second, so that the search can be interrupted

Itemset = tuple[int, ...]


class Search:
    """The sets of one size that hold a given image, and others of which the first is in a given range; in order."""

    def __init__(self, node: int, size: int, first: tuple[int, int]) -> None:
        self.node, self.size, self.first = node, size, first
        self._found: Ints32 = np.empty((0, size - 1), dtype=np.int32)
        self._resume = np.zeros(size - 1, dtype=np.int32)
        self._known, self._is_over = 0, False

    @property
    def is_from_node(self) -> bool:
        """Whether the node is the first of all sets."""
        return self.first[0] > self.node

    def advance(self, cut: Cut) -> Itemset | None:
        """Go to the next set whose members are images; None if none is listed any more."""
        alive = np.flatnonzero(cut.is_image[self._found].all(axis=1))
        if not alive.size:
            self._found = self._found[:0]
            return None
        others = self._found[alive[0]].tolist()
        self._found = self._found[alive[0] + 1 :]
        return tuple(sorted([*others, self.node]))

    def bound(self) -> Itemset | None:
        """Return what no set that is not listed yet comes before; None if all were listed."""
        if self._is_over:
            return None
        begun = self._resume[: self._known].tolist()
        if not begun:
            return (self.node,) if self.is_from_node else ()
        if len(begun) == self.size - 1 or self.node < begun[-1]:
            return tuple(sorted([*begun, self.node]))
        return tuple(begun)

    def look_further(self, k: int, cut: Cut, postings: Postings, tables: _Tables) -> None:
        """List more sets, under the cut as it is now."""
        found = np.empty((SETS_AT_ONCE, self.size - 1), dtype=np.int32)
        number, known = rare_sets_with(
            self.node,
            k,
            postings.span(self.node),
            (postings.rows.offsets, postings.rows.items, postings.rows.weights, postings.posted),
            cut.image_of,
            tables.marks,
            tables.of_size(self.size),
            self.first,
            self._resume,
            self._known,
            STEPS_AT_ONCE,
            found,
        )
        self._found, self._known, self._is_over = found[:number], known, known == 0


class _Tables:
    """Arrays that the compiled search fills and empties again."""

    def __init__(self, postings: Postings) -> None:
        nodes = len(postings.tree)
        self.marks = np.zeros(len(postings.rows), dtype=np.bool_), np.zeros(nodes, dtype=np.bool_)
        self._nodes = nodes
        self._by_size: dict[int, tuple[Ints64, Ints64]] = {}

    def of_size(self, size: int) -> tuple[Ints64, Ints64]:
        if size not in self._by_size:
            shape = size - 1, self._nodes
            self._by_size[size] = np.zeros(shape, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
        return self._by_size[size]


class _Place(NamedTuple):
    """Where a search stands: at a rare set, or, if that is not known yet, at what no set of it comes before."""

    at: Itemset
    turn: int  # of two searches at the same place the older one is first
    is_set: bool
    search: Search | None  # None for a node that is rare alone


class RareSets:
    """The rare sets of current images, of some sizes, the first in order first."""

    def __init__(self, k: int, sizes: range, cut: Cut, postings: Postings, progress: Progress = silent) -> None:
        self._furthest = -1  # the last image that was searched for sets that it begins
        self._progress = progress
        self._k, self._cut, self._postings = k, cut, postings
        self._sizes = [size for size in sizes if size > 1]
        self._tables = _Tables(postings)
        self._places: list[_Place] = []
        self._turns = count()
        supports = postings.rows.supports(len(postings.tree))
        if 1 in sizes:
            for node in np.flatnonzero((supports > 0) & (supports < k)).tolist():
                self._put((node,), is_set=True)
        for node in np.flatnonzero(supports).tolist():
            self._search(node, (node + 1, supports.size))

    def next(self) -> Itemset | None:
        """Return the first rare set whose members are images; None if there is none. It must be repaired then."""
        while self._places:
            at, _, is_set, search = heappop(self._places)
            if search is not None:
                if not self._cut.is_image[search.node]:
                    continue
                if not is_set:
                    if search.is_from_node:
                        self._furthest = search.node
                        self._progress("generalising", search.node, len(self._cut.tree))
                    search.look_further(self._k, self._cut, self._postings, self._tables)
                self._put_back(search)
            if is_set and self._cut.is_image[list(at)].all():
                return at
        return None

    def add(self, node: int) -> None:
        """Take into account that a node has become an image."""
        nodes = self._cut.is_image.size
        if node <= self._furthest:
            self._search(node, (0, nodes))
        else:  # sets that begin with an image that was not searched yet will be found when it is
            self._search(node, (0, self._furthest))
            self._search(node, (node + 1, nodes))

    def _search(self, node: int, first: tuple[int, int]) -> None:
        for size in self._sizes:
            search = Search(node, size, first)
            self._put(search.bound() or (), is_set=False, search=search)

    def _put_back(self, search: Search) -> None:
        itemset = search.advance(self._cut)
        bound = search.bound()
        if itemset is not None:
            self._put(itemset, is_set=True, search=search)
        elif bound is not None:
            self._put(bound, is_set=False, search=search)

    def _put(self, at: Itemset, *, is_set: bool, search: Search | None = None) -> None:
        heappush(self._places, _Place(at, next(self._turns), is_set, search))
