"""Executor code for the k^m core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of
from disjoin.spark.arrays import (
    NODE_FIELDS,
    batch_of,
    bytes_of,
    numbers_in_column,
    ragged_in,
    records_by,
    records_in,
    records_packed,
    table_of,
)
from disjoin.spark.staging import Staging
from disjoin.spark.work_publishing import NUMBERED, VERDICTS, Inspecting
from disjoin.spark.work_reading import ENCODED, Batches, fingerprint, fingerprints, mixed
from disjoin.spark.work_splitting import leaf_rows
from disjoin.verify.clusters.original import CoreSlice, objections_to_slice

SETS = pa.schema([("set", pa.int64()), ("count", pa.int64())])
LENGTHS = pa.schema([("length", pa.int64()), ("count", pa.int64())])
TALLY = pa.schema([("sets", pa.int64()), ("count", pa.int64())])
SLICES = pa.schema([("block", pa.int64()), *(each for each in NODE_FIELDS if each[0] != "chunks")])
CONTENT = pa.schema([("kind", pa.int32()), ("content", pa.binary()), ("count", pa.int64())])
SHOWN, HIDDEN = 0, 1  # kinds of content: what a record of the core shows, one sensitive term
AT_ONCE = 1_000_000  # sets


class SetTest(NamedTuple):
    """Tells which records have no rare set of up to `size` terms; the frequent sets lie in the staging folder.

    Frequent terms are numbered from 1, so that a set is a number, too, with its terms as digits.
    """

    numbers: Ints32  # (terms,) 0: sensitive, which does not count; -1: rare
    base: int  # one more than there are frequent terms
    staging: Staging
    size: int = 1
    name: str | None = None  # None: only rare terms are known

    def loaded(self) -> Callable[[Ragged], Flags]:
        """Return the test; frequent sets are read once."""
        if self.name is None:
            return self._without_rare_terms
        sets = np.sort(numbers_in_column(self.staging.read(self.name, ["set"])["set"]))
        return lambda rows: self._passing(rows, sets)

    def ordinary(self, rows: Ragged) -> Ragged:
        """Return the numbers of ordinary terms."""
        numbered = Ragged(rows.offsets, self.numbers[rows.items])
        return numbered.where(numbered.items != 0)

    def _without_rare_terms(self, rows: Ragged) -> Flags:
        passes = np.ones(len(rows), np.bool_)
        passes[rows.owners()[self.numbers[rows.items] < 0]] = False
        return passes

    def _passing(self, rows: Ragged, sets: Ints64) -> Flags:
        """Test rows by their largest sets, which are not more frequent than smaller ones."""
        passes = self._without_rare_terms(rows)
        rows = self.ordinary(rows)
        for size in range(1, self.size + 1):
            wanted = passes & ((rows.lengths >= size) if size == self.size else (rows.lengths == size))
            numbers = np.flatnonzero(wanted)
            for records, found in sets_of(rows.take(numbers), size, self.base):
                at = np.minimum(np.searchsorted(sets, found), max(0, sets.size - 1))
                known = sets[at] == found if sets.size else np.zeros(found.shape, np.bool_)
                passes[numbers[records[~known.all(axis=1)]]] = False
        return passes


def sets_of(rows: Ragged, size: int, base: int) -> Iterator[tuple[Ints64, Ints64]]:
    """Give rows and, for each of them, sets of that size as numbers; a row that has very many comes several times.

    >>> [(at.tolist(), found.tolist()) for at, found in sets_of(Ragged.from_lists([[1, 3], [2]]), 2, 10)]
    [([0], [[13]])]
    """
    lengths = rows.lengths
    for length in np.unique(lengths[lengths >= size]).tolist():
        records = np.flatnonzero(lengths == length)
        for places in _choices(length, size):
            step = max(1, AT_ONCE // len(places))
            for start in range(0, records.size, step):
                some = records[start : start + step]
                terms = rows.take(some).items.reshape(some.size, length).astype(np.int64)
                found = np.zeros((some.size, len(places)), np.int64)
                for digit in range(size):
                    found = found * base + terms[:, places[:, digit]]
                yield some, found


def _choices(length: int, size: int) -> Iterator[Ints32]:
    """Give the places of all sets of that size in a row of that length, not too many at once."""
    if comb(length, size) <= AT_ONCE:
        yield _places(length, size)
        return
    waiting = combinations(range(length), size)
    while chosen := list(islice(waiting, AT_ONCE)):
        yield np.array(chosen, np.int32)


@lru_cache(64)
def _places(length: int, size: int) -> Ints32:
    return np.array([*combinations(range(length), size)], np.int32).reshape(-1, size)


def count_sets(size: int, passing: SetTest, failing: SetTest | None, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the sets of records that pass a test; if there is a second one, of those that fail it, with a minus."""
    passes = passing.loaded()
    passes_too = failing.loaded() if failing else None
    for batch in batches:
        rows = records_in(batch)
        rows = rows.take(np.flatnonzero(passes(rows)))
        if passes_too:
            rows = rows.take(np.flatnonzero(~passes_too(rows)))
        for each in range(1, size + 1):
            for _, found in sets_of(passing.ordinary(rows), each, passing.base):
                sets, counts = np.unique(found, return_counts=True)
                yield batch_of(SETS, [sets, -counts if failing else counts])


