"""Uniqueness on Spark: how many records are unique for known terms; only counts reach the driver."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from disjoin.attack.uniqueness import Uniqueness
from disjoin.errors import InvalidParameter
from disjoin.model.ragged import Ints64, Ragged
from disjoin.progress import Progress
from disjoin.spark.arrays import Batches, batch_of, numbers_in, numbers_in_column, records_in, schema_of, table_of
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.km_core import sets_in, sets_of
from disjoin.spark.reading import Gathered, fingerprints, mixed

HELD_SETS = schema_of("bucket bigint, set bigint, count bigint, record bigint")
FOUND = schema_of("kind int, value bigint, count bigint")
UNIQUE, LEAST = 0, 1  # kinds of results: a unique record, the support of the rarest set
MOST_KNOWN = 2
BUCKET = 4_000_000  # sets that a task reads together


def sizes_in_words(lengths: Ints64, counts: Ints64) -> dict[str, float]:
    """Return the least, the median, the mean and the greatest length.

    >>> sizes_in_words(np.array([1, 4]), np.array([2, 2]))
    {'least': 1, 'median': 2.5, 'mean': 2.5, 'most': 4}
    """
    n, upto = int(counts.sum()), np.cumsum(counts)
    middle = [int(lengths[np.searchsorted(upto, place, side="right")]) for place in ((n - 1) // 2, n // 2)]
    mean = float((lengths * counts).sum() / n)
    return {"least": int(lengths[0]), "median": sum(middle) / 2, "mean": mean, "most": int(lengths[-1])}


def uniqueness_on_spark(
    jobs: Jobs, records: Frame, found: Gathered, lengths: list[Ints64], known: int, progress: Progress
) -> tuple[Uniqueness, ...]:
    """Return, for every number of terms up to `known`, how many records an attacker who knows that many singles out."""
    base = len(found.vocabulary) + 1
    if base**known >= 2**63:
        raise InvalidParameter(f"{base - 1:,} terms have more sets of {known} than Spark can number. Lower known.")
    rows = []
    for size in range(1, known + 1):
        progress("examining", size - 1, known)
        sets = sum(sets_in(lengths, each) for each in range(1, size + 1))
        listed = jobs.mapped(records, HELD_SETS, list_sets, size, base, 1 + sets // BUCKET)
        alone = jobs.grouped(listed, "bucket", FOUND, single_out)
        once = alone.groupBy("kind", "value").sum("count").toDF(*FOUND.names)
        table = jobs.collected(jobs.mapped(once, FOUND, tally_found), "records singled out")
        kinds, values, counts = (numbers_in_column(table[name]) for name in FOUND.names)
        unique, least = int(counts[kinds == UNIQUE].sum()), int(values[kinds == LEAST].min())
        rows.append(Uniqueness(size, unique, found.records, False, least))
    progress("examining", known, known)
    return tuple(rows)


# Code of executors.


def list_sets(size: int, base: int, buckets: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """List the sets of up to `size` terms, in buckets, with one of the records that have them.

    A record is identified by its content, because one that has an equal is not unique anyway.
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
    """Return the records with a set of the bucket that no other record has, and the support of the rarest set."""
    sets, counts, holders = numbers_in(table, "set", "count", "record")
    starts = np.flatnonzero(np.diff(sets, prepend=-1))
    supports = np.add.reduceat(counts, starts)
    alone = np.unique(holders[starts[supports == 1]])
    kinds = np.append(np.full(alone.size, UNIQUE), LEAST).astype(np.int32)
    return table_of(FOUND, [kinds, np.append(alone, supports.min()), np.ones(alone.size + 1, np.int64)])


def tally_found(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        is_record = numbers_in_column(batch.column(0)) == UNIQUE
        values = numbers_in_column(batch.column(1))[~is_record]
        if values.size:
            yield batch_of(FOUND, [[LEAST], [int(values.min())], [1]])
        yield batch_of(FOUND, [[UNIQUE], [0], [int(is_record.sum())]])
