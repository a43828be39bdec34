"""The first splits of HORPART as a tree of counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.methods.disassociation.horpart import ABANDON, ABANDON_NEXT
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of

CLOSED, OPEN = -1, -2  # instead of a term: a part that is not split here
NOWHERE = np.iinfo(np.int32).max


class Subtree(NamedTuple):
    """Parts in pre-order, first those with the term, then those without."""

    terms: list[int]  # part -> the term that it is split on, CLOSED or OPEN
    sizes: list[int]  # part -> records


@dataclass(slots=True, eq=False)
class HorpartPart:
    """A part of the records: split on a term, or a leaf of the tree, open or closed."""

    size: int
    term: int = OPEN
    inside: HorpartPart | None = None  # its records with the term
    outside: HorpartPart | None = None

    def ends(self) -> Iterator[HorpartPart]:
        waiting = [self]
        while waiting:
            part = waiting.pop()
            if part.inside is None or part.outside is None:
                yield part
            else:
                waiting += [part.outside, part.inside]

    def replace(self, subtree: Subtree) -> None:
        nodes = iter(zip(subtree.terms, subtree.sizes, strict=True))
        self.term, _ = next(nodes)
        waiting = [self] if self.term >= 0 else []
        while waiting:
            part = waiting[-1]
            term, size = next(nodes)
            child = HorpartPart(size, term)
            if part.inside is None:
                part.inside = child
            else:
                part.outside = child
                waiting.pop()
            if term >= 0:
                waiting.append(child)


class Routes(NamedTuple):
    """The path of a record through the tree, as arrays.

    A *spine* is a chain of parts, each without the term of the previous one. A record leaves it at the first step whose
    term it has. It arrives at another spine, or at ~number of a part that is not split.
    """

    n_terms: int
    start: int
    keys: Ints64  # spine * n_terms + term of every step, ascending
    steps: Ints64  # key -> number of the step, among all steps of all spines
    children: Ints64  # step -> the target of records with its term
    tails: Ints64  # spine -> the target of the others


def routes_through(root: HorpartPart, n_terms: int) -> Routes:
    """Return the paths to the parts that are not split, which are numbered in their order."""
    numbers = {id(part): number for number, part in enumerate(root.ends())}
    keys: list[int] = []
    children: list[int] = []
    tails: list[int] = []
    heads: list[tuple[HorpartPart, int]] = []  # first part of a spine, the step that leads to it

    def target(part: HorpartPart, step: int) -> int:
        if part.term < 0:
            return ~numbers[id(part)]
        heads.append((part, step))
        return 0  # set when the spine has a number

    start = target(root, -1)
    for spine, (head, step) in enumerate(heads):  # the list grows
        if step >= 0:
            children[step] = spine
        part = head
        while part.inside is not None and part.outside is not None:
            keys.append(spine * n_terms + part.term)
            children.append(0)
            children[-1] = target(part.inside, len(children) - 1)
            part = part.outside
        tails.append(~numbers[id(part)])
    order = np.argsort(np.array(keys, np.int64))
    wide = [np.array(values, np.int64) for values in (keys, children, tails)]
    return Routes(n_terms, start, wide[0][order], order.astype(np.int64), wide[1], wide[2])


def routed(routes: Routes, offsets: Ints64, items: Ints32) -> Ints64:
    """Return for every record the number of its part; no record is empty."""
    where = np.full(offsets.size - 1, routes.start, np.int64)
    while (rows := np.flatnonzero(where >= 0)).size:
        under_way = Ragged(offsets, items).take(rows)
        keys = np.repeat(where[rows], under_way.lengths) * routes.n_terms + under_way.items
        at = np.minimum(np.searchsorted(routes.keys, keys), routes.keys.size - 1)
        steps = np.where(routes.keys[at] == keys, routes.steps[at], NOWHERE)
        first = np.minimum.reduceat(steps, under_way.offsets[:-1])
        leaves = first < NOWHERE
        where[rows] = np.where(leaves, routes.children[np.where(leaves, first, 0)], routes.tails[where[rows]])
    return ~where


# The first splits of HORPART for records that are stored elsewhere: exact, from counts only, many splits per pass.
#
# A part is open while it must be split further here. In one round every open part is described by
#
# * its *top* terms, the most frequent ones that it may be split on, ranked by (count descending, term ascending);
# * *masks*: sets of top terms, and the number of records that have exactly these;
# * *cells*: the number of records with top term f as their first (by rank) and a further term u.
#
# HORPART runs on the masks: they give the exact count of every top term in every smaller part. Cells bound the count of
# every further term in it: a record of a part that was reached by the terms P, and without the terms R, has its first
# top term outside R and not after the first of P. A term is chosen only if no further term can come before it;
# otherwise the part stays open for the next round. At the top of a part the first choice is always proven, so every
# round makes at least one split per open part. The number of described terms only changes the number of rounds.
#
# A term that all records of a part have splits nothing, and the same is true in all smaller parts. So the terms of the
# path to a part need not be stored: the kernel of HORPART, which finishes small parts, finds them.


class TopLimits(NamedTuple):
    """The rules for splitting parts."""

    largest: int  # parts with fewer records are clusters
    least: int  # records of a cluster
    rule: int  # for small parts, as in `horpart`
    shard_records: int  # parts with fewer records ...
    shard_items: int  # ... and terms left to split on, in all of them, are left to the kernel


class TopTerms(NamedTuple):
    """The terms that describe the records of an open part."""

    size: int  # size of the part
    top: Ints32  # rank -> term
    further: Ints32  # terms with cells
    behind: tuple[int, int]  # support of the most frequent other term, and that term


def top_terms(terms: Ints32, counts: Ints64, size: int, limits: TopLimits, room: tuple[int, int]) -> TopTerms:
    """Choose the terms that describe a part; `room` is (number of top terms, number of further ones).

    `counts` are those of the part, of all terms that may be split on or at least of the most frequent ones.
    """
    wanted = may_split(counts, size, limits)
    terms, counts = terms[wanted], counts[wanted]
    order = np.lexsort((terms, -counts))
    top, further = order[: room[0]], order[room[0] : sum(room)]
    others = order[sum(room) :]
    behind = (int(counts[others[0]]), int(terms[others[0]])) if others.size else (0, -1)
    return TopTerms(size, terms[top], terms[further], behind)


def may_split(counts: Ints64, size: int, limits: TopLimits) -> Flags:
    """Return which terms a part of that size may be split on, by their counts; parts in it cannot use others."""
    wanted: Flags = (counts > 0) & (counts < size)
    return wanted & (size - counts >= limits.least) if limits.rule == ABANDON_NEXT else wanted


class Sketch(NamedTuple):
    """Records of open parts as masks and cells."""

    mask_parts: Ints64  # record -> its part
    masks: Ragged  # record -> the ranks of its top terms
    cell_parts: Ints64
    cells: NDArray[np.int64]  # (cells, 3) rank of the first top term (or their number), term, records


def sketched(parts: Ints64, offsets: Ints64, items: Ints32, described: dict[int, TopTerms], n_terms: int) -> Sketch:
    """Describe records by the part that `parts` names for each; records of parts without description are left out."""
    numbers = np.array(sorted(described), np.int64)
    place = np.searchsorted(numbers, parts)
    place[place == numbers.size] = 0
    there = numbers[place] == parts
    owner = np.repeat(np.where(there, place, -1), np.diff(offsets))  # item -> its part among those described
    rows = np.repeat(np.arange(parts.size), np.diff(offsets))[owner >= 0]
    kept, owner = items[owner >= 0].astype(np.int64), owner[owner >= 0]
    tops = [described[number].top for number in numbers.tolist()]
    rank = _ranks(owner * n_terms + kept, tops, n_terms)
    is_top = rank < NOWHERE
    first = np.full(parts.size, NOWHERE, np.int64)
    np.minimum.at(first, rows[is_top], rank[is_top])
    none = np.array([top.size for top in tops], np.int64)[place]
    first = np.minimum(first, none)
    is_further = _ranks(owner * n_terms + kept, [described[n].further for n in numbers.tolist()], n_terms) < NOWHERE
    width = int(none.max(initial=0)) + 1
    keys = (owner[is_further] * width + first[rows[is_further]]) * n_terms + kept[is_further]
    cells, found = np.unique(keys, return_counts=True)
    lengths = np.bincount(rows[is_top], minlength=parts.size)[there]
    return Sketch(
        parts[there],
        Ragged(offsets_of(lengths), rank[is_top].astype(np.int32)),
        numbers[cells // (width * n_terms)],
        np.column_stack([cells // n_terms % width, cells % n_terms, found]),
    )


def _ranks(keys: Ints64, lists: list[Ints32], n_terms: int) -> Ints64:
    """Return the place of each term, part * n_terms + term, in the list of its part, NOWHERE if it is not there."""
    known = np.concatenate([number * n_terms + terms.astype(np.int64) for number, terms in enumerate(lists)])
    places = np.concatenate([np.arange(terms.size) for terms in lists])
    if known.size == 0:
        return np.full(keys.size, NOWHERE, np.int64)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], keys), known.size - 1)
    return np.where(known[order][at] == keys, places[order][at], NOWHERE)


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A part of masks during the splitting."""

    rows: Ints64  # masks
    counts: Ints64  # rank -> records
    size: int
    allowed: Flags  # allowed first ranks of its records, and one for none
    bounds: Ints64  # further term -> upper bound on its records


