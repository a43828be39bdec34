"""REFINE on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from disjoin.jit.decision import prepare
from disjoin.methods.disassociation.horpart import spans
from disjoin.methods.disassociation.leaves import Forest, Leaves, concatenated
from disjoin.methods.disassociation.refine import forest_by_plan, plan_refine, telling
from disjoin.methods.disassociation.refine_join import Limits, limits_of
from disjoin.methods.disassociation.refine_shared_chunks import JointTrees, Moves, trees_of
from disjoin.methods.disassociation.run import INTERPRETED
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of
from disjoin.progress import Progress
from disjoin.spark import arrays, refine_levels
from disjoin.spark.arrays import NODE_FIELDS, Batches, StoredLists, StoredNodes
from disjoin.spark.horpart import Sizes
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.reading import Gathered
from disjoin.spark.refine_levels import LevelPlan, RefineLevel, Tops
from disjoin.spark.verpart import MOVES, build, joint_fields

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

WIDTHS = {  # of the numbers of `Tops`, stored as bytes of one row per cluster
    "line_terms": "<i4",
    "line_marks": "|u1",
    "line_supports": "<i4",
    "leaves": "<i4",
    "leaf_sizes": "<i8",
    "leans": "|u1",
    "lengths": "<i4",  # lengths of the leaves' entries
    "terms": "<i4",
    "moved_in": "<u2",
    "strict": "|u1",
}
_COLUMNS = ", ".join(f"{name} binary" for name in WIDTHS)
STATE = arrays.schema_of(f"top int, members binary, {_COLUMNS}")
SORTED = arrays.schema_of(f"run_group int, at int, {_COLUMNS}")
TERMS = arrays.schema_of("term int, count bigint")
KEYS = arrays.schema_of("top int, key bigint")


@dataclass(frozen=True, slots=True, eq=False)
class JoiningWork:
    """The driver's facts about leaves that were cut, and are stored under the name `cut`."""

    jobs: Jobs
    method: Disassociation
    found: Gathered
    secret: Flags
    sizes: Sizes
    progress: Progress
    cut: Frame
    leaf_sizes: Ints64
    first: int  # the number of the first of them
    numbered: Callable[[Ints64], Frame]  # blocks of leaves -> the rows of leaves, with their blocks

    def forest(self) -> Forest:
        if not self.method.refine or self.leaf_sizes.size < 2:
            return Forest.without_joints(self._leaves())
        limits = limits_of(self.method, self.found.records, self.secret.size, self.found.longest)
        if self.method.refine_builder == "levels" and self.found.occurrences > self.sizes.driver_items:
            return self._joined_in_executors(limits)
        return self._joined_on_the_driver(limits)

    def _joined_on_the_driver(self, limits: Limits) -> Forest:
        supports = StoredLists(self.jobs.staging.pages)
        leaves = self._leaves(supports)
        in_order = supports.in_order(self._numbers, self.jobs.staging.room).items
        plan = plan_refine(leaves, in_order, self.secret, self.method, limits, self.progress)
        if plan.sizes.size == 0:
            return Forest.without_joints(leaves)
        trees = trees_of(plan.parents, self.leaf_sizes, self.sizes.block_records)
        blocks = self._blocks(trees)
        given = self.jobs.given("moves", self._moved(plan.moves, _places(trees), blocks))
        return forest_by_plan(leaves, plan, self._joints(trees, blocks, given, limits), self.jobs.staging.room)

    def _joined_in_executors(self, limits: Limits) -> Forest:
        """Join clusters level by level in the executors: until the end, only sizes and keys reach the driver."""
        work = LevelsInExecutors(self.jobs, self.secret, limits, self.sizes.block_records)
        work.open(self.cut, self.first, self.leaf_sizes.size)
        passes, tell = self.method.refine_passes, telling(self.progress)
        plan = refine_levels.plan_levels(self.leaf_sizes, self.secret.size, limits, passes, tell, work)
        if plan.sizes.size == 0:
            return Forest.without_joints(self._leaves())
        trees = trees_of(plan.parents, self.leaf_sizes, self.sizes.block_records)
        blocks = self._blocks(trees)
        moves = self.jobs.mapped(work.state, MOVES, move_terms, plan, _places(trees), blocks, self.first)
        joints = self._joints(trees, blocks, moves, limits)
        leaves = self._kept(work.state)
        joined = concatenated([leaves, joints._replace(sizes=plan.sizes)], self.jobs.staging.room)
        return Forest(joined, plan.parents)

    def _kept(self, state: Frame) -> Leaves:
        """Fetch the leaves with their remaining term chunks."""
        n, kept = self.secret.size, StoredLists(self.jobs.staging.pages)
        self.jobs.stored(self.jobs.mapped(state, kept_terms(n), keep_terms, n, self.first), "kept")
        for table in self.jobs.fetched_in_batches("kept", "term chunks", ["leaf", "terms"]):
            kept.add(arrays.numbers_in_column(table["leaf"]), arrays.ragged_in(table["terms"]))
        terms, leaves = kept.in_order(self._numbers, self.jobs.staging.room), self._leaves(without=("terms",))
        return leaves._replace(term_offsets=terms.offsets, term_items=terms.items)

    @property
    def _numbers(self) -> Ints64:
        return self.first + np.arange(self.leaf_sizes.size)

    def _leaves(self, supports: StoredLists | None = None, without: tuple[str, ...] = ()) -> Leaves:
        """Return the leaves in their order; store the supports of their term chunks, if requested."""
        leaves, more = StoredNodes(self.jobs.staging.pages), [] if supports is None else ["supports"]
        columns = ["leaf", *(name for name, _ in NODE_FIELDS if name not in without), *more]
        for table in self.jobs.fetched_in_batches("cut", "leaves", columns):
            numbers = arrays.numbers_in_column(table["leaf"])
            leaves.add(numbers, arrays.nodes_in(table))
            if supports is not None:
                supports.add(numbers, arrays.ragged_in(table["supports"]))
        return leaves.in_order(self._numbers, self.jobs.staging.room)

    def _blocks(self, trees: JointTrees) -> Ints64:
        """Return for all leaves the block of their tree, -1 outside."""
        blocks = np.full(self.first + self.leaf_sizes.size, -1, np.int64)
        blocks[trees.leaves + self.first] = np.repeat(np.arange(len(trees.leaf_cuts) - 1), np.diff(trees.leaf_cuts))
        return blocks

    def _moved(self, moves: Moves, place: Ints32, blocks: Ints64) -> pa.Table:
        """Return the moved terms, leaf by leaf; other leaves leave `blocks`, because their records are not needed."""
        is_moved = moves.joint_of >= 0
        moved = Ragged(moves.term_offsets, moves.term_items).where(is_moved)
        lists = moved.items, place[moves.joint_of[is_moved]], moves.strict[is_moved].astype(np.int32)
        having = np.flatnonzero(moved.lengths)
        blocks[np.flatnonzero(moved.lengths == 0) + self.first] = -1
        offsets, leaves = offsets_of(moved.lengths[having]), having + self.first
        return arrays.table_of(MOVES, [blocks[leaves], leaves, *(arrays.lists_of(offsets, each) for each in lists)])

    def _joints(self, trees: JointTrees, blocks: Ints64, moves: Frame, limits: Limits) -> Leaves:
        """Build the joint clusters in executors, block by block of whole trees; `moves` has the terms moved to them."""
        leaves, cuts = self.numbered(blocks), np.array(trees.joint_cuts)
        schema = joint_fields(self.secret.size, self.found.records)
        self.jobs.stored(self.jobs.beside(leaves, moves, "block", schema, build, limits, cuts, schema), "joints")
        joints = StoredNodes(self.jobs.staging.pages)
        for table in self.jobs.fetched_in_batches("joints", "joints", schema.names):
            joints.add(arrays.numbers_in_column(table["joint"]), arrays.nodes_in(table))
        return joints.in_order(_places(trees).astype(np.int64), self.jobs.staging.room)


