"""How many of the records were published before, and how many would be by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from disjoin.ledger.hashing import Fingerprints, Hashes
from disjoin.ledger.store import LedgerEntry
from disjoin.model.ragged import Ints64

Kind = Literal["same", "update", "part", "numbers"]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What data have in common with an earlier release.

    `ids` of `of_ids` ids are in both; None where one of the two has none. `records` of `of_records` records have the
    same content as one of the release; `by_chance` is what chance explains at most.
    """

    release: LedgerEntry
    kind: Kind
    ids: int | None
    of_ids: int | None
    records: int
    of_records: int
    by_chance: int

    def __str__(self) -> str:
        from disjoin.ledger.words import sentence_of

        return sentence_of(self)


def overlap_of(new: Fingerprints, old: Fingerprints, release: LedgerEntry) -> Overlap | None:
    """Compare data with those of an earlier release; None if no more is common than chance explains.

    Any id in common counts. Without ids, or if they say nothing, the contents count as far as chance cannot explain
    them.
    """
    shared = shared_records(new.contents, old.contents)
    ids, of_ids, of_old = _common_ids(new, old)
    if not ids and not shared.is_telling:
        return None
    kind = _kind(shared, ids, of_old, old.contents.size)
    known = of_ids > 0
    return Overlap(
        release=release,
        kind=kind,
        ids=ids if known else None,
        of_ids=of_ids if known else None,
        records=shared.records,
        of_records=int(new.contents.size),
        by_chance=round(shared.by_chance),
    )


def _kind(shared: Shared, ids: int, of_old_ids: int, old_records: int) -> Kind:
    """Say what it looks like: the same data, a later state, a part; or ids that only number what is in each file."""
    if shared.is_same:
        return "same"
    if ids and not shared.is_telling:
        return "numbers"
    is_most = 2 * ids >= of_old_ids if ids else 2 * shared.records >= old_records
    return "update" if is_most else "part"


def _common_ids(new: Fingerprints, old: Fingerprints) -> tuple[int, int, int]:
    """Return how many ids are common, of how many here and there, by the two columns that agree most."""
    found = [
        (int(np.intersect1d(here, there, assume_unique=True).size), int(here.size), int(there.size))
        for here in new.ids
        for there in old.ids
    ]
    return max(found, default=(0, 0, 0))


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
