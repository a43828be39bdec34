"""The k^m core on Spark.

The order in which records are dropped does not change the core. In every round the sets of the dropped records are
subtracted from the counts of the previous round. Records are never written again, because the sets that are still
frequent show which records remain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter
from disjoin.methods.disassociation.km_core import leaf_of_distinct
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.methods.disassociation.verpart import new_steps, require_end
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of
from disjoin.progress import Progress
from disjoin.spark import arrays
from disjoin.spark.arrays import NODE_FIELDS, Batches
from disjoin.spark.horpart import CORE, LEAF_ROWS, Placed, Placing, leaf_rows
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.reading import ENCODED, Gathered, fingerprint, fingerprints, mixed
from disjoin.spark.settings import RUN_LOCALLY
from disjoin.spark.staging import Staging
from disjoin.spark.verpart import NUMBERED, VERDICTS, Inspecting
from disjoin.verify.clusters.original import CoreSlice, objections_to_slice

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

SETS = arrays.schema_of("set bigint, count bigint")
LENGTHS = arrays.schema_of("length bigint, count bigint")
TALLY = arrays.schema_of("sets bigint, count bigint")
SLICES = pa.schema([("block", pa.int64()), *(each for each in NODE_FIELDS if each[0] != "chunks")])
CONTENT = arrays.schema_of("kind int, content binary, count bigint")
SHOWN, HIDDEN = 0, 1  # kinds of content: the ordinary terms of a record of the core, one sensitive term
AT_ONCE = 1_000_000  # sets


class CoreWork:
    """Finds the core, round by round, publishes it, and has it verified in slices."""

    def __init__(self, jobs: Jobs, method: Disassociation, found: Gathered, secret: Flags, progress: Progress) -> None:
        self.jobs, self.method, self.found, self.secret, self.progress = jobs, method, found, secret, progress
        self.rounds = 0

    def core(self, records: Frame) -> SetTest:
        k, m = self.method.min_support, min(self.method.m, self.found.longest)
        frequent = np.flatnonzero(~self.secret & (self.found.counts >= k))
        numbers = np.where(self.secret, 0, -1).astype(np.int32)
        numbers[frequent] = np.arange(1, frequent.size + 1)
        test = SetTest(numbers, frequent.size + 1, self.jobs.staging)
        if test.base**m >= 2**63:
            raise InvalidParameter(
                f"{frequent.size:,} frequent terms have more sets of {m} than Spark can number. Lower m.",
                remedies=[RUN_LOCALLY],
            )
        for size in range(min(2, m), m + 1):
            if size > 2:
                self._require_end(records, test, size)
            test = self._settled(records, test, size)
        return test

    def _settled(self, records: Frame, before: SetTest, size: int) -> SetTest:
        """Drop records until each set of up to `size` terms is in none or at least k of the remaining ones."""
        counted = self.jobs.mapped(records, SETS, count_sets, size, before, None)
        test, sums = self._frequent(counted, before, size)
        while True:
            fallen = self.jobs.mapped(records, SETS, count_sets, size, before, test)
            known = self.jobs.stored_before(SETS, str(test.name))
            after, left = self._frequent(known.union(fallen), test, size)
            if left == sums:
                return after
            before, test, sums = test, after, left

    def _frequent(self, counted: Frame, test: SetTest, size: int) -> tuple[SetTest, tuple[int, int]]:
        """Add up counts, and store the frequent sets; return the test by these sets, and their sums."""
        self.rounds += 1
        self.progress("peeling", 0, 0, f"round {self.rounds}")
        name = f"sets-{self.rounds}"
        summed = counted.groupBy("set").sum("count").toDF(*SETS.names)
        stored = self.jobs.stored(summed.where(f"count >= {self.method.min_support}"), name)
        table = self.jobs.collected(self.jobs.mapped(stored, TALLY, add_up_sets), "sums of sets")
        sums = int(arrays.numbers_in_column(table["sets"]).sum()), int(arrays.numbers_in_column(table["count"]).sum())
        return test._replace(size=size, name=name), sums

    def _require_end(self, records: Frame, test: SetTest, size: int) -> None:
        """Raise if there are too many sets to count in a reasonable time, with the limit of the local engine."""
        lengths = lengths_of(self.jobs, records, test)
        steps = new_steps(sets_in(lengths, 1))
        steps[0] = min(sets_in(lengths, size), 2**62)
        require_end(steps, size)

    def placed(self, records: Frame, placing: Placing) -> Placed:
        """Make one leaf of the core, and leaves of the rest; neither may be too small for a leaf."""
        n, least = self.found.records, self.method.min_cluster_size
        test = self.core(records)
        core = self.jobs.mapped(records, ENCODED, some_records, test, True)
        keys, sizes = placing.stored(self.jobs.mapped(core, LEAF_ROWS, one_leaf, CORE), "core")
        inside = int(sizes.sum())
        if inside < least:
            return self._others(records, n, placing)
        if 0 < n - inside < least:
            return self._whole(records, placing)
        if inside < n:
            rest = self.jobs.stored(self.jobs.mapped(records, ENCODED, some_records, test, False), "rest")
            self._others(rest, n - inside, placing)
        others = placing.placed
        placed = Placed(left_out=others.left_out, rounds=others.rounds)
        placed.add("core", keys, np.zeros(1, np.int64), sizes)
        for name, theirs, numbers, more in others.stored:
            placed.add(name, theirs, numbers + 1, more)
        return placed

    def _others(self, records: Frame, n: int, placing: Placing) -> Placed:
        return placing.place(records, n) if self.method.clustering_record.splits else self._whole(records, placing)

    def _whole(self, records: Frame, placing: Placing) -> Placed:
        keys, sizes = placing.stored(self.jobs.mapped(records, LEAF_ROWS, one_leaf, CORE + 1), "leaves-1")
        placing.placed.add("leaves-1", keys, np.zeros(1, np.int64), sizes)
        return placing.placed

    def published(self, rows: Frame, size: int) -> Leaves:
        """Publish the core unchanged: its records without their sensitive terms are one chunk."""
        self.jobs.stored(self.jobs.summed(rows, CONTENT, show_content, self.secret), "content")
        table = self.jobs.fetched("content", "the core")
        kinds, counts = arrays.numbers_in_column(table["kind"]), arrays.numbers_in_column(table["count"])
        content = arrays.rows_in_bytes(table["content"])
        hidden = np.sort(content.take(np.flatnonzero(kinds == HIDDEN)).items)
        shown = np.flatnonzero((kinds == SHOWN) & (content.lengths > 0))
        return leaf_of_distinct(content.take(shown), counts[shown], hidden, size)

    def inspected(
        self, rows: Frame, nodes: Leaves, core: int, inspecting: Inspecting, slices: int, first: int
    ) -> tuple[list[dict[str, Any]], list[int]]:
        """Let executors compare the core with its records, in slices by content, with block numbers from `first` on.

        Returns their verdicts, and how many records each slice must have.
        """
        expected, table = self._sliced(nodes, core, inspecting, slices, first)
        records = self.jobs.mapped(rows, NUMBERED, slice_core, self.secret, slices, first)
        given = self.jobs.given("core-slices", table)
        said = self.jobs.beside(records, given, "block", VERDICTS, inspect_slice, inspecting)
        return self.jobs.collected(said, "verdicts").to_pylist(), expected

    def _sliced(
        self, nodes: Leaves, core: int, inspecting: Inspecting, slices: int, first: int
    ) -> tuple[list[int], pa.Table]:
        lo, hi = nodes.subrecord_offsets[nodes.chunk_offsets[[core, core + 1]]]
        everything = Ragged(nodes.item_offsets, inspecting.published[nodes.items])
        shown, counts = everything.take(np.arange(lo, hi)), nodes.counts[lo:hi]
        terms = inspecting.published[nodes.term_items[nodes.term_offsets[core] : nodes.term_offsets[core + 1]]]
        of_shown, of_terms = slices_of(shown, slices), slices_of_terms(terms, slices)
        records = np.bincount(of_shown, counts, slices).astype(np.int64)
        records[slices_of(Ragged.from_lists([[]]), slices)] += int(nodes.sizes[core]) - int(counts.sum())
        order, by_term = np.argsort(of_shown, kind="stable"), np.argsort(of_terms, kind="stable")
        cuts = np.searchsorted(of_shown[order], np.arange(slices + 1))
        shown = shown.take(order)
        return records.tolist(), arrays.table_of(
            SLICES,
            [
                first + np.arange(slices),
                records,
                arrays.lists_of(np.searchsorted(of_terms[by_term], np.arange(slices + 1)), terms[by_term]),
                arrays.lists_of(cuts, shown.lengths),
                arrays.lists_of(shown.offsets[cuts], shown.items),
                arrays.lists_of(cuts, counts[order]),
            ],
        )


# Code of executors.


class SetTest(NamedTuple):
    """Returns which records have no rare set of up to `size` terms; the frequent sets are in the staging folder.

    Frequent terms are numbered from 1, so that a set is a number, too, with its terms as digits.
    """

    numbers: Ints32  # (terms,) 0: sensitive, not counted; -1: rare
    base: int  # number of frequent terms plus 1
    staging: Staging
    size: int = 1
    name: str | None = None  # None: only rare terms are known

    def loaded(self) -> Callable[[Ragged], Flags]:
        if self.name is None:
            return self._without_rare_terms
        sets = np.sort(arrays.numbers_in_column(self.staging.read(self.name, ["set"])["set"]))
        return lambda rows: self._passing(rows, sets)

    def ordinary(self, rows: Ragged) -> Ragged:
        numbered = Ragged(rows.offsets, self.numbers[rows.items])
        return numbered.where(numbered.items != 0)

    def _without_rare_terms(self, rows: Ragged) -> Flags:
        passes = np.ones(len(rows), np.bool_)
        passes[rows.owners()[self.numbers[rows.items] < 0]] = False
        return passes

    def _passing(self, rows: Ragged, sets: Ints64) -> Flags:
        """Test rows by their largest sets, which are at most as frequent as smaller ones."""
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
    """Yield rows and, for each of them, sets of that size as numbers; a row with very many sets comes several times.

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
    """Yield the places of all sets of that size in a row of that length, in batches."""
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
    """Count the sets of records that pass a test; with a second one, minus those of records that fail it."""
    passes = passing.loaded()
    passes_too = failing.loaded() if failing else None
    for batch in batches:
        rows = arrays.records_in(batch)
        rows = rows.take(np.flatnonzero(passes(rows)))
        if passes_too:
            rows = rows.take(np.flatnonzero(~passes_too(rows)))
        for each in range(1, size + 1):
            for _, found in sets_of(passing.ordinary(rows), each, passing.base):
                sets, counts = np.unique(found, return_counts=True)
                yield arrays.batch_of(SETS, [sets, -counts if failing else counts])


