"""How records become clusters: one function per clustering of `CLUSTERINGS`.

`horpart` splits by frequent terms. `core` separates the largest part of the records that is k^m-anonymous as it stands
(see PROOF.md) from the rest. `core-horpart` does so too, and splits the rest. `auto`, which tries them all, is in
`best_clustering`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from disjoin.jit.ordering import by_content
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.choices import STRATEGIES
from disjoin.methods.disassociation.horpart import (
    Records,
    copied_records,
    split_bit_by_bit,
    split_records,
    split_shard,
    split_shard_of,
)
from disjoin.methods.disassociation.horpart_strategies import Partition, Splitting, split_in_written_order
from disjoin.methods.disassociation.km_core import core_and_rest
from disjoin.model import Clusters, Transactions
from disjoin.model.ragged import Ints32, Ints64, frozen
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.measure.weighted_pair_error import PairsOfOriginal
    from disjoin.methods.disassociation import Disassociation

SHARD_RECORDS = 100_000  # parts below this are split side by side; the result is the same for any number


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is to be clustered and published, by which settings, and where; data may be published in several ways."""

    method: Disassociation
    data: Transactions
    engine: Engine
    progress: Progress
    cores: dict[tuple[int, int], tuple[Ints32, Ints32]] = field(default_factory=dict)  # by crowd and m, peeled once
    counted: list[PairsOfOriginal] = field(default_factory=list)  # of the data, once
    kept: list[tuple[Clusters, float, float]] = field(default_factory=list)  # what was measured, for those who try ways

    def core_and_rest(self) -> tuple[Ints32, Ints32]:
        """Return the records of the core, and the others."""
        found = self.cores.get((self.method.crowd, self.method.m))
        if found is None:
            found = core_and_rest(self.data, self.method, self.engine, self.progress)
            self.cores[self.method.crowd, self.method.m] = found
        return found

    def pairs_kept(self, published: Clusters) -> tuple[float, float]:
        """Return the exact pair mass and the weighted pair error of what was made of the data, measured once."""
        from disjoin.measure.mass import exact_pair_mass  # here, as few clusterings need them
        from disjoin.measure.weighted_pair_error import pairs_of, weighted_pair_error

        for measured, mass, error in self.kept:
            if measured is published:
                return mass, error
        if not self.counted:
            self.counted.append(pairs_of(self.data))
        mass, error = exact_pair_mass(published, self.data), weighted_pair_error(published, self.data, self.counted[0])
        self.kept.append((published, mass, error))
        return mass, error


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


def horpart(task: Task) -> Clustered:
    """Split all records by their most frequent terms."""
    return Clustered(split_by_frequent_terms(task, _everyone(task)))


def core(task: Task) -> Clustered:
    """Make one cluster of the core and one of the rest."""
    return _around_core(task, lambda rest: Partition(rest, np.array([rest.size], np.int64)))


def core_horpart(task: Task) -> Clustered:
    """Make one cluster of the core, and split the rest by its most frequent terms."""
    return _around_core(task, lambda rest: split_by_frequent_terms(task, rest))


def _everyone(task: Task) -> Ints32:
    return np.arange(len(task.data), dtype=np.int32)


def _around_core(task: Task, cluster: Callable[[Ints32], Partition]) -> Clustered:
    """Put the core first, then the clusters of the rest.

    A core with fewer records than a cluster must have is none. A rest like that cannot be published either: then all
    records are one cluster.
    """
    least = task.method.least
    inside, rest = task.core_and_rest()
    if inside.size < least:
        return Clustered(cluster(_everyone(task)))
    if rest.size == 0:
        return Clustered(Partition(inside, np.array([inside.size], np.int64)), inside.size)
    if rest.size < least:
        return Clustered(Partition(_everyone(task), np.array([len(task.data)], np.int64)))
    others = cluster(rest)
    together = Partition(np.concatenate([inside, others.records]), np.concatenate([[inside.size], others.sizes]))
    return Clustered(together, inside.size)


def split_by_frequent_terms(task: Task, records: Ints32) -> Partition:
    """Run HORPART on some of the records, by the method's strategy for small parts."""
    partition: Partition = STRATEGIES[task.method.strategy].load()(records, splitting_of(task))
    return partition


def splitting_of(task: Task) -> Splitting:
    """Return what a strategy works with."""
    method, data = task.method, task.data
    largest = min(method.largest, len(data) + 1)  # numbers that fit into 64 bits, with the same effect

    def split(records: Ints32, rule: int) -> tuple[Ints32, Ints64]:
        if method.ties == "first":
            return split_in_written_order(data, records, rule, largest, method.least)
        return split_side_by_side(task, records, (largest, method.least, rule))

    return Splitting(split, largest, method.least, lambda records: by_content(data, records))


def split_side_by_side(task: Task, records: Ints32, limits: tuple[int, int, int]) -> tuple[Ints32, Ints64]:
    """Run the splitting kernel: large parts first, then what is below SHARD_RECORDS side by side."""
    data = task.data
    largest, least, rule = limits
    ignored = np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive
    state, whole = _state_of(data, records), np.array([0, records.size])
    if STRATEGIES[task.method.strategy].is_sequential:
        ends = split_records(state, whole, limits, ignored)
    else:
        below = (max(largest, SHARD_RECORDS), least, rule)
        found = split_bit_by_bit(state, whole, below, ignored, SHARD_RECORDS, task.engine.spread)
        parts = task.engine.map(
            split_shard,
            _shards(found),
            lambda done: task.progress("splitting", done, records.size // SHARD_RECORDS),
            lambda pieces: split_shard_of(state, pieces, limits, ignored),
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
