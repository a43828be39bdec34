"""How many records can be told apart by a few of their terms, in data as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import require_kind
from disjoin.kernels.uniqueness import arrange_by_rank, close_unique, measure_ranks
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.guarantee import require_integer
from disjoin.model.transactions import Transactions

STEP = 5e6  # sets of terms between two reports of progress: about a tenth of a second

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """What somebody who knows up to `known` terms of a record can single out.

    `unique_records` of the `records` examined contain a set of at most `known` terms that no other record of the data
    contains. `largest_k` is the largest k for which the data is k^known-anonymous as it is; None when only a sample
    was examined, or nothing is there.
    """

    known: int
    unique_records: int
    records: int
    sampled: bool
    largest_k: int | None

    @property
    def share(self) -> float:
        """The unique ones among the records examined."""
        return self.unique_records / self.records if self.records else 0.0


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The data with its terms ranked, the rarest first: rare terms are quick to follow and single out the most."""

    offsets: Ints64  # (records + 1,)
    rows: Ints32  # (occurrences,), ranks, ascending in a record
    holders: Ints32  # (occurrences,), the records of each rank
    places: Ints64  # (occurrences,), its positions in their rows
    rank_offsets: Ints64  # (terms + 1,)


def uniqueness(
    data: Transactions, largest: int = 3, *, sample: int | None = None, progress: Progress | None = None
) -> tuple[Uniqueness, ...]:
    """Return, for every number of known terms from 1 to `largest`, how many records that knowledge singles out.

    Exact, also for each record of a sample: `sample` evenly spaced records are examined, against all the data.
    `progress` is called with work done and total work. The time grows with the number of sets of up to `largest`
    terms in records that are not unique with fewer.

    >>> data = Transactions.from_sets([{"tea", "milk"}, {"tea", "jam"}, {"milk", "jam"}, {"tea", "milk"}])
    >>> [(found.known, found.unique_records, found.largest_k) for found in uniqueness(data, 2)]
    [(1, 0, 2), (2, 2, 1)]
    """
    require_kind(data, Transactions, "Transactions", "Read records with disjoin.read.")
    require_integer("largest", largest, 1, "it is the number of terms that somebody may know.")
    if sample is not None:
        require_integer("sample", sample, 1, "it is the number of records to examine.")
    is_open = _examined(len(data), sample)
    records, sampled = int(is_open.sum()), not is_open.all()
    ranked = _ranked(data)
    found = []
    for size, least in enumerate(_passes(ranked, is_open, largest, progress or _silent), start=1):
        unique = records - int(is_open.sum())
        largest_k = None if sampled or not records else int(least)
        found.append(Uniqueness(size, unique, records, sampled, largest_k))
    return tuple(found)


def _examined(records: int, sample: int | None) -> NDArray[np.bool_]:
    """Mark the records to examine: a choice that does not look at what they contain."""
    if sample is None or sample >= records:
        return np.ones(records, dtype=np.bool_)
    marks = np.zeros(records, dtype=np.bool_)
    marks[(2 * np.arange(sample, dtype=np.int64) + 1) * records // (2 * sample)] = True
    return marks


def _ranked(data: Transactions) -> _Ranked:
    supports = data.supports()
    order = np.argsort(supports, kind="stable")
    ranks = np.empty(order.size, dtype=np.int32)
    ranks[order] = np.arange(order.size, dtype=np.int32)
    rank_offsets = offsets_of(supports[order])
    rows, holders, places = arrange_by_rank(data.offsets, data.items, ranks, rank_offsets)
    return _Ranked(data.offsets, rows, holders, places, rank_offsets)


def _passes(ranked: _Ranked, is_open: NDArray[np.bool_], largest: int, progress: Progress) -> Iterator[int]:
    """Close the records that are unique, for sets of 1 term, then 2 and so on; yield the least support so far."""
    supports = np.diff(ranked.rank_offsets)
    rarest = ranked.rows[ranked.offsets[:-1]]  # no record is empty
    is_open[supports[rarest] == 1] = False
    least = int(supports[supports > 0].min(initial=is_open.size))
    yield least
    costs = [_costs(ranked, size) for size in range(2, largest + 1)]
    total = sum(int(sets.sum()) for _, sets in costs)
    done = 0
    for size, (room, sets) in enumerate(costs, start=2):
        for first, last in _cuts(sets):
            if is_open.any():
                least = close_unique(
                    first,
                    last,
                    size,
                    ranked.offsets,
                    ranked.rows,
                    ranked.holders,
                    ranked.places,
                    ranked.rank_offsets,
                    is_open,
                    room,
                    least,
                )
            progress(done + int(sets[:last].sum()), total)
        done += int(sets.sum())
        yield least


def _costs(ranked: _Ranked, size: int) -> tuple[int, NDArray[np.float64]]:
    room, sets = measure_ranks(ranked.offsets, ranked.holders, ranked.places, ranked.rank_offsets, size)
    return int(room.max(initial=0)), sets


def _cuts(sets: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Cut the ranks into ranges of about `STEP` sets each, so that progress shows and an interrupt is heard."""
    steps = (np.cumsum(sets) // STEP).astype(np.int64)
    ends = [*(np.flatnonzero(np.diff(steps)) + 1).tolist(), sets.size]
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _silent(done: int, total: int) -> None:
    """Show nothing."""
