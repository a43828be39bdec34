"""Where in a release given terms can be together, leaf by leaf in plain loops: the slow twin of what `attack` does.

A term of a leaf is at the lowest place on the path up that has it (section A.8). The facts of chunks are combined
by two rules: records with terms of several chunks overlap as little, or as much, as there is room for; and a joint
cluster adds the bounds of what is below it before its own chunks bound them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.analyst.index import IN_TERM_CHUNK, SupportIndex
from disjoin.model.ragged import Ints64


class KnownPart:
    """Known terms in one chunk: how many records have them there, and their common terms."""

    __slots__ = ("in_common", "records")

    def __init__(self, records: int, in_common: frozenset[int]) -> None:
        self.records = records
        self.in_common = in_common


@dataclass(slots=True)
class Leaf:
    """A leaf that may have a record with all known terms."""

    place: int
    own: list[KnownPart]  # in its record chunks
    rare: int  # known terms in its term chunk
    above: dict[int, list[KnownPart]]  # by place of a joint cluster
    low: int = 0
    high: int = 0


class CandidateSearch:
    """Looks up in which leaves given terms can be together, and what is sure there."""

    def __init__(self, desk: SupportIndex) -> None:
        self.index, self.published = desk.index, desk.published
        self.leaves = np.flatnonzero(self.index.last == np.arange(self.index.last.size))  # their places
        self.nodes = np.empty(desk.places.size, np.int64)  # the node at each place
        self.nodes[desk.places] = np.arange(desk.places.size)
        self._parts: dict[tuple[int, ...], KnownPart] = {}
        self._everyone: dict[int, frozenset[int]] = {}

    def clusters_with(self, terms: list[int]) -> list[tuple[int, int, int, int, set[int]]]:
        """Return (node, size, least, most, what all share) of every root that may have a record with all terms."""
        found = []
        for root, leaves in self._by_root(terms).items():
            low, high = self._bounds(root, leaves)
            possible = [leaf for leaf in leaves if leaf.high]
            if high:
                shared = set.intersection(*(self._shared(leaf) for leaf in possible)) - set(terms)
                node = int(self.nodes[root])
                found.append((node, int(self.published.sizes[node]), low, high, shared))
        return sorted(found, key=lambda each: each[0])

    def _by_root(self, terms: list[int]) -> dict[int, list[Leaf]]:
        where = np.array([self._entries(term) for term in terms])
        roots: dict[int, list[Leaf]] = {}
        for position in np.flatnonzero((where >= 0).all(axis=0)):
            leaf = self._leaf(int(self.leaves[position]), where[:, position])
            roots.setdefault(int(self.index.roots[leaf.place]), []).append(leaf)
        return roots

    def _entries(self, term: int) -> Ints64:
        """Return for every leaf the entry of a term for it: the lowest one, -1 if there is none."""
        where = np.full(self.leaves.size, -1, np.int64)
        first, last = self.index.starts[term], self.index.starts[term + 1]
        places = self.index.places[first:last].astype(np.int64)
        begins = np.searchsorted(self.leaves, places)
        ends = np.searchsorted(self.leaves, self.index.last[places], side="right")
        for entry, begin, end in zip(range(first, last), begins, ends, strict=True):
            where[begin:end] = entry  # what is below comes later
        return where

    def _leaf(self, place: int, entries: Ints64) -> Leaf:
        chunks: dict[tuple[int, int], list[int]] = {}
        rare = 0
        for entry in entries:
            holding = int(self.index.held[entry])
            if holding == IN_TERM_CHUNK:
                rare += 1
            else:
                key = (int(self.index.places[entry]), int(self.index.holdings.chunks[holding]))
                chunks.setdefault(key, []).append(holding)
        leaf = Leaf(place, [], rare, {})
        for (owner, _), holdings in chunks.items():
            part = self._part(tuple(sorted(holdings)))
            (leaf.own if owner == place else leaf.above.setdefault(owner, [])).append(part)
        self._bound(leaf)
        return leaf

    def _part(self, holdings: tuple[int, ...]) -> KnownPart:
        if holdings not in self._parts:
            starts = self.index.holdings.first_rows
            rows = self.index.holdings.rows[starts[holdings[0]] : starts[holdings[0] + 1]]
            for holding in holdings[1:]:
                rows = np.intersect1d(
                    rows, self.index.holdings.rows[starts[holding] : starts[holding + 1]], assume_unique=True
                )
            self._parts[holdings] = KnownPart(int(self.index.holdings.counts[rows].sum()), self._in_common(rows))
        return self._parts[holdings]

    def _in_common(self, rows: Ints64) -> frozenset[int]:
        common: set[int] = set()
        for number, row in enumerate(rows):
            items = self.index.items[self.index.item_offsets[row] : self.index.item_offsets[row + 1]].tolist()
            common = set(items) if number == 0 else common.intersection(items)
            if not common:
                break
        return frozenset(common)

    def _bound(self, leaf: Leaf) -> None:
        """Bound the records of a leaf that have the known terms which it holds itself."""
        size = int(self.index.sizes[leaf.place])
        supports = [part.records for part in leaf.own]
        leaf.high = min([size, *supports, *(part.records for parts in leaf.above.values() for part in parts)])
        if len(supports) > 1:
            leaf.high = min(leaf.high, int(self.index.spare[leaf.place]) // (len(supports) - 1))
        overlap = max(0, sum(supports) - (len(supports) - 1) * size) if supports else size
        if leaf.rare == 0:
            leaf.low = overlap
        elif leaf.rare == 1 and not leaf.own:
            leaf.low = int(self.index.forced[leaf.place])
        else:
            leaf.low = int(overlap == size and (leaf.rare == 1 or size == 1))

    def _bounds(self, root: int, leaves: list[Leaf]) -> tuple[int, int]:
        if self.index.is_mixed[root]:
            low = sum(leaf.low for leaf in leaves if not leaf.above)
            return low + _whole(leaves), _at_most(leaves)
        sums: dict[int, tuple[int, int]] = {leaf.place: (leaf.low, leaf.high) for leaf in leaves}
        parts = {place: held for leaf in leaves for place, held in leaf.above.items()}
        while root not in sums or len(sums) > 1:
            place = max(sums)  # the last in pre-order: nothing is below it
            low, high = sums.pop(place)
            above = int(self.index.parents[place])
            before = sums.get(above, (0, 0))
            sums[above] = before[0] + low, before[1] + high
            if not any(above < other <= self.index.last[above] for other in sums):
                low, high = sums[above]
                size, held = int(self.index.sizes[above]), [part.records for part in parts.get(above, ())]
                sums[above] = max(0, low + sum(held) - len(held) * size), min([high, *held])
        return sums[root]

    def _shared(self, leaf: Leaf) -> set[int]:
        """Return what every record of a leaf with the known terms has for sure."""
        shared: set[int] = set()
        for part in [*leaf.own, *(part for parts in leaf.above.values() for part in parts)]:
            shared |= part.in_common
        place = leaf.place
        while place >= 0:
            shared |= self._everyone_has(place)
            place = int(self.index.parents[place])
        if self.index.sizes[leaf.place] == 1:
            shared |= set(self.published.term_chunks[int(self.nodes[leaf.place])].tolist())
        return shared

    def _everyone_has(self, place: int) -> frozenset[int]:
        """Return the terms that all records of a node have: each in every subrecord, and one for every record."""
        if place not in self._everyone:
            node, found = int(self.nodes[place]), frozenset[int]()
            published = self.published
            for chunk in range(int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])):
                first, last = published.subrecord_offsets[chunk], published.subrecord_offsets[chunk + 1]
                if int(published.counts[first:last].sum()) == int(published.sizes[node]):
                    found |= self._in_common(np.arange(first, last))
            self._everyone[place] = found
        return self._everyone[place]


def _whole(leaves: list[Leaf]) -> int:
    """Count the shared subrecords of a tree that have all known terms, each chunk once."""
    found = {
        place: parts[0].records
        for leaf in leaves
        for place, parts in leaf.above.items()
        if len(leaf.above) == 1 and len(parts) == 1 and not leaf.own and not leaf.rare
    }
    return sum(found.values())


def _at_most(leaves: list[Leaf]) -> int:
    """Bound the records of a tree in which leaves may take a term from different places: equal leaves together."""
    alike: dict[frozenset[int], list[Leaf]] = {}
    for leaf in leaves:
        alike.setdefault(frozenset(id(part) for parts in leaf.above.values() for part in parts), []).append(leaf)
    return sum(
        min([sum(leaf.high for leaf in group), *(p.records for parts in group[0].above.values() for p in parts)])
        for group in alike.values()
    )