def count_lengths(passing: SetTest, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records that pass a test by how many ordinary terms they have."""
    passes = passing.loaded()
    for batch in batches:
        rows = records_in(batch)
        kept = passing.ordinary(rows.take(np.flatnonzero(passes(rows))))
        yield batch_of(LENGTHS, [*np.unique(kept.lengths, return_counts=True)])


def add_up_sets(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count sets, and how often they were found."""
    sums = np.zeros(2, np.int64)
    for batch in batches:
        sums += batch.num_rows, numbers_in_column(batch.column(1)).sum()
    yield batch_of(TALLY, [sums[:1], sums[1:]])


def some_records(test: SetTest, inside: bool, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Return the records that pass a test, or the others."""
    passes = test.loaded()
    for batch in batches:
        rows = records_in(batch)
        rows = rows.take(np.flatnonzero(passes(rows) == inside))
        yield batch_of(ENCODED, records_packed(rows))


def one_leaf(number: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Return records as pieces of one leaf, made in the pass of that number."""
    for batch in batches:
        rows, zero = records_in(batch), np.zeros(1, np.int64)
        if len(rows):
            yield from leaf_rows(number, zero, zero, np.array([len(rows)]), rows).to_batches()


def show_content(secret: Flags, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Return what the records of the core show, and their sensitive terms, one row each; some of them counted."""
    for batch in batches:
        rows = records_in(batch)
        hidden = np.unique(rows.items[secret[rows.items]])
        shown = pa.table({"content": bytes_of(rows.where(~secret[rows.items]))})
        counted = shown.group_by("content").aggregate([([], "count_all")])
        contents = pa.chunked_array([*counted["content"].chunks, bytes_of(Ragged(np.arange(hidden.size + 1), hidden))])
        kinds = np.repeat([SHOWN, HIDDEN], [counted.num_rows, hidden.size]).astype(np.int32)
        counts = np.append(numbers_in_column(counted["count_all"]), np.ones(hidden.size, np.int64))
        yield batch_of(CONTENT, [kinds, contents.combine_chunks(), counts])


def slices_of(rows: Ragged, slices: int) -> Ints64:
    """Return the slice of each row, by its content."""
    return (fingerprints(rows) % np.uint64(slices)).astype(np.int64)


def slices_of_terms(terms: Ints32, slices: int) -> Ints64:
    """Return the slice in which the presence of each sensitive term is looked at."""
    return (mixed(terms) % np.uint64(slices)).astype(np.int64)


def slice_core(secret: Flags, slices: int, first: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Send the records of the core to slices by what they show (leaf 0), and their sensitive terms (leaf -1)."""
    for batch in batches:
        rows = records_in(batch)
        blocks = first + slices_of(rows.where(~secret[rows.items]), slices)
        hidden = np.unique(rows.items[secret[rows.items]])
        yield _by_block(0, blocks, rows)
        yield _by_block(-1, first + slices_of_terms(hidden, slices), Ragged(np.arange(hidden.size + 1), hidden))


def _by_block(leaf: int, blocks: Ints64, rows: Ragged) -> pa.RecordBatch:
    """Return rows, some in every line, those of another block in another one."""
    found, lengths, items = records_by(blocks, rows)
    return batch_of(NUMBERED, [found, np.full(found.size, leaf), lengths, items])


def inspect_slice(inspecting: Inspecting, records: pa.Table, published: pa.Table) -> pa.Table:
    """Inspect a slice of the core against its records; places of what is wrong are all that is said about it."""
    block = (published if published.num_rows else records)["block"][0].as_py()
    if published.num_rows != 1:
        return table_of(VERDICTS, [[block], [0], [0], [False], [["records and clusters do not meet"]]])
    of_leaf = numbers_in_column(records["leaf"])
    lengths, items = ragged_in(records["lengths"]), ragged_in(records["items"])
    places = np.flatnonzero(of_leaf == 0)
    rows = Ragged(offsets_of(lengths.take(places).items), items.take(places).items)
    sensitive = np.asarray(pc.is_in(inspecting.vocabulary, pa.array(inspecting.promise.sensitive, pa.string())))
    lists = {name: ragged_in(published[name]).items for name in ("lengths", "items", "counts", "terms")}
    subrecords = Ragged(offsets_of(lists["lengths"]), lists["items"])
    stated = CoreSlice(subrecords, lists["counts"].astype(np.int64), lists["terms"], int(published["size"][0].as_py()))
    held = items.take(np.flatnonzero(of_leaf < 0)).items
    complaints = objections_to_slice(stated, rows, held, sensitive)
    content = np.array([fingerprint(rows)]).view(np.int64)
    return table_of(VERDICTS, [[block], [len(rows)], content, [not complaints], [complaints]])