def lengths_of(jobs: Jobs, records: Frame, passing: SetTest | None = None) -> list[Ints64]:
    """Return the lengths of records, ascending, and the number of records with each.

    With a test, only ordinary terms count, and only of the records that pass it.
    """
    return arrays.numbers_in(
        jobs.collected(jobs.summed(records, LENGTHS, count_lengths, passing), "lengths"), *LENGTHS.names
    )


def count_lengths(passing: SetTest | None, batches: Batches) -> Iterator[pa.RecordBatch]:
    passes = passing.loaded() if passing else None
    for batch in batches:
        rows = arrays.records_in(batch)
        if passing and passes:
            rows = passing.ordinary(rows.take(np.flatnonzero(passes(rows))))
        yield arrays.batch_of(LENGTHS, [*np.unique(rows.lengths, return_counts=True)])


def sets_in(lengths: list[Ints64], size: int) -> int:
    """Count the sets of that size in records; `lengths` as in `lengths_of`."""
    return sum(comb(length, size) * count for length, count in zip(*(each.tolist() for each in lengths), strict=True))


def add_up_sets(batches: Batches) -> Iterator[pa.RecordBatch]:
    sums = np.zeros(2, np.int64)
    for batch in batches:
        sums += batch.num_rows, arrays.numbers_in_column(batch.column(1)).sum()
    yield arrays.batch_of(TALLY, [sums[:1], sums[1:]])


