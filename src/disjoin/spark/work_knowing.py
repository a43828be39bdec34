"""Executor code for uniqueness."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from disjoin.model.ragged import Ragged
from disjoin.spark.arrays import batch_of, numbers_in_column, ragged_in, records_in, table_of
from disjoin.spark.work_peeling import sets_of
from disjoin.spark.work_reading import Batches, fingerprints, mixed

LENGTHS = pa.schema([("length", pa.int64()), ("count", pa.int64())])
HELD_SETS = pa.schema([("bucket", pa.int64()), ("set", pa.int64()), ("count", pa.int64()), ("record", pa.int64())])
FOUND = pa.schema([("kind", pa.int32()), ("value", pa.int64()), ("count", pa.int64())])
UNIQUE, LEAST = 0, 1  # kinds of what is found: a record, how many records have the rarest set


def count_lengths(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count records by how many terms they have."""
    for batch in batches:
        yield batch_of(LENGTHS, [*np.unique(ragged_in(batch["lengths"]).items, return_counts=True)])


def list_sets(size: int, base: int, buckets: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """List the sets of up to `size` terms, in buckets, with one of the records that have them.

    A record is known by its content: one that has an equal is not unique anyway.
    """
    for batch in batches:
        rows = records_in(batch)
        names = fingerprints(rows).view(np.int64)
        numbered = Ragged(rows.offsets, rows.items + 1)
        for each in range(1, size + 1):
            for records, found in sets_of(numbered, each, base):
                holders = np.repeat(names[records], found.shape[1])
                sets, first, counts = np.unique(found, return_index=True, return_counts=True)
                places = (mixed(sets) % np.uint64(buckets)).astype(np.int64)
                yield batch_of(HELD_SETS, [places, sets, counts, holders[first]])


def single_out(table: pa.Table) -> pa.Table:
    """Return the records that have a set of the bucket which no other has, and how many have the rarest set."""
    order = np.argsort(numbers_in_column(table["set"]), kind="stable")
    sets, counts, holders = (numbers_in_column(table[name])[order] for name in ("set", "count", "record"))
    starts = np.flatnonzero(np.diff(sets, prepend=-1))
    supports = np.add.reduceat(counts, starts)
    alone = np.unique(holders[starts[supports == 1]])
    kinds = np.append(np.full(alone.size, UNIQUE), LEAST).astype(np.int32)
    return table_of(FOUND, [kinds, np.append(alone, supports.min()), np.ones(alone.size + 1, np.int64)])


def tally_found(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count records, and keep the least of the numbers of the rarest sets."""
    for batch in batches:
        is_record = numbers_in_column(batch.column(0)) == UNIQUE
        values = numbers_in_column(batch.column(1))[~is_record]
        if values.size:
            yield batch_of(FOUND, [[LEAST], [int(values.min())], [1]])
        yield batch_of(FOUND, [[UNIQUE], [0], [int(is_record.sum())]])
