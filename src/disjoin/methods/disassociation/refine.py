"""REFINE, the passes: order top-level clusters by common terms, let `refine_join` join neighbours, repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.arrays.ordering import sort_keys, sort_ties
from disjoin.jit.kernel import kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation import refine_join
from disjoin.methods.disassociation.horpart import Partition, copied_records, in_place, records_in, secret_terms, spans
from disjoin.methods.disassociation.leaves import Buffers, Forest, Leaves, concatenated
from disjoin.methods.disassociation.refine_join import LINES, LISTED, NODES, PASS, JoinState, Limits, RefineLedger
from disjoin.methods.disassociation.refine_shared_chunks import Moves, build_joints
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, inverse
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation
    from disjoin.methods.disassociation.clustering import Task


BLOCK_LINES = 50_000  # lines joined by one thread
MOST_COPIED = 50_000_000  # terms in all records: 200 MB


# The clusters of some runs, where runs start, and the first node and line of their joints.
Block = tuple[Ints64, Ints64, int, int]
Made = tuple[Ints64, int, int]  # the remaining clusters, joints among them; the numbers of joints and of lines


@dataclass(frozen=True)
class Joiner:
    """Joins clusters of a ledger, with as many states as are in use at the same time."""

    ledger: RefineLedger
    secret: Flags
    limits: Limits
    spread: Spread
    idle: list[JoinState] = field(default_factory=list)

    def state(self) -> JoinState:
        """Return a state that is not in use; put it into `idle` afterwards."""
        try:
            return self.idle.pop()
        except IndexError:
            return refine_join.new_bench(self.secret, self.ledger.left.size)

    def join(self, tops: Ints64, run: int, counts: Ints64) -> Ints64:
        """Join runs of clusters, and return the remaining clusters, each joint before the rest of its run. `counts` has
        the clusters that can share each term, before and after."""
        ledger = self.ledger
        starts, lines = np.empty(tops.size + 1, np.int64), np.empty(tops.size + 1, np.int64)
        runs = refine_join.cut_runs(ledger, tops, run, self.limits, self.secret.size, starts, lines)
        starts, lines = starts[: runs + 1], lines[: runs + 1]
        left, at = [], 0
        while at < runs:
            room = self._room(int(lines[-1] - lines[at]), int(lines[at + 1] - lines[at]))
            end = int(np.searchsorted(lines, lines[at] + room, side="right")) - 1
            node, line = int(ledger.used[NODES]), int(ledger.used[LINES])
            before, first = lines[at : end + 1] - lines[at], starts[at : end + 1]
            blocks = [  # a run makes one joint at most
                (tops[first[lo] : first[hi]], first[lo : hi + 1] - first[lo], node + lo, line + int(before[lo]))
                for lo, hi in spans(before, BLOCK_LINES)
            ]
            for block, made in zip(blocks, self.spread(self._joined, blocks), strict=True):
                left.append(self._moved(block, made))
                refine_join.count_clusters(ledger, block[0][ledger.parents[block[0]] >= 0], True, -1, counts)
                last = int(ledger.used[NODES])
                refine_join.count_clusters(ledger, np.arange(last - made[1], last), True, 1, counts)
            at = end
        return np.concatenate(left)

    def _room(self, wanted: int, least: int) -> int:
        """Return how many lines can be written; close the gaps first if that is needed or gains much."""
        used, room = self.ledger.used, self.ledger.line_term.size
        free = room - int(used[LINES])
        if free < least or free < min(wanted, room // 4):
            refine_join.close_gaps(self.ledger)
            free = room - int(used[LINES])
        assert free >= least, "with all gaps closed there is room for a line of every term"
        return free

    def _joined(self, block: Block) -> Made:
        """Join the runs of a block; threads do this in parallel."""
        tops, starts, node, line = block
        state = self.state()
        state.used[NODES], state.used[LINES] = node, line
        out = np.empty(tops.size, np.int64)
        left = refine_join.join_runs(self.ledger, state, tops, starts, self.limits, out)
        made = out[:left], int(state.used[NODES]) - node, int(state.used[LINES]) - line
        self.idle.append(state)
        return made

    def _moved(self, block: Block, made: Made) -> Ints64:
        """Move the joints of a block behind those of the block before; return the remaining clusters."""
        (tops, _, first, first_line), (left, n, n_lines), ledger = block, made, self.ledger
        node, line = int(ledger.used[NODES]), int(ledger.used[LINES])
        down, up = first - node, first_line - line
        ledger.used[NODES] += n
        ledger.used[LINES] += n_lines
        if down:
            for nodes in (ledger.sizes, ledger.first, ledger.last):
                nodes[node : node + n] = nodes[first : first + n]
            parents = ledger.parents[tops]
            ledger.parents[tops] = np.where(parents < 0, -1, parents - down)
        ledger.begin[node : node + n] = ledger.begin[first : first + n] - up
        ledger.end[node : node + n] = ledger.end[first : first + n] - up
        if up:
            for lines in (ledger.line_term, ledger.line_marks, ledger.line_support):
                lines[line : line + n_lines] = lines[first_line : first_line + n_lines]
        return np.where(left < first, left, left - down)


SHORT_KEY = 4  # ranks in a key
RANK_BITS = 15
SPAN_CLUSTERS = 5_000  # clusters whose keys one thread writes


@kernel
def long_keys(ledger, tops, rank, offsets, items, keys):
    """Write for every cluster the ascending ranks of its listed terms, cut by `offsets`."""
    at = 0
    for i in range(tops.size):
        n = 0
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            if ledger.line_marks[p] & LISTED:
                keys[n] = rank[ledger.line_term[p]]
                n += 1
        sort_keys(keys, n)
        for j in range(n):
            items[at + j] = keys[j]
        at += n
        offsets[i + 1] = at


@kernel
def short_keys(ledger, tops, rank, secret, keys):
    """Write for every cluster one number: the SHORT_KEY smallest ranks of the terms that it could share. A rank of
    2^RANK_BITS - 1 represents all that are not smaller."""
    none = (1 << RANK_BITS) - 1
    best = np.empty(SHORT_KEY, np.int64)
    for i in range(tops.size):
        best[:] = none
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            if ledger.line_marks[p] == LISTED and not secret[ledger.line_term[p]]:
                moving = np.int64(rank[ledger.line_term[p]])
                if moving < best[SHORT_KEY - 1]:  # true for few
                    for j in range(SHORT_KEY):
                        if moving < best[j]:
                            moving, best[j] = best[j], moving
        key = np.int64(0)
        for j in range(SHORT_KEY):
            key = key << RANK_BITS | best[j]
        keys[i] = key


SHORTEST_RUN, LONGEST_RUN = 2, 16  # clusters that are joined at once
YIELD = 20  # runs get longer when a level joins fewer than 1/YIELD of the clusters


@dataclass(frozen=True, slots=True)
class Passes:
    """Numbers the passes of a builder, from 1, and remembers the joints of each."""

    used: Ints64  # `used` of the ledger
    leaves: int
    most: int | None  # None: until nothing can be joined
    tell: Callable[[int, int], None]  # passes, joints
    starts: list[int] = field(default_factory=lambda: [0])  # pass -> the first node that it makes

    def numbered(self) -> Iterator[int]:
        for number in count(1):
            self.used[PASS] = number
            self.starts.append(int(self.used[NODES]))
            yield number

    def is_last(self, number: int) -> bool:
        """Report a pass, numbered from 1; return whether it is the last allowed one."""
        self.tell(number, int(self.used[NODES]) - self.leaves)
        return number in (self.most, refine_join.MOST_PASSES)


def pairs(joiner: Joiner, passes: Passes) -> None:
    """Join neighbours, pass after pass, until a pass joins none."""
    ledger, state, tops = joiner.ledger, joiner.state(), np.arange(passes.leaves)
    failed = np.full(ledger.sizes.size, -1, np.int64)
    for number in passes.numbered():
        tops = sorted_by_all_terms(ledger, tops, joiner.secret.size)
        out, at, left = np.empty(tops.size, np.int64), 0, 0
        while at < tops.size:
            if ledger.used[LINES] + joiner.secret.size > ledger.line_term.size:
                refine_join.close_gaps(ledger)
            state.used[:] = ledger.used[:PASS]
            at, left = refine_join.join_neighbours(ledger, state, tops, joiner.limits, failed, out, (at, left))
            ledger.used[:PASS] = state.used
        before, tops = tops.size, out[:left]
        if passes.is_last(number) or tops.size == before:
            break


def levels(joiner: Joiner, passes: Passes) -> None:
    tops = np.arange(passes.leaves)
    counts = np.zeros(joiner.secret.size, np.int64)
    refine_join.count_clusters(joiner.ledger, tops, True, 1, counts)

    def join(run: int) -> int:
        nonlocal tops
        tops = joiner.join(sorted_by_first_terms(joiner, tops, counts), run, counts)
        return int(tops.size)

    climb(passes, join)


def climb(passes: Passes, join: Callable[[int], int]) -> None:
    """Call for levels until even the longest runs join none: `join(run)` makes a level and returns what remains."""
    run, before = SHORTEST_RUN, passes.leaves
    for number in passes.numbered():
        left = join(run)
        if passes.is_last(number) or (run == LONGEST_RUN and left == before):
            break
        if (before - left) * YIELD < before:
            run = min(2 * run, LONGEST_RUN)
        before = left


class RefinePlan(NamedTuple):
    """Which clusters are joined, and the terms that they share; made without reading records."""

    parents: Ints64  # leaves, then joints -> the joint that contains them, -1
    sizes: Ints64  # joint -> records
    moves: Moves


def refine(task: Task, leaves: Leaves, partition: Partition) -> Forest:
    """Join leaves, which are in the order of the partition, as far as that pays."""
    data, ends, spread = task.data, partition.ends, task.engine.spread
    limits = refine_join.limits_of(task.method, len(data), data.n_terms, data.records.longest)
    records = records_in(data, partition.records)
    if records.items.size <= MOST_COPIED:  # read three times, which is faster in this order
        records = in_place(*copied_records(records, records.order, spread))
    plan = plan_refine(
        leaves,
        refine_join.supports_of_entries(records, ends, leaves, data.n_terms, spread),  # without a name: freed inside
        secret_terms(data),
        task.method,
        limits,
        task.progress,
        spread,
    )
    if plan.sizes.size == 0:
        return Forest.without_joints(leaves)
    return forest_by_plan(leaves, plan, build_joints(records, ends, plan.moves, plan.parents, limits, spread))


def plan_refine(
    leaves: Leaves,
    supports: Ints32,
    secret: Flags,
    method: Disassociation,
    limits: Limits,
    progress: Progress,
    spread: Spread = map,
) -> RefinePlan:
    """Decide which leaves are joined, in the order of their partition; `supports` as in `supports_of_entries`. The
    decision depends only on term chunks, supports and sizes, not on the shared chunk that a term is put into. So
    records are needed only later, and only those with a term that moved."""
    ledger = refine_join.open_ledger(leaves, supports, secret.size, lean_on_term_chunks(leaves, limits))
    del supports  # the ledger has a copy and needs the memory
    n = leaves.sizes.size
    passes = Passes(ledger.used, n, method.refine_passes, telling(progress))
    BUILDERS[method.refine_builder](Joiner(ledger, secret, limits, spread), passes)
    nodes = int(ledger.used[NODES])
    parents, sizes = ledger.parents[:nodes].copy(), ledger.sizes[n:nodes].copy()
    moved_in, strict = ledger.moved_in, ledger.strict
    del ledger  # frees the lines, its largest part
    joint_of = np.full(moved_in.size, -1, np.int32)
    write_joints(leaves.term_offsets, parents, np.array(passes.starts), moved_in, joint_of)
    return RefinePlan(parents, sizes, Moves(leaves.term_offsets, leaves.term_items, joint_of, strict))


def telling(progress: Progress) -> Callable[[int, int], None]:
    return lambda passes, joints: progress("refining", passes, 0, f"pass {passes}, {joints:,} joint clusters")


@kernel
def write_joints(term_offsets, parents, starts, moved_in, joint_of):
    """Write for every entry that moved the joint that took it: the one of its leaf that was made in that pass."""
    leaves = term_offsets.size - 1
    for leaf in range(leaves):
        for e in range(term_offsets[leaf], term_offsets[leaf + 1]):
            if moved_in[e] > 0:
                node = parents[leaf]
                while node < starts[moved_in[e]]:
                    node = parents[node]
                joint_of[e] = node - leaves


def forest_by_plan(leaves: Leaves, plan: RefinePlan, joints: Leaves, room: Buffers = np.zeros) -> Forest:
    """Remove the terms that moved from the leaves' term chunks, and append the joints to the leaves."""
    stay = Ragged(leaves.term_offsets, leaves.term_items).where(plan.moves.joint_of < 0)
    kept = leaves._replace(term_items=stay.items, term_offsets=stay.offsets)
    return Forest(concatenated([kept, joints._replace(sizes=plan.sizes)], room), plan.parents)


