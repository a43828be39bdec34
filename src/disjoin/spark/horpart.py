"""HORPART on Spark: rounds of the top tree, then shards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from disjoin.arrays.ordering import by_content, ordinary_then_sensitive
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable
from disjoin.jit.decision import prepare
from disjoin.methods.disassociation.clustering import (
    PASSES,
    Clustered,
    Task,
    block_sizes,
    in_passes,
    nothing_left,
    split_in_parallel,
)
from disjoin.methods.disassociation.horpart import ABANDON, ABANDON_NEXT, LISTING, Partition, SplitShard, split_shard
from disjoin.methods.disassociation.run import INTERPRETED
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints64, Ragged, offsets_of
from disjoin.progress import Progress, silent
from disjoin.spark import arrays, top_tree
from disjoin.spark.arrays import Batches
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.reading import ENCODED
from disjoin.spark.staging import Staging
from disjoin.spark.top_tree import HorpartPart, Routes, Subtree, TopLimits, TopTerms
from disjoin.spark.verpart import Numbering, packed_keys

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

PART_TERMS = arrays.schema_of("part bigint, term int, count bigint")
SKETCH = arrays.schema_of("part bigint, mask binary, first int, term int, weight bigint")
SUBTREES = arrays.schema_of("part bigint, terms array<int>, sizes array<bigint>")
ROUTED = arrays.schema_of("shard bigint, parts binary, lengths binary, items binary")
CONTENT_KEYS = arrays.schema_of("key bigint, count bigint")
KEYED = arrays.schema_of("shard bigint, lengths binary, items binary")
LEAF_ROWS = arrays.schema_of("pass int, part int, leaf int, size int, lengths binary, items binary")
RANKS = "<u2"
CORE = 0  # the pass of the core; passes of HORPART start at 1
LEFT_OUT = 2**27  # the part of suppressed records
ONE_TASK = 4_000_000  # records that a task can hold
MOST_TOP = 1_024


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of tasks; releases are the same for any sizes."""

    shard_records: int = ONE_TASK
    shard_items: int = 40_000_000
    block_records: int = 200_000  # records of trees that are cut, built or verified together
    top: int = 128  # terms that describe records
    further: int = 8_192  # further terms with separate bounds on their counts
    driver_items: int = 100_000_000  # terms in all records up to which the driver joins clusters: 2 GB

    def top_in(self, number: int, records: int) -> int:
        """Return the number of terms that describe parts of up to that many records, in round 1, 2, ...

        The number doubles in every round, because later rounds have long chains of splits with few records each. If
        one task could not hold the records, it cannot hold longer descriptions of them either.

        >>> [Sizes(300).top_in(number, 80_000) for number in (1, 2, 9)], Sizes().top_in(9, 10_000_000)
        ([128, 256, 1024], 128)
        """
        return max(self.top, min(self.top << min(number - 1, 10), MOST_TOP)) if records < ONE_TASK else self.top


RULES = {"abandon": ABANDON, "abandon-next": ABANDON_NEXT}


@dataclass(slots=True, eq=False)
class Placed:
    """Stored leaves, and their numbers: rows with the same number are one leaf."""

    # name, keys (rows, 3): pass, part, leaf; numbers, records
    stored: list[tuple[str, Ints64, Ints64, Ints64]] = field(default_factory=list)
    left_out: str | None = None  # the place of records that are in no leaf
    leaves: int = 0
    passes: int = 0
    rounds: int = 0

    def add(self, name: str, keys: Ints64, numbers: Ints64, sizes: Ints64) -> None:
        self.stored.append((name, keys, numbers, sizes))
        self.leaves = max(self.leaves, int(numbers.max(initial=-1)) + 1)

    def numbering(self) -> tuple[Numbering, Ints64]:
        _, *columns = zip(*self.stored, strict=True)
        keys, numbers, sizes = (np.concatenate(column) for column in columns)
        order = np.argsort(packed_keys(keys))
        return Numbering(keys[order], numbers[order]), sizes[order]


