"""Uniform draws among all ways to lay a leaf's chunks on its slots so that none stays empty (section A.7).

Let `f(i, u)` be the chance that chunks i, i + 1, ... cover `u` given slots when each is laid on distinct slots at
random. Drawing, chunk by chunk, how many new slots it covers with the weights of that sum, and then the slots, gives
every covering the same chance.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.analyst.reconstruct_puzzle import PLACED
from disjoin.jit.compiled import inner, kernel
from disjoin.jit.randomness import fair_below, fine_uniform

# Chances are at least e^-slots and binomials at most 2^slots: up to here both are far inside the range of a float, and
# no chance is wrong by more than a billionth of itself.
LARGEST_COVERED_LEAF = 512


@kernel
def pascal(size):
    """Return the binomial coefficients up to `size` as floats: entry [n, c]."""
    triangle = np.zeros((size + 1, size + 1), np.float64)
    for n in range(size + 1):
        triangle[n, 0] = 1.0
        for c in range(1, n + 1):
            triangle[n, c] = triangle[n - 1, c - 1] + triangle[n - 1, c]
    return triangle


@inner
def _share(binomials, n_slots, uncovered, size, new):
    """Return the chance that `size` distinct slots have `new` among the `uncovered` ones."""
    ways = binomials[uncovered, new] * binomials[n_slots - uncovered, size - new]
    return ways / binomials[n_slots, size]


@inner
def chances_to_cover(binomials, n_slots, sizes):
    """Return f(i, u) for all u that can be left when the chunks before i have been laid (zero elsewhere)."""
    chances = np.zeros((sizes.size + 1, n_slots + 1), np.float64)
    chances[sizes.size, 0] = 1.0
    before = after = 0
    for i in range(sizes.size):
        before += sizes[i]
    for i in range(sizes.size - 1, -1, -1):
        before -= sizes[i]
        after += sizes[i]
        for uncovered in range(max(0, n_slots - before), min(n_slots, after) + 1):
            chance = 0.0
            for new in range(max(0, sizes[i] - n_slots + uncovered), min(uncovered, sizes[i]) + 1):
                share = _share(binomials, n_slots, uncovered, sizes[i], new)
                chance += share * chances[i + 1, uncovered - new]
            chances[i, uncovered] = chance
    return chances


@inner
def _draw_new(state, binomials, chances, n_slots, uncovered, i, size):
    """Draw how many of the uncovered slots chunk i covers."""
    target = fine_uniform(state) * chances[i, uncovered]
    chosen = -1
    for new in range(max(0, size - n_slots + uncovered), min(uncovered, size) + 1):
        share = _share(binomials, n_slots, uncovered, size, new) * chances[i + 1, uncovered - new]
        if share > 0.0:
            chosen = new
            target -= share
            if target < 0.0:
                break
    return chosen


@inner
def _swap(values, a, b):
    kept = values[a]
    values[a] = values[b]
    values[b] = kept


@inner
def lay_covering(state, binomials, sizes, order, slots):
    """Lay all chunks of a leaf so that they cover it; returns False if they cannot.

    `order` are the slots of the leaf, in any order; `slots` are filled part by part, chunk by chunk.
    """
    chances = chances_to_cover(binomials, order.size, sizes)
    if chances[0, order.size] <= 0.0:
        return False
    part = 0
    uncovered = order.size  # these come first in the order
    for i in range(sizes.size):
        size = sizes[i]
        new = _draw_new(state, binomials, chances, order.size, uncovered, i, size)
        for step in range(new):  # new ones go to the end of the uncovered, next to the covered
            last = uncovered - 1 - step
            _swap(order, last, fair_below(state, last + 1))
        for place in range(uncovered, uncovered + size - new):  # old ones to the beginning of the covered
            _swap(order, place, place + fair_below(state, order.size - place))
        uncovered -= new
        for step in range(size):
            _swap(order, uncovered + step, uncovered + step + fair_below(state, size - step))
            slots[part] = order[uncovered + step]
            part += 1
    return True


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
