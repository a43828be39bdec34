"""Chunks laid on slots at random, and the terms of term chunks: empty slots first (section A.7)."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.covering import lay_covering
from disjoin.kernels.puzzle import PLACED
from disjoin.kernels.randomness import fair_below


@kernel
def place_free_chunks(puzzle, world, state, is_left_out):
    """Lay all chunks that may go everywhere in their node, except those of the nodes that are left out."""
    for node in range(puzzle.ends.size - 1, -1, -1):  # children first: see _place_freely
        if not is_left_out[node]:
            for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
                if not puzzle.is_tied[chunk]:
                    _place_freely(puzzle, world, state, node, chunk)


@inner
def _place_freely(puzzle, world, state, node, chunk):
    """Lay a chunk on distinct slots of its node, all ways equally likely.

    `world.order` needs no cleaning up: a node shuffles its own slots among themselves, and whatever is below it has
    been dealt with before.
    """
    first, last = puzzle.first_slots[node], puzzle.last_slots[node]
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        place = first + part - puzzle.part_offsets[chunk]
        other = place + fair_below(state, last - place)
        slot = world.order[other]
        world.order[other] = world.order[place]
        world.order[place] = slot
        world.slots[part] = slot


@kernel
def cover_leaf(puzzle, world, state, binomials, leaf):
    """Lay the chunks of a lone leaf so that they cover it, all ways equally likely; returns False if they cannot."""
    first_chunk, last_chunk = puzzle.chunk_offsets[leaf], puzzle.chunk_offsets[leaf + 1]
    sizes = np.empty(last_chunk - first_chunk, np.int64)
    for chunk in range(first_chunk, last_chunk):
        sizes[chunk - first_chunk] = puzzle.part_offsets[chunk + 1] - puzzle.part_offsets[chunk]
    order = world.order[puzzle.first_slots[leaf] : puzzle.last_slots[leaf]]
    slots = world.slots[puzzle.part_offsets[first_chunk] : puzzle.part_offsets[last_chunk]]
    return lay_covering(state, binomials, sizes, order, slots)


@kernel
def weigh(puzzle, world, root, end):
    """Count the parts on every slot of the nodes from a root to the end of some tree; terms lie nowhere any more."""
    for slot in range(puzzle.first_slots[root], puzzle.last_slots[end - 1]):
        world.weights[slot] = 0
        world.stamps[slot] = 0
    first, last = puzzle.chunk_offsets[root], puzzle.chunk_offsets[end]
    for part in range(puzzle.part_offsets[first], puzzle.part_offsets[last]):
        world.weights[world.slots[part]] += 1


@kernel
def place_terms(puzzle, world, state, most, root, end):
    """Place the term chunks of all leaves from a root to the end of some tree."""
    for leaf in range(root, end):
        if puzzle.term_offsets[leaf + 1] > puzzle.term_offsets[leaf]:
            _place_term_chunk(puzzle, world, state, leaf, most)


@inner
def _place_term_chunk(puzzle, world, state, leaf, most):
    """Give every term of a leaf's term chunk to 1..most slots, empty ones first, and then every empty slot a term."""
    first, last = puzzle.first_slots[leaf], puzzle.last_slots[leaf]
    first_entry = puzzle.term_offsets[leaf]
    n_entries = puzzle.term_offsets[leaf + 1] - first_entry
    empty = _empty_slots(world, state, first, last)
    entries = np.empty(n_entries, np.int64)
    for position in range(n_entries):
        other = fair_below(state, position + 1)
        entries[position] = entries[other]
        entries[other] = first_entry + position
    served = 0
    for entry in entries:
        times = 1 if most == 1 else 1 + fair_below(state, min(most, last - first))
        for _ in range(times):
            if served < empty.size:
                slot = empty[served]
                served += 1
            else:
                slot = first + fair_below(state, last - first)
                while world.stamps[slot] == entry + 1:  # it has this term already
                    slot = first + fair_below(state, last - first)
            _put_term(puzzle, world, slot, entry)
    for position in range(served, empty.size):
        _put_term(puzzle, world, empty[position], first_entry + fair_below(state, n_entries))


@inner
def _put_term(puzzle, world, slot, entry):
    """Put a term of a term chunk onto a slot."""
    placed = world.counters[PLACED]
    world.term_slots[placed] = slot
    world.terms[placed] = puzzle.term_items[entry]
    world.stamps[slot] = entry + 1
    world.weights[slot] += 1
    world.counters[PLACED] = placed + 1


@inner
def _empty_slots(world, state, first, last):
    """Return the slots on which nothing lies, in random order."""
    found = 0
    for slot in range(first, last):
        found += world.weights[slot] == 0
    empty = np.empty(found, np.int64)
    found = 0
    for slot in range(first, last):
        if world.weights[slot] == 0:
            other = fair_below(state, found + 1)
            empty[found] = empty[other]
            empty[other] = slot
            found += 1
    return empty
