"""The first splits of HORPART as a tree, and the way of records through it; `top_tree_rounds` says how it grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from disjoin.model.ragged import Ints32, Ints64, Ragged

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
        """Give the parts that are not split, in the order of HORPART."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            if part.inside is None or part.outside is None:
                yield part
            else:
                waiting += [part.outside, part.inside]

    def replace(self, subtree: Subtree) -> None:
        """Split the part as the subtree says."""
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
    """The way of a record through the tree, as arrays.

    A *spine* is a chain of parts without one term after the other. A record leaves it at the first step whose term it
    has. Where it comes to is another spine, or ~number of a part that is not split.
    """

    n_terms: int
    start: int
    keys: Ints64  # spine * n_terms + term of every step, ascending
    steps: Ints64  # key -> number of the step, among all steps of all spines
    children: Ints64  # step -> where the records with its term go
    tails: Ints64  # spine -> where the others go


def routes_through(root: HorpartPart, n_terms: int) -> Routes:
    """Return the ways to the parts that are not split, which are numbered in their order."""
    numbers = {id(part): number for number, part in enumerate(root.ends())}
    keys: list[int] = []
    children: list[int] = []
    tails: list[int] = []
    heads: list[tuple[HorpartPart, int]] = []  # first part of a spine, the step that leads to it

    def target(part: HorpartPart, step: int) -> int:
        if part.term < 0:
            return ~numbers[id(part)]
        heads.append((part, step))
        return 0  # known when the spine has a number

    start = target(root, -1)
    for spine, (head, step) in enumerate(heads):  # which grows
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
