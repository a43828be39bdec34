"""The exact step of section A.7: finds a way to fill every slot of a tree whenever there is one.

First every slot that only parts can fill gets a part of its own (a bipartite matching); then every chunk lays its other
parts, moving its own ones along augmenting paths. Such a path never frees a slot, so every slot stays filled.
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.puzzle import ask, has_marked, is_needy, mark_terms, parts_below
from disjoin.kernels.randomness import fair_below


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
