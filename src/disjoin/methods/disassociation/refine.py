"""REFINE, pass by pass: order the top-level clusters by what their term chunks share, and join neighbours."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.compiled import kernel
from disjoin.jit.ordering import sort_keys, sort_subrecords
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.pair_table import Spread
from disjoin.methods.disassociation.refine_join import (
    JOINTS,
    Limits,
    RefineState,
    cut_runs,
    join_neighbours,
    join_runs,
    new_state,
)
from disjoin.methods.disassociation.refine_state import (
    LINES,
    LISTED,
    NODES,
    RefineLedger,
    close_gaps,
    count_clusters,
    open_ledger,
    spans,
)
from disjoin.methods.disassociation.safe_sets import MOST, USED, require_end
from disjoin.methods.disassociation.verpart_shards import longest_record, records_in, secret_terms
from disjoin.methods.disassociation.write_leaves import (
    Forest,
    Leaves,
    chunks_in_order,
    concatenated,
    rearranged,
    trimmed,
)
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


BLOCK_LINES = 50_000  # joined by one thread at a time


class Block(NamedTuple):
    """Runs that are joined one after the other, and where their joints are written."""

    tops: Ints64  # the clusters of all runs
    starts: Ints64  # of the runs among them, and the end
    node: int
    line: int


class Made(NamedTuple):
    """What became of a block."""

    left: Ints64  # the clusters that are left, joints among them
    state: RefineState
    first: int  # of the joints of the state
    last: int
    lines: int  # of the joints


@dataclass(frozen=True)
class Joiner:
    """Joins clusters of a ledger, with as many states as are in use at the same time."""

    ledger: RefineLedger
    secret: Flags
    records: int
    limits: Limits
    spread: Spread
    states: list[RefineState] = field(default_factory=list)
    idle: list[RefineState] = field(default_factory=list)

    def state(self) -> RefineState:
        """Return a state that nobody uses; put it into `idle` when it is used no more."""
        try:
            return self.idle.pop()
        except IndexError:
            state = new_state(self.ledger, self.secret, self.records, self.limits)
            self.states.append(state)
            return state

    def require_end(self) -> None:
        """Raise if all states together have taken more steps than are allowed."""
        if self.states:
            steps = [state.desk.steps for state in self.states]
            require_end(np.array([sum(int(step[USED]) for step in steps), steps[0][MOST]]), self.limits.m)

    def join(self, tops: Ints64, run: int, counts: Ints64) -> Ints64:
        """Join runs of clusters, and return the clusters that are left, each joint before what is left of its run.

        `counts` has the clusters that can share each term, before and after.
        """
        starts, lines = np.empty(tops.size + 1, np.int64), np.empty(tops.size + 1, np.int64)
        runs = cut_runs(self.ledger, tops, run, self.limits, self.secret.size, starts, lines)
        starts, lines = starts[: runs + 1], lines[: runs + 1]
        left, at = [], 0
        while at < runs:
            room = self._room(int(lines[-1] - lines[at]), int(lines[at + 1] - lines[at]))
            end = int(np.searchsorted(lines, lines[at] + room, side="right")) - 1
            blocks = self._blocks(tops, starts[at : end + 1], lines[at : end + 1])
            for block, made in zip(blocks, self.spread(self._joined, blocks), strict=True):
                left.append(self._moved(block, made))
                count_clusters(self.ledger, block.tops[self.ledger.parents[block.tops] >= 0], True, -1, counts)
                count_clusters(self.ledger, made.state.nodes[made.first : made.last], True, 1, counts)
            at = end
        self.require_end()
        return np.concatenate(left)

    def _room(self, wanted: int, least: int) -> int:
        """Return how many lines can be written; gaps are closed if there is no other way, or if much is gained."""
        used, room = self.ledger.used, self.ledger.line_term.size
        free = room - int(used[LINES])
        if free < least or free < min(wanted, room // 4):
            close_gaps(self.ledger)
            free = room - int(used[LINES])
        assert free >= least, "with all gaps closed there is room for a line of every term"
        return free

    def _blocks(self, tops: Ints64, starts: Ints64, lines: Ints64) -> list[Block]:
        node, line = int(self.ledger.used[NODES]), int(self.ledger.used[LINES])
        return [
            Block(
                tops[starts[lo] : starts[hi]],
                starts[lo : hi + 1] - starts[lo],
                node + lo,  # a run makes one joint at most
                line + int(lines[lo] - lines[0]),
            )
            for lo, hi in spans(lines - lines[0], BLOCK_LINES)
        ]

    def _joined(self, block: Block) -> Made:
        """Join the runs of a block; this is what threads do."""
        state = self.state()
        first = int(state.used[JOINTS])
        state.used[NODES], state.used[LINES] = block.node, block.line
        out = np.empty(block.tops.size, np.int64)
        left = join_runs(self.ledger, state, block.tops, block.starts, self.limits, out)
        made = Made(out[:left], state, first, int(state.used[JOINTS]), int(state.used[LINES]) - block.line)
        self.idle.append(state)
        return made

    def _moved(self, block: Block, made: Made) -> Ints64:
        """Move the joints of a block behind those of the block before; return the clusters that are left."""
        ledger, n = self.ledger, made.last - made.first
        node, line = int(ledger.used[NODES]), int(ledger.used[LINES])
        down, up = block.node - node, block.line - line
        ledger.used[NODES] += n
        ledger.used[LINES] += made.lines
        made.state.nodes[made.first : made.last] -= down
        if down:
            ledger.sizes[node : node + n] = ledger.sizes[block.node : block.node + n]
            parents = ledger.parents[block.tops]
            ledger.parents[block.tops] = np.where(parents < 0, -1, parents - down)
        ledger.begin[node : node + n] = ledger.begin[block.node : block.node + n] - up
        ledger.end[node : node + n] = ledger.end[block.node : block.node + n] - up
        if up:
            for values in (getattr(ledger, name) for name in ledger._fields if name.startswith("line_")):
                values[line : line + made.lines] = values[block.line : block.line + made.lines]
        return np.where(made.left < block.node, made.left, made.left - down)


def joints_made(states: list[RefineState]) -> Leaves:
    """Return the joints, in the order of their nodes, with their shared chunks in canonical order."""
    parts, nodes = [], []
    for state in states:
        joints = int(state.used[JOINTS])
        nodes.append(state.nodes[:joints])
        made = state.joints._replace(
            sizes=state.joints.sizes[:joints],
            term_offsets=state.joints.term_offsets[: joints + 1],
            chunk_offsets=state.joints.chunk_offsets[: joints + 1],
        )
        parts.append(trimmed(made))
    together = concatenated(parts)
    return rearranged(together, np.argsort(np.concatenate(nodes)), chunks_in_order(together))


SHORT_KEY = 4  # ranks in a key
RANK_BITS = 15
SPAN_CLUSTERS = 5_000  # whose keys are written by one thread at a time


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
    """Write for every cluster one number: the SHORT_KEY smallest ranks of the terms that it could share.

    A rank of 2^RANK_BITS - 1 stands for all that are not smaller.
    """
    none = (1 << RANK_BITS) - 1
    best = np.empty(SHORT_KEY, np.int64)
    for i in range(tops.size):
        for j in range(SHORT_KEY):
            best[j] = none
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            if ledger.line_marks[p] == LISTED and not secret[ledger.line_term[p]]:
                moving = np.int64(rank[ledger.line_term[p]])
                for j in range(SHORT_KEY):
                    if moving < best[j]:
                        moving, best[j] = best[j], moving
        key = np.int64(0)
        for j in range(SHORT_KEY):
            key = key << RANK_BITS | best[j]
        keys[i] = key


SHORTEST_RUN, LONGEST_RUN = 2, 16  # clusters that are joined at once
YIELD = 20  # runs get longer when a level joins fewer than one cluster in this many
SPREAD = 4  # a term is not shared where its leaves make up less than about 1/(4 support) of the leaves of the joint


@dataclass(frozen=True, slots=True)
class Joining:
    """What a builder works with."""

    joiner: Joiner
    passes: int | None  # None: until nothing can be joined
    tell: Callable[[int, int], None]  # passes, joints

    @property
    def ledger(self) -> RefineLedger:
        """What is known of the clusters."""
        return self.joiner.ledger

    def is_last(self, number: int) -> bool:
        """Tell of a pass, numbered from 1, and tell whether it is the last that is allowed."""
        self.tell(number, int(self.ledger.used[NODES]) - self.ledger.left.size)
        return number == self.passes


def pairs(how: Joining) -> None:
    """Join neighbours, pass after pass, until a pass joins none."""
    tops = np.arange(how.ledger.left.size)
    failed = np.full(how.ledger.sizes.size, -1, np.int64)
    for number in count(1):
        tops = sorted_by_all_terms(how.ledger, tops, how.joiner.secret.size)
        before, tops = tops.size, _neighbours_joined(how.joiner, tops, failed)
        if how.is_last(number) or tops.size == before:
            break


def _neighbours_joined(joiner: Joiner, tops: Ints64, failed: Ints64) -> Ints64:
    ledger, state = joiner.ledger, joiner.state()
    out, at, left = np.empty(tops.size, np.int64), 0, 0
    while at < tops.size:
        if ledger.used[LINES] + joiner.secret.size > ledger.line_term.size:
            close_gaps(ledger)
        state.used[:2] = ledger.used
        at, left = join_neighbours(ledger, state, tops, joiner.limits, failed, out, (at, left))
        ledger.used[:] = state.used[:2]
    joiner.idle.append(state)
    joiner.require_end()
    return out[:left]


def levels(how: Joining) -> None:
    """Join runs of clusters, level after level, until even the longest runs join none."""
    tops = np.arange(how.ledger.left.size)
    counts = np.zeros(how.joiner.secret.size, np.int64)
    count_clusters(how.ledger, tops, True, 1, counts)
    run = SHORTEST_RUN
    for number in count(1):
        before = tops.size
        tops = how.joiner.join(sorted_by_first_terms(how.joiner, tops, counts), run, counts)
        if how.is_last(number) or (run == LONGEST_RUN and tops.size == before):
            break
        if (before - tops.size) * YIELD < before:
            run = min(2 * run, LONGEST_RUN)


def refine(
    leaves: Leaves,
    data: Transactions,
    partition: Partition,
    method: Disassociation,
    progress: Progress,
    spread: Spread = map,
) -> Forest:
    """Join leaves, which are in the order of the partition, as far as it pays; `spread` as that of an engine."""
    build, thinness = BUILDERS[method.refine_builder]
    limits = Limits(
        k=method.k,
        m=min(method.m, data.n_terms),
        longest=longest_record(data),
        largest=len(data) if method.max_joint_size is None else min(method.max_joint_size, len(data)),
        spread=thinness,
        safe=method.refine_mode == "safe",
    )
    leans = _lean_on_term_chunks(leaves, limits)
    ledger = open_ledger(records_in(data, partition), data.n_terms, partition.ends, leaves, leans, spread)
    joiner = Joiner(ledger, secret_terms(data), partition.records.size, limits, spread)

    def tell(passes: int, joints: int) -> None:
        progress("refining", passes, 0, f"pass {passes}, {joints:,} joint clusters")

    build(Joining(joiner, method.refine_passes, tell))
    kept = leaves._replace(term_items=leaves.term_items[~ledger.moved], term_offsets=offsets_of(ledger.left))
    joints, parents = joints_made(joiner.states), ledger.parents[: ledger.used[NODES]].copy()
    del ledger, joiner  # several times the size of the forest
    return Forest(concatenated([kept, joints]), parents)


def _lean_on_term_chunks(leaves: Leaves, limits: Limits) -> Flags:
    """Tell for every leaf whether it has fewer subrecords than Lemma 2 asks of one without a term chunk."""
    running = np.concatenate([[0], np.cumsum(leaves.counts)])[leaves.subrecord_offsets[leaves.chunk_offsets]]
    spread = np.maximum(1, np.minimum(limits.m, np.diff(leaves.chunk_offsets)))
    leans: Flags = np.diff(running) < leaves.sizes + limits.k * (spread - 1)
    return leans


BUILDERS: dict[str, tuple[Callable[[Joining], None], int]] = {"levels": (levels, SPREAD), "pairs": (pairs, 0)}


def sorted_by_all_terms(ledger: RefineLedger, tops: Ints64, n_terms: int) -> Ints64:
    """Sort clusters by the ranks of all terms of their term chunks, stably; those without any go last."""
    counts = np.zeros(n_terms, np.int64)
    count_clusters(ledger, tops, False, 1, counts)
    rank = _ranks(counts)
    offsets = np.zeros(tops.size + 1, np.int64)
    items = np.empty(int((ledger.end[tops] - ledger.begin[tops]).sum()), np.int32)
    long_keys(ledger, tops, rank, offsets, items, np.empty(n_terms, np.int64))
    lengths = np.diff(offsets)
    index: Ints64 = np.concatenate([np.flatnonzero(lengths), np.flatnonzero(lengths == 0)])
    sort_subrecords(items, offsets[:-1].copy(), lengths, index, np.empty_like(index), 0, int((lengths > 0).sum()))
    return tops[index]


def sorted_by_first_terms(joiner: Joiner, tops: Ints64, counts: Ints64) -> Ints64:
    """Sort clusters by the ranks of the few terms that they could share with most others.

    `counts` has the clusters that can share each term. Ties keep their order, which is that of splitting, hence given
    by content alone.
    """
    rank, keys = _ranks(counts), np.empty(tops.size, np.int64)

    def write(span: tuple[int, int]) -> None:
        short_keys(joiner.ledger, tops[slice(*span)], rank, joiner.secret, keys[slice(*span)])

    list(joiner.spread(write, spans(np.arange(tops.size + 1), SPAN_CLUSTERS)))
    return tops[np.argsort(keys, kind="stable")]


def _ranks(counts: Ints64) -> Ints32:
    """Rank the terms by the number of clusters that have them in term chunks (most first), then by term."""
    rank = np.empty(counts.size, np.int32)
    rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size, dtype=np.int32)
    return rank
