"""HORPART and its strategies for small parts: which records stand together (TLMS12; AS23; NAG22)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.horpart import ABANDON, ABANDON_NEXT, ADDING, LISTING
from disjoin.model.arrays import Ints32, Ints64, offsets_of

Splitter = Callable[[Ints32, int], tuple[Ints32, Ints64]]  # records, rule -> records in order, cluster sizes


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Records in the order of their clusters, and the clusters' sizes; suppressed records are in none."""

    records: Ints32
    sizes: Ints64

    @property
    def ends(self) -> Ints64:
        """Where clusters begin and end: `records[ends[i]:ends[i + 1]]` is cluster i."""
        return offsets_of(self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Splitting:
    """What a strategy works with: the splitter, the limits on cluster sizes and the records' content for sorting."""

    split: Splitter
    largest: int  # exclusive
    least: int
    content: Callable[[Ints32], Ints32]  # records -> the same, sorted by content


def abandon(records: Ints32, how: Splitting) -> Partition:
    """Leave a part whole when splitting would make a small one (AS23's "original")."""
    return Partition(*how.split(records, ABANDON))


def abandon_next(records: Ints32, how: Splitting) -> Partition:
    """Try the next most frequent term when splitting would make a small part."""
    return Partition(*how.split(records, ABANDON_NEXT))


def adding(records: Ints32, how: Splitting) -> Partition:
    """Add a small part to the next one that waits, or else to the last cluster."""
    return Partition(*how.split(records, ADDING))


def suppression(records: Ints32, how: Splitting) -> Partition:
    """Leave the records of small parts out of the release."""
    saved, _ = _large_and_small(*how.split(records, LISTING), how.least)
    if saved.sizes.size == 0:
        raise GuaranteeUnreachable(
            f"no cluster reaches {how.least} records, so the strategy 'suppression' would suppress everything. "
            "Choose another strategy, a smaller k or a larger max_cluster_size."
        )
    return saved


def remaining(records: Ints32, how: Splitting) -> Partition:
    """Collect the records of small parts and start over with them, as long as that saves any."""
    return _in_passes(records, how, passes=None)


def cardiff(records: Ints32, how: Splitting) -> Partition:
    """Like `remaining`, but start over once only and cut what is left into equal blocks (NAG22)."""
    return _in_passes(records, how, passes=2)


STRATEGIES: dict[str, Callable[[Ints32, Splitting], Partition]] = {
    "abandon": abandon,
    "abandon-next": abandon_next,
    "suppression": suppression,
    "adding": adding,
    "remaining": remaining,
    "cardiff": cardiff,
}


def _in_passes(left: Ints32, how: Splitting, passes: int | None) -> Partition:
    done: list[Partition] = []
    number = 0
    while left.size >= how.least:
        if number == passes:
            done.append(chop(left, how))
            left = left[:0]
            break
        saved, left = _large_and_small(*how.split(left, LISTING), how.least)
        number += 1
        if saved.sizes.size == 0:  # nothing shrinks any more
            saved, left = chop(left, how), left[:0]
        done.append(saved)
    sizes = np.concatenate([part.sizes for part in done])
    sizes[-1] += left.size  # fewer than `least` are left: the last cluster takes them
    return Partition(np.concatenate([*(part.records for part in done), left]), sizes)


def _large_and_small(records: Ints32, sizes: Ints64, least: int) -> tuple[Partition, Ints32]:
    """Separate the clusters that may be published from the records of those that may not."""
    is_large = np.repeat(sizes >= least, sizes)
    return Partition(records[is_large], sizes[sizes >= least]), records[~is_large]


def chop(records: Ints32, how: Splitting) -> Partition:
    """Cut records, sorted by content, into blocks of nearly equal size, each of at least `least` records."""
    n = records.size
    blocks = max(1, min(-(-n // (how.largest - 1)), n // how.least))
    size, larger = divmod(n, blocks)
    sizes = np.full(blocks, size, np.int64)
    sizes[:larger] += 1
    return Partition(how.content(records), sizes)
