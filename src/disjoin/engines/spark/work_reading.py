"""What executors do to read: count terms, write records as numbers, and add up what both must agree on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.engines.spark.arrays import PACKED, batch_of, packed, ragged_in
from disjoin.model.ragged import Ints64, Ragged, offsets_of

TERM, RECORDS, BLANK, REPEATED, MISSING, VERSION = range(6)  # kinds of rows
COUNTED = pa.schema([("kind", pa.int32()), ("term", pa.string()), ("count", pa.int64())])
ENCODED = pa.schema([("items", PACKED)])
TOTALS = pa.schema([(name, pa.int64()) for name in ("records", "occurrences", "pairs", "longest", "terms", "content")])

Batches = Iterable[pa.RecordBatch]


def versions() -> str:
    """Return what must be the same wherever it runs."""
    from importlib.metadata import version  # not from numba itself, which takes a second to load

    from disjoin._version import __version__

    return f"disjoin {__version__}, pyarrow {pa.__version__}, numpy {np.__version__}, numba {version('numba')}"


def count_terms(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of each term, and what else is worth knowing of the records."""
    notes = np.zeros(VERSION, np.int64)
    is_anything = False
    for batch in batches:
        is_anything = True
        rows, terms = _cells(batch.column(0))
        notes[MISSING] += terms.null_count
        coded = terms.dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        here = codes >= 0
        keys = np.unique(rows[here] * max(1, len(coded.dictionary)) + codes[here])
        filled = np.unique(rows[here]).size
        notes[[RECORDS, BLANK, REPEATED]] += filled, batch.num_rows - filled, here.sum() - keys.size
        counts = np.bincount(keys % max(1, len(coded.dictionary)), minlength=len(coded.dictionary))
        yield batch_of(COUNTED, [np.full(counts.size, TERM, np.int32), coded.dictionary, counts])
    if is_anything:
        kinds = [*range(RECORDS, VERSION), VERSION]
        yield batch_of(COUNTED, [kinds, [""] * (VERSION - 1) + [versions()], [*notes[RECORDS:].tolist(), 1]])


def _cells(column: pa.Array) -> tuple[Ints64, pa.StringArray]:
    """Return for every cell its row, and its term; a row is a list of terms, or a line."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = terms_in_lines(column)
    lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(lengths.size), lengths), column.flatten().cast(pa.string())


def terms_in_lines(lines: pa.StringArray) -> pa.ListArray:
    """Split lines at blanks, as the reader of files does.

    >>> terms_in_lines(pa.array(["1 22\\t3", "", "  7 \\r"])).to_pylist()
    [['1', '22', '3'], [], ['7']]
    """
    lines = pc.utf8_trim(lines, " \t\r")
    words = pc.split_pattern_regex(lines, "[ \t\r]+")
    return pc.if_else(pc.equal(lines, ""), pa.scalar([], pa.list_(pa.string())), words).cast(pa.list_(pa.string()))


def encode(vocabulary: pa.StringArray, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Write each record as the numbers of its terms, ascending; records without any are left out."""
    for batch in batches:
        rows, terms = _cells(batch.column(0))
        codes = pc.index_in(terms, value_set=vocabulary).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        keys = np.unique(rows[codes >= 0] * max(1, len(vocabulary)) + codes[codes >= 0])
        lengths = np.bincount(keys // max(1, len(vocabulary)), minlength=batch.num_rows)
        items = (keys % max(1, len(vocabulary))).astype(np.int32)
        yield batch_of(ENCODED, [packed(offsets_of(lengths[lengths > 0]), items)])


def add_up(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Add up encoded records."""
    sums = np.zeros(len(TOTALS), np.uint64)
    for batch in batches:
        rows = ragged_in(batch.column(0))
        lengths = rows.lengths
        longest = max(int(sums[3]), rows.longest)
        of_terms = mixed(rows.items).sum(dtype=np.uint64)
        pairs = int((lengths * (lengths - 1) // 2).sum())
        sums += np.array([lengths.size, rows.items.size, pairs, 0, of_terms, fingerprint(rows)], np.uint64)
        sums[3] = longest
    yield batch_of(TOTALS, [np.array([value]).view(np.int64) for value in sums])


def mixed(numbers: np.typing.NDArray[Any]) -> np.typing.NDArray[np.uint64]:
    """Return for each number one of 64 bits that looks random."""
    value = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return value ^ (value >> np.uint64(32))


def fingerprint(rows: Ragged) -> np.uint64:
    """Return a number that tells bags of records apart, whatever their order; those of parts add up, modulo 2^64."""
    return np.uint64(fingerprints(rows).sum(dtype=np.uint64))


def fingerprints(rows: Ragged) -> np.typing.NDArray[np.uint64]:
    """Return the fingerprint of every record."""
    running = np.zeros(rows.items.size + 1, np.uint64)
    np.cumsum(mixed(rows.items), out=running[1:])
    return mixed(running[rows.offsets[1:]] - running[rows.offsets[:-1]])
