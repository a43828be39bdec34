"""What executors count in leaves: their records, and those with sensitive terms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from disjoin.engines.spark.arrays import INTS, LONGS, batch_of, lists_of, ragged_in
from disjoin.engines.spark.work_reading import Batches, fingerprints
from disjoin.model.ragged import Flags, Ints64, Ragged, offsets_of

HELD = pa.schema(
    [
        ("pass", pa.int32()),
        ("part", pa.int32()),
        ("leaf", pa.int32()),
        ("size", pa.int32()),
        ("content", pa.int64()),
        ("terms", INTS),
        ("counts", LONGS),
    ]
)


def count_sensitive(secret: Flags, alike: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of leaves by sensitive term; other spellings of a term count as the first (`alike`)."""
    for batch in batches:
        lengths, items = ragged_in(batch.column(4)), ragged_in(batch.column(5))
        record = np.repeat(np.arange(lengths.items.size), lengths.items)
        running = np.zeros(lengths.items.size + 1, np.uint64)
        np.cumsum(fingerprints(Ragged(offsets_of(lengths.items), items.items)), out=running[1:])
        content = (running[lengths.offsets[1:]] - running[lengths.offsets[:-1]]).view(np.int64)
        hidden = secret[items.items]
        once = np.unique(record[hidden] * np.int64(secret.size) + alike[items.items[hidden]])
        rows = np.repeat(np.arange(batch.num_rows), lengths.lengths)[once // max(1, secret.size)]
        keys, counts = np.unique(rows * np.int64(secret.size) + once % max(1, secret.size), return_counts=True)
        found = np.bincount(keys // max(1, secret.size), minlength=batch.num_rows)
        cuts = offsets_of(found)
        terms = (keys % max(1, secret.size)).astype(np.int32)
        yield batch_of(
            HELD, [*batch.columns[:4], content, lists_of(cuts, terms), lists_of(cuts, counts.astype(np.int64))]
        )