class Placing:
    """Places records in leaves, pass by pass."""

    def __init__(self, jobs: Jobs, clustering: ClusteringTask, sizes: Sizes, progress: Progress) -> None:
        self.jobs, self.clustering, self.sizes, self.progress = jobs, clustering, sizes, progress
        self.method = clustering.method
        self.placed = Placed()

    def place(self, records: Frame, n: int) -> Placed:
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
            number = self.placed.passes + 1
            name = f"leaves-{number}"
            if left < self.sizes.shard_records:
                rest = self.jobs.all_in_one(records, LEAF_ROWS, cluster_rest, self.clustering, passes, number)
                self.all_of(rest, name)
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
                raise RuntimeError("records are missing or repeated; nothing is published.")
            records = records_stored(self.jobs, small) if left else records
            passes = None if passes is None else passes - 1
        if left:  # too few for a leaf: add them to the last one
            keys, sizes = self._made(small)
            self.placed.add(small, keys, np.full(sizes.size, self.placed.leaves - 1), sizes)

    def _large_of(self, rows: Frame, name: str) -> tuple[int, str]:
        """Store rows of leaves, and number those that are large enough; nothing of the others reaches the driver.

        Returns the number of records in the former, and the place of the latter.
        """
        large, small = self.jobs.stored_apart(rows, name, f"size >= {self.method.min_cluster_size}")
        keys, sizes = self._made(large)
        if sizes.size:
            self.placed.add(large, keys, self.placed.leaves + np.arange(sizes.size), sizes)
        return int(sizes.sum()), small

    def all_of(self, rows: Frame, name: str, *, leaves_out: bool = False) -> None:
        """Store rows of leaves, and number all of them; one row may have the records that are in none."""
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
        keys = np.column_stack([arrays.numbers_in_column(table[key]) for key in ("pass", "part", "leaf")])
        keys, places = np.unique(keys, axis=0, return_inverse=True)
        sizes = np.bincount(places.reshape(-1), arrays.numbers_in_column(table["size"]), len(keys)).astype(np.int64)
        return keys, sizes

    def _chop(self, records: Frame, n: int, name: str) -> None:
        """Cut records, sorted by content, into blocks: ranges of first terms are sorted separately."""
        counted = self.jobs.summed(records, CONTENT_KEYS, count_keys, self.clustering)
        keys, counts = arrays.numbers_in(self.jobs.collected(counted, "first terms"), *CONTENT_KEYS.names)
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
        self.placed.passes += 1
        method, number = self.method, self.placed.passes
        largest = min(method.size_limit, n + 1)
        limits = TopLimits(largest, method.min_cluster_size, rule, self.sizes.shard_records, self.sizes.shard_items)
        root, before = HorpartPart(n), self.placed.rounds
        while any(part.term == top_tree.OPEN for part in root.ends()):
            self.placed.rounds += 1
            self.progress("splitting", 0, 0, f"round {self.placed.rounds}")
            self._round(records, root, limits, self.placed.rounds - before)
        ends = [part.size for part in root.ends()]
        shards = _packed(np.array(ends), self.sizes.shard_records)
        routes = top_tree.routes_through(root, self.clustering.secret.size)
        sent = self.jobs.mapped(records, ROUTED, route, routes, shards)
        how = (largest, method.min_cluster_size, rule)
        return self.jobs.grouped(sent, "shard", LEAF_ROWS, finish_shard, self.clustering, number, how)

    def _round(self, records: Frame, root: HorpartPart, limits: TopLimits, number: int) -> None:
        """Describe all open parts, and split each as far as the description allows."""
        secret, parts = self.clustering.secret, list(root.ends())
        routes = top_tree.routes_through(root, secret.size)
        described = self._described(records, root, routes, limits, number)
        counted = self.jobs.summed(records, SKETCH, sketch, routes, described, secret.size)
        subtrees = self.jobs.grouped(counted, "part", SUBTREES, expand, described)
        table = self.jobs.collected(subtrees, "subtrees")
        terms, sizes = arrays.ragged_in(table["terms"]), arrays.ragged_in(table["sizes"])
        split = arrays.numbers_in_column(table["part"]).tolist()
        if sorted(split) != sorted(described.sizes):
            raise RuntimeError("a task of a round is missing or repeated; nothing is published.")
        for row, number in enumerate(split):
            parts[number].replace(Subtree(terms[row].tolist(), sizes[row].tolist()))

    def _described(
        self, records: Frame, root: HorpartPart, routes: Routes, limits: TopLimits, number: int
    ) -> OpenParts:
        """Choose the terms that describe open parts; they stay in the staging folder."""
        secret, parts = self.clustering.secret, list(root.ends())
        is_open = np.array([part.term == top_tree.OPEN for part in parts])
        sizes = {part: parts[part].size for part in np.flatnonzero(is_open).tolist()}
        room = self.sizes.top_in(number, max(sizes.values())), self.sizes.further
        described = OpenParts(sizes, limits, room, self.jobs.staging, f"terms-{self.placed.rounds}")
        summed = self.jobs.summed(records, PART_TERMS, count_in_parts, routes, is_open, secret)
        self.jobs.stored(self.jobs.grouped(summed, "part", PART_TERMS, keep_most_frequent, described), described.name)
        return described


def records_stored(jobs: Jobs, name: str) -> Frame:
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


# Code of executors.


@dataclass(frozen=True, slots=True, eq=False)
class ClusteringTask:
    """The facts that executors need to cluster."""

    method: Disassociation
    secret: Flags  # (terms,) never split on

    def data_of(self, rows: Ragged) -> Transactions:
        """Return rows as records; the names of terms are not needed here."""
        names = pa.array([""] * self.secret.size, pa.string())
        return Transactions(rows.offsets, rows.items, names, self.secret)


