"""Clusterings: how records become clusters, one function per clustering, and HORPART's strategies for small parts.

`horpart` splits by frequent terms (TLMS12; strategies: AS23, NAG22). `core` separates the largest part of the records
that is k^m-anonymous as it stands (see PROOF.md) from the rest. `core-horpart` does so too, and splits the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from disjoin.arrays.ordering import by_content
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.choices import STRATEGIES
from disjoin.methods.disassociation.horpart import (
    ABANDON,
    ABANDON_NEXT,
    ADDING,
    LISTING,
    Partition,
    Records,
    copied_records,
    split_in_batches,
    split_records,
    split_shard,
    split_shard_of,
)
from disjoin.methods.disassociation.km_core import core_and_rest
from disjoin.model import Transactions
from disjoin.model.ragged import Ints32, Ints64, frozen
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

SHARD_RECORDS = 100_000  # parts below this are split in parallel; the result is the same for any number
PASSES = {"remaining": None, "cardiff": 2}  # before the rest is cut into blocks; None: as long as it helps

Part = list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Records to be disassociated, the settings, and the engine that runs the work; trials of settings share cores."""

    method: Disassociation
    data: Transactions
    engine: Engine
    progress: Progress
    cores: dict[tuple[int, int], tuple[Ints32, Ints32]] = field(default_factory=dict)  # by support and m, peeled once

    def core_and_rest(self) -> tuple[Ints32, Ints32]:
        """Return the records of the core, and the others."""
        found = self.cores.get((self.method.min_support, self.method.m))
        if found is None:
            found = core_and_rest(self.data, self.method, self.engine, self.progress)
            self.cores[self.method.min_support, self.method.m] = found
        return found

    def everyone(self) -> Ints32:
        """Return the numbers of all records."""
        return np.arange(len(self.data), dtype=np.int32)

    def size_limits(self) -> tuple[int, int]:
        """Return the size that clusters stay below, as a number of 64 bits, and the smallest cluster."""
        return min(self.method.size_limit, len(self.data) + 1), self.method.min_cluster_size


