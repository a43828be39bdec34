"""Possible records of a release, enumerated or drawn at random.

A record of a leaf gets a subrecord of every chunk of the leaf, and of every shared chunk above, with the chance that
independent, uniform placement gives it (section A.8), and each term of the term chunk as if one record of the leaf had
it. Positions are at equal distances over all records, so that every cluster has its share. What is drawn depends on the
published content alone. Where records have few enough kinds of parts, all are weighed instead of some drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import fsum, sqrt
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import PARENT, SupportIndex
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64, Ragged, offsets_of

MOST_STEPS = 50_000  # rows that are read, and ways that are followed, to weigh all possible records
_NORMAL = 1.959964  # 95 % of a normal distribution lie within that many standard deviations


class Sampled(float):
    """A share that was counted in a sample, which the published content alone decides."""

    looked_at: int
    found: int
    interval: tuple[float, float]  # where the share lies with 95 % confidence

    def __new__(cls, share: float, looked_at: int, found: int, interval: tuple[float, float]) -> Self:
        """Return the share, with what it was counted in."""
        self = super().__new__(cls, share)
        self.looked_at, self.found, self.interval = looked_at, found, interval
        return self


class Weighed(float):
    """A share of all possible records, each counted by its chance."""


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
    kept = [record for record in records if record.size]
    items = np.concatenate([*kept, np.empty(0, np.int32)]).astype(np.int32)
    return Ragged(offsets_of([record.size for record in kept]), items)


def _record(published: Clusters, leaf: int, weights: Ints64, chance: np.random.Generator) -> Ints64:
    rare = published.term_chunks[leaf]
    parts = [rare[chance.random(rare.size) * published.sizes[leaf] < 1]]
    node = leaf
    while node >= 0:
        first, last = int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])
        begins, ends = published.subrecord_offsets[first:last], published.subrecord_offsets[first + 1 : last + 1]
        before = np.where(begins > 0, weights[begins - 1], 0)
        drawn = (chance.random(last - first) * published.sizes[node]).astype(np.int64)
        for chunk in np.flatnonzero(drawn < weights[ends - 1] - before):
            row = int(np.searchsorted(weights, before[chunk] + drawn[chunk], "right"))
            parts.append(published.subrecords[row])
        node = int(published.parents[node])
    return np.unique(np.concatenate(parts)).astype(np.int64)


Option = tuple[int, float]  # terms that a part of a record may have, one bit for each, and the chance of that
Part = tuple[int, list[Option]]  # all its terms, and what it may have of them


class _TooMany(Exception):
    """There are more ways than are followed."""


@dataclass(slots=True)
class _Steps:
    """How much may still be done."""

    left: int

    def take(self, many: int = 1) -> None:
        self.left -= many
        if self.left < 0:
            raise _TooMany


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
    wanted, steps = [sum(bits[term] for term in each) for each in given], _Steps(MOST_STEPS)
    found: list[float] = []
    there: list[float] = []
    try:
        for leaf in np.flatnonzero(~published.is_joint).tolist() if wanted else ():
            steps.take(len(wanted) // 50)
            parts, empty = _parts(published, leaf, bits, steps)
            there.append(int(published.sizes[leaf]) * (1 - empty))
            found.append(int(published.sizes[leaf]) * (1 - _chance_of_none(wanted, parts, steps)))
    except _TooMany:
        return None
    return fsum(found) / fsum(there) if any(there) else 0.0


def _parts(published: Clusters, leaf: int, bits: dict[int, int], steps: _Steps) -> tuple[list[Part], float]:
    """Return what the parts of a record of a leaf may have of the wanted terms, and the chance that all are empty."""
    size = int(published.sizes[leaf])
    rare = published.term_chunks[leaf].tolist()
    steps.take(len(rare))
    parts = [_part([(bits[term], 1)], size) for term in rare if term in bits]
    empty, node = (1 - 1 / size) ** len(rare), leaf
    while node >= 0:
        for chunk in range(int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])):
            rows = range(int(published.subrecord_offsets[chunk]), int(published.subrecord_offsets[chunk + 1]))
            steps.take(len(rows))
            size = int(published.sizes[node])
            counts = [int(published.counts[row]) for row in rows]
            terms = [sum(bits.get(term, 0) for term in published.subrecords[row].tolist()) for row in rows]
            parts.append(_part(list(zip(terms, counts, strict=True)), size))
            empty *= (size - sum(counts)) / size
        node = int(published.parents[node])
    return [part for part in parts if part[0]], empty


def _part(options: list[tuple[int, int]], size: int) -> Part:
    """Add up what is alike, with what is left of `size` records for having nothing."""
    counts, together = {0: size - sum(count for _, count in options)}, 0
    for terms, count in options:
        counts[terms] = counts.get(terms, 0) + count
        together |= terms
    return together, [(terms, count / size) for terms, count in counts.items() if count]


def _chance_of_none(wanted: list[int], parts: list[Part], steps: _Steps) -> float:
    """Return the chance that a record made of the parts has none of the sets whole."""
    where: dict[int, int] = {}
    for at, (terms, _) in enumerate(parts):
        for term in _bits(terms):
            where[term] = where.get(term, 0) | 1 << at
    return _chance_left(wanted, (1 << len(parts)) - 1, _Ways([options for _, options in parts], where), steps)


class _Ways(NamedTuple):
    """What each part may have, and for the bit of each term the parts, one bit for each, that may have it."""

    options: list[list[Option]]
    where: dict[int, int]


def _chance_left(sets: Iterable[int], alive: int, ways: _Ways, steps: _Steps) -> float:
    """Return the chance that the parts that are alive, which are yet to be tried, give a record none of the sets whole.

    Sets that no part connects are independent; of connected ones, the part that most of them need is tried.
    """
    chance = 1.0
    for group, needs in _connected(sets, alive, ways.where):
        steps.take()
        asked = Counter(part for need in needs for part in _bits(need))
        most = max(asked.values())
        needed = min(part for part, times in asked.items() if times == most)
        inside = 0.0
        for terms, share in ways.options[needed.bit_length() - 1]:
            left = {each & ~terms for each in group}
            if 0 not in left:
                steps.take(len(left))
                inside += share * _chance_left(sorted(left), alive & ~needed, ways, steps)
        chance *= inside
    return chance


def _connected(sets: Iterable[int], alive: int, where: dict[int, int]) -> list[tuple[list[int], list[int]]]:
    """Return the sets that a record may have, with the parts that each needs, in groups with no part in common."""
    groups: list[tuple[int, list[int], list[int]]] = []
    for each in sets:
        need = _needed(each, alive, where)
        if need:
            apart, together, members, needs = [], need, [each], [need]
            for group in groups:
                if group[0] & need:
                    together |= group[0]
                    members += group[1]
                    needs += group[2]
                else:
                    apart.append(group)
            groups = [*apart, (together, members, needs)]
    return [(members, needs) for _, members, needs in groups]


def _needed(each: int, alive: int, where: dict[int, int]) -> int:
    """Return the parts that may have terms of a set; none if there is a term that no part may have."""
    needed = 0
    for term in _bits(each):
        there = where.get(term, 0) & alive
        if not there:
            return 0
        needed |= there
    return needed


def _bits(number: int) -> Iterator[int]:
    """List the powers of two that a number is the sum of."""
    while number:
        lowest = number & -number
        yield lowest
        number ^= lowest


def by_content(rows: Ragged) -> Ints64:
    """Return rows in an order that their content alone decides; equal rows are as good as one another.

    >>> import numpy as np
    >>> rows = Ragged(np.array([0, 2, 3, 5]), np.array([1, 4, 7, 2, 3], np.int32))
    >>> turned = rows.take(np.array([2, 0, 1]))
    >>> np.array_equal(rows.take(by_content(rows)).items, turned.take(by_content(turned)).items)
    True
    """
    with np.errstate(over="ignore"):
        mixed = (rows.items.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        ends = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed ^ (mixed >> np.uint64(32)), dtype=np.uint64)))
        sums = ends[rows.offsets[1:]] - ends[rows.offsets[:-1]]
    return np.argsort(sums, kind="stable")


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    >>> [round(each, 3) for each in wilson(0, 100)]
    [0.0, 0.037]
    """
    z2 = _NORMAL**2
    share = count / of
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _NORMAL * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