def lean_on_term_chunks(leaves: Leaves, limits: Limits) -> Flags:
    """Return which leaves need their term chunk: they have fewer subrecords than Lemma 2, with slack, requires."""
    running = np.concatenate([[0], np.cumsum(leaves.counts)])[leaves.subrecord_offsets[leaves.chunk_offsets]]
    chunks = np.diff(leaves.chunk_offsets)
    spread = np.maximum(1, np.minimum(limits.m, chunks))
    spare = limits.slack * np.maximum(0, chunks - 1)
    leans: Flags = np.diff(running) < leaves.sizes + (limits.k - limits.slack) * (spread - 1) + spare
    return leans


BUILDERS = {"levels": levels, "pairs": pairs}


def sorted_by_all_terms(ledger: RefineLedger, tops: Ints64, n_terms: int) -> Ints64:
    """Sort clusters by the ranks of all terms of their term chunks, stably; those without any go last."""
    counts = np.zeros(n_terms, np.int64)
    refine_join.count_clusters(ledger, tops, False, 1, counts)
    rank = ranks_by_count(counts)
    offsets = np.zeros(tops.size + 1, np.int64)
    items = np.empty(int((ledger.end[tops] - ledger.begin[tops]).sum()), np.int32)
    long_keys(ledger, tops, rank, offsets, items, np.empty(n_terms, np.int64))
    lengths = np.diff(offsets)
    index: Ints64 = np.concatenate([np.flatnonzero(lengths), np.flatnonzero(lengths == 0)])
    listed, nothing = index[: np.count_nonzero(lengths)], np.zeros(lengths.size, np.uint64)
    sort_ties(items, offsets[:-1].copy(), lengths, nothing, listed, np.empty_like(listed))
    return tops[index]


def sorted_by_first_terms(joiner: Joiner, tops: Ints64, counts: Ints64) -> Ints64:
    """Sort clusters by the ranks of the few terms that they could share with most others. `counts` has the clusters
    that can share each term. Ties keep the order of splitting, which depends on content only."""
    rank, keys = ranks_by_count(counts), np.empty(tops.size, np.int64)

    def write(span: tuple[int, int]) -> None:
        short_keys(joiner.ledger, tops[slice(*span)], rank, joiner.secret, keys[slice(*span)])

    list(joiner.spread(write, spans(np.arange(tops.size + 1), SPAN_CLUSTERS)))
    return tops[np.argsort(keys, kind="stable")]


def ranks_by_count(counts: Ints64) -> Ints32:
    """Rank the terms by the number of clusters that have them in term chunks (most first), then by term."""
    return inverse(np.argsort(-counts, kind="stable").astype(np.int32))
