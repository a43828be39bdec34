"""Executor code for sensitive terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.model.ragged import Flags, Ints64
from disjoin.spark.arrays import batch_of, numbers_in_column, ragged_in
from disjoin.spark.work_reading import Batches

HELD = pa.schema([("leaf", pa.int32()), ("term", pa.int32()), ("count", pa.int32())])


class Numbering(NamedTuple):
    """The number of each leaf, by where it was made."""

    keys: Ints64  # (rows, 3) pass, part, leaf; in their order
    numbers: Ints64

    def of_rows(self, batch: pa.RecordBatch) -> Ints64:
        """Return the numbers of the leaves of stored rows."""
        made = np.column_stack([numbers_in_column(batch.column(place)) for place in range(3)])
        return self.numbers[np.searchsorted(packed_keys(self.keys), packed_keys(made))]


def packed_keys(keys: Ints64) -> Ints64:
    """Return (pass, part, leaf) as one number each, in the same order."""
    return (keys[:, 0] << 56) + (keys[:, 1] << 28) + keys[:, 2]


def count_sensitive(numbering: Numbering, secret: Flags, alike: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of leaves by sensitive term; other spellings of a term count as the first (`alike`).

    Leaves without any are not mentioned.
    """
    n_terms = np.int64(secret.size)
    for batch in batches:
        lengths, items = ragged_in(batch["lengths"]), ragged_in(batch["items"])
        record = np.repeat(np.arange(lengths.items.size), lengths.items)
        hidden = secret[items.items]
        once = np.unique(record[hidden] * n_terms + alike[items.items[hidden]])
        leaves = np.repeat(numbering.of_rows(batch), lengths.lengths)[once // n_terms]
        keys, counts = np.unique(leaves * n_terms + once % n_terms, return_counts=True)
        yield batch_of(HELD, [keys // n_terms, keys % n_terms, counts])
