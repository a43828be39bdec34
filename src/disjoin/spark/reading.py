"""Encoding of terms: from a data frame to numbered records in the staging folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, Remedy, UnreadableInput
from disjoin.model.input_checks import lists_in
from disjoin.model.ragged import Ints64, Ragged, offsets_of
from disjoin.model.spelling import are_blank
from disjoin.model.transactions import Intake
from disjoin.spark import arrays
from disjoin.spark.arrays import Batches
from disjoin.spark.jobs import Frame, Jobs

TERM, RECORDS, BLANK, REPEATED, MISSING, UNREADABLE, VERSION = range(7)  # kinds of rows
COUNTED = arrays.schema_of("kind int, term string, count bigint")
ENCODED = arrays.schema_of("lengths binary, items binary")  # several records per row
TOTALS = arrays.schema_of(
    "records bigint, occurrences bigint, pairs bigint, longest bigint, terms bigint, content bigint"
)
ENCODED_WITH_TOTALS = pa.schema([*ENCODED, *TOTALS])


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The driver's facts about the records: their terms with counts, and sums."""

    vocabulary: pa.StringArray  # in code-point order
    counts: Ints64
    records: int
    blank_records: int
    repeated_terms: int
    occurrences: int = 0
    pairs: int = 0  # pairs of terms in a record
    longest: int = 0
    content: int = 0  # see `fingerprint`

    def supports(self) -> Ints64:
        return self.counts

    def sensitive_terms(self) -> tuple[str, ...]:
        return ()

    @property
    def intake(self) -> Intake:
        return Intake("spark", self.blank_records, self.repeated_terms)

    def intake_facts(self) -> dict[str, object]:
        return {
            "format": "spark",
            "records": self.records,
            "terms": len(self.vocabulary),
            "occurrences": self.occurrences,
            "blank_records": self.blank_records,
            "repeated_terms": self.repeated_terms,
        }


def vocabulary_of(jobs: Jobs, frame: Frame, *, lists_are_terms: bool = False) -> Gathered:
    """Count the terms of a frame with one column, lists of strings or lines; refuse unsuitable terms."""
    table = jobs.collected(jobs.summed(frame, COUNTED, count_terms), "vocabulary")
    kinds = arrays.numbers_in_column(table["kind"])
    elsewhere = table.filter(pa.array(kinds == VERSION))["term"].to_pylist()
    if other := [found for found in elsewhere if found != versions()]:
        raise InvalidParameter(
            f"executors need the versions of the driver ({versions()}), but one has {other[0]}. Install the same there."
        )
    counts = arrays.numbers_in_column(table["count"])
    notes = {kind: int(counts[kinds == kind].sum()) for kind in range(VERSION)}
    if lines := notes[UNREADABLE]:
        raise UnreadableInput(f"expected lines of text in UTF-8 without nulls, found {lines:,} others. Correct them.")
    terms = table.filter(pa.array(kinds == TERM))
    order = pc.sort_indices(terms["term"])
    vocabulary = terms["term"].take(order).combine_chunks()
    vocabulary = vocabulary if isinstance(vocabulary, pa.Array) else pa.array([], pa.string())
    found = Gathered(
        vocabulary, arrays.numbers_in_column(terms["count"].take(order)), notes[RECORDS], notes[BLANK], notes[REPEATED]
    )
    if empty := notes[MISSING] + int(np.sum(found.counts[np.asarray(are_blank(vocabulary, ()), np.bool_)])):
        raise UnreadableInput(f"expected terms, found {empty:,} blank ones. Remove them, or give them a name.")
    if not lists_are_terms and len(vocabulary) and (listed := lists_in(vocabulary, found.counts)) is not None:
        raise UnreadableInput(
            f"{listed.share:.0%} of the terms look like lists. Split and explode them first.",
            remedies=[Remedy("split", "none", "treat each as one term")],
        )
    return found


def encoded(jobs: Jobs, frame: Frame, found: Gathered) -> tuple[Frame, Gathered]:
    """Write the records as numbers, and return them with their sums.

    This reads the frame a second time. Raises unless the result is the same.
    """
    records = jobs.stored(jobs.mapped(frame, ENCODED_WITH_TOTALS, encode, found.vocabulary), "encoded")
    table = jobs.fetched("encoded", "sums", TOTALS.names)
    sums = {name: arrays.numbers_in_column(table[name]) for name in TOTALS.names}
    n, occurrences = int(sums["records"].sum()), int(sums["occurrences"].sum())
    expected = (mixed(np.arange(found.counts.size)) * found.counts.astype(np.uint64)).sum(dtype=np.uint64)
    of_terms = sums["terms"].view(np.uint64).sum(dtype=np.uint64)
    if n != found.records or occurrences != int(found.counts.sum()) or of_terms != expected:
        raise UnreadableInput(
            "the frame was read twice with different results. Store it first, or remove random parts of the query "
            "(sample, limit, rand, current_timestamp)."
        )
    content = int(sums["content"].view(np.uint64).sum(dtype=np.uint64))
    pairs, longest = int(sums["pairs"].sum()), int(sums["longest"].max(initial=0))
    return records.select(*ENCODED.names), replace(
        found, occurrences=occurrences, pairs=pairs, longest=longest, content=content
    )


# Code of executors.


def versions() -> str:
    from importlib.metadata import version  # not from numba itself, which takes a second to load

    from disjoin._version import __version__

    return f"disjoin {__version__}, pyarrow {pa.__version__}, numpy {np.__version__}, numba {version('numba')}"