def _places(trees: JointTrees) -> Ints32:
    place = np.empty(trees.joints.size, np.int32)
    place[trees.joints] = np.arange(trees.joints.size)
    return place


@dataclass(slots=True, eq=False)
class LevelsInExecutors:
    """Clusters in the staging folder, and the jobs that join them; see `LevelWork`."""

    jobs: Jobs
    secret: Flags
    limits: Limits
    group_records: int
    state: Frame = None
    name: str = ""
    tops: Ints64 = field(default_factory=lambda: np.empty(0, np.int64))  # numbers of the clusters, ascending

    def open(self, cut: Frame, first: int, leaves: int) -> None:
        """Make clusters from leaves, the first of which has the number `first`."""
        self._store(self.jobs.mapped(cut, STATE, open_tops, self.secret.size, self.limits, first), 0)
        self.tops = np.arange(leaves)

    def _store(self, state: Frame, number: int) -> None:
        """Store clusters; those that they were made from are removed."""
        before, self.name = self.name, f"level-{number}"
        self.state = self.jobs.stored(state, self.name)
        if before:
            self.jobs.staging.remove(before)

    def counts(self) -> Ints64:
        lines = self.state.select("line_terms", "line_marks")
        summed = self.jobs.summed(lines, TERMS, count_terms_of_tops, self.secret.size)
        narrow = counts_of_terms(self.secret.size, self.tops.size)
        table = self.jobs.collected(self.jobs.mapped(summed, narrow, narrowed, narrow), "terms of clusters")
        counts = np.zeros(self.secret.size, np.int64)
        counts[arrays.numbers_in_column(table["term"])] = arrays.numbers_in_column(table["count"])
        return counts

    def keys(self, rank: Ints32) -> Ints64:
        lines = self.state.select("top", "line_terms", "line_marks")
        table = self.jobs.collected(self.jobs.mapped(lines, KEYS, write_keys, rank, self.secret), "keys of clusters")
        numbers, keys = arrays.numbers_in(table, *KEYS.names)
        if not np.array_equal(numbers, self.tops):
            raise RuntimeError("a cluster is missing or repeated; nothing is published.")
        return keys

    def join(self, level: RefineLevel) -> Ragged:
        """Make a level: groups of runs are joined in separate tasks."""
        at = np.full(int(self.tops[-1]) + 1, -1, np.int32)
        at[self.tops[level.order]] = np.arange(level.order.size)
        cuts = level.starts[[first for first, _ in spans(level.records, self.group_records)]]
        sorted_tops = self.jobs.mapped(self.state, SORTED, sort_tops, at, cuts)
        known = level.number, level.run, self.secret, self.limits
        self._store(self.jobs.grouped(sorted_tops, "run_group", STATE, join_group, *known), level.number)
        table = self.jobs.fetched(self.name, "joined clusters", ["top", "members"])
        numbers = arrays.numbers_in_column(table["top"])
        order = np.argsort(numbers)
        self.tops = numbers[order]
        return arrays.ragged_in(table["members"]).take(order)