def some_records(test: SetTest, inside: bool, batches: Batches) -> Iterator[pa.RecordBatch]:
    passes = test.loaded()
    for batch in batches:
        rows = arrays.records_in(batch)
        rows = rows.take(np.flatnonzero(passes(rows) == inside))
        yield arrays.batch_of(ENCODED, arrays.records_packed(rows))


def one_leaf(number: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows, zero = arrays.records_in(batch), np.zeros(1, np.int64)
        if len(rows):
            yield from leaf_rows(number, zero, zero, np.array([len(rows)]), rows).to_batches()


def show_content(secret: Flags, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Return the ordinary terms of the core's records, and their sensitive terms, one row each, partly counted."""
    for batch in batches:
        rows = arrays.records_in(batch)
        hidden = np.unique(rows.items[secret[rows.items]])
        shown = pa.table({"content": arrays.bytes_of(rows.where(~secret[rows.items]))})
        counted = shown.group_by("content").aggregate([([], "count_all")])
        contents = pa.chunked_array(
            [*counted["content"].chunks, arrays.bytes_of(Ragged(np.arange(hidden.size + 1), hidden))]
        )
        kinds = np.repeat([SHOWN, HIDDEN], [counted.num_rows, hidden.size]).astype(np.int32)
        counts = np.append(arrays.numbers_in_column(counted["count_all"]), np.ones(hidden.size, np.int64))
        yield arrays.batch_of(CONTENT, [kinds, contents.combine_chunks(), counts])


def slices_of(rows: Ragged, slices: int) -> Ints64:
    return (fingerprints(rows) % np.uint64(slices)).astype(np.int64)


def slices_of_terms(terms: Ints32, slices: int) -> Ints64:
    """Return the slice that checks the presence of each sensitive term."""
    return (mixed(terms) % np.uint64(slices)).astype(np.int64)


def slice_core(secret: Flags, slices: int, first: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Send the records of the core to slices by their ordinary terms (leaf 0), and their sensitive ones (leaf -1)."""
    for batch in batches:
        rows = arrays.records_in(batch)
        blocks = first + slices_of(rows.where(~secret[rows.items]), slices)
        hidden = np.unique(rows.items[secret[rows.items]])
        yield _by_block(0, blocks, rows)
        yield _by_block(-1, first + slices_of_terms(hidden, slices), Ragged(np.arange(hidden.size + 1), hidden))


def _by_block(leaf: int, blocks: Ints64, rows: Ragged) -> pa.RecordBatch:
    found, lengths, items = arrays.records_by(blocks, rows)
    return arrays.batch_of(NUMBERED, [found, np.full(found.size, leaf), lengths, items])


def inspect_slice(inspecting: Inspecting, records: pa.Table, published: pa.Table) -> pa.Table:
    """Verify a slice of the core against its records; only places of violations are reported."""
    block = (published if published.num_rows else records)["block"][0].as_py()
    if published.num_rows != 1:
        return arrays.table_of(VERDICTS, [[block], [0], [0], [False], [["records and clusters do not match"]]])
    of_leaf = arrays.numbers_in_column(records["leaf"])
    lengths, items = arrays.ragged_in(records["lengths"]), arrays.ragged_in(records["items"])
    places = np.flatnonzero(of_leaf == 0)
    rows = Ragged(offsets_of(lengths.take(places).items), items.take(places).items)
    sensitive = np.asarray(pc.is_in(inspecting.vocabulary, pa.array(inspecting.guarantee.sensitive, pa.string())))
    lists = {name: arrays.ragged_in(published[name]).items for name in ("lengths", "items", "counts", "terms")}
    subrecords = Ragged(offsets_of(lists["lengths"]), lists["items"])
    stated = CoreSlice(subrecords, lists["counts"].astype(np.int64), lists["terms"], int(published["size"][0].as_py()))
    held = items.take(np.flatnonzero(of_leaf < 0)).items
    complaints = objections_to_slice(stated, rows, held, sensitive)
    content = np.array([fingerprint(rows)]).view(np.int64)
    return arrays.table_of(VERDICTS, [[block], [len(rows)], content, [not complaints], [complaints]])
