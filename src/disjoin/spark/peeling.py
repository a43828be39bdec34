"""The k^m core on Spark.

The core is the same in whatever order records are dropped. In every round the sets of the records that fell are taken
off the counts of the round before; records are never written again, as the sets that are still frequent tell which of
them are left.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.methods.disassociation.km_core import leaf_of_distinct
from disjoin.methods.disassociation.verpart import new_steps, require_end
from disjoin.methods.disassociation.write_leaves import Leaves
from disjoin.model.ragged import Flags, Ints64, Ragged
from disjoin.progress import Progress
from disjoin.spark.arrays import lists_of, numbers_in_column, rows_in_bytes, table_of
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.placing import Placed, Placing
from disjoin.spark.reading import Gathered
from disjoin.spark.settings import RUN_LOCALLY
from disjoin.spark.work_peeling import (
    CONTENT,
    HIDDEN,
    LENGTHS,
    SETS,
    SHOWN,
    SLICES,
    TALLY,
    SetTest,
    add_up_sets,
    count_lengths,
    count_sets,
    inspect_slice,
    one_leaf,
    show_content,
    slice_core,
    slices_of,
    slices_of_terms,
    some_records,
)
from disjoin.spark.work_publishing import NUMBERED, VERDICTS, Inspecting
from disjoin.spark.work_reading import ENCODED
from disjoin.spark.work_splitting import CORE, LEAF_ROWS

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


class CoreWork:
    """Finds the core, round by round, publishes it, and has it inspected in slices."""

    def __init__(self, jobs: Jobs, method: Disassociation, found: Gathered, secret: Flags, progress: Progress) -> None:
        self.jobs, self.method, self.found, self.secret, self.progress = jobs, method, found, secret, progress
        self.rounds = 0

    def core(self, records: Frame) -> SetTest:
        """Return the test that the records of the core pass."""
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
        """Drop records until each set of up to `size` terms is in k or none of those that are left."""
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
        """Add up counts, and store the sets that are frequent; return the test by these, and their sums."""
        self.rounds += 1
        self.progress("peeling", 0, 0, f"round {self.rounds}")
        name = f"sets-{self.rounds}"
        summed = counted.groupBy("set").sum("count").toDF(*SETS.names).where(f"count >= {self.method.min_support}")
        stored = self.jobs.stored(summed, name)
        table = self.jobs.collected(self.jobs.mapped(stored, TALLY, add_up_sets), "sums of sets")
        sums = int(numbers_in_column(table["sets"]).sum()), int(numbers_in_column(table["count"]).sum())
        return test._replace(size=size, name=name), sums

    def _require_end(self, records: Frame, test: SetTest, size: int) -> None:
        """Raise if there are more sets to count than anybody should wait for, as the local engine does."""
        counted = self.jobs.mapped(records, LENGTHS, count_lengths, test)
        table = self.jobs.collected(counted.groupBy("length").sum("count").toDF(*LENGTHS.names), "lengths")
        lengths, counts = (numbers_in_column(table[name]).tolist() for name in LENGTHS.names)
        steps = new_steps(sum(length * count for length, count in zip(lengths, counts, strict=True)))
        sets = sum(comb(length, size) * count for length, count in zip(lengths, counts, strict=True))
        steps[0] = min(sets, 2**62)
        require_end(steps, size)

    def placed(self, records: Frame, placing: Placing) -> Placed:
        """Make one leaf of the core, and leaves of the rest; a core or a rest that is too small is none."""
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
        return self._after_core(placing.placed, keys, sizes)

    def _others(self, records: Frame, n: int, placing: Placing) -> Placed:
        return placing.place(records, n) if self.method.clustering_record.splits else self._whole(records, placing)

    def _whole(self, records: Frame, placing: Placing) -> Placed:
        """Make one leaf of records."""
        keys, sizes = placing.stored(self.jobs.mapped(records, LEAF_ROWS, one_leaf, CORE + 1), "leaves-1")
        placing.placed.add("leaves-1", keys, np.zeros(1, np.int64), sizes)
        return placing.placed

    def _after_core(self, others: Placed, keys: Ints64, sizes: Ints64) -> Placed:
        """Put the core before other leaves."""
        placed = Placed(left_out=others.left_out, rounds=others.rounds)
        placed.add("core", keys, np.zeros(1, np.int64), sizes)
        for name, theirs, numbers, records in zip(others.names, others.keys, others.numbers, others.sizes, strict=True):
            placed.add(name, theirs, numbers + 1, records)
        return placed

    def published(self, rows: Frame, size: int) -> Leaves:
        """Publish the core as it stands: its records without their sensitive terms are one chunk."""
        counted = self.jobs.mapped(rows, CONTENT, show_content, self.secret)
        self.jobs.stored(counted.groupBy("kind", "content").sum("count").toDF(*CONTENT.names), "content")
        table = self.jobs.fetched("content", "the core")
        kinds, counts = numbers_in_column(table["kind"]), numbers_in_column(table["count"])
        content = rows_in_bytes(table["content"])
        hidden = np.sort(content.take(np.flatnonzero(kinds == HIDDEN)).items)
        shown = np.flatnonzero((kinds == SHOWN) & (content.lengths > 0))
        return leaf_of_distinct(content.take(shown), counts[shown], hidden, size)

    def inspected(
        self, rows: Frame, nodes: Leaves, core: int, inspecting: Inspecting, slices: int, first: int
    ) -> tuple[list[dict[str, Any]], list[int]]:
        """Let executors hold the core against its records, in slices by content, with block numbers from `first` on.

        Returns what they say, and how many records each slice must have.
        """
        expected, table = self._sliced(nodes, core, inspecting, slices, first)
        records = self.jobs.mapped(rows, NUMBERED, slice_core, self.secret, slices, first)
        given = self.jobs.given("core-slices", table)
        said = self.jobs.beside(records, given, "block", VERDICTS, inspect_slice, inspecting)
        return self.jobs.collected(said, "verdicts").to_pylist(), expected

    def _sliced(
        self, nodes: Leaves, core: int, inspecting: Inspecting, slices: int, first: int
    ) -> tuple[list[int], pa.Table]:
        """Cut what is published of the core into slices."""
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
        return records.tolist(), table_of(
            SLICES,
            [
                first + np.arange(slices),
                records,
                lists_of(np.searchsorted(of_terms[by_term], np.arange(slices + 1)), terms[by_term]),
                lists_of(cuts, shown.lengths),
                lists_of(shown.offsets[cuts], shown.items),
                lists_of(cuts, counts[order]),
            ],
        )
