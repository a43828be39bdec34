"""A level of REFINE on threads: the runs of a level have no cluster in common, so they can be joined at the same time.

Whoever joins writes nodes and lines where nobody else does. Afterwards they are moved together, in the order of the
runs, so that the ledger is the same for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from disjoin.methods.disassociation.leaves import Leaves, chunks_in_order, concatenated, rearranged, trimmed
from disjoin.methods.disassociation.pair_table import Spread
from disjoin.methods.disassociation.refine_runs import JOINTS, Limits, RefineState, cut_runs, join_runs, new_state
from disjoin.methods.disassociation.refine_state import LINES, NODES, RefineLedger, close_gaps, count_clusters, spans
from disjoin.methods.disassociation.steps import MOST, USED, require_end
from disjoin.model.arrays import Flags, Ints64

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