# Code of executors.


def columns_of(tops: Tops) -> list[pa.Array]:
    lines, leaves = tops.line_offsets, tops.leaf_offsets
    entries, lengths = tops.term_offsets[leaves], np.diff(tops.term_offsets)
    rows: tuple[Any, ...] = (
        *((lines, values) for values in (tops.line_term, tops.line_marks, tops.line_support)),
        *((leaves, values) for values in (tops.leaves, tops.leaf_sizes, tops.leans, lengths)),
        *((entries, values) for values in (tops.term_items, tops.moved_in, tops.strict)),
    )
    return [arrays.bytes_of(Ragged(*row), width) for row, width in zip(rows, WIDTHS.values(), strict=True)]


def tops_in(rows: Any) -> Tops:
    """Return the clusters in a table, or in a batch of one."""
    read = {name: arrays.ragged_in(rows[name], width) for name, width in WIDTHS.items()}
    items = {name: each.items.astype(WIDTHS[name]) for name, each in read.items()}
    leans, strict = items["leans"].astype(np.bool_), items["strict"].astype(np.bool_)
    return Tops(
        *(read["line_terms"].offsets, items["line_terms"], items["line_marks"], items["line_supports"]),
        *(read["leaves"].offsets, items["leaves"], items["leaf_sizes"], leans),
        *(offsets_of(items["lengths"]), items["terms"], items["moved_in"], strict),
    )


def _lines_in(batch: pa.RecordBatch) -> Tops:
    terms, marks = (arrays.ragged_in(batch[name], WIDTHS[name]) for name in ("line_terms", "line_marks"))
    return refine_levels.tops_of_lines(terms.offsets, terms.items.astype(np.int32), marks.items.astype(np.uint8))


