"""Uniqueness: itemsets that only one record contains.

Terms are ranked, the rarest first, and a set is looked for below its rarest term: the records that contain a prefix
are kept as positions in their rows, and what follows a position are the terms that may extend the prefix. So every
set is met once, and only in records that contain it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.arrays.ragged import mirrored
from disjoin.arrays.row_classes import numbered, row_keys
from disjoin.errors import require_kind
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import kernel
from disjoin.model.mixed import MixedRecords
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.model.transactions import Transactions

INTERPRETED = 4e-6  # seconds per set of known terms
STEP = 5e6  # sets of terms between two reports of progress: about a tenth of a second

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """What an attacker who knows up to `known` terms of a record can single out.

    `unique_records` of the `records` examined contain a set of at most `known` terms that no other record of the data
    contains. `largest_k` is the largest k for which the data is k^known-anonymous; None for samples and empty data.
    """

    known: int
    unique_records: int
    records: int
    sampled: bool
    largest_k: int | None

    @property
    def share(self) -> float:
        return self.unique_records / self.records if self.records else 0.0


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
    require_integer("largest", largest, 1, "it is the number of terms that an attacker may know.")
    if sample is not None:
        require_integer("sample", sample, 1, "it is the number of records to examine.")
    lengths = np.diff(data.offsets).astype(np.float64)
    prepare(INTERPRETED * sum(float((lengths**size).sum()) / math.factorial(size) for size in range(1, largest + 1)))
    is_open = np.ones(len(data), dtype=np.bool_)
    if sample is not None and sample < len(data):  # a choice that does not look at what records contain
        is_open[:] = False
        is_open[(2 * np.arange(sample, dtype=np.int64) + 1) * len(data) // (2 * sample)] = True
    records, sampled = int(is_open.sum()), not is_open.all()
    found = []
    for size, least in enumerate(_passes(_ranked(data), is_open, largest, progress), start=1):
        unique = records - int(is_open.sum())
        found.append(Uniqueness(size, unique, records, sampled, None if sampled or not records else int(least)))
    return tuple(found)


def mixed_uniqueness(
    data: MixedRecords, quasi: Sequence[str], largest: int = 2, progress: Progress | None = None
) -> tuple[int, ...]:
    """Return how many people all columns `quasi` and up to 0, 1, ... `largest` known terms single out.

    An attacker only confuses people with the same values. So a term counts as another one for every combination of
    values: who is unique among all is then unique among people of the same values.

    >>> people = MixedRecords.from_people({"sex": ["f", "f", "m"]}, [{"flu"}, {"gout"}, {"flu"}])
    >>> mixed_uniqueness(people, ["sex"])
    (1, 3, 3)
    >>> mixed_uniqueness(people, [])
    (0, 1, 1)
    """
    codes: list[Ints32 | Ints64] = [np.zeros(len(data.table), np.int64)]
    codes += [data.table.codes_of(name) for name in quasi]
    sizes = [1, *(len(data.table.values_of(name)) for name in quasi)]
    classes, _ = numbered(*row_keys(codes, sizes))
    is_alone = np.bincount(classes)[classes] == 1
    alone, others = int(is_alone.sum()), np.flatnonzero(~is_alone)
    rows = data.records.records.take(others)
    keys, items = np.unique(
        classes[others][rows.owners()] * max(1, len(data.records.vocabulary)) + rows.items, return_inverse=True
    )
    if not keys.size:
        return (alone,) * (largest + 1)
    offsets = offsets_of(rows.lengths[rows.lengths > 0])
    named = Transactions(offsets, items.astype(np.int32), pa.array(map(str, range(keys.size)), pa.string()))
    return alone, *(alone + found.unique_records for found in uniqueness(named, largest, progress=progress))


class RankedRecords(NamedTuple):
    """The data with its terms ranked, the rarest first: rare terms are quick to follow and single out the most. Rank r
    is in the records `holders[rank_offsets[r]:rank_offsets[r + 1]]`, at these `places` of their rows."""

    offsets: Ints64  # (records + 1,)
    rows: Ints32  # (occurrences,), ranks, ascending in a record
    holders: Ints32  # (occurrences,)
    places: Ints64  # (occurrences,)
    rank_offsets: Ints64  # (terms + 1,)


def _ranked(data: Transactions) -> RankedRecords:
    order = np.argsort(data.supports(), kind="stable")
    ranks = np.empty(order.size, dtype=np.int32)
    ranks[order] = np.arange(order.size, dtype=np.int32)
    rank_offsets, holders = mirrored(data.offsets, ranks[data.items], order.size)
    _, rows = mirrored(rank_offsets, holders, len(data))
    _, places = mirrored(np.arange(rows.size + 1), rows, order.size)
    return RankedRecords(data.offsets, rows, holders, places.astype(np.int64), rank_offsets)


def _passes(ranked: RankedRecords, is_open: Flags, largest: int, progress: Progress | None) -> Iterator[int]:
    """Mark unique records as closed, for sets of 1 term, then 2 and so on; yield the least support so far."""
    supports = np.diff(ranked.rank_offsets)
    rarest = ranked.rows[ranked.offsets[:-1]]  # no record is empty
    is_open[supports[rarest] == 1] = False
    least = int(supports[supports > 0].min(initial=is_open.size))
    yield least
    costs = [measure_ranks(ranked, size) for size in range(2, largest + 1)]
    total = sum(int(sets.sum()) for _, sets in costs)
    done = 0
    for size, (room, sets) in enumerate(costs, start=2):
        # Ranges of about `STEP` sets each, so that progress shows and an interrupt is heard.
        ends = [*(np.flatnonzero(np.diff(np.cumsum(sets) // STEP)) + 1).tolist(), sets.size]
        for first, last in zip([0, *ends[:-1]], ends, strict=True):
            if is_open.any():
                least = close_unique(first, last, size, ranked, is_open, int(room.max(initial=0)), least)
            if progress is not None:
                progress(done + int(sets[:last].sum()), total)
        done += int(sets.sum())
        yield least


@kernel
def measure_ranks(ranked, size):
    """Return for each rank the room for its rows (int64), and how many sets of `size` begin with it (float64)."""
    offsets, holders, places, rank_offsets = ranked.offsets, ranked.holders, ranked.places, ranked.rank_offsets
    n_ranks = rank_offsets.size - 1
    room = np.zeros(n_ranks, dtype=np.int64)
    sets = np.zeros(n_ranks, dtype=np.float64)
    for rank in range(n_ranks):
        for entry in range(rank_offsets[rank], rank_offsets[rank + 1]):
            behind = offsets[holders[entry] + 1] - 1 - places[entry]
            room[rank] += behind + 2  # the term itself, and the end mark
            ways = 1.0
            for step in range(size - 1):
                ways *= (behind - step) / (step + 1.0)
            sets[rank] += max(ways, 0.0)
    return room, sets


@kernel
def _project(rank, size, ranked, is_open, entries, near, owners):
    """Copy the rows from this rank on, where at least `size` terms are left, close together; return their number.

    Nothing is copied when no open record has the rank. `near` gets the rows, each ended by -1, `owners` the record of
    each of its positions and `entries[0]` the positions of this rank. What follows reads them many times, and from the
    far rows it would wait for memory.
    """
    offsets, rows, holders, places, rank_offsets = ranked
    found = used = 0
    first = rank_offsets[rank]
    while first < rank_offsets[rank + 1] and not is_open[holders[first]]:
        first += 1
    if first == rank_offsets[rank + 1]:
        return 0
    for entry in range(rank_offsets[rank], rank_offsets[rank + 1]):
        record = holders[entry]
        end = offsets[record + 1]
        if places[entry] + size > end:
            continue
        entries[0, found] = used
        found += 1
        for position in range(places[entry], end):
            near[used] = rows[position]
            owners[used] = record
            used += 1
        near[used] = -1
        used += 1
    return found


@kernel
def _gather(entries, depth, begin, end, spare, starts, near, owners, is_open, counts, marks, touched):
    """Group the extensions of one prefix by their last term, at the next depth; return the number of groups. Those of
    no open record are left out, and positions with fewer than `spare` terms behind. `counts` ends as zeros."""
    n_touched = 0
    for entry in range(begin, end):
        position = entries[depth, entry] + 1
        mark = 1 if is_open[owners[position]] else 0
        while near[position + spare] >= 0:
            term = near[position]
            if counts[term] == 0:
                touched[n_touched] = term
                n_touched += 1
                marks[term] = 0
            counts[term] += 1
            marks[term] |= mark
            position += 1
    groups = used = 0
    for index in range(n_touched):
        term = touched[index]
        size = counts[term]
        counts[term] = used
        if marks[term] == 1:
            starts[depth + 1, groups] = used
            groups += 1
            used += size
    starts[depth + 1, groups] = used
    for entry in range(begin, end):
        position = entries[depth, entry] + 1
        while near[position + spare] >= 0:
            term = near[position]
            if marks[term] == 1:
                entries[depth + 1, counts[term]] = position
                counts[term] += 1
            position += 1
    for index in range(n_touched):
        counts[touched[index]] = 0
    return groups


@kernel
def _tally(entries, depth, begin, end, near, owners, is_open, counts, marks, touched, least):
    """Count the one-term extensions of a prefix; close the records that have one for themselves. Returns the least
    count met, or `least` if that is less. `marks` has the last position seen with each term."""
    n_touched = 0
    for entry in range(begin, end):
        position = entries[depth, entry] + 1
        while near[position] >= 0:
            term = near[position]
            if counts[term] == 0:
                touched[n_touched] = term
                n_touched += 1
            counts[term] += 1
            marks[term] = position
            position += 1
    for index in range(n_touched):
        term = touched[index]
        if counts[term] == 1:
            is_open[owners[marks[term]]] = False
        least = min(least, counts[term])
        counts[term] = 0
    return least


@kernel
def _any_open(entries, depth, begin, end, owners, is_open):
    for entry in range(begin, end):  # noqa: SIM110 - a generator is slow to compile
        if is_open[owners[entries[depth, entry]]]:
            return True
    return False


@kernel
def close_unique(first, last, size, ranked, is_open, room, least):
    """Close every open record that alone contains some set of `size` terms, the rarest ranked `first` to `last` - 1.

    `size` is at least 2, `room` the largest of `measure_ranks`, and `is_open` (records,) changes. Returns the least
    number of records that contain one of the sets met, or `least` if that is less; while no record is closed, all sets
    that occur are met.
    """
    n_ranks = ranked.rank_offsets.size - 1
    near, owners = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    entries = np.empty((size - 1, room), dtype=np.int64)  # positions in `near`, by depth
    starts = np.zeros((size - 1, n_ranks + 1), dtype=np.int64)  # of the groups in `entries`, by depth
    counts, marks = np.zeros(n_ranks, dtype=np.int64), np.zeros(n_ranks, dtype=np.int64)
    touched = np.empty(n_ranks, dtype=np.int64)
    groups, current = np.zeros(size - 1, dtype=np.int64), np.zeros(size - 1, dtype=np.int64)
    for rank in range(first, last):
        starts[0, 1] = _project(rank, size, ranked, is_open, entries, near, owners)
        groups[0], current[0], depth = 1, 0, 0
        while depth >= 0:
            if current[depth] == groups[depth]:
                depth -= 1
                continue
            begin = starts[depth, current[depth]]
            end = starts[depth, current[depth] + 1]
            current[depth] += 1
            if not _any_open(entries, depth, begin, end, owners, is_open):
                continue
            if depth == size - 2:
                least = _tally(entries, depth, begin, end, near, owners, is_open, counts, marks, touched, least)
                continue
            groups[depth + 1] = _gather(
                entries, depth, begin, end, size - depth - 2, starts, near, owners, is_open, counts, marks, touched
            )
            current[depth + 1] = 0
            depth += 1
    return least