def count_terms(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of each term, and other facts about the records."""
    notes = np.zeros(VERSION, np.int64)
    is_anything = False
    for batch in batches:
        is_anything = True
        if unreadable := _not_text(batch.column(0)):
            notes[UNREADABLE] += unreadable
            continue
        rows, terms = _cells(batch.column(0))
        notes[MISSING] += terms.null_count
        coded = terms.dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        here = codes >= 0
        keys = arrays.distinct(rows[here] * max(1, len(coded.dictionary)) + codes[here])
        filled = arrays.distinct(rows[here]).size
        notes[[RECORDS, BLANK, REPEATED]] += filled, batch.num_rows - filled, here.sum() - keys.size
        counts = np.bincount(keys % max(1, len(coded.dictionary)), minlength=len(coded.dictionary))
        yield arrays.batch_of(COUNTED, [np.full(counts.size, TERM, np.int32), coded.dictionary, counts])
    if is_anything:
        kinds = [*range(RECORDS, VERSION), VERSION]
        yield arrays.batch_of(COUNTED, [kinds, [""] * (VERSION - 1) + [versions()], [*notes[RECORDS:].tolist(), 1]])


def _not_text(column: pa.Array) -> int:
    """Count the lines that the reader of files would refuse: those that are not UTF-8, or have a null."""
    if not _is_lines(column):
        return 0
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return sum(_is_refused(line) for line in column.cast(pa.binary()).to_pylist())
    return int(np.sum(pc.match_substring(column, "\0").to_numpy(zero_copy_only=False))) if _has(column, 0) else 0


def _is_refused(line: bytes | None) -> bool:
    try:
        return "\0" in (line or b"").decode()
    except UnicodeDecodeError:
        return True


def _is_lines(column: pa.Array) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _has(column: pa.Array, *signs: int) -> bool:
    """Return whether a byte is in the text of a column, or near it."""
    text = column.buffers()[2]
    return text is not None and any((np.frombuffer(text, np.uint8) == sign).any() for sign in signs)


def _cells(column: pa.Array) -> tuple[Ints64, pa.StringArray]:
    """Return for every cell its row, and its term; a row is a list of terms, or a line."""
    if _is_lines(column):
        column = terms_in_lines(column)
    lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(lengths.size), lengths), column.flatten().cast(pa.string())


def terms_in_lines(lines: pa.StringArray) -> pa.ListArray:
    """Split lines at blanks, like the reader of files.

    >>> terms_in_lines(pa.array(["1 22\\t3", "", "  7 \\r"])).to_pylist()
    [['1', '22', '3'], [], ['7']]
    """
    if _has(lines, *b"\n\v\f"):  # these are parts of terms
        lines = pc.utf8_trim(lines, " \t\r")
        words = pc.split_pattern_regex(lines, "[ \t\r]+")
    else:
        lines = pc.ascii_trim_whitespace(lines)
        words = pc.ascii_split_whitespace(lines)
    return pc.if_else(pc.equal(lines, ""), pa.scalar([], pa.list_(pa.string())), words).cast(pa.list_(pa.string()))


def encode(vocabulary: pa.StringArray, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Write each record as the numbers of its terms, ascending; records without terms are left out."""
    for batch in batches:
        rows, terms = _cells(batch.column(0))
        codes = pc.index_in(terms, value_set=vocabulary).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        keys = arrays.distinct(rows[codes >= 0] * max(1, len(vocabulary)) + codes[codes >= 0])
        lengths = np.bincount(keys // max(1, len(vocabulary)), minlength=batch.num_rows)
        items = (keys % max(1, len(vocabulary))).astype(np.int32)
        records = Ragged(offsets_of(lengths[lengths > 0]), items)
        cuts = arrays.cuts_of(records)
        yield arrays.batch_of(ENCODED_WITH_TOTALS, [*arrays.records_packed(records, cuts), *_totals(records, cuts)])


def _totals(records: Ragged, cuts: Ints64) -> list[Ints64]:
    """Return the columns of TOTALS: the sums of records between cuts."""
    if len(records) == 0:
        return [np.empty(0, np.int64)] * len(TOTALS)
    lengths, starts = records.lengths, cuts[:-1]
    pairs, longest = np.add.reduceat(lengths * (lengths - 1) // 2, starts), np.maximum.reduceat(lengths, starts)
    of_terms = np.add.reduceat(mixed(records.items), records.offsets[starts])
    content = np.add.reduceat(fingerprints(records), starts)
    sums = (np.diff(cuts), np.diff(records.offsets[cuts]), pairs, longest, of_terms, content)
    return [each.view(np.int64) for each in sums]


def add_up(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        records = arrays.records_in(batch)
        yield arrays.batch_of(TOTALS, _totals(records, np.array([0, len(records)])))


def mixed(numbers: np.typing.NDArray[Any]) -> np.typing.NDArray[np.uint64]:
    """Return for each number a 64-bit hash."""
    value = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return value ^ (value >> np.uint64(32))


def fingerprint(rows: Ragged) -> np.uint64:
    """Return a fingerprint of a bag of records, independent of order; those of parts add up, modulo 2^64."""
    return np.uint64(fingerprints(rows).sum(dtype=np.uint64))


def fingerprints(rows: Ragged) -> np.typing.NDArray[np.uint64]:
    running = np.zeros(rows.items.size + 1, np.uint64)
    np.cumsum(mixed(rows.items), out=running[1:])
    return mixed(running[rows.offsets[1:]] - running[rows.offsets[:-1]])
