"""Executor code for HORPART."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from disjoin.arrays.ordering import by_content, ordinary_then_sensitive
from disjoin.engine import Local
from disjoin.jit.decision import prepare
from disjoin.methods.disassociation.clustering import Clustered, Task, in_passes, split_in_parallel
from disjoin.methods.disassociation.horpart import Partition, SplitShard, split_shard
from disjoin.methods.disassociation.run import INTERPRETED
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints64, Ragged, offsets_of
from disjoin.progress import silent
from disjoin.spark.arrays import (
    INTS,
    LONGS,
    PACKED,
    batch_of,
    bytes_of,
    lists_of,
    numbers_in_column,
    ragged_in,
    records_by,
    records_in,
    records_packed,
    rows_in_bytes,
    table_of,
)
from disjoin.spark.staging import Staging
from disjoin.spark.top_tree import Routes, TopLimits, TopTerms, expanded, may_split, routed, sketched, top_terms
from disjoin.spark.work_reading import Batches

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

PART_TERMS = pa.schema([("part", pa.int64()), ("term", pa.int32()), ("count", pa.int64())])
SKETCH = pa.schema(
    [
        ("part", pa.int64()),
        ("mask", pa.binary()),
        ("first", pa.int32()),
        ("term", pa.int32()),
        ("weight", pa.int64()),
    ]
)
SUBTREES = pa.schema([("part", pa.int64()), ("terms", INTS), ("sizes", LONGS)])
ROUTED = pa.schema([("shard", pa.int64()), ("parts", PACKED), ("lengths", PACKED), ("items", PACKED)])
LEAF_ROWS = pa.schema(
    [
        ("pass", pa.int32()),
        ("part", pa.int32()),
        ("leaf", pa.int32()),
        ("size", pa.int32()),
        ("lengths", PACKED),
        ("items", PACKED),
    ]
)
RANKS = "<u2"
CORE = 0  # the pass of the core; passes of HORPART are counted from 1
LEFT_OUT = 2**27  # the part of records that are in no leaf


@dataclass(frozen=True, slots=True, eq=False)
class ClusteringTask:
    """What executors must know to cluster."""

    method: Disassociation
    secret: Flags  # (terms,) never split on

    def data_of(self, rows: Ragged) -> Transactions:
        """Return rows as records; the names of terms are of no use here."""
        names = pa.array([""] * self.secret.size, pa.string())
        return Transactions(rows.offsets, rows.items, names, self.secret)


def count_in_parts(routes: Routes, is_open: Flags, secret: Flags, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of each open part by terms that may be split on."""
    for batch in batches:
        rows = records_in(batch)
        parts = np.repeat(routed(routes, rows.offsets, rows.items), rows.lengths)
        wanted = is_open[parts] & ~secret[rows.items]
        keys, counts = np.unique(parts[wanted] * secret.size + rows.items[wanted], return_counts=True)
        yield batch_of(PART_TERMS, [keys // secret.size, keys % secret.size, counts])


class OpenParts(NamedTuple):
    """The open parts of a round. Their terms lie in the staging folder: nobody but executors must know them."""

    sizes: dict[int, int]  # part -> records
    limits: TopLimits
    room: tuple[int, int]  # how many top terms, and how many further ones
    staging: Staging
    name: str

    def described(self, only: int | None = None) -> dict[int, TopTerms]:
        """Return the terms that open parts are described by, or those of one part."""
        wanted = None if only is None else ds.field("part") == only
        table = self.staging.read(self.name, where=wanted)
        order = np.argsort(numbers_in_column(table["part"]), kind="stable")
        parts = numbers_in_column(table["part"])[order]
        terms, counts = (numbers_in_column(table[name])[order] for name in ("term", "count"))
        found = {}
        for part in self.sizes if only is None else (only,):
            lo, hi = np.searchsorted(parts, [part, part + 1])
            here = terms[lo:hi].astype(np.int32), counts[lo:hi]
            found[part] = top_terms(*here, self.sizes[part], self.limits, self.room)
        return found


def keep_most_frequent(parts: OpenParts, table: pa.Table) -> pa.Table:
    """Keep of a part's terms those that it may be split on, and of these the most frequent ones."""
    counts = numbers_in_column(table["count"])
    if counts.size == 0:
        return table
    size = parts.sizes[table["part"][0].as_py()]
    order = np.lexsort((numbers_in_column(table["term"]), -counts))
    order = order[may_split(counts[order], size, parts.limits)][: sum(parts.room) + 1]
    return table.take(pa.array(order))


def sketch(routes: Routes, parts: OpenParts, n_terms: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Describe records by masks and cells, equal ones of a batch counted."""
    described: dict[int, TopTerms] = {}
    for batch in batches:
        described = described or parts.described()
        rows = records_in(batch)
        found = sketched(routed(routes, rows.offsets, rows.items), rows.offsets, rows.items, described, n_terms)
        masks = bytes_of(found.masks, RANKS)
        counted = (
            pa.table({"part": found.mask_parts, "mask": masks})
            .group_by(["part", "mask"])
            .aggregate([([], "count_all")])
        )
        none = np.full(counted.num_rows, -1)
        columns = [counted["part"].combine_chunks(), counted["mask"].combine_chunks(), none, none]
        yield batch_of(SKETCH, [*columns, counted["count_all"].combine_chunks()])
        nothing = pa.nulls(found.cell_parts.size, pa.binary())
        yield batch_of(SKETCH, [found.cell_parts, nothing, *found.cells.T])


def expand(parts: OpenParts, table: pa.Table) -> pa.Table:
    """Split one open part as far as its description proves it."""
    if table.num_rows == 0:
        return SUBTREES.empty_table()
    part = table["part"][0].as_py()
    is_mask = table["mask"].is_valid().to_numpy()
    rows = rows_in_bytes(table["mask"].filter(pa.array(is_mask)), RANKS)
    weights = numbers_in_column(table["weight"])
    cells = np.column_stack([numbers_in_column(table["first"]), numbers_in_column(table["term"]), weights])[~is_mask]
    found = expanded(parts.described(part)[part], rows, weights[is_mask], cells, parts.limits)
    terms, sizes = np.array(found.terms, np.int32), np.array(found.sizes, np.int64)
    whole = np.array([0, terms.size])
    return table_of(SUBTREES, [[part], lists_of(whole, terms), lists_of(whole, sizes)])


def route(routes: Routes, shards: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Send each record to the shard of its part."""
    for batch in batches:
        rows = records_in(batch)
        parts = routed(routes, rows.offsets, rows.items)
        yield batch_of(ROUTED, records_by(shards[parts], rows, parts))


def finish_shard(clustering: ClusteringTask, number: int, limits: tuple[int, int, int], table: pa.Table) -> pa.Table:
    """Split the parts of a shard into leaves, by the kernel of HORPART."""
    parts = ragged_in(table["parts"]).items.astype(np.int64)
    order = np.argsort(parts, kind="stable")
    rows, parts = records_in(table).take(order), parts[order]
    prepare(INTERPRETED * rows.items.size / 2)
    starts = np.concatenate([np.flatnonzero(np.diff(parts, prepend=-1)), [parts.size]])
    places, ends = split_shard(SplitShard(rows.offsets, rows.items, starts, limits, clustering.secret))
    rows, sizes = rows.take(places), np.diff(ends, prepend=0)
    of_leaf = parts[ends - 1]
    fresh = np.flatnonzero(np.diff(of_leaf, prepend=-1))  # the first leaf of each part
    within = np.arange(of_leaf.size) - np.repeat(fresh, np.diff(np.append(fresh, of_leaf.size)))
    return leaf_rows(number, of_leaf, within, sizes, rows)


def leaf_rows(number: int, parts: Ints64, leaves: Ints64, sizes: Ints64, rows: Ragged) -> pa.Table:
    """Return leaves as rows; the records of each follow one another."""
    cuts = offsets_of(sizes)
    columns = [np.full(sizes.size, number), parts, leaves, sizes]
    return table_of(LEAF_ROWS, [*columns, *records_packed(rows, cuts)])


def cluster_all(clustering: ClusteringTask, table: pa.Table) -> pa.Table:
    """Cluster all records in one task, as one machine would do."""
    data = clustering.data_of(records_in(table))
    prepare(INTERPRETED * data.items.size / 2)
    found: Clustered = clustering.method.clustering_record.load()(Task(clustering.method, data, Local(1), silent))
    return _leaves_of(data, found.partition, 1, core=bool(found.core))


def cluster_rest(clustering: ClusteringTask, passes: int | None, number: int, table: pa.Table) -> pa.Table:
    """Cluster the records that are left in one task, in up to that many passes."""
    data = clustering.data_of(records_in(table))
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


CONTENT_KEYS = pa.schema([("key", pa.int64()), ("count", pa.int64())])
KEYED = pa.schema([("shard", pa.int64()), ("lengths", PACKED), ("items", PACKED)])


def content_keys(rows: Ragged, secret: Flags) -> Ints64:
    """Return the first two terms of each record as one number; in the order of `by_content` these never fall."""
    n = secret.size + 2  # a separator before sensitive terms, and nothing at all, come before any term
    starts, lengths = rows.offsets[:-1].copy(), rows.lengths
    content, shift = rows.items, 2
    if secret.any():
        content = np.empty(rows.items.size + lengths.size, np.int32)
        ordinary_then_sensitive(rows.items, starts, lengths, secret, content)
        starts, lengths = starts + np.arange(lengths.size), lengths + 1
        shift = 2
    first = content[starts].astype(np.int64) + shift
    at = np.minimum(starts + 1, content.size - 1)
    second = np.where(lengths > 1, content[at].astype(np.int64) + shift, 0)
    return first * (n + 1) + second


def count_keys(clustering: ClusteringTask, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count records by their key."""
    for batch in batches:
        keys, counts = np.unique(content_keys(records_in(batch), clustering.secret), return_counts=True)
        yield batch_of(CONTENT_KEYS, [keys, counts])


def by_range(clustering: ClusteringTask, ends: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Send each record to the range of keys that it belongs to; `ends` has the first key behind each range."""
    for batch in batches:
        rows = records_in(batch)
        ranges = np.searchsorted(ends, content_keys(rows, clustering.secret), side="right")
        yield batch_of(KEYED, records_by(ranges, rows))


def cut_into_blocks(
    clustering: ClusteringTask, number: int, before: Ints64, blocks: Ints64, table: pa.Table
) -> pa.Table:
    """Sort a range by content and cut it into blocks, of which the first and the last may be pieces.

    `before` has the records before each range, `blocks` where blocks begin and end.
    """
    data = clustering.data_of(records_in(table))
    start = int(before[table["shard"][0].as_py()])
    rows = data.records.take(by_content(data, np.arange(len(data), dtype=np.int32)))
    first, last = np.searchsorted(blocks, [start, start + len(data) - 1], side="right") - 1
    cuts: Ints64 = np.clip(blocks[first : last + 2] - start, 0, len(data))
    sizes = cuts[1:] - cuts[:-1]
    leaves = np.arange(first, last + 1)
    return leaf_rows(number, np.zeros(leaves.size, np.int64), leaves, sizes, rows)
