"""The pieces of a published forest and the slots that they go to, as arrays that kernels work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.kernels.compiling import inner, kernel
from disjoin.model.arrays import Flags, Ints32, Ints64


class Puzzle(NamedTuple):
    """A forest in pre-order, so that a tree, its parts and its slots are runs of neighbours.

    A part is one copy of a subrecord; a slot is a record to be put together. `is_tied` says of a shared chunk that
    not every leaf below may take all of its parts.
    """

    parents: Ints64  # (nodes,), -1 for a root
    ends: Ints64  # (nodes,), one behind the last node below
    first_slots: Ints64  # (nodes,)
    last_slots: Ints64  # (nodes,), one behind
    chunk_offsets: Ints64  # (nodes + 1,)
    part_offsets: Ints64  # (chunks + 1,)
    first_rows: Ints64  # (chunks,), the first of its subrecords
    last_rows: Ints64  # (chunks,), one behind
    part_rows: Ints64  # (parts,), the subrecord of a part
    term_offsets: Ints64  # (nodes + 1,)
    term_items: Ints32
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    is_tied: Flags  # (chunks,)


class World(NamedTuple):
    """Where everything lies; filled by the kernels, tree by tree."""

    slots: Ints32  # (parts,), -1 while a part lies nowhere
    weights: Ints32  # (slots,), how many parts and terms of a term chunk lie there
    order: Ints32  # (slots,), scratch: the slots of a node not yet left behind, in any order
    stamps: Ints64  # (slots,), scratch: the last term that was put there
    marks: Ints64  # (terms,), scratch: the last question in which a term was met
    term_slots: Ints32  # where a term of a term chunk lies
    terms: Ints32  # and which it is
    counters: Ints64  # (2,): how many of those there are, how many questions were asked


PLACED, ASKED = 0, 1  # positions in `World.counters`


@kernel
def preorder(parents):
    """Number a forest in pre-order; returns for every node its position and one behind the last position below it."""
    n = parents.size
    position = np.empty(n, np.int64)
    end = np.empty(n, np.int64)
    free = np.ones(n, np.int64)  # at first how many nodes the tree below has, then where the next child goes
    for node in range(n - 1, -1, -1):
        if parents[node] >= 0:
            free[parents[node]] += free[node]
    next_root = 0
    for node in range(n):
        below = free[node]
        if parents[node] < 0:
            position[node] = next_root
            next_root += below
        else:
            position[node] = free[parents[node]]
            free[parents[node]] += below
        end[node] = position[node] + below
        free[node] = position[node] + 1
    return position, end


@kernel
def number_slots(parents, ends, sizes):
    """Give every leaf its slots, and every joint those of its leaves; nodes are in pre-order."""
    first = np.empty(parents.size, np.int64)
    last = np.empty(parents.size, np.int64)
    next_slot = 0
    for node in range(parents.size):
        first[node] = next_slot
        if ends[node] == node + 1:
            next_slot += sizes[node]
            last[node] = next_slot
    for node in range(parents.size):
        last[node] = last[ends[node] - 1]  # the last node below is a leaf
    return first, last


@kernel
def find_tied(puzzle, n_terms):
    """Mark the shared chunks that have a term of a chunk or term chunk further down in their own tree."""
    nearest = np.empty(n_terms, np.int64)  # the next node, in pre-order, that has the term
    for term in range(n_terms):
        nearest[term] = puzzle.ends.size
    for node in range(puzzle.ends.size - 1, -1, -1):
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            tied = False
            for item in chunk_items(puzzle, chunk):
                tied |= nearest[item] < puzzle.ends[node]
            puzzle.is_tied[chunk] = tied
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            for item in chunk_items(puzzle, chunk):
                nearest[item] = node
        for entry in range(puzzle.term_offsets[node], puzzle.term_offsets[node + 1]):
            nearest[puzzle.term_items[entry]] = node


@inner
def chunk_items(puzzle, chunk) -> NDArray[np.int32]:
    """Return the items of all subrecords of a chunk, one after the other."""
    first = puzzle.item_offsets[puzzle.first_rows[chunk]]
    return puzzle.items[first : puzzle.item_offsets[puzzle.last_rows[chunk]]]


@inner
def is_leaf(puzzle, node):
    """Tell whether a node has no children."""
    return puzzle.ends[node] == node + 1


@inner
def is_needy(puzzle, node):
    """Tell whether a node is a leaf without a term chunk: nothing but parts can fill its slots."""
    return puzzle.ends[node] == node + 1 and puzzle.term_offsets[node] == puzzle.term_offsets[node + 1]


@inner
def parts_below(puzzle, node):
    """Return the parts (first, one behind the last) of a node and all below it."""
    first = puzzle.part_offsets[puzzle.chunk_offsets[node]]
    return first, puzzle.part_offsets[puzzle.chunk_offsets[puzzle.ends[node]]]


@inner
def ask(world):
    """Begin a new question about terms: none is marked."""
    world.counters[ASKED] += 1
    return world.counters[ASKED]


@inner
def mark_terms(puzzle, world, node, question):
    """Mark what a node has in its chunks and its term chunk."""
    for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
        for item in chunk_items(puzzle, chunk):
            world.marks[item] = question
    for entry in range(puzzle.term_offsets[node], puzzle.term_offsets[node + 1]):
        world.marks[puzzle.term_items[entry]] = question


@inner
def has_marked(puzzle, world, row, question):
    """Tell whether a subrecord has a marked term."""
    for position in range(puzzle.item_offsets[row], puzzle.item_offsets[row + 1]):
        if world.marks[puzzle.items[position]] == question:
            return True
    return False
