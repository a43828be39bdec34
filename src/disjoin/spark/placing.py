"""HORPART on Spark: rounds of the top tree, then shards."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.clustering import PASSES, block_sizes, nothing_left
from disjoin.methods.disassociation.horpart import ABANDON, ABANDON_NEXT, LISTING
from disjoin.model.ragged import Ints64, offsets_of
from disjoin.progress import Progress
from disjoin.spark.arrays import numbers_in_column, ragged_in
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.top_tree import OPEN, HorpartPart, Routes, Subtree, TopLimits, routes_through
from disjoin.spark.work_reading import ENCODED
from disjoin.spark.work_sensitive import Numbering, packed_keys
from disjoin.spark.work_splitting import (
    CONTENT_KEYS,
    KEYED,
    LEAF_ROWS,
    LEFT_OUT,
    PART_TERMS,
    ROUTED,
    SKETCH,
    SUBTREES,
    ClusteringTask,
    OpenParts,
    by_range,
    cluster_rest,
    count_in_parts,
    count_keys,
    cut_into_blocks,
    expand,
    finish_shard,
    keep_most_frequent,
    route,
    sketch,
)

# How much one task of Spark takes at once.

ONE_TASK = 4_000_000  # records that a task can hold
MOST_TOP = 1_024


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much one task takes at once; releases are the same for any numbers."""

    shard_records: int = ONE_TASK
    shard_items: int = 40_000_000
    block_records: int = 200_000  # of trees that are cut, built or inspected together
    top: int = 128  # terms that records are described by
    further: int = 8_192  # terms whose counts are bounded one by one
    driver_items: int = 100_000_000  # terms in all records up to which the driver joins clusters: 2 GB, if all are rare

    def top_in(self, number: int, records: int) -> int:
        """Return by how many terms parts with up to that many records are described, in round 1, 2, ...

        They are twice as many in every round, as what is open after one is a long row of splits, each of few records.
        Where one task could not hold the records, it may not hold longer descriptions of them either.

        >>> [Sizes(300).top_in(number, 80_000) for number in (1, 2, 9)], Sizes().top_in(9, 10_000_000)
        ([128, 256, 1024], 128)
        """
        return max(self.top, min(self.top << min(number - 1, 10), MOST_TOP)) if records < ONE_TASK else self.top


RULES = {"abandon": ABANDON, "abandon-next": ABANDON_NEXT}


@dataclass(slots=True, eq=False)
class Placed:
    """Leaves that were stored, and where each belongs: rows of leaves with the same number are one leaf."""

    names: list[str] = field(default_factory=list)
    keys: list[Ints64] = field(default_factory=list)  # (rows, 3) pass, part, leaf
    numbers: list[Ints64] = field(default_factory=list)
    sizes: list[Ints64] = field(default_factory=list)  # records
    left_out: str | None = None  # where records lie that are in no leaf
    leaves: int = 0
    passes: int = 0
    rounds: int = 0

    def add(self, name: str, keys: Ints64, numbers: Ints64, sizes: Ints64) -> None:
        """Add stored rows."""
        self.names.append(name)
        self.keys.append(keys)
        self.numbers.append(numbers)
        self.sizes.append(sizes)
        self.leaves = max(self.leaves, int(numbers.max(initial=-1)) + 1)

    def numbering(self) -> tuple[Numbering, Ints64]:
        """Return the number of each leaf by where it was made, and its records."""
        keys = np.concatenate(self.keys)
        order = np.argsort(packed_keys(keys))
        return Numbering(keys[order], np.concatenate(self.numbers)[order]), np.concatenate(self.sizes)[order]


