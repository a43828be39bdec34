"""Pair counts of the original, by rank of the terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.kernel import kernel
from disjoin.model.ragged import Ints64, Ragged, Spans

USUAL_DOMAIN = 500  # terms; about those of WV1, the smallest domain that the ranges of the paper were made for


class Ranks(NamedTuple):
    """From the first to the last term, both included, when terms are ranked by support from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"

    def within(self, n_terms: int) -> Ranks:
        """Return the range itself or, in a domain that is too small, the range times the number of terms / 500 (the
        most frequent terms stay so), with at least two terms if there are two.

        >>> Ranks(200, 220).within(497), Ranks(200, 220).within(169), Ranks(1, 20).within(9)
        (Ranks(first=200, last=220), Ranks(first=68, last=74), Ranks(first=1, last=9))
        """
        if self.last <= n_terms:
            return self
        if self.first == 1:
            return Ranks(1, n_terms)
        last = max(min(2, n_terms), self.last * n_terms // USUAL_DOMAIN)
        first = -(-self.first * n_terms // USUAL_DOMAIN)
        return Ranks(max(1, min(first, last - 1)), last)


RANGES = (Ranks(200, 220), Ranks(1, 20), Ranks(100, 120), Ranks(300, 320), Ranks(400, 420))


def terms_by_support(supports: Ints64) -> Ints64:
    """Return the terms from the most to the least frequent; ties in the order of the terms.

    >>> terms_by_support(np.array([2, 5, 2])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-supports, kind="stable")


def listed_terms(ranked: Ints64, ranges: Iterable[Ranks]) -> Ints64:
    """Return the terms of all ranges, each once, by rank."""
    wanted = np.zeros(ranked.size, dtype=np.bool_)
    for ranks in ranges:
        fitted = ranks.within(ranked.size)
        wanted[fitted.first - 1 : fitted.last] = True
    return ranked[wanted]


def count_pairs(rows: Ragged, n_terms: int, wanted: Ints64, weights: Ints64 | None = None) -> Ints64:
    """Return supports of pairs of wanted terms (on the diagonal: of terms); a row counts `weights[row]` times."""
    places = np.full(n_terms, -1, dtype=np.int64)
    places[wanted] = np.arange(wanted.size)
    if add_pairs.is_compiled:
        one_way = np.zeros((wanted.size, wanted.size), dtype=np.int64)
        times = np.empty(0, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
        add_pairs(rows.offsets, rows.items, places, times, np.empty(wanted.size, dtype=np.int64), one_way)
    else:
        found = np.flatnonzero(places[rows.items] >= 0)  # few of many
        kept = Spans(np.searchsorted(found, rows.offsets))
        spread = None if weights is None else kept.spread(weights)
        one_way = _counted(kept, places[rows.items[found]], wanted.size, spread)
    return one_way + one_way.T - np.diag(one_way.diagonal())


@kernel
def add_pairs(offsets, items, places, weights, here, pairs):
    """Add every row to the pairs of its terms that have a place, each with itself, too; `here` is scratch (places)."""
    for row in range(offsets.size - 1):
        n, times = 0, weights[row] if weights.size > 0 else 1
        for p in range(offsets[row], offsets[row + 1]):
            place = places[items[p]]
            if place >= 0:
                here[n] = place
                n += 1
                for i in range(n):
                    pairs[here[i], place] += times


def _counted(rows: Spans, places: Ints64, size: int, weights: Ints64 | None) -> Ints64:
    """Return the same without a loop over rows: each place with the one `apart` behind, for all such distances."""
    ends, here, apart = rows.spread(rows.offsets[1:]), np.arange(places.size), 0
    one_way = np.zeros(size * size, dtype=np.int64)
    while here.size:
        found: list[Ints64] = []
        while here.size and sum(part.shape[1] for part in found) < one_way.size:  # few at a time are counted together
            found.append(np.stack([places[here] * size + places[here + apart], here]))
            apart += 1
            here = here[here + apart < ends[here]]
        keys, where = np.concatenate(found, axis=1)
        one_way += np.bincount(keys, None if weights is None else weights[where], size * size).astype(np.int64)
    return one_way.reshape(size, size)


def fingerprints(n_terms: int) -> NDArray[np.uint64]:
    """Return a number for every term; sums of different sets almost never agree (splitmix64)."""
    mixed = np.arange(1, n_terms + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def same_bag(theirs: NDArray[np.uint64], ours: NDArray[np.uint64], counts: Ints64) -> bool:
    return bool(np.array_equal(np.sort(theirs), np.sort(np.repeat(ours, counts))))
