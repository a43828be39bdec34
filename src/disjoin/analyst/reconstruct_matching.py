"""Ways to fill every slot of a tree: by matching, by repair, and by the exact step of section A.7."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.reconstruct_puzzle import ask, has_marked, is_leaf, is_needy, mark_terms, parts_below
from disjoin.jit.compiled import inner, kernel
from disjoin.jit.randomness import fair_below
from disjoin.model.ragged import Flags, Ints64

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


@kernel
def repair(puzzle, world, state):
    """Fill the empty slots of all trees; returns for every root whether it got stuck (False for other nodes)."""
    is_stuck = np.zeros(puzzle.ends.size, np.bool_)
    for root in range(puzzle.ends.size):
        if puzzle.parents[root] < 0 and _has_empty(puzzle, world, root):
            is_stuck[root] = not _repair_tree(puzzle, world, state, root)
    return is_stuck


@inner
def _has_empty(puzzle, world, root):
    for leaf in range(root, puzzle.ends[root]):
        if is_needy(puzzle, leaf):
            for slot in range(puzzle.first_slots[leaf], puzzle.last_slots[leaf]):
                if world.weights[slot] == 0:
                    return True
    return False


@inner
def _repair_tree(puzzle, world, state, root):
    """Fill all empty slots of a tree; returns False if some slot cannot be filled by a single move."""
    base = puzzle.first_slots[root]
    first, last = parts_below(puzzle, root)
    top = np.empty(puzzle.last_slots[root] - base, np.int64)  # the first part on a slot, or -1
    beneath = np.empty(last - first, np.int64)  # the part beneath a part, or -1
    for slot in range(top.size):
        top[slot] = -1
    for part in range(first, last):
        slot = world.slots[part] - base
        beneath[part - first] = top[slot]
        top[slot] = part
    for leaf in range(root, puzzle.ends[root]):
        if is_needy(puzzle, leaf):
            for slot in range(puzzle.first_slots[leaf], puzzle.last_slots[leaf]):
                if world.weights[slot] == 0:
                    part = _spare_here(puzzle, world, state, leaf, top, beneath, base, first)
                    if part < 0:
                        part = _spare_elsewhere(puzzle, world, state, leaf)
                    if part < 0:
                        return False
                    _move(world, part, slot, top, beneath, base, first)
    return True


@inner
def _spare_here(puzzle, world, state, leaf, top, beneath, base, first_part):
    """Draw a slot of the leaf with two parts or more, and one of its parts; -1 if there is no such slot."""
    heavy = 0
    chosen = -1
    for slot in range(puzzle.first_slots[leaf], puzzle.last_slots[leaf]):
        if world.weights[slot] >= 2:
            heavy += 1
            if fair_below(state, heavy) == 0:
                chosen = slot
    if chosen < 0:
        return -1
    down = fair_below(state, int(world.weights[chosen]))
    part = top[chosen - base]
    for _ in range(down):
        part = beneath[part - first_part]
    return part


@inner
def _spare_elsewhere(puzzle, world, state, leaf):
    """Draw a part of a shared chunk above that may come to the leaf and is not alone on its slot; -1 if none is."""
    question = ask(world)
    found = 0
    chosen = -1
    node = leaf
    while puzzle.parents[node] >= 0:
        mark_terms(puzzle, world, node, question)
        node = puzzle.parents[node]
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
                if world.weights[world.slots[part]] >= 2 and (
                    not puzzle.is_tied[chunk] or not has_marked(puzzle, world, puzzle.part_rows[part], question)
                ):
                    found += 1
                    if fair_below(state, found) == 0:
                        chosen = part
    return chosen


@inner
def _move(world, part, slot, top, beneath, base, first_part):
    """Move a part to an empty slot."""
    old = world.slots[part]
    if top[old - base] == part:
        top[old - base] = beneath[part - first_part]
    else:
        above = top[old - base]
        while beneath[above - first_part] != part:
            above = beneath[above - first_part]
        beneath[above - first_part] = beneath[part - first_part]
    top[slot - base] = part
    beneath[part - first_part] = -1
    world.slots[part] = slot
    world.weights[old] -= 1
    world.weights[slot] = 1


@kernel
def fill_needy_leaves(puzzle, world, state, root):
    """Take up all parts of a tree and lay one on every slot that only parts can fill; False if that is impossible."""
    first, last = parts_below(puzzle, root)
    for part in range(first, last):
        world.slots[part] = -1
    leaves = np.empty(last - first, np.int64)  # the leaf that a part fills a slot of, or -1
    for position in range(leaves.size):
        leaves[position] = -1
    if not _match(puzzle, world, state, root, leaves):
        return False
    taken = np.zeros(puzzle.ends[root] - root, np.int64)
    for position in range(leaves.size):
        leaf = leaves[position]
        if leaf >= 0:
            world.slots[first + position] = puzzle.first_slots[leaf] + taken[leaf - root]
            taken[leaf - root] += 1
    return True


@inner
def _match(puzzle, world, state, root, leaves):
    """Give every leaf without a term chunk as many parts as it has slots; returns False if some must go without."""
    first, last = parts_below(puzzle, root)
    fitting = np.empty(last - first, np.int64)
    for leaf in _shuffled_leaves(puzzle, state, root):
        missing = puzzle.last_slots[leaf] - puzzle.first_slots[leaf]
        for position in range(_find_fitting(puzzle, world, state, leaf, fitting)):
            if missing > 0 and leaves[fitting[position] - first] < 0:
                leaves[fitting[position] - first] = leaf
                missing -= 1
        for _ in range(missing):
            if not _reassign(puzzle, world, state, root, leaf, leaves, fitting):
                return False
    return True


@inner
def _shuffled_leaves(puzzle, state, root):
    """Return the leaves without a term chunk in random order."""
    leaves = np.empty(puzzle.ends[root] - root, np.int64)
    found = 0
    for leaf in range(root, puzzle.ends[root]):
        if is_needy(puzzle, leaf):
            other = fair_below(state, found + 1)
            leaves[found] = leaves[other]
            leaves[other] = leaf
            found += 1
    return leaves[:found]


@inner
def _find_fitting(puzzle, world, state, leaf, fitting):
    """List the parts that may lie in a leaf, in random order; returns how many there are."""
    found = 0
    question = ask(world)
    node = leaf
    while node >= 0:
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
                if not puzzle.is_tied[chunk] or not has_marked(puzzle, world, puzzle.part_rows[part], question):
                    other = fair_below(state, found + 1)
                    fitting[found] = fitting[other]
                    fitting[other] = part
                    found += 1
        mark_terms(puzzle, world, node, question)
        node = puzzle.parents[node]
    return found


@inner
def _reassign(puzzle, world, state, root, needy, leaves, fitting):
    """Get one more part for a leaf, from another leaf if that can be given a new one; False if there is no way."""
    first, _ = parts_below(puzzle, root)
    n_nodes = puzzle.ends[root] - root
    lost = np.empty(n_nodes, np.int64)  # the part that a leaf would give away; -2: not reached, -1: the beginning
    receiver = np.empty(n_nodes, np.int64)  # and to whom
    queue = np.empty(n_nodes, np.int64)
    for node in range(n_nodes):
        lost[node] = -2
    lost[needy - root] = -1
    queue[0] = needy
    reached = 1
    turn = 0
    while turn < reached:
        leaf = queue[turn]
        turn += 1
        for position in range(_find_fitting(puzzle, world, state, leaf, fitting)):
            part = fitting[position]
            owner = leaves[part - first]
            if owner < 0:
                while leaf != needy:
                    leaves[part - first] = leaf
                    part = lost[leaf - root]
                    leaf = receiver[leaf - root]
                leaves[part - first] = needy
                return True
            if lost[owner - root] == -2:
                lost[owner - root] = part
                receiver[owner - root] = leaf
                queue[reached] = owner
                reached += 1
    return False


@kernel
def complete_chunk(puzzle, world, state, node, chunk):
    """Lay the parts of a chunk that lie nowhere on slots of its node that are free for it, all ways equally likely."""
    base = puzzle.first_slots[node]
    n_slots = puzzle.last_slots[node] - base
    is_taken = np.zeros(n_slots, np.bool_)
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] >= 0:
            is_taken[world.slots[part] - base] = True
    free = np.empty(n_slots, np.int64)
    found = 0
    for slot in range(n_slots):
        if not is_taken[slot]:
            free[found] = slot
            found += 1
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] < 0:
            chosen = fair_below(state, found)
            found -= 1
            world.slots[part] = base + free[chosen]
            free[chosen] = free[found]
