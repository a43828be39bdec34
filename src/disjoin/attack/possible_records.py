"""Possible records of a release, enumerated or drawn at random; and what it shows of records for certain.

A record of a leaf gets a subrecord of every chunk of the leaf, and of every shared chunk above, with the chance that
independent, uniform placement gives it (section A.8), and each term of the term chunk as if one record of the leaf had
it. Positions are at equal distances over all records, so that every cluster has its share. What is drawn depends on the
published content alone. Where records have few enough kinds of parts, all are weighed instead of some drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import reduce
from math import fsum, sqrt
from operator import or_
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.analyst.index import SupportIndex
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64, Ragged, offsets_of
from disjoin.model.transactions import Transactions

MOST_STEPS = 50_000  # rows that are read, and ways that are followed, to weigh all possible records
_NORMAL = 1.959964  # 95 % of a normal distribution lie within that many standard deviations


class Sampled(float):
    """A share that was counted in a sample, which the published content alone decides."""

    looked_at: int
    found: int
    interval: tuple[float, float]  # where the share lies with 95 % confidence

    def __new__(cls, share: float, looked_at: int, found: int, interval: tuple[float, float]) -> Self:
        self = super().__new__(cls, share)
        self.looked_at, self.found, self.interval = looked_at, found, interval
        return self


class Weighed(float):
    """A share of all possible records, each counted by its chance."""


def places_of(terms: pa.StringArray, names: pa.StringArray) -> Ints64:
    """Return the position of each term in names, -1 for none.

    >>> places_of(pa.array(["tea", "rum"]), pa.array(["jam", "tea"])).tolist()
    [1, -1]
    """
    return np.asarray(pc.index_in(terms, value_set=names).fill_null(-1).to_numpy(), np.int64)


def original_rows(vocabulary: pa.StringArray, original: Transactions) -> Ragged:
    """Return the records of the original in the numbers of a release, without terms that it does not have."""
    rows = original.records.renumbered(places_of(original.vocabulary, vocabulary).astype(np.int32))
    return rows.where(rows.items >= 0)


def rows_by_chunk(published: Clusters, node: int) -> list[range]:
    """Return the numbers of the subrecords of every chunk of a node."""
    ends = published.subrecord_offsets
    chunks = range(int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1]))
    return [range(int(ends[chunk]), int(ends[chunk + 1])) for chunk in chunks]


def way_up(published: Clusters, node: int) -> Iterator[int]:
    while node >= 0:
        yield node
        node = int(published.parents[node])


def possible_records(published: Clusters, most: int) -> Ragged:
    """Return up to `most` possible records, terms ascending; where clusters leave a record empty it is left out."""
    leaves = np.flatnonzero(~published.is_joint)
    ends = np.cumsum(published.sizes[leaves])
    total = int(ends[-1]) if ends.size else 0
    n = min(most, total)
    positions = (np.arange(n) * 2 + 1) * total // (2 * max(1, n))
    chance = np.random.default_rng(0)
    weights = np.cumsum(published.counts, out=published.room(published.counts.shape, np.int64))
    records = [
        _record(published, int(leaf), weights, chance) for leaf in leaves[np.searchsorted(ends, positions, "right")]
    ]
    return Ragged.from_lists([record.tolist() for record in records if record.size])


def _record(published: Clusters, leaf: int, weights: Ints64, chance: np.random.Generator) -> Ints64:
    rare = published.term_chunks[leaf]
    parts = [rare[chance.random(rare.size) * published.sizes[leaf] < 1]]
    for node in way_up(published, leaf):
        first, last = int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])
        begins, ends = published.subrecord_offsets[first:last], published.subrecord_offsets[first + 1 : last + 1]
        before = np.where(begins > 0, weights[begins - 1], 0)
        drawn = (chance.random(last - first) * published.sizes[node]).astype(np.int64)
        for chunk in np.flatnonzero(drawn < weights[ends - 1] - before):
            row = int(np.searchsorted(weights, before[chunk] + drawn[chunk], "right"))
            parts.append(published.subrecords[row])
    return np.unique(np.concatenate(parts)).astype(np.int64)


def chance_of_any(published: Clusters, sets: Iterable[Collection[int]]) -> float | None:
    """Return the share of possible records, by their chances, that have all terms of one of the sets.

    Empty records do not count. None if there is too much to weigh. Leaves may come in any order: sums are rounded once.

    >>> chunks = [{"subrecords": [[["a"], 2]]}, {"subrecords": [[["b"], 3]]}]
    >>> clusters = Clusters.from_nested([{"type": "simple", "size": 4, "record_chunks": chunks, "term_chunk": []}])
    >>> chance_of_any(clusters, [{0, 1}]) == (2 / 4 * 3 / 4) / (1 - 2 / 4 * 1 / 4)
    True
    """
    given = [frozenset(each) for each in sets]
    bits = {term: 1 << place for place, term in enumerate(sorted(frozenset().union(*given)))}
    wanted, weighing = [sum(bits[term] for term in each) for each in given], _Weighing(published, bits)
    found, there = [0.0], [0.0]
    try:
        for leaf in np.flatnonzero(~published.is_joint).tolist() if wanted else ():
            weighing.take(len(wanted) // 50)
            there.append(int(published.sizes[leaf]) * (1 - weighing.look_at(leaf)))
            found.append(int(published.sizes[leaf]) * (1 - weighing.chance_of_none(wanted)))
    except _TooMany:
        return None
    return fsum(found) / fsum(there) if any(there) else 0.0


class _TooMany(Exception):
    """There are more combinations than the search follows."""


class _Weighing:
    """What the parts of a record of a leaf may have of the wanted terms, each a bit, with the chances of that."""

    def __init__(self, published: Clusters, bits: dict[int, int]) -> None:
        self.published, self.bits, self.left = published, bits, MOST_STEPS
        self.options: list[list[tuple[int, float]]] = []  # of each part: terms that it may have, and their chance
        self.where: dict[int, int] = {}  # for the bit of a term the parts that may have it, one bit for each

    def take(self, many: int = 1) -> None:
        """Count steps; raise `_TooMany` if there are too many of them."""
        self.left -= many
        if self.left < 0:
            raise _TooMany

    def look_at(self, leaf: int) -> float:
        """Note the parts of a leaf's records; return the chance that all are empty."""
        published, self.options, self.where = self.published, [], {}
        size, rare = int(published.sizes[leaf]), published.term_chunks[leaf].tolist()
        self.take(len(rare))
        for term in rare:
            self._add([(self.bits.get(term, 0), 1)], size)
        empty = (1 - 1 / size) ** len(rare)
        for node in way_up(published, leaf):
            size = int(published.sizes[node])
            for rows in rows_by_chunk(published, node):
                self.take(len(rows))
                counts = [int(published.counts[row]) for row in rows]
                terms = [sum(self.bits.get(term, 0) for term in published.subrecords[row].tolist()) for row in rows]
                self._add(list(zip(terms, counts, strict=True)), size)
                empty *= (size - sum(counts)) / size
        return empty

    def _add(self, options: list[tuple[int, int]], size: int) -> None:
        """Add up what is alike, with what is left of `size` records for having nothing; keep it if it has a term."""
        counts, together = {0: size - sum(count for _, count in options)}, 0
        for terms, count in options:
            counts[terms] = counts.get(terms, 0) + count
            together |= terms
        for term in _bits(together):
            self.where[term] = self.where.get(term, 0) | 1 << len(self.options)
        if together:
            self.options.append([(terms, count / size) for terms, count in counts.items() if count])

    def chance_of_none(self, sets: Iterable[int], alive: int = -1) -> float:
        """Return the chance that the parts that are alive, which are yet to be tried, give a record no set whole. Sets
        that no part connects are independent; of connected ones, the part that most of them need is tried."""
        chance = 1.0
        for group, needs in self._connected(sets, alive):
            self.take()
            asked = Counter(part for need in needs for part in _bits(need))
            most = max(asked.values())
            needed = min(part for part, times in asked.items() if times == most)
            inside = 0.0
            for terms, share in self.options[needed.bit_length() - 1]:
                left = {each & ~terms for each in group}
                if 0 not in left:
                    self.take(len(left))
                    inside += share * self.chance_of_none(sorted(left), alive & ~needed)
            chance *= inside
        return chance

    def _connected(self, sets: Iterable[int], alive: int) -> list[tuple[list[int], list[int]]]:
        """Return the sets that a record may have, with the parts that each needs, in groups with no part in common."""
        groups: list[tuple[int, list[int], list[int]]] = []
        for each in sets:
            there = [self.where.get(term, 0) & alive for term in _bits(each)]
            if there and all(there):  # every term of the set can come from some part
                together = need = reduce(or_, there)
                apart, members, needs = [], [each], [need]
                for group in groups:
                    if group[0] & need:
                        together |= group[0]
                        members += group[1]
                        needs += group[2]
                    else:
                        apart.append(group)
                groups = [*apart, (together, members, needs)]
        return [(members, needs) for _, members, needs in groups]


