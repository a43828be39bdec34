"""A shared chunk whose parts may not go everywhere: laid at random, with augmenting paths where that gets stuck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.puzzle import ask, has_marked, is_leaf, mark_terms
from disjoin.kernels.randomness import fair_below
from disjoin.model.arrays import Flags, Ints64

_GUESSES = 32  # before free slots are counted; either way all of them are equally likely


class Board(NamedTuple):
    """The slots of a joint as one of its chunks sees them; slots and leaves are numbered from 0."""

    may_take: NDArray[np.bool_]  # (subrecords, leaves)
    leaf_of: Ints64  # (slots,)
    first: Ints64  # (leaves + 1,), the first slot of a leaf
    free: Ints64  # (leaves,), how many slots have no part of this chunk
    holder: Ints64  # (slots,), the part of this chunk that lies there, or -1


@inner
def board_of(puzzle, world, node, chunk):
    """Look at a joint from one of its chunks; parts that lie somewhere already stay there."""
    n_leaves = 0
    for below in range(node, puzzle.ends[node]):
        n_leaves += is_leaf(puzzle, below)
    base = puzzle.first_slots[node]
    n_slots = puzzle.last_slots[node] - base
    n_rows = puzzle.last_rows[chunk] - puzzle.first_rows[chunk]
    may_take = np.zeros((n_rows, n_leaves), np.bool_)
    leaf_of = np.empty(n_slots, np.int64)
    first = np.zeros(n_leaves + 1, np.int64)
    free = np.empty(n_leaves, np.int64)
    holder = np.empty(n_slots, np.int64)
    leaf = 0
    for below in range(node, puzzle.ends[node]):
        if is_leaf(puzzle, below):
            _ask_leaf(puzzle, world, node, chunk, below, may_take[:, leaf])
            first[leaf + 1] = puzzle.last_slots[below] - base
            free[leaf] = first[leaf + 1] - first[leaf]
            for slot in range(first[leaf], first[leaf + 1]):
                leaf_of[slot] = leaf
                holder[slot] = -1
            leaf += 1
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] >= 0:
            holder[world.slots[part] - base] = part
            free[leaf_of[world.slots[part] - base]] -= 1
    return Board(may_take, leaf_of, first, free, holder)


@inner
def _ask_leaf(puzzle, world, node, chunk, leaf, answers: Flags):
    """Tell which subrecords of a chunk of `node` a leaf may take: none of its terms is known further down already."""
    question = ask(world)
    below = leaf
    while below != node:
        mark_terms(puzzle, world, below, question)
        below = puzzle.parents[below]
    for row in range(puzzle.first_rows[chunk], puzzle.last_rows[chunk]):
        answers[row - puzzle.first_rows[chunk]] = not has_marked(puzzle, world, row, question)


@kernel
def place_tied(puzzle, world, state, node, chunk):
    """Lay the parts of a shared chunk that lie nowhere on slots of leaves that may take them; False if none exist."""
    board = board_of(puzzle, world, node, chunk)
    for part in _most_bound_first(puzzle, world, state, chunk, board):
        row = puzzle.part_rows[part] - puzzle.first_rows[chunk]
        slot = _free_slot(board, state, row)
        if slot < 0:
            slot = _make_room(puzzle, board, state, row, puzzle.first_rows[chunk])
            if slot < 0:
                return False
        board.holder[slot] = part
        board.free[board.leaf_of[slot]] -= 1
    for slot in range(board.holder.size):
        if board.holder[slot] >= 0:
            world.slots[board.holder[slot]] = slot + puzzle.first_slots[node]
    return True


@inner
def _most_bound_first(puzzle, world, state, chunk, board):
    """Return the parts that lie nowhere: those with fewest leaves first, at random among equals."""
    n_leaves = board.free.size
    width = np.zeros(board.may_take.shape[0], np.int64)
    for row in range(width.size):
        for leaf in range(n_leaves):
            width[row] += board.may_take[row, leaf]
    loose = np.empty(puzzle.part_offsets[chunk + 1] - puzzle.part_offsets[chunk], np.int64)
    starts = np.zeros(n_leaves + 2, np.int64)
    found = 0
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] < 0:
            other = fair_below(state, found + 1)
            loose[found] = loose[other]
            loose[other] = part
            found += 1
            starts[width[puzzle.part_rows[part] - puzzle.first_rows[chunk]] + 1] += 1
    for leaves in range(n_leaves + 1):
        starts[leaves + 1] += starts[leaves]
    ordered = np.empty(found, np.int64)
    for position in range(found):
        leaves = width[puzzle.part_rows[loose[position]] - puzzle.first_rows[chunk]]
        ordered[starts[leaves]] = loose[position]
        starts[leaves] += 1
    return ordered


@inner
def _free_slot(board, state, row):
    """Draw one of the free slots that may take a subrecord; -1 if there is none."""
    for _ in range(_GUESSES):
        slot = fair_below(state, board.holder.size)
        if board.holder[slot] < 0 and board.may_take[row, board.leaf_of[slot]]:
            return slot
    free = 0
    for leaf in range(board.free.size):
        if board.may_take[row, leaf]:
            free += board.free[leaf]
    if free == 0:
        return -1
    wanted = fair_below(state, free)
    leaf = 0
    while not board.may_take[row, leaf] or wanted >= board.free[leaf]:
        if board.may_take[row, leaf]:
            wanted -= board.free[leaf]
        leaf += 1
    return _nth_free(board, leaf, wanted)


@inner
def _nth_free(board, leaf, wanted):
    slot = board.first[leaf]
    while board.holder[slot] >= 0 or wanted > 0:
        wanted -= board.holder[slot] < 0
        slot += 1
    return slot


@inner
def _make_room(puzzle, board, state, row, first_row):
    """Free a slot for a subrecord by moving others along an augmenting path; -1 if there is no such path."""
    n_leaves = board.free.size
    came_by = np.empty(n_leaves, np.int64)  # the slot whose part would move here; -2: not reached, -1: a beginning
    queue = np.empty(n_leaves, np.int64)
    reached = 0
    for leaf in range(n_leaves):
        came_by[leaf] = -2
        if board.may_take[row, leaf]:
            came_by[leaf] = -1
            queue[reached] = leaf
            reached += 1
    turn = 0
    while turn < reached:
        leaf = queue[turn]
        if board.free[leaf] > 0:
            return _shift(board, state, leaf, came_by)
        for slot in range(board.first[leaf], board.first[leaf + 1]):
            other_row = puzzle.part_rows[board.holder[slot]] - first_row
            for other in range(n_leaves):
                if came_by[other] == -2 and board.may_take[other_row, other]:
                    came_by[other] = slot
                    queue[reached] = other
                    reached += 1
        turn += 1
    return -1


@inner
def _shift(board, state, leaf, came_by):
    """Move every part on a path one step on; returns the slot that becomes free at its beginning."""
    slot = _nth_free(board, leaf, fair_below(state, board.free[leaf]))
    board.free[leaf] -= 1
    while came_by[leaf] >= 0:
        before = came_by[leaf]
        board.holder[slot] = board.holder[before]
        slot = before
        leaf = board.leaf_of[before]
    board.holder[slot] = -1
    board.free[leaf] += 1
    return slot
