"""Empty slots of leaves without a term chunk: a part moves there from a slot that can spare one (section A.7)."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.puzzle import ask, has_marked, is_needy, mark_terms, parts_below
from disjoin.kernels.randomness import fair_below


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
