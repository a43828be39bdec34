"""Encoding of terms: from a data frame to numbered records in the staging folder."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, Remedy, UnreadableInput
from disjoin.model.input_checks import lists_in
from disjoin.model.ragged import Ints64
from disjoin.model.spelling import are_blank
from disjoin.model.transactions import Intake
from disjoin.spark.arrays import numbers_in_column
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.work_reading import (
    BLANK,
    COUNTED,
    ENCODED,
    ENCODED_WITH_TOTALS,
    MISSING,
    RECORDS,
    REPEATED,
    TERM,
    TOTALS,
    UNREADABLE,
    VERSION,
    count_terms,
    encode,
    mixed,
    versions,
)


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What the driver knows of the records: their terms with counts, and sums."""

    vocabulary: pa.StringArray  # in code-point order
    counts: Ints64
    records: int
    blank_records: int
    repeated_terms: int
    occurrences: int = 0
    pairs: int = 0  # of terms in a record
    longest: int = 0
    content: int = 0  # see `fingerprint`

    def supports(self) -> Ints64:
        """Count the records of every term."""
        return self.counts

    def sensitive_terms(self) -> tuple[str, ...]:
        """Return the terms that are marked: none, as a frame has no marks."""
        return ()

    @property
    def intake(self) -> Intake:
        """What was noticed on the way in."""
        return Intake("spark", self.blank_records, self.repeated_terms)

    def intake_facts(self) -> dict[str, object]:
        """Return what was read, for the steward."""
        return {
            "format": "spark",
            "records": self.records,
            "terms": len(self.vocabulary),
            "occurrences": self.occurrences,
            "blank_records": self.blank_records,
            "repeated_terms": self.repeated_terms,
        }


def vocabulary_of(jobs: Jobs, frame: Frame, *, lists_are_terms: bool = False) -> Gathered:
    """Count the terms of a frame with one column, lists of strings or lines; refuse what cannot be published."""
    counted = jobs.mapped(frame, COUNTED, count_terms)
    table = jobs.collected(counted.groupBy("kind", "term").sum("count").toDF(*COUNTED.names), "vocabulary")
    kinds = numbers_in_column(table["kind"])
    elsewhere = table.filter(pa.array(kinds == VERSION))["term"].to_pylist()
    if other := [found for found in elsewhere if found != versions()]:
        raise InvalidParameter(
            f"executors must have what the driver has ({versions()}), and one has {other[0]}: install the same there."
        )
    counts = numbers_in_column(table["count"])
    notes = {kind: int(counts[kinds == kind].sum()) for kind in range(VERSION)}
    if lines := notes[UNREADABLE]:
        raise UnreadableInput(f"expected lines of text in UTF-8 without nulls, found {lines:,} others: mend them.")
    terms = table.filter(pa.array(kinds == TERM))
    order = pc.sort_indices(terms["term"])
    vocabulary = terms["term"].take(order).combine_chunks()
    vocabulary = vocabulary if isinstance(vocabulary, pa.Array) else pa.array([], pa.string())
    found = Gathered(
        vocabulary, numbers_in_column(terms["count"].take(order)), notes[RECORDS], notes[BLANK], notes[REPEATED]
    )
    _refuse_blanks(found, notes[MISSING])
    if not lists_are_terms:
        _refuse_lists(found)
    return found


def _refuse_blanks(found: Gathered, missing: int) -> None:
    empty = missing + int(np.sum(found.counts[np.asarray(are_blank(found.vocabulary, ()), np.bool_)]))
    if empty:
        raise UnreadableInput(f"expected terms, found {empty:,} blank ones: leave them out, or give them a name.")


def _refuse_lists(found: Gathered) -> None:
    if len(found.vocabulary) and (listed := lists_in(found.vocabulary, found.counts)) is not None:
        raise UnreadableInput(
            f"{listed.share:.0%} of the terms look like lists. Split and explode them first.",
            remedies=[Remedy("split", "none", "take each as one term")],
        )


def encoded(jobs: Jobs, frame: Frame, found: Gathered) -> tuple[Frame, Gathered]:
    """Write the records as numbers, and return them with their sums.

    The frame was read a second time for that. Raises unless it was the same.
    """
    records = jobs.stored(jobs.mapped(frame, ENCODED_WITH_TOTALS, encode, found.vocabulary), "encoded")
    table = jobs.fetched("encoded", "sums", TOTALS.names)
    sums = {name: numbers_in_column(table[name]) for name in TOTALS.names}
    n, occurrences = int(sums["records"].sum()), int(sums["occurrences"].sum())
    expected = (mixed(np.arange(found.counts.size)) * found.counts.astype(np.uint64)).sum(dtype=np.uint64)
    of_terms = sums["terms"].view(np.uint64).sum(dtype=np.uint64)
    if n != found.records or occurrences != int(found.counts.sum()) or of_terms != expected:
        raise UnreadableInput(
            "the frame was read twice and was not the same: store it first, or take out what is random in it "
            "(sample, limit, rand, current_timestamp)."
        )
    content = int(sums["content"].view(np.uint64).sum(dtype=np.uint64))
    pairs, longest = int(sums["pairs"].sum()), int(sums["longest"].max(initial=0))
    return records.select(*ENCODED.names), replace(
        found, occurrences=occurrences, pairs=pairs, longest=longest, content=content
    )
