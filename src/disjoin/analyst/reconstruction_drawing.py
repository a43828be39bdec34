"""One world drawn, step by step as in section A.7: parts, terms, repair, and the exact step where that gets stuck."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from disjoin.kernels.covering import LARGEST_COVERED_LEAF, pascal
from disjoin.kernels.matching import place_tied
from disjoin.kernels.placing import cover_leaf, place_free_chunks, place_terms, weigh
from disjoin.kernels.puzzle import PLACED, Puzzle, World
from disjoin.kernels.repairing import repair
from disjoin.kernels.solving import complete_chunk, fill_needy_leaves
from disjoin.model.arrays import Flags, Ints64

State = NDArray[np.int64]  # of the random generator


def draw(puzzle: Puzzle, n_terms: int, most_repeats: int, state: State) -> World | None:
    """Return one way to put everything together, or None if there is none."""
    world = _empty_world(puzzle, n_terms, most_repeats)
    if not _place_parts(puzzle, world, state):
        return None
    _fill(puzzle, world, state, most_repeats, 0, puzzle.ends.size)
    if world.weights.all():
        return world
    stuck = np.flatnonzero(repair(puzzle, world, state))
    return world if _solve(puzzle, world, state, most_repeats, stuck) else None


def _place_parts(puzzle: Puzzle, world: World, state: State) -> bool:
    covered = wants_covering(puzzle)
    place_free_chunks(puzzle, world, state, covered)
    leaves = np.flatnonzero(covered).tolist()
    tied = np.flatnonzero(puzzle.is_tied)
    owners = np.searchsorted(puzzle.chunk_offsets, tied, side="right") - 1
    return all(cover_leaf(puzzle, world, state, _binomials(), leaf) for leaf in leaves) and all(
        place_tied(puzzle, world, state, node, chunk)
        for node, chunk in zip(owners.tolist(), tied.tolist(), strict=True)
    )


def wants_covering(puzzle: Puzzle) -> Flags:
    """Tell for every node whether it is drawn from all coverings.

    It is a leaf outside joints without a term chunk, not too large, and none of its chunks covers it alone.
    """
    n_slots = puzzle.last_slots - puzzle.first_slots
    chunk_sizes = np.diff(puzzle.part_offsets)
    owners = np.repeat(np.arange(n_slots.size), np.diff(puzzle.chunk_offsets))
    wanted: Flags = (puzzle.parents < 0) & (puzzle.ends == np.arange(n_slots.size) + 1)
    wanted &= (np.diff(puzzle.term_offsets) == 0) & (n_slots <= LARGEST_COVERED_LEAF)
    wanted[owners[chunk_sizes == n_slots[owners]]] = False
    return wanted


def _fill(puzzle: Puzzle, world: World, state: State, most_repeats: int, root: int, end: int) -> None:
    """Add the terms of the term chunks, where parts have been laid."""
    weigh(puzzle, world, root, end)
    place_terms(puzzle, world, state, most_repeats, root, end)


def _solve(puzzle: Puzzle, world: World, state: State, most_repeats: int, roots: Ints64) -> bool:
    """Put some trees together anew, by the exact step; returns False if one has no solution."""
    if roots.size:
        _take_up_terms(puzzle, world, roots)
    for root in roots.tolist():
        if not fill_needy_leaves(puzzle, world, state, root):
            return False
        end = int(puzzle.ends[root])
        for node in range(root, end):
            for chunk in range(int(puzzle.chunk_offsets[node]), int(puzzle.chunk_offsets[node + 1])):
                if not puzzle.is_tied[chunk]:
                    complete_chunk(puzzle, world, state, node, chunk)
                elif not place_tied(puzzle, world, state, node, chunk):
                    return False
        _fill(puzzle, world, state, most_repeats, root, end)
    return True


def _take_up_terms(puzzle: Puzzle, world: World, roots: Ints64) -> None:
    """Forget where the terms of the term chunks of some trees lie."""
    is_undone = np.zeros(world.weights.size, dtype=np.bool_)
    for root in roots.tolist():
        is_undone[puzzle.first_slots[root] : puzzle.last_slots[root]] = True
    placed = int(world.counters[PLACED])
    kept = ~is_undone[world.term_slots[:placed]]
    world.counters[PLACED] = np.count_nonzero(kept)
    for array in (world.term_slots, world.terms):
        array[: world.counters[PLACED]] = array[:placed][kept]


def _empty_world(puzzle: Puzzle, n_terms: int, most_repeats: int) -> World:
    n_slots = int(puzzle.last_slots.max(initial=0))
    room = np.minimum(most_repeats, puzzle.last_slots - puzzle.first_slots)
    # Memory that is never written to costs nothing: this is an upper bound.
    most_placed = int((np.diff(puzzle.term_offsets) * room).sum()) + n_slots
    return World(
        slots=np.full(puzzle.part_rows.size, -1, dtype=np.int32),
        weights=np.zeros(n_slots, dtype=np.int32),
        order=np.arange(n_slots, dtype=np.int32),
        stamps=np.zeros(n_slots, dtype=np.int64),
        marks=np.zeros(n_terms, dtype=np.int64),
        term_slots=np.empty(most_placed, dtype=np.int32),
        terms=np.empty(most_placed, dtype=np.int32),
        counters=np.zeros(2, dtype=np.int64),
    )


@cache
def _binomials() -> NDArray[np.float64]:
    triangle: NDArray[np.float64] = pascal(LARGEST_COVERED_LEAF)
    return triangle
