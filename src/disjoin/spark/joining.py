"""REFINE on Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.methods.disassociation.horpart import spans
from disjoin.methods.disassociation.refine import forest_by_plan, plan_refine, telling
from disjoin.methods.disassociation.refine_join import Limits, limits_of
from disjoin.methods.disassociation.refine_shared_chunks import JointTrees, Moves, trees_of
from disjoin.methods.disassociation.write_leaves import Forest, Leaves, concatenated
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of
from disjoin.progress import Progress
from disjoin.spark.arrays import (
    NODE_FIELDS,
    StoredLists,
    StoredNodes,
    lists_of,
    nodes_in,
    numbers_in_column,
    ragged_in,
    table_of,
)
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.placing import Sizes
from disjoin.spark.reading import Gathered
from disjoin.spark.refine_levels import RefineLevel, plan_levels
from disjoin.spark.work_joining import (
    KEYS,
    SORTED,
    STATE,
    TERMS,
    Moving,
    Sorting,
    count_terms_of_tops,
    counts_of_terms,
    join_group,
    keep_terms,
    kept_terms,
    move_terms,
    narrowed,
    open_tops,
    sort_tops,
    write_keys,
)
from disjoin.spark.work_publishing import MOVES, build, joint_fields

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


@dataclass(frozen=True, slots=True, eq=False)
class JoiningWork:
    """What is known on the driver of leaves that were cut, and are stored under the name `cut`."""

    jobs: Jobs
    method: Disassociation
    found: Gathered
    secret: Flags
    sizes: Sizes
    progress: Progress
    cut: Frame
    leaf_sizes: Ints64
    first: int  # the number of the first of them
    numbered: Callable[[Ints64], Frame]  # blocks of leaves -> the rows of leaves, with these

    def forest(self) -> Forest:
        """REFINE: join the leaves as far as it pays."""
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
        """Join clusters level by level where they are: no more than their sizes and keys comes here, until the end."""
        work = LevelsInExecutors(self.jobs, self.secret, limits, self.sizes.block_records)
        work.open(self.cut, self.first, self.leaf_sizes.size)
        passes, tell = self.method.refine_passes, telling(self.progress)
        plan = plan_levels(self.leaf_sizes, self.secret.size, limits, passes, tell, work)
        if plan.sizes.size == 0:
            return Forest.without_joints(self._leaves())
        trees = trees_of(plan.parents, self.leaf_sizes, self.sizes.block_records)
        blocks = self._blocks(trees)
        moving = Moving(plan, _places(trees), blocks, self.first)
        joints = self._joints(trees, blocks, self.jobs.mapped(work.state, MOVES, move_terms, moving), limits)
        leaves = self._kept(work.state)
        joined = concatenated([leaves, joints._replace(sizes=plan.sizes)], self.jobs.staging.room)
        return Forest(joined, plan.parents)

    def _kept(self, state: Frame) -> Leaves:
        """Fetch the leaves with what is left of their term chunks."""
        n, kept = self.secret.size, StoredLists(self.jobs.staging.pages)
        self.jobs.stored(self.jobs.mapped(state, kept_terms(n), keep_terms, n, self.first), "kept")
        for table in self.jobs.fetched_in_batches("kept", "term chunks", ["leaf", "terms"]):
            kept.add(numbers_in_column(table["leaf"]), ragged_in(table["terms"]))
        terms, leaves = kept.in_order(self._numbers, self.jobs.staging.room), self._leaves(without=("terms",))
        return leaves._replace(term_offsets=terms.offsets, term_items=terms.items)

    @property
    def _numbers(self) -> Ints64:
        return self.first + np.arange(self.leaf_sizes.size)

    def _leaves(self, supports: StoredLists | None = None, without: tuple[str, ...] = ()) -> Leaves:
        """Return the leaves in their order; put the supports of their term chunks aside, if they are asked for."""
        leaves, more = StoredNodes(self.jobs.staging.pages), [] if supports is None else ["supports"]
        columns = ["leaf", *(name for name, _ in NODE_FIELDS if name not in without), *more]
        for table in self.jobs.fetched_in_batches("cut", "leaves", columns):
            numbers = numbers_in_column(table["leaf"])
            leaves.add(numbers, nodes_in(table))
            if supports is not None:
                supports.add(numbers, ragged_in(table["supports"]))
        return leaves.in_order(self._numbers, self.jobs.staging.room)

    def _blocks(self, trees: JointTrees) -> Ints64:
        """Return for all leaves the block of trees that they are in, -1 outside."""
        blocks = np.full(self.first + self.leaf_sizes.size, -1, np.int64)
        blocks[trees.leaves + self.first] = np.repeat(np.arange(len(trees.leaf_cuts) - 1), np.diff(trees.leaf_cuts))
        return blocks

    def _moved(self, moves: Moves, place: Ints32, blocks: Ints64) -> pa.Table:
        """Return what moved, leaf by leaf; leaves without go out of `blocks`, as their records are not needed."""
        is_moved = moves.joint_of >= 0
        moved = Ragged(moves.term_offsets, moves.term_items).where(is_moved)
        lists = moved.items, place[moves.joint_of[is_moved]], moves.strict[is_moved].astype(np.int32)
        having = np.flatnonzero(moved.lengths)
        blocks[np.flatnonzero(moved.lengths == 0) + self.first] = -1
        offsets, leaves = offsets_of(moved.lengths[having]), having + self.first
        return table_of(MOVES, [blocks[leaves], leaves, *(lists_of(offsets, each) for each in lists)])

    def _joints(self, trees: JointTrees, blocks: Ints64, moves: Frame, limits: Limits) -> Leaves:
        """Build the joints in executors, block by block of whole trees; `moves` has what moved to them."""
        leaves, cuts = self.numbered(blocks), np.array(trees.joint_cuts)
        schema = joint_fields(self.secret.size, self.found.records)
        self.jobs.stored(self.jobs.beside(leaves, moves, "block", schema, build, limits, cuts, schema), "joints")
        joints = StoredNodes(self.jobs.staging.pages)
        for table in self.jobs.fetched_in_batches("joints", "joints", schema.names):
            joints.add(numbers_in_column(table["joint"]), nodes_in(table))
        return joints.in_order(_places(trees).astype(np.int64), self.jobs.staging.room)


def _places(trees: JointTrees) -> Ints32:
    """Return for every joint its number where trees are together."""
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
    tops: Ints64 = field(default_factory=lambda: np.empty(0, np.int64))  # the numbers of the clusters, ascending

    def open(self, cut: Frame, first: int, leaves: int) -> None:
        """Make clusters of leaves, of which the first has the number `first`."""
        self._store(self.jobs.mapped(cut, STATE, open_tops, self.secret.size, self.limits, first), 0)
        self.tops = np.arange(leaves)

    def _store(self, state: Frame, number: int) -> None:
        """Store clusters; those that they were made of are removed."""
        before, self.name = self.name, f"level-{number}"
        self.state = self.jobs.stored(state, self.name)
        if before:
            self.jobs.staging.remove(before)

    def counts(self) -> Ints64:
        """Count for every term the clusters that could share it."""
        lines = self.state.select("line_terms", "line_marks")
        counted = self.jobs.mapped(lines, TERMS, count_terms_of_tops, self.secret.size)
        summed = counted.groupBy("term").sum("count").toDF(*TERMS.names)
        narrow = counts_of_terms(self.secret.size, self.tops.size)
        table = self.jobs.collected(self.jobs.mapped(summed, narrow, narrowed, narrow), "terms of clusters")
        counts = np.zeros(self.secret.size, np.int64)
        counts[numbers_in_column(table["term"])] = numbers_in_column(table["count"])
        return counts

    def keys(self, rank: Ints32) -> Ints64:
        """Return the keys of all clusters."""
        lines = self.state.select("top", "line_terms", "line_marks")
        table = self.jobs.collected(self.jobs.mapped(lines, KEYS, write_keys, rank, self.secret), "keys of clusters")
        numbers = numbers_in_column(table["top"])
        order = np.argsort(numbers)
        if not np.array_equal(numbers[order], self.tops):
            raise RuntimeError("a cluster is missing or came twice; nothing is published.")
        return numbers_in_column(table["key"])[order]

    def join(self, level: RefineLevel) -> Ragged:
        """Make a level: groups of runs are joined in tasks of their own."""
        at = np.full(int(self.tops[-1]) + 1, -1, np.int32)
        at[self.tops[level.order]] = np.arange(level.order.size)
        cuts = level.starts[[first for first, _ in spans(level.records, self.group_records)]]
        sorted_tops = self.jobs.mapped(self.state, SORTED, sort_tops, Sorting(at, cuts))
        known = level.number, level.run, self.secret, self.limits
        self._store(self.jobs.grouped(sorted_tops, "run_group", STATE, join_group, *known), level.number)
        table = self.jobs.fetched(self.name, "joined clusters", ["top", "members"])
        numbers = numbers_in_column(table["top"])
        order = np.argsort(numbers)
        self.tops = numbers[order]
        return ragged_in(table["members"]).take(order)