# What a release shows of records for certain: pieces of them, and of how many records something is known at least.


def records_at_least(published: Clusters, by_chunk: Ints64, by_node: Ints64 | None = None) -> int:
    """Return how many records are concerned at least: of a node, those of one chunk, or of the nodes below together.

    `by_node` says of how many records of a node it is known otherwise.
    """
    totals = np.zeros(len(published), np.int64) if by_node is None else by_node.copy()
    owners = published.nodes.owners()
    np.maximum.at(totals, owners, by_chunk)
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
    around = _with_ancestors(desk, everyone)
    own, more = published.subrecords, around.take(owners)
    rows = np.concatenate((own.owners(), more.owners()))
    keys = np.unique(rows * desk.n_terms + np.concatenate((own.items, more.items)))
    counts = np.bincount(keys // desk.n_terms, minlength=len(own))
    return Ragged(offsets_of(counts), (keys % desk.n_terms).astype(np.int32))


def _with_ancestors(desk: SupportIndex, everyone: Ragged) -> Ragged:
    lists: list[NDArray[np.int32]] = []
    for place, parent in enumerate(desk.index.nodes[PARENT].tolist()):  # a parent comes first
        own = everyone[place]
        lists.append(np.concatenate((lists[parent], own)) if parent >= 0 and lists[parent].size else own)
    return Ragged(offsets_of([each.size for each in lists]), np.concatenate([*lists, np.empty(0, np.int32)]))