# A splitting function: a task, records and a rule for small parts -> records in order, cluster sizes.
Split = Callable[[Task, Ints32, int], tuple[Ints32, Ints64]]


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Clusters of records; `core` is the size of the first one if that is published as it stands, otherwise 0."""

    partition: Partition
    core: int = 0
    share: float | None = None  # of a leaf's records that `bounded` may expose; None: chunks are not its own

    def content(self) -> tuple[int, bytes]:
        """Return what is the same for the same clusters, in whichever order they and their records are listed."""
        partition = self.partition
        owners = np.repeat(np.arange(partition.sizes.size), partition.sizes)
        order = np.argsort(partition.records, kind="stable")
        owners, first = owners[order], np.full(partition.sizes.size, -1)
        at = np.unique(owners, return_index=True)
        first[at[0]] = at[1]
        return self.core, partition.records[order].tobytes() + first[owners].tobytes()


def horpart(task: Task, records: Ints32 | None = None) -> Clustered:
    """Split records, all if none are given, by their most frequent terms; small parts as the strategy says."""
    strategy: Strategy = STRATEGIES[task.method.strategy].load()
    split: Split = split_in_written_order if task.method.ties == "first" else split_in_parallel
    return Clustered(strategy(task, task.everyone() if records is None else records, split))


def core(task: Task) -> Clustered:
    """Make one cluster of the core and one of the rest."""
    return _around_core(task, lambda rest: Partition(rest, np.array([rest.size], np.int64)))


def core_horpart(task: Task) -> Clustered:
    """Make one cluster of the core, and split the rest by its most frequent terms."""
    return _around_core(task, lambda rest: horpart(task, rest).partition)


def _around_core(task: Task, cluster: Callable[[Ints32], Partition]) -> Clustered:
    """Put the core first, then the clusters of the rest.

    A core with fewer records than a cluster must have is none. A rest like that cannot be published either: then all
    records are one cluster.
    """
    least = task.method.min_cluster_size
    inside, rest = task.core_and_rest()
    if inside.size < least:
        return Clustered(cluster(task.everyone()))
    if rest.size == 0:
        return Clustered(Partition(inside, np.array([inside.size], np.int64)), inside.size)
    if rest.size < least:
        return Clustered(Partition(task.everyone(), np.array([len(task.data)], np.int64)))
    others = cluster(rest)
    together = Partition(np.concatenate([inside, others.records]), np.concatenate([[inside.size], others.sizes]))
    return Clustered(together, inside.size)


# Strategies: functions of a task, records and a splitting function.

Strategy = Callable[[Task, Ints32, Split], Partition]


def abandon(task: Task, records: Ints32, split: Split) -> Partition:
    """Leave a part whole when splitting would make a small one (AS23's "original")."""
    return Partition(*split(task, records, ABANDON))


def abandon_next(task: Task, records: Ints32, split: Split) -> Partition:
    """Try the next most frequent term when splitting would make a small part."""
    return Partition(*split(task, records, ABANDON_NEXT))


def adding(task: Task, records: Ints32, split: Split) -> Partition:
    """Add a small part to the next one that waits, or else to the last cluster."""
    return Partition(*split(task, records, ADDING))


def suppression(task: Task, records: Ints32, split: Split) -> Partition:
    """Suppress the records of small parts."""
    saved, _ = _large_and_small(*split(task, records, LISTING), task.method.min_cluster_size)
    if saved.sizes.size == 0:
        raise GuaranteeUnreachable(nothing_left(task.method.min_cluster_size))
    return saved


def nothing_left(least: int) -> str:
    """Return the error message for the strategy 'suppression' if every record would be suppressed."""
    return (
        f"no cluster reaches {least} records, so the strategy 'suppression' would suppress everything. "
        "Choose another strategy, a smaller k or a larger max_cluster_size."
    )


def in_passes(task: Task, left: Ints32, split: Split, passes: int | None) -> Partition:
    """Split records, collect those of small parts and start over; after that many passes cut the rest into blocks."""
    least = task.method.min_cluster_size
    done: list[Partition] = []
    number = 0
    while left.size >= least:
        if number == passes:
            done.append(chop(task, left))
            left = left[:0]
            break
        saved, left = _large_and_small(*split(task, left, LISTING), least)
        number += 1
        if saved.sizes.size == 0:  # nothing shrinks any more
            saved, left = chop(task, left), left[:0]
        done.append(saved)
    sizes = np.concatenate([part.sizes for part in done])
    sizes[-1] += left.size  # fewer than `least` are left: the last cluster takes them
    return Partition(np.concatenate([*(part.records for part in done), left]), sizes)


remaining = partial(in_passes, passes=PASSES["remaining"])  # as long as that saves any
cardiff = partial(in_passes, passes=PASSES["cardiff"])  # NAG22


def _large_and_small(records: Ints32, sizes: Ints64, least: int) -> tuple[Partition, Ints32]:
    """Separate the clusters that may be published from the records of those that may not."""
    is_large = np.repeat(sizes >= least, sizes)
    return Partition(records[is_large], sizes[sizes >= least]), records[~is_large]


def chop(task: Task, records: Ints32) -> Partition:
    """Cut records, sorted by content, into blocks of nearly equal size, none of them too small to publish."""
    return Partition(by_content(task.data, records), block_sizes(records.size, *task.size_limits()))


def block_sizes(n: int, size_limit: int, min_size: int) -> Ints64:
    """Return the sizes of the blocks that `n` records are cut into.

    >>> block_sizes(10, 5, 2).tolist()
    [4, 3, 3]
    """
    blocks = max(1, min(-(-n // (size_limit - 1)), n // min_size))
    size, larger = divmod(n, blocks)
    sizes = np.full(blocks, size, np.int64)
    sizes[:larger] += 1
    return sizes


def split_in_parallel(
    task: Task, records: Ints32, rule: int, limits: tuple[int, int] | None = None
) -> tuple[Ints32, Ints64]:
    """Split records by HORPART's loop: large parts first, then those below SHARD_RECORDS in parallel.

    `limits` (by default the task's) are the size that clusters stay below, and the smallest cluster.
    """
    data, engine = task.data, task.engine
    size_limit, min_size = limits or task.size_limits()
    ignored = np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive
    state, whole = _state_of(data, records), np.array([0, records.size])
    if records.size < SHARD_RECORDS or STRATEGIES[task.method.strategy].is_sequential:
        ends = split_records(state, whole, (size_limit, min_size, rule), ignored)
    else:
        large = (max(size_limit, SHARD_RECORDS), min_size, rule)
        found = split_in_batches(state, whole, large, ignored, SHARD_RECORDS, engine.spread)
        parts = engine.map(
            split_shard,
            _shards(found),
            lambda done: task.progress("splitting", done, records.size // SHARD_RECORDS),
            lambda pieces: split_shard_of(state, pieces, (size_limit, min_size, rule), ignored),
        )
        ends = put_together(state.order, parts)
    return records[state.order], np.diff(ends, prepend=0)


def _state_of(data: Transactions, records: Ints32) -> Records:
    """Return records to be split, by their places among these; some of many are copied, as they lie far apart."""
    places = np.arange(records.size, dtype=np.int32)
    if records.size == len(data) and np.array_equal(records, places):
        return Records(data.offsets, data.items, places, places.copy())
    copied = copied_records(Records(data.offsets, data.items, records, places), records)
    return Records(frozen(copied[0], np.int64), frozen(copied[1], np.int32), places, places.copy())


def put_together(order: Ints32, parts: Iterable[tuple[Ints32, Ints64]]) -> Ints64:
    """Bring the records into the order of their clusters, shard by shard; return the ends of all clusters."""
    start, found = 0, []
    for places, ends in parts:
        end = start + places.size
        order[start:end] = order[start:end][places]
        found.append(ends + start)
        start = end
    return np.concatenate(found)


def _shards(found: Iterable[Ints64]) -> Iterator[Ints64]:
    """Give the bounds of the pieces, as they are found, in groups of about SHARD_RECORDS records."""
    end = 0
    for ends in found:
        yield np.concatenate([[end], ends])
        end = ends[-1]


def split_in_written_order(task: Task, records: Ints32, rule: int) -> tuple[Ints32, Ints64]:
    """Split records into clusters, most frequent term first, among equals the one that is read first."""
    data, (largest, least) = task.data, task.size_limits()
    if data.written is None:
        raise InvalidParameter(
            "ties='first' needs the terms in the order of the source; read the data with keep_order=True."
        )
    reader = _Reader(data)
    always = frozenset() if data.sensitive is None else frozenset(np.flatnonzero(data.sensitive).tolist())
    if rule == ADDING:
        clusters = _adding(reader, records.tolist(), always, largest, least)
    else:
        clusters = _listing(reader, records.tolist(), always, largest, least if rule != LISTING else 0, rule)
    return np.array([r for c in clusters for r in c], np.int32), np.array([len(c) for c in clusters], np.int64)


class _Reader:
    """Gives the terms of a record in written order."""

    def __init__(self, data: Transactions) -> None:
        assert data.written is not None
        cuts, items = data.offsets.tolist(), data.written.tolist()
        self.terms = [items[a:b] for a, b in pairwise(cuts)]

    def candidates(self, part: Part, ignored: frozenset[int]) -> list[tuple[int, int]]:
        """List (term, count), most frequent first; a Counter keeps the order of first sight, and sorting is stable."""
        counts = Counter(term for record in part for term in self.terms[record] if term not in ignored)
        return sorted(counts.items(), key=lambda entry: -entry[1])

    def split(self, part: Part, term: int) -> tuple[Part, Part]:
        """Separate the records with the term from those without, in order."""
        return [r for r in part if term in self.terms[r]], [r for r in part if term not in self.terms[r]]


def _listing(reader: _Reader, records: Part, always: frozenset[int], largest: int, least: int, rule: int) -> list[Part]:
    stack, saved = [(records, always)], []
    while stack:
        part, ignored = stack.pop()
        chosen = None
        if len(part) >= largest:
            for term, count in reader.candidates(part, ignored):
                if count == len(part):
                    ignored |= {term}
                elif min(count, len(part) - count) >= least:
                    chosen = term
                    break
                elif rule != ABANDON_NEXT:
                    break
        if chosen is None:
            saved.append(part)
            continue
        left, right = reader.split(part, chosen)
        stack += [(right, ignored), (left, ignored | {chosen})]
    return saved


def _adding(reader: _Reader, records: Part, always: frozenset[int], largest: int, least: int) -> list[Part]:
    stack, saved = [(records, always)], []
    while stack:
        part, ignored = stack.pop()
        candidates = reader.candidates(part, ignored) if len(part) >= largest else []
        if candidates:
            term = candidates[0][0]
            left, right = reader.split(part, term)
            stack += [(right, ignored)] * bool(right) + [(left, ignored | {term})]
        elif len(part) >= least:
            saved.append(part)
        elif stack:
            waiting, also_ignored = stack[-1]
            stack[-1] = (waiting + part, also_ignored | ignored)
        else:
            saved[-1] = saved[-1] + part
    return saved