def open_tops(n_terms: int, limits: Limits, first: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Make clusters from leaves that were cut, the first of which has the number `first`."""
    for batch in batches:
        leaves, supports = arrays.nodes_in(batch), arrays.ragged_in(batch["supports"]).items.astype(np.int32)
        numbers = arrays.numbers_in_column(batch["leaf"]) - first
        prepare(INTERPRETED * leaves.items.size / 8)
        tops = refine_levels.tops_of_leaves(leaves, numbers, supports, n_terms, limits)
        alone = arrays.bytes_of(Ragged(np.arange(numbers.size + 1), numbers.astype(np.int32)))
        yield arrays.batch_of(STATE, [numbers, alone, *columns_of(tops)])


def count_terms_of_tops(n_terms: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    counts = np.zeros(n_terms, np.int64)
    for batch in batches:
        refine_levels.count_shareable(_lines_in(batch), n_terms, counts)
    terms = np.flatnonzero(counts)
    yield arrays.batch_of(TERMS, [terms, counts[terms]])


def counts_of_terms(terms: int, tops: int) -> pa.Schema:
    """Return the columns of term counts that the driver receives in every level, for up to that many terms."""
    return pa.schema([("term", arrays.whole_numbers(terms)), ("count", arrays.whole_numbers(tops))])


def narrowed(schema: pa.Schema, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield arrays.batch_of(schema, batch.columns)


def write_keys(rank: Ints32, secret: Flags, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield arrays.batch_of(KEYS, [batch["top"], refine_levels.keys_of(_lines_in(batch), rank, secret)])


def sort_tops(places: Ints32, cuts: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Assign clusters their places in a level, by their numbers, and groups of whole runs, which begin at `cuts`."""
    for batch in batches:
        at = places[arrays.numbers_in_column(batch["top"])]
        groups = np.searchsorted(cuts, at, side="right") - 1
        yield arrays.batch_of(SORTED, [groups, at, *(batch[name] for name in WIDTHS)])


def join_group(number: int, run: int, secret: Flags, limits: Limits, table: pa.Table) -> pa.Table:
    """Join the clusters of a group; the remaining ones are numbered from the first place on."""
    table = table.take(pa.array(np.argsort(arrays.numbers_in_column(table["at"]))))
    first, tops = int(table["at"][0].as_py()), tops_in(table)
    prepare(INTERPRETED * tops.line_term.size / 8)
    left, members = refine_levels.join_tops(tops, number, run, secret, limits)
    places = arrays.bytes_of(Ragged(members.offsets, members.items + np.int32(first)))
    return arrays.table_of(STATE, [first + np.arange(len(left)), places, *columns_of(left)])


def kept_terms(n_terms: int) -> pa.Schema:
    """Return the columns of remaining term chunks, with the narrowest types, because the driver fetches them."""
    return pa.schema([("leaf", pa.int32()), ("terms", pa.list_(arrays.whole_numbers(n_terms)))])


def keep_terms(n_terms: int, first: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        tops = tops_in(batch)
        stay = Ragged(tops.term_offsets, tops.term_items).where(tops.moved_in == 0)
        yield arrays.batch_of(kept_terms(n_terms), [tops.leaves + first, arrays.lists_of(stay.offsets, stay.items)])


def move_terms(
    plan: LevelPlan, place: Ints32, blocks: Ints64, first: int, batches: Batches
) -> Iterator[pa.RecordBatch]:
    """Return which terms of leaves moved, and to which joint clusters; some leaves of a joint cluster may have none.

    `place` has the number of each joint cluster in the order of trees, `blocks` the block of each leaf's tree; `first`
    is the number of the first leaf that may be joined.
    """
    for batch in batches:
        tops = tops_in(batch)
        joint_of, leaves = plan.joints_of(tops), tops.leaves + first
        moved = joint_of >= 0
        terms = Ragged(tops.term_offsets, tops.term_items).where(moved)
        lists = (terms.items, place[joint_of[moved]], tops.strict[moved].astype(np.int32))
        columns = [blocks[leaves], leaves, *(arrays.lists_of(terms.offsets, each) for each in lists)]
        yield arrays.batch_of(MOVES, columns).filter(pa.array(blocks[leaves] >= 0))