class Placing:
    """Places records in leaves, pass by pass."""

    def __init__(self, jobs: Jobs, clustering: ClusteringTask, sizes: Sizes, progress: Progress) -> None:
        self.jobs, self.clustering, self.sizes, self.progress = jobs, clustering, sizes, progress
        self.method = clustering.method
        self.placed = Placed()

    def place(self, records: Frame, n: int) -> Placed:
        """Place all records by the method's strategy."""
        rule = RULES.get(self.method.strategy, LISTING)
        if rule != LISTING:
            self.all_of(self._split(records, n, rule), "leaves-1")
        elif self.method.strategy in PASSES:
            self._in_passes(records, n, PASSES[self.method.strategy])
        else:
            saved, self.placed.left_out = self._large_of(self._split(records, n, rule), "leaves-1")
            if not saved:
                raise GuaranteeUnreachable(nothing_left(self.method.min_cluster_size))
        return self.placed

    def _in_passes(self, records: Frame, n: int, passes: int | None) -> None:
        least, left, small = self.method.min_cluster_size, n, ""
        while left >= least:
            name = f"leaves-{self.placed.passes + 1}"
            if left < self.sizes.shard_records:
                self._rest(records, passes, name)
                return
            if passes == 0:
                self._chop(records, left, name)
                return
            saved, small = self._large_of(self._split(records, left, LISTING), name)
            if not saved:
                self._chop(records, left, f"blocks-{self.placed.passes}")
                return
            left -= saved
            if left and not self.jobs.staging.has(small):
                raise RuntimeError("records are missing or came twice; nothing is published.")
            records = records_stored(self.jobs, small) if left else records
            passes = None if passes is None else passes - 1
        if left:  # too few for a leaf: the last one takes them
            keys, sizes = self._made(small)
            self.placed.add(small, keys, np.full(sizes.size, self.placed.leaves - 1), sizes)

    def _large_of(self, rows: Frame, name: str) -> tuple[int, str]:
        """Store rows of leaves, and number those that are large enough; nothing of the others comes to the driver.

        Returns how many records the former have, and where the latter lie.
        """
        large, small = self.jobs.stored_apart(rows, name, f"size >= {self.method.min_cluster_size}")
        keys, sizes = self._made(large)
        if sizes.size:
            self.placed.add(large, keys, self.placed.leaves + np.arange(sizes.size), sizes)
        return int(sizes.sum()), small

    def all_of(self, rows: Frame, name: str, *, leaves_out: bool = False) -> None:
        """Store rows of leaves, and number all of them; one row may be of records that are in none."""
        if leaves_out:
            name, self.placed.left_out = self.jobs.stored_apart(rows, name, f"part < {LEFT_OUT}")
            keys, sizes = self._made(name)
        else:
            keys, sizes = self.stored(rows, name)
        self.placed.add(name, keys, self.placed.leaves + np.arange(sizes.size), sizes)

    def stored(self, rows: Frame, name: str) -> tuple[Ints64, Ints64]:
        """Store rows of leaves; return keys and sizes of the leaves, in order (those in pieces: sizes in all)."""
        self.jobs.stored(rows, name)
        return self._made(name)

    def _made(self, name: str) -> tuple[Ints64, Ints64]:
        if not self.jobs.staging.has(name):
            return np.empty((0, 3), np.int64), np.empty(0, np.int64)
        table = self.jobs.fetched(name, "leaves made", ["pass", "part", "leaf", "size"])
        keys = np.column_stack([numbers_in_column(table[key]) for key in ("pass", "part", "leaf")])
        keys, places = np.unique(keys, axis=0, return_inverse=True)
        sizes = np.bincount(places.reshape(-1), numbers_in_column(table["size"]), len(keys)).astype(np.int64)
        return keys, sizes

    def _rest(self, records: Frame, passes: int | None, name: str) -> None:
        """Place what one task can take."""
        number = self.placed.passes + 1
        self.all_of(self.jobs.all_in_one(records, LEAF_ROWS, cluster_rest, self.clustering, passes, number), name)

    def _chop(self, records: Frame, n: int, name: str) -> None:
        """Cut records, sorted by content, into blocks: ranges of first terms are sorted apart from one another."""
        counted = self.jobs.mapped(records, CONTENT_KEYS, count_keys, self.clustering)
        table = self.jobs.collected(counted.groupBy("key").sum("count").toDF("key", "count"), "first terms")
        order = np.argsort(numbers_in_column(table["key"]))
        keys, counts = numbers_in_column(table["key"])[order], numbers_in_column(table["count"])[order]
        ranges = _packed(counts, self.sizes.shard_records)
        starts = np.flatnonzero(np.diff(ranges, prepend=-1))
        before = offsets_of(counts)[starts]
        blocks = offsets_of(block_sizes(n, min(self.method.size_limit, n + 1), self.method.min_cluster_size))
        sent = self.jobs.mapped(records, KEYED, by_range, self.clustering, keys[starts[1:]])
        number = self.placed.passes + 1
        self.all_of(
            self.jobs.grouped(sent, "shard", LEAF_ROWS, cut_into_blocks, self.clustering, number, before, blocks), name
        )

    def _split(self, records: Frame, n: int, rule: int) -> Frame:
        """Split records by frequent terms; return the leaves."""
        self.placed.passes += 1
        method, number = self.method, self.placed.passes
        largest = min(method.size_limit, n + 1)
        limits = TopLimits(largest, method.min_cluster_size, rule, self.sizes.shard_records, self.sizes.shard_items)
        root, before = HorpartPart(n), self.placed.rounds
        while any(part.term == OPEN for part in root.ends()):
            self.placed.rounds += 1
            self.progress("splitting", 0, 0, f"round {self.placed.rounds}")
            self._round(records, root, limits, self.placed.rounds - before)
        ends = [part.size for part in root.ends()]
        shards = _packed(np.array(ends), self.sizes.shard_records)
        routes = routes_through(root, self.clustering.secret.size)
        sent = self.jobs.mapped(records, ROUTED, route, routes, shards)
        how = (largest, method.min_cluster_size, rule)
        return self.jobs.grouped(sent, "shard", LEAF_ROWS, finish_shard, self.clustering, number, how)

    def _round(self, records: Frame, root: HorpartPart, limits: TopLimits, number: int) -> None:
        """Describe all open parts, and split each as far as that proves."""
        secret, parts = self.clustering.secret, list(root.ends())
        routes = routes_through(root, secret.size)
        described = self._described(records, root, routes, limits, number)
        found = self.jobs.mapped(records, SKETCH, sketch, routes, described, secret.size)
        counted = found.groupBy("part", "mask", "first", "term").sum("weight").toDF(*SKETCH.names)
        subtrees = self.jobs.grouped(counted, "part", SUBTREES, expand, described)
        table = self.jobs.collected(subtrees, "subtrees")
        terms, sizes = ragged_in(table["terms"]), ragged_in(table["sizes"])
        split = numbers_in_column(table["part"]).tolist()
        if sorted(split) != sorted(described.sizes):
            raise RuntimeError("a task of a round is missing or came twice; nothing is published.")
        for row, number in enumerate(split):
            parts[number].replace(Subtree(terms[row].tolist(), sizes[row].tolist()))

    def _described(
        self, records: Frame, root: HorpartPart, routes: Routes, limits: TopLimits, number: int
    ) -> OpenParts:
        """Choose the terms that open parts are described by; they stay in the staging folder."""
        secret, parts = self.clustering.secret, list(root.ends())
        is_open = np.array([part.term == OPEN for part in parts])
        sizes = {part: parts[part].size for part in np.flatnonzero(is_open).tolist()}
        room = self.sizes.top_in(number, max(sizes.values())), self.sizes.further
        described = OpenParts(sizes, limits, room, self.jobs.staging, f"terms-{self.placed.rounds}")
        counted = self.jobs.mapped(records, PART_TERMS, count_in_parts, routes, is_open, secret)
        summed = counted.groupBy("part", "term").sum("count").toDF(*PART_TERMS.names)
        self.jobs.stored(self.jobs.grouped(summed, "part", PART_TERMS, keep_most_frequent, described), described.name)
        return described


def records_stored(jobs: Jobs, name: str) -> Frame:
    """Return the records of leaves that were stored under a name."""
    return jobs.stored_before(LEAF_ROWS, name).select(*ENCODED.names)


def _packed(sizes: Ints64, most: int) -> Ints64:
    """Pack neighbours into groups of up to `most`; return the group of each.

    >>> _packed(np.array([3, 1, 5, 1, 1]), 4).tolist()
    [0, 0, 1, 2, 2]
    """
    groups, group, filled = [], 0, 0
    for size in sizes.tolist():
        if filled and filled + size > most:
            group, filled = group + 1, 0
        groups.append(group)
        filled += size
    return np.array(groups, np.int64)
