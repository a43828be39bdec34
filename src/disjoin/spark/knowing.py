"""Uniqueness on Spark: only counts reach the driver."""

from __future__ import annotations

from math import comb

import numpy as np

from disjoin.attack.uniqueness import Uniqueness
from disjoin.errors import InvalidParameter
from disjoin.model.ragged import Ints64
from disjoin.progress import Progress
from disjoin.spark.arrays import numbers_in_column
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.reading import Gathered
from disjoin.spark.work_knowing import (
    FOUND,
    HELD_SETS,
    LEAST,
    LENGTHS,
    UNIQUE,
    count_lengths,
    list_sets,
    single_out,
    tally_found,
)

MOST_KNOWN = 2
BUCKET = 4_000_000  # sets that a task looks at together


def lengths_of(jobs: Jobs, records: Frame) -> tuple[Ints64, Ints64]:
    """Return the lengths of records, ascending, and how many records have each."""
    counted = jobs.mapped(records, LENGTHS, count_lengths).groupBy("length").sum("count").toDF(*LENGTHS.names)
    table = jobs.collected(counted, "lengths")
    order = np.argsort(numbers_in_column(table["length"]))
    return numbers_in_column(table["length"])[order], numbers_in_column(table["count"])[order]


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
    jobs: Jobs, records: Frame, found: Gathered, lengths: tuple[Ints64, Ints64], known: int, progress: Progress
) -> tuple[Uniqueness, ...]:
    """Return, for every number of terms up to `known`, how many records somebody who knows that many singles out."""
    base = len(found.vocabulary) + 1
    if base**known >= 2**63:
        raise InvalidParameter(f"{base - 1:,} terms have more sets of {known} than Spark can number: know fewer terms.")
    rows = []
    for size in range(1, known + 1):
        progress("examining", size - 1, known)
        sets = sum(
            comb(length, each) * count
            for length, count in zip(lengths[0].tolist(), lengths[1].tolist(), strict=True)
            for each in range(1, size + 1)
        )
        listed = jobs.mapped(records, HELD_SETS, list_sets, size, base, 1 + sets // BUCKET)
        alone = jobs.grouped(listed, "bucket", FOUND, single_out)
        once = alone.groupBy("kind", "value").sum("count").toDF(*FOUND.names)
        table = jobs.collected(jobs.mapped(once, FOUND, tally_found), "records singled out")
        kinds, values, counts = (numbers_in_column(table[name]) for name in FOUND.names)
        unique, least = int(counts[kinds == UNIQUE].sum()), int(values[kinds == LEAST].min())
        rows.append(Uniqueness(size, unique, found.records, False, least))
    progress("examining", known, known)
    return tuple(rows)
