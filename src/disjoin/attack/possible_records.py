"""Records that a release makes possible, drawn by chance: each part in the place that it is expected in.

A record of a leaf gets a subrecord of every chunk of the leaf, and of every shared chunk above, with the chance that
independent, uniform placement gives it (section A.8), and each term of the term chunk as if one record of the leaf had
it. Positions are at equal distances over all records, so that every cluster has its share. What is drawn depends on the
published content alone. Where records have few enough kinds of parts, all are weighed instead of some drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np

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
    weights = np.cumsum(published.counts)
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


Option = tuple[frozenset[int], float]  # terms that a part of a record may have, and the chance of that
Part = tuple[frozenset[int], list[Option]]  # all its terms, and what it may have of them


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

    Empty records do not count. None if there is too much to weigh.

    >>> chunks = [{"subrecords": [[["a"], 2]]}, {"subrecords": [[["b"], 3]]}]
    >>> clusters = Clusters.from_nested([{"type": "simple", "size": 4, "record_chunks": chunks, "term_chunk": []}])
    >>> chance_of_any(clusters, [{0, 1}]) == (2 / 4 * 3 / 4) / (1 - 2 / 4 * 1 / 4)
    True
    """
    wanted = [frozenset(each) for each in sets]
    terms, steps = frozenset().union(*wanted), _Steps(MOST_STEPS)
    found = there = 0.0
    try:
        for leaf in np.flatnonzero(~published.is_joint).tolist() if wanted else ():
            steps.take(len(wanted) // 50)
            parts, empty = _parts(published, leaf, terms, steps)
            there += int(published.sizes[leaf]) * (1 - empty)
            found += int(published.sizes[leaf]) * (1 - _chance_of_none(wanted, parts, steps))
    except _TooMany:
        return None
    return found / there if there else 0.0


def _parts(published: Clusters, leaf: int, wanted: frozenset[int], steps: _Steps) -> tuple[list[Part], float]:
    """Return what the parts of a record of a leaf may have of the wanted terms, and the chance that all are empty."""
    size = int(published.sizes[leaf])
    rare = published.term_chunks[leaf].tolist()
    steps.take(len(rare))
    parts = [_part([(frozenset((term,)), 1)], size) for term in rare if term in wanted]
    empty, node = (1 - 1 / size) ** len(rare), leaf
    while node >= 0:
        for chunk in range(int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])):
            rows = range(int(published.subrecord_offsets[chunk]), int(published.subrecord_offsets[chunk + 1]))
            steps.take(len(rows))
            size = int(published.sizes[node])
            counts = [int(published.counts[row]) for row in rows]
            terms = [wanted.intersection(published.subrecords[row].tolist()) for row in rows]
            parts.append(_part(list(zip(terms, counts, strict=True)), size))
            empty *= (size - sum(counts)) / size
        node = int(published.parents[node])
    return [part for part in parts if part[0]], empty


def _part(options: list[tuple[frozenset[int], int]], size: int) -> Part:
    """Add up what is alike, with what is left of `size` records for having nothing."""
    counts: dict[frozenset[int], int] = {frozenset(): size - sum(count for _, count in options)}
    for terms, count in options:
        counts[terms] = counts.get(terms, 0) + count
    return frozenset().union(*counts), [(terms, count / size) for terms, count in counts.items() if count]


def _chance_of_none(sets: Iterable[frozenset[int]], parts: list[Part], steps: _Steps) -> float:
    """Return the chance that a record made of the parts has none of the sets whole.

    Sets that no part connects are independent; of connected ones, the part that most of them need is tried.
    """
    there = frozenset().union(*(terms for terms, _ in parts)) if parts else frozenset()
    chance = 1.0
    for group in _connected([each for each in sets if each <= there], parts):
        steps.take()
        needed = max(range(len(parts)), key=lambda at: sum(not each.isdisjoint(parts[at][0]) for each in group))
        others, inside = parts[:needed] + parts[needed + 1 :], 0.0
        for terms, share in parts[needed][1]:
            left = {each - terms for each in group}
            if frozenset() not in left:
                steps.take(len(left))
                inside += share * _chance_of_none(sorted(left, key=sorted), others, steps)
        chance *= inside
    return chance


def _connected(sets: list[frozenset[int]], parts: list[Part]) -> list[list[frozenset[int]]]:
    """Return the sets in groups that need no part in common."""
    groups: list[tuple[set[int], list[frozenset[int]]]] = []
    for each in sets:
        needs = {at for at, (terms, _) in enumerate(parts) if not terms.isdisjoint(each)}
        joined = [group for group in groups if not group[0].isdisjoint(needs)]
        groups = [group for group in groups if group[0].isdisjoint(needs)]
        groups.append((needs.union(*(g[0] for g in joined)), [each, *(one for g in joined for one in g[1])]))
    return [members for _, members in groups]


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