def _bits(number: int) -> Iterator[int]:
    """Return the powers of two in the binary form of a number."""
    while number:
        lowest = number & -number
        yield lowest
        number ^= lowest


def by_content(rows: Ragged) -> Ints64:
    """Return an order of the rows that depends only on their content.

    >>> rows = Ragged(np.array([0, 2, 3, 5]), np.array([1, 4, 7, 2, 3], np.int32))
    >>> turned = rows.take(np.array([2, 0, 1]))
    >>> np.array_equal(rows.take(by_content(rows)).items, turned.take(by_content(turned)).items)
    True
    """
    with np.errstate(over="ignore"):
        mixed = (rows.items.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        return np.argsort(rows.sums(mixed ^ (mixed >> np.uint64(32))), kind="stable")


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share.

    >>> [round(each, 3) for each in wilson(0, 100)]
    [0.0, 0.037]
    """
    z2 = _NORMAL**2
    share = count / of
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _NORMAL * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def records_at_least(published: Clusters, by_chunk: Ints64, by_node: Ints64 | None = None) -> int:
    """Return how many records are concerned at least: of a node, those of one chunk, or of the nodes below together.
    `by_node` has the records of each node that are concerned for another reason."""
    totals = np.zeros(len(published), np.int64) if by_node is None else by_node.copy()
    np.maximum.at(totals, published.nodes.owners(), by_chunk)
    below = np.zeros(len(published), np.int64)
    for node in range(len(published) - 1, -1, -1):
        totals[node] = max(totals[node], below[node])
        if published.parents[node] >= 0:
            below[published.parents[node]] += totals[node]
    return int(totals[published.parents < 0].sum())


def shown_rows(desk: SupportIndex, everyone: Ragged) -> Ragged:
    """Return every subrecord with what all records of its cluster have, terms ascending."""
    published = desk.published
    owners = desk.places[published.nodes.over(published.chunks).owners()]
    lists: list[NDArray[np.int32]] = []  # by place: what all records there have, and all above
    for place, parent in enumerate(desk.index.parents.tolist()):  # a parent comes first
        own = everyone[place]
        lists.append(np.concatenate((lists[parent], own)) if parent >= 0 and lists[parent].size else own)
    around = Ragged(offsets_of([each.size for each in lists]), np.concatenate([*lists, np.empty(0, np.int32)]))
    own_rows, more = published.subrecords, around.take(owners)
    rows = np.concatenate((own_rows.owners(), more.owners()))
    keys = np.unique(rows * desk.n_terms + np.concatenate((own_rows.items, more.items)))
    counts = np.bincount(keys // desk.n_terms, minlength=len(own_rows))
    return Ragged(offsets_of(counts), (keys % desk.n_terms).astype(np.int32))