def count_in_parts(routes: Routes, is_open: Flags, secret: Flags, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of each open part by terms that may be split on."""
    for batch in batches:
        rows = arrays.records_in(batch)
        parts = np.repeat(top_tree.routed(routes, rows.offsets, rows.items), rows.lengths)
        wanted = is_open[parts] & ~secret[rows.items]
        keys, counts = np.unique(parts[wanted] * secret.size + rows.items[wanted], return_counts=True)
        yield arrays.batch_of(PART_TERMS, [keys // secret.size, keys % secret.size, counts])


class OpenParts(NamedTuple):
    """The open parts of a round. Their terms are in the staging folder, because only executors need them."""

    sizes: dict[int, int]  # part -> records
    limits: TopLimits
    room: tuple[int, int]  # numbers of top terms and of further ones
    staging: Staging
    name: str

    def described(self, only: int | None = None) -> dict[int, TopTerms]:
        wanted = None if only is None else ds.field("part") == only
        parts, terms, counts = arrays.numbers_in(self.staging.read(self.name, where=wanted), *PART_TERMS.names)
        found = {}
        for part in self.sizes if only is None else (only,):
            lo, hi = np.searchsorted(parts, [part, part + 1])
            here = terms[lo:hi].astype(np.int32), counts[lo:hi]
            found[part] = top_tree.top_terms(*here, self.sizes[part], self.limits, self.room)
        return found


def keep_most_frequent(parts: OpenParts, table: pa.Table) -> pa.Table:
    """Keep of a part's terms those that it may be split on, and of these the most frequent ones."""
    counts = arrays.numbers_in_column(table["count"])
    if counts.size == 0:
        return table
    size = parts.sizes[table["part"][0].as_py()]
    order = np.lexsort((arrays.numbers_in_column(table["term"]), -counts))
    order = order[top_tree.may_split(counts[order], size, parts.limits)][: sum(parts.room) + 1]
    return table.take(pa.array(order))


def sketch(routes: Routes, parts: OpenParts, n_terms: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Describe records by masks and cells, with counts of equal ones in a batch."""
    described: dict[int, TopTerms] = {}
    for batch in batches:
        described = described or parts.described()
        rows = arrays.records_in(batch)
        found = top_tree.sketched(
            top_tree.routed(routes, rows.offsets, rows.items), rows.offsets, rows.items, described, n_terms
        )
        masks = arrays.bytes_of(found.masks, RANKS)
        table = pa.table({"part": found.mask_parts, "mask": masks})
        counted = table.group_by(["part", "mask"]).aggregate([([], "count_all")]).combine_chunks()
        part, mask, count = (counted[name].combine_chunks() for name in ("part", "mask", "count_all"))
        none = np.full(counted.num_rows, -1)
        yield arrays.batch_of(SKETCH, [part, mask, none, none, count])
        nothing = pa.nulls(found.cell_parts.size, pa.binary())
        yield arrays.batch_of(SKETCH, [found.cell_parts, nothing, *found.cells.T])


def expand(parts: OpenParts, table: pa.Table) -> pa.Table:
    if table.num_rows == 0:
        return SUBTREES.empty_table()
    part = table["part"][0].as_py()
    is_mask = table["mask"].is_valid().to_numpy()
    rows = arrays.rows_in_bytes(table["mask"].filter(pa.array(is_mask)), RANKS)
    weights = arrays.numbers_in_column(table["weight"])
    cells = np.column_stack(
        [arrays.numbers_in_column(table["first"]), arrays.numbers_in_column(table["term"]), weights]
    )[~is_mask]
    found = top_tree.expanded(parts.described(part)[part], rows, weights[is_mask], cells, parts.limits)
    terms, sizes = np.array(found.terms, np.int32), np.array(found.sizes, np.int64)
    whole = np.array([0, terms.size])
    return arrays.table_of(SUBTREES, [[part], arrays.lists_of(whole, terms), arrays.lists_of(whole, sizes)])


def route(routes: Routes, shards: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = arrays.records_in(batch)
        parts = top_tree.routed(routes, rows.offsets, rows.items)
        yield arrays.batch_of(ROUTED, arrays.records_by(shards[parts], rows, parts))


def finish_shard(clustering: ClusteringTask, number: int, limits: tuple[int, int, int], table: pa.Table) -> pa.Table:
    parts = arrays.ragged_in(table["parts"]).items.astype(np.int64)
    order = np.argsort(parts, kind="stable")
    rows, parts = arrays.records_in(table).take(order), parts[order]
    prepare(INTERPRETED * rows.items.size / 2)
    starts = np.concatenate([np.flatnonzero(np.diff(parts, prepend=-1)), [parts.size]])
    places, ends = split_shard(SplitShard(rows.offsets, rows.items, starts, limits, clustering.secret))
    rows, sizes = rows.take(places), np.diff(ends, prepend=0)
    of_leaf = parts[ends - 1]
    fresh = np.flatnonzero(np.diff(of_leaf, prepend=-1))  # the first leaf of each part
    within = np.arange(of_leaf.size) - np.repeat(fresh, np.diff(np.append(fresh, of_leaf.size)))
    return leaf_rows(number, of_leaf, within, sizes, rows)


def leaf_rows(number: int, parts: Ints64, leaves: Ints64, sizes: Ints64, rows: Ragged) -> pa.Table:
    """Return leaves as rows; the records of each are adjacent."""
    cuts = offsets_of(sizes)
    columns = [np.full(sizes.size, number), parts, leaves, sizes]
    return arrays.table_of(LEAF_ROWS, [*columns, *arrays.records_packed(rows, cuts)])


def cluster_all(clustering: ClusteringTask, table: pa.Table) -> pa.Table:
    data = clustering.data_of(arrays.records_in(table))
    prepare(INTERPRETED * data.items.size / 2)
    found: Clustered = clustering.method.clustering_record.load()(Task(clustering.method, data, Local(1), silent))
    return _leaves_of(data, found.partition, 1, core=bool(found.core))


def cluster_rest(clustering: ClusteringTask, passes: int | None, number: int, table: pa.Table) -> pa.Table:
    """Cluster the remaining records in one task, in up to that many passes."""
    data = clustering.data_of(arrays.records_in(table))
    prepare(INTERPRETED * data.items.size / 2)
    task = Task(clustering.method, data, Local(1), silent)
    return _leaves_of(data, in_passes(task, task.everyone(), split_in_parallel, passes), number)


def _leaves_of(data: Transactions, partition: Partition, number: int, *, core: bool = False) -> pa.Table:
    """Return the clusters as rows, and the records that are in none as one more."""
    missing = np.setdiff1d(np.arange(len(data)), partition.records)
    sizes = np.append(partition.sizes, [missing.size][: missing.size])
    parts, leaves = np.zeros(sizes.size, np.int64), np.arange(sizes.size)
    if missing.size:
        parts[-1] = LEFT_OUT
    rows = data.records.take(np.append(partition.records, missing))
    table = leaf_rows(number, parts, leaves, sizes, rows)
    if not core:
        return table
    passes = np.where(leaves == 0, CORE, number).astype(np.int32)
    return table.set_column(0, LEAF_ROWS.field("pass"), pa.array(passes))


def content_keys(rows: Ragged, secret: Flags) -> Ints64:
    """Return the first two terms of each record as one number; in the order of `by_content` these never decrease."""
    n = secret.size + 2  # a separator before sensitive terms, and the end, come before any term
    starts, lengths, content = rows.offsets[:-1].copy(), rows.lengths, rows.items
    if secret.any():
        content = np.empty(rows.items.size + lengths.size, np.int32)
        ordinary_then_sensitive(rows.items, starts, lengths, secret, content)
        starts, lengths = starts + np.arange(lengths.size), lengths + 1
    first = content[starts].astype(np.int64) + 2
    at = np.minimum(starts + 1, content.size - 1)
    second = np.where(lengths > 1, content[at].astype(np.int64) + 2, 0)
    return first * (n + 1) + second


def count_keys(clustering: ClusteringTask, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        keys, counts = np.unique(content_keys(arrays.records_in(batch), clustering.secret), return_counts=True)
        yield arrays.batch_of(CONTENT_KEYS, [keys, counts])


def by_range(clustering: ClusteringTask, ends: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Send each record to its range of keys; `ends` has the first key after each range."""
    for batch in batches:
        rows = arrays.records_in(batch)
        ranges = np.searchsorted(ends, content_keys(rows, clustering.secret), side="right")
        yield arrays.batch_of(KEYED, arrays.records_by(ranges, rows))


def cut_into_blocks(
    clustering: ClusteringTask, number: int, before: Ints64, blocks: Ints64, table: pa.Table
) -> pa.Table:
    """Sort a range by content and cut it into blocks; the first and the last may be incomplete.

    `before` has the records before each range, `blocks` where blocks begin and end.
    """
    data = clustering.data_of(arrays.records_in(table))
    start = int(before[table["shard"][0].as_py()])
    rows = data.records.take(by_content(data, np.arange(len(data), dtype=np.int32)))
    first, last = np.searchsorted(blocks, [start, start + len(data) - 1], side="right") - 1
    cuts: Ints64 = np.clip(blocks[first : last + 2] - start, 0, len(data))
    sizes = cuts[1:] - cuts[:-1]
    leaves = np.arange(first, last + 1)
    return leaf_rows(number, np.zeros(leaves.size, np.int64), leaves, sizes, rows)
