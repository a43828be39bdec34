"""Records that a release makes possible, drawn by chance: each part in the place that it is expected in.

A record of a leaf gets a subrecord of every chunk of the leaf, and of every shared chunk above, with the chance that
independent, uniform placement gives it (section A.8), and each term of the term chunk as if one record of the leaf had
it. Positions are at equal distances over all records, so that every cluster has its share. What is drawn depends on the
published content alone.
"""

from __future__ import annotations

from math import sqrt
from typing import Self

import numpy as np

from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64, Ragged, offsets_of

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
