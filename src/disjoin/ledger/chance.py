"""What two independent sets of records have in common by accident, to tell it from people who are in both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.ledger.hashing import Hashes
from disjoin.model.arrays import Ints64

_DEVIATIONS = 3  # beyond the expected number, before chance is ruled out


class Shared(NamedTuple):
    """How many records two sets have in common, and how many they would have by chance."""

    records: int
    by_chance: float
    deviation: float
    is_same: bool

    @property
    def is_telling(self) -> bool:
        """Whether chance does not explain it."""
        return self.is_same or self.records > self.by_chance + _DEVIATIONS * self.deviation


def shared_records(left: Hashes, right: Hashes) -> Shared:
    """Compare the records of two sets; equal ones count as often as both sets have them.

    Chance is what is left if all records are put together and dealt out again at random, as many to each as it had: a
    record that is there c times then falls on both sides as in c throws of a coin. {milk}, which thousands have, is no
    evidence; a long record that both have once, while hardly any is twice in one of them, is.

    >>> milk, rare = np.full(1000, 1, np.uint64), np.arange(100, 200, dtype=np.uint64)
    >>> shared_records(milk, milk[:900]).is_telling, shared_records(rare, rare[:60]).is_telling
    (False, True)
    """
    a, b = _totals(left, right)
    totals, kinds = np.unique(a + b, return_counts=True)
    share = left.size / max(1, left.size + right.size)
    moments = [_least_of_parts(int(total), share) for total in totals]
    mean = sum(kind * mean for kind, (mean, _) in zip(kinds.tolist(), moments, strict=True))
    variance = sum(kind * spread for kind, (_, spread) in zip(kinds.tolist(), moments, strict=True))
    common = int(np.minimum(a, b).sum())
    return Shared(common, float(mean), float(variance) ** 0.5, left.size == right.size == common > 0)


def _totals(left: Hashes, right: Hashes) -> tuple[Ints64, Ints64]:
    """Return for every different record how often it is in each of the two."""
    both, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    counted = [np.bincount(part, minlength=both.size) for part in (places[: left.size], places[left.size :])]
    return counted[0].astype(np.int64), counted[1].astype(np.int64)


def _least_of_parts(total: int, share: float) -> tuple[float, float]:
    """Return mean and variance of the smaller part, if each of `total` falls to the left with the chance `share`."""
    if total < 2 or not 0 < share < 1:
        return 0.0, 0.0
    heads = np.arange(total + 1)
    factorials = np.cumsum(np.log(np.maximum(heads, 1)))  # their logarithms
    ways = factorials[-1] - factorials - factorials[::-1]
    chances = np.exp(ways + heads * np.log(share) + heads[::-1] * np.log1p(-share))
    least = np.minimum(heads, total - heads)
    mean = float(chances @ least)
    return mean, float(chances @ (least - mean) ** 2)
