"""Rare itemsets of generalised terms: the count tree is walked without being stored. Memory holds only the path to the
current set: at every depth, the rows that have the set so far (linked by `following`) and supports of next nodes."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np

from disjoin.arrays.ragged import sort_rows
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.apriori.tree import Cut, Postings, different_rows, images_of_rows
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.progress import Progress, silent


@inner
def count_next(head, rows, places, following, starts, images, weights, least, most, counts, candidates):
    """Count the nodes from `least` to `most` that follow in the linked rows; return how many do, and the steps."""
    number = steps = 0
    entry = head
    while entry >= 0:
        row = rows[entry]
        steps += 1 + starts[row + 1] - places[entry]
        for place in range(places[entry], starts[row + 1]):
            node = images[place]
            if node > most:
                break
            if node >= least:
                if counts[node] == 0:
                    candidates[number] = node
                    number += 1
                counts[node] += weights[row]
        entry = following[entry]
    return number, steps


@inner
def link_next(head, rows, places, following, starts, images, least, most, heads, depth):
    filled = 0
    entry = head
    while entry >= 0:
        row = rows[depth, entry]
        for place in range(places[depth, entry], starts[row + 1]):
            node = images[place]
            if node > most:
                break
            if node >= least:
                rows[depth + 1, filled] = row
                places[depth + 1, filled] = place + 1
                following[depth + 1, filled] = heads[depth, node]
                heads[depth, node] = filled
                filled += 1
        entry = following[depth, entry]


@inner
def forget(depth, numbers, candidates, counts, heads):
    if depth < numbers.size - 1:
        for place in range(numbers[depth]):
            counts[depth, candidates[depth, place]] = 0
            heads[depth, candidates[depth, place]] = -1


@inner
def open_depth(depth, head, k, least, most, lists, starts, images, hefts, counts, heads, candidates, numbers):
    """Count, sort and link the nodes after the set so far; at the last depth keep only rare ones. Returns the steps."""
    rows, places, following = lists
    number, steps = count_next(
        head, rows[depth], places[depth], following[depth], starts, images, hefts, least, most, counts[depth],
        candidates[depth],
    )  # fmt: skip
    if depth == numbers.size - 1:
        kept = 0
        for place in range(number):
            node = candidates[depth, place]
            if counts[depth, node] < k:
                candidates[depth, kept] = node
                kept += 1
            counts[depth, node] = 0
        number = kept
    else:
        link_next(head, rows, places, following, starts, images, least, most, heads, depth)
    numbers[depth] = number
    bounds = np.zeros(2, np.int64)
    bounds[1] = number
    sort_rows(candidates[depth], bounds)
    return steps


@inner
def walk(node, k, starts, images, hefts, first, resume, known, budget, counts, heads, found):
    width, n_nodes = found.shape[1], counts.shape[1]
    room = hefts.size if width == 1 else max(hefts.size, images.size)
    rows, places = np.empty((width, room), np.int64), np.empty((width, room), np.int64)
    following = np.empty((width, room), np.int64)
    for row in range(starts.size - 1):  # link all rows from their starts
        rows[0, row] = row
        places[0, row] = starts[row]
        following[0, row] = row - 1
    candidates, chosen = np.empty((width, n_nodes), np.int32), np.empty(width, np.int32)
    numbers, turns = np.zeros(width, np.int64), np.zeros(width, np.int64)
    depth = np.int64(0)  # a bare 0 is a type of its own: everything would be compiled twice
    head, filled, steps = hefts.size - 1, 0, 0
    is_new, is_on_key = True, known > 0  # on key: the set so far is a proper prefix of `resume`
    while depth >= 0:
        if is_new:
            least, most = (first[0], first[1]) if depth == 0 else (0, n_nodes)
            if is_on_key:
                least = max(least, resume[depth])
            steps += open_depth(
                depth, head, k, least, most, (rows, places, following), starts, images, hefts, counts, heads,
                candidates, numbers,
            )  # fmt: skip
            turns[depth] = 0
            is_new = False
        if turns[depth] == numbers[depth]:
            forget(depth, numbers, candidates, counts, heads)
            depth -= 1
            is_on_key = False
            continue
        chosen[depth] = candidates[depth, turns[depth]]
        is_on_key = is_on_key and chosen[depth] == resume[depth]
        if not is_on_key and (filled == found.shape[0] or steps > budget):
            for place in range(depth + 1):
                resume[place] = chosen[place]
                forget(place, numbers, candidates, counts, heads)
            return filled, depth + 1
        is_on_key = is_on_key and depth + 1 < known
        turns[depth] += 1
        if depth == width - 1:
            for place in range(width):
                found[filled, place] = chosen[place]
            filled += 1
        elif counts[depth, chosen[depth]] >= k or chosen[depth] < node:
            head = heads[depth, chosen[depth]]
            depth += 1
            is_new = True
    return filled, 0


@kernel
def rare_sets_with(node, k, span, rows_of, image_of, marks, tables, first, begun, budget, found):
    """List, in order, sets of nodes that fewer than k records, but at least one, have together with `node`. `rows_of`
    has rows (offsets, items, weights) and rows as posted; those with the node are `posted[span[0]:span[1]]`. A set has
    has rows (offsets, items, weights) and rows as posted; those with the node are `posted[span[0]:span[1]]`. A set has
    before `resume[:known]` are omitted, as are sets that begin, after the node, with a rare set. Stops when `found` is
    full or after `budget` steps; returns how many sets were found, and how much of `resume` says where to go on (0: no
    more). `marks` are false and `tables` 0 and -1, before and after."""
    offsets, items, weights, posted = rows_of
    is_row_taken, is_node_taken = marks
    (counts, heads), (resume, known) = tables, begun
    listed, number = different_rows(span[0], span[1], posted, is_row_taken)
    starts, hefts = np.empty(number + 1, np.int64), np.empty(number, np.int64)
    for row in range(number):
        hefts[row] = weights[listed[row]]
    images = images_of_rows(listed, number, node, first[0], offsets, items, image_of, is_node_taken, starts)
    sort_rows(images, starts)
    return walk(node, k, starts, images, hefts, first, resume, known, budget, counts, heads, found)


SETS_AT_ONCE = 1024
STEPS_AT_ONCE = 50_000_000  # a fraction of a second, so that the search can be interrupted

Itemset = tuple[int, ...]
Tables = tuple[Ints64, Ints64]  # (columns, nodes): counts, and heads of lists of rows


class Search:
    """The sets of one size with a given image and others, the first of them in a given range; in order."""

    def __init__(self, node: int, size: int, first: tuple[int, int]) -> None:
        self.node, self.size, self.first = node, size, first
        self.is_from_node = first[0] > node  # whether the node is the first of all sets
        self._found: Ints32 = np.empty((0, size - 1), dtype=np.int32)
        self._resume = np.zeros(size - 1, dtype=np.int32)
        self._known, self._is_over = 0, False

    def advance(self, cut: Cut) -> tuple[Itemset, bool] | None:
        alive = np.flatnonzero(cut.is_image[self._found].all(axis=1))
        if alive.size:
            others = self._found[alive[0]].tolist()
            self._found = self._found[alive[0] + 1 :]
            return tuple(sorted([*others, self.node])), True
        self._found = self._found[:0]
        if self._is_over:
            return None
        begun = self._resume[: self._known].tolist()
        is_after = (len(begun) == self.size - 1 or self.node < begun[-1]) if begun else self.is_from_node
        return tuple(sorted([*begun, self.node] if is_after else begun)), False

    def look_further(self, k: int, cut: Cut, postings: Postings, marks: tuple[Flags, Flags], tables: Tables) -> None:
        found = np.empty((SETS_AT_ONCE, self.size - 1), dtype=np.int32)
        span, rows = postings.span(self.node), postings.rows
        rows_of, begun = (rows.offsets, rows.items, rows.weights, postings.posted), (self._resume, self._known)
        number, known = rare_sets_with(
            self.node, k, span, rows_of, cut.image_of, marks, tables, self.first, begun, STEPS_AT_ONCE, found
        )
        self._found, self._known, self._is_over = found[:number], known, known == 0


class _Place(NamedTuple):
    """Position of a search: a rare set or, if the next is not known yet, a bound before it."""

    at: Itemset
    turn: int  # of two searches at the same place the older one is first
    is_set: bool
    search: Search | None  # None for a node that is rare alone


class RareSets:
    """The rare sets of current images, of some sizes, in order."""

    def __init__(self, k: int, sizes: range, cut: Cut, postings: Postings, progress: Progress = silent) -> None:
        self._furthest = -1  # the last image that was searched for sets that it begins
        self._progress = progress
        self._k, self._cut, self._postings = k, cut, postings
        nodes = len(postings.tree)
        # Arrays that the compiled search fills and clears: marks, and tables by the size of sets.
        self._marks = np.zeros(len(postings.rows), dtype=np.bool_), np.zeros(nodes, dtype=np.bool_)
        shapes = {size: (size - 1, nodes) for size in sizes if size > 1}
        self._tables: dict[int, Tables] = {
            size: (np.zeros(shape, dtype=np.int64), np.full(shape, -1)) for size, shape in shapes.items()
        }
        self._places: list[_Place] = []
        self._turns = count()
        supports = postings.rows.supports(postings.rows.weights, nodes)
        if 1 in sizes:
            for node in np.flatnonzero((supports > 0) & (supports < k)).tolist():
                heappush(self._places, _Place((node,), next(self._turns), True, None))
        for node in np.flatnonzero(supports).tolist():
            self._search(node, (node + 1, nodes))

    def next(self) -> Itemset | None:
        while self._places:
            at, _, is_set, search = heappop(self._places)
            if search is not None:
                if not self._cut.is_image[search.node]:
                    continue
                if not is_set:
                    if search.is_from_node:
                        self._furthest = search.node
                        self._progress("generalising", search.node, len(self._cut.tree))
                    search.look_further(self._k, self._cut, self._postings, self._marks, self._tables[search.size])
                self._put(search)
            if is_set and self._cut.is_image[list(at)].all():
                return at
        return None

    def add(self, node: int) -> None:
        nodes = self._cut.is_image.size
        if node <= self._furthest:
            self._search(node, (0, nodes))
        else:  # a set that begins with a later image is found when that image is searched
            self._search(node, (0, self._furthest))
            self._search(node, (node + 1, nodes))

    def _search(self, node: int, first: tuple[int, int]) -> None:
        for size in self._tables:
            self._put(Search(node, size, first))

    def _put(self, search: Search) -> None:
        place = search.advance(self._cut)
        if place is not None:
            at, is_set = place
            heappush(self._places, _Place(at, next(self._turns), is_set, search))