def expanded(
    described: TopTerms, masks: Ragged, weights: Ints64, cells: NDArray[np.int64], limits: TopLimits
) -> Subtree:
    """Split an open part as far as its description allows; `weights` has the number of records of each mask."""
    return _Expansion(described, masks, weights, cells, limits).subtree()


class _Expansion:
    """HORPART on weighted masks."""

    def __init__(
        self, described: TopTerms, masks: Ragged, weights: Ints64, cells: NDArray[np.int64], limits: TopLimits
    ) -> None:
        self.top, self.limits, self.behind = described.top, limits, described.behind
        self.masks, self.weights = masks, weights
        self.masks_with = masks.transposed(self.top.size)
        self.further, column = np.unique(cells[:, 1], return_inverse=True)
        self.firsts = np.zeros((self.top.size + 1, self.further.size), np.int64)
        np.add.at(self.firsts, (cells[:, 0], column.reshape(-1)), cells[:, 2])

    def subtree(self) -> Subtree:
        found = Subtree([], [])
        everyone, allowed = np.arange(self.weights.size), np.ones(self.top.size + 1, np.bool_)
        counts = self._counts(everyone)
        waiting = [_Node(everyone, counts, int(self.weights.sum()), allowed, self.firsts.sum(axis=0))]
        while waiting:
            node = waiting.pop()
            choice = self._choice(node)
            found.terms.append(choice if choice < 0 else int(self.top[choice]))
            found.sizes.append(node.size)
            if choice >= 0:
                waiting += self._halves(node, choice)
        return found

    def _counts(self, rows: Ints64) -> Ints64:
        return self.masks.take(rows).supports(self.weights[rows], self.top.size)

    def _choice(self, node: _Node) -> int:
        """Return the rank to split on, or CLOSED, or OPEN if it cannot be decided."""
        limits = self.limits
        if node.size < limits.largest or self._is_small(node):
            return CLOSED
        bound = int(node.bounds.max(initial=0))
        ranks = np.flatnonzero(may_split(node.counts, node.size, limits))
        if ranks.size == 0:
            return CLOSED if max(bound, self.behind[0]) == 0 else OPEN
        best = ranks[np.lexsort((self.top[ranks], -node.counts[ranks]))[0]]
        rival = int(self.further[np.argmax(node.bounds)]) if bound > 0 else -1
        ours = (-int(node.counts[best]), int(self.top[best]))
        if not (ours < (-bound, rival) and ours < (-self.behind[0], self.behind[1])):
            return OPEN
        smaller = min(int(node.counts[best]), node.size - int(node.counts[best]))
        if limits.rule in (ABANDON, ABANDON_NEXT) and smaller < limits.least:
            return CLOSED
        return int(best)

    def _is_small(self, node: _Node) -> bool:
        left = int(node.counts[node.counts < node.size].sum() + node.bounds.sum())
        return node.size < self.limits.shard_records and left < self.limits.shard_items

    def _halves(self, node: _Node, rank: int) -> tuple[_Node, _Node]:
        """Return the part without the term and the one with it, which is processed first."""
        has = np.zeros(self.weights.size, np.bool_)
        has[self.masks_with[rank]] = True
        inside = has[node.rows]
        counts, size = self._counts(node.rows[inside]), int(node.counts[rank])
        before = node.allowed.copy()
        before[rank + 1 :] = False
        outside = node.allowed.copy()
        outside[rank] = False
        bounds = node.bounds - (self.firsts[rank] if node.allowed[rank] else 0)
        return (
            _Node(node.rows[~inside], node.counts - counts, node.size - size, outside, bounds),
            _Node(node.rows[inside], counts, size, before, self.firsts[before].sum(axis=0)),
        )
