"""Reconstruction: one possible original of a release, drawn at random (section A.7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst import reconstruction_search as search
from disjoin.analyst.as_clusters import Sets, as_clusters, sets_of
from disjoin.arrays.randomness import seeded
from disjoin.errors import InvalidParameter, described, require_kind
from disjoin.model import Clusters, GeneralizedItems, Intake, KmAnonymity, Release
from disjoin.model.parameters import require_integer
from disjoin.model.published import PublishedRecords
from disjoin.model.ragged import Flags, Ints64, Spans
from disjoin.model.transactions import Transactions

State = NDArray[np.int64]  # of the random generator


def draw(puzzle: search.Puzzle, n_terms: int, most_repeats: int, state: State) -> search.World | None:
    """Return one way to put everything together, or None if there is none."""
    n_slots = int(puzzle.last_slots.max(initial=0))
    room = np.minimum(most_repeats, puzzle.last_slots - puzzle.first_slots)
    # Memory that is never written to costs nothing: this is an upper bound.
    most_placed = int((Spans(puzzle.term_offsets).lengths * room).sum()) + n_slots
    world = search.World(
        slots=np.full(puzzle.part_rows.size, -1, dtype=np.int32),
        weights=np.zeros(n_slots, dtype=np.int32),
        order=np.arange(n_slots, dtype=np.int32),
        stamps=np.zeros(n_slots, dtype=np.int64),
        marks=np.zeros(n_terms, dtype=np.int64),
        term_slots=np.empty(most_placed, dtype=np.int32),
        terms=np.empty(most_placed, dtype=np.int32),
        counters=np.zeros(2, dtype=np.int64),
    )
    if not _place_parts(puzzle, world, state):
        return None
    search.place_terms(puzzle, world, state, most_repeats, 0, puzzle.ends.size)
    empty = np.flatnonzero(world.weights == 0)  # no term chunk can fill these
    if not empty.size:
        return world
    roots = np.flatnonzero(puzzle.parents < 0)
    roots = roots[np.unique(np.searchsorted(puzzle.first_slots[roots], empty, side="right") - 1)]
    stuck = roots[search.repair(puzzle, world, state, roots)]
    return world if _solve(puzzle, world, state, most_repeats, stuck) else None


def _place_parts(puzzle: search.Puzzle, world: search.World, state: State) -> bool:
    covered = wants_covering(puzzle)
    search.place_free_chunks(puzzle, world, state, covered)
    leaves, tied = np.flatnonzero(covered).tolist(), np.flatnonzero(puzzle.is_tied)
    if not all(search.cover_leaf(puzzle, world, state, search.binomials(), leaf) for leaf in leaves):
        return False
    owners = np.searchsorted(puzzle.chunk_offsets, tied, side="right") - 1
    places = zip(owners.tolist(), tied.tolist(), strict=True)
    return all(search.place_tied(puzzle, world, state, node, chunk) for node, chunk in places)


def wants_covering(puzzle: search.Puzzle) -> Flags:
    """Report for every node whether it is drawn from all coverings: a leaf outside joints without a term chunk, not too
    large, in which no chunk has a row for every record."""
    n_slots = puzzle.last_slots - puzzle.first_slots
    chunk_sizes, owners = Spans(puzzle.part_offsets).lengths, Spans(puzzle.chunk_offsets).owners()
    wanted: Flags = (puzzle.parents < 0) & (puzzle.ends == np.arange(n_slots.size) + 1)
    wanted &= (Spans(puzzle.term_offsets).lengths == 0) & (n_slots <= search.LARGEST_COVERED_LEAF)
    wanted[owners[chunk_sizes == n_slots[owners]]] = False
    return wanted


def _solve(puzzle: search.Puzzle, world: search.World, state: State, most_repeats: int, roots: Ints64) -> bool:
    """Put some trees together anew, by the exact step; returns False if one has no solution."""
    is_undone = np.zeros(world.weights.size, dtype=np.bool_)
    for root in roots.tolist():
        is_undone[puzzle.first_slots[root] : puzzle.last_slots[root]] = True
    placed = int(world.counters[search.PLACED])
    kept = ~is_undone[world.term_slots[:placed]]
    world.counters[search.PLACED] = np.count_nonzero(kept)
    for array in (world.term_slots, world.terms):
        array[: world.counters[search.PLACED]] = array[:placed][kept]
    for root in roots.tolist():
        if not search.fill_needy_leaves(puzzle, world, state, root):
            return False
        end = int(puzzle.ends[root])
        for node in range(root, end):
            for chunk in range(int(puzzle.chunk_offsets[node]), int(puzzle.chunk_offsets[node + 1])):
                if not puzzle.is_tied[chunk]:
                    search.complete_chunk(puzzle, world, state, node, chunk)
                elif not search.place_tied(puzzle, world, state, node, chunk):
                    return False
        search.place_terms(puzzle, world, state, most_repeats, root, end)
    return True


# How often a term of a term chunk occurs: in one record, or in 1 to k-1, all numbers equally likely.
Rare = Literal["once", "uniform"]


def reconstruct(published: Sets, n: int = 1, seed: int = 0, *, most_repeats: int = 1) -> Iterator[Transactions]:
    """Return `n` possible originals, drawn when they are asked for.

    Each has every published subrecord in a record of its own cluster, every term of a term chunk in at least one
    record, and no empty record. Of groups, each has every published record, and every sensitive item in as many
    records as its group lists. World `i` depends on the seed and on `i` alone. The records of a cluster or
    group are adjacent; their order means nothing. Noisy records are made up already: they are returned as they are.

    Parameters
    ----------
    most_repeats
        A term of a term chunk goes to 1..most_repeats records, all numbers equally likely; to more if there would be
        empty records otherwise.

    Notes
    -----
    A leaf outside joint clusters and without a term chunk, of up to `LARGEST_COVERED_LEAF` records, is drawn uniformly
    from all its possibilities, and so is a group of up to that many records, or one without bare records; elsewhere
    chunks are laid at random and empty records filled (docs/how-to/analyse-a-release.md).

    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 3]]}], "term_chunk": ["milk"]}
    >>> [world] = reconstruct(Clusters.from_nested([leaf]))
    >>> sorted(sorted(record) for record in world.to_sets())
    [['milk', 'tea'], ['tea'], ['tea']]
    """
    wanted = "published data, such as Clusters or Groups"
    require_kind(published, Sets, wanted, "A release has it: published.")
    if isinstance(published, GeneralizedItems):
        raise InvalidParameter(
            "the original terms of generalised records are not known, so nothing is reconstructed: "
            "use the generalised records in records.parquet."
        )
    n = require_integer("n", n, 1, "it is the number of possible originals.")
    seed = require_integer("seed", seed, 0, "any other whole number will do.")
    most = require_integer("most_repeats", most_repeats, 1, "every term of a term chunk occurs.")
    if isinstance(published, PublishedRecords):
        bag = published.records
        rows = bag.sets.take(np.repeat(np.arange(len(bag)), bag.counts))
        return repeat(Transactions(rows.offsets, rows.items, bag.vocabulary, intake=Intake("reconstruction")), n)
    clusters = as_clusters(published)
    puzzle = search.puzzle_of(clusters)
    return (_draw(clusters, puzzle, seeded(seed, number), most) for number in range(n))


def worlds_of(release: Release, n: int = 1, seed: int = 0, *, rare: Rare = "once") -> Iterator[Transactions]:
    """Return `n` possible originals of a release; `rare` sets how often the terms of term chunks occur.

    They occur in one record of their cluster (`once`), or in 1 to k-1 records, all numbers equally likely (`uniform`);
    either way in more if records would be empty otherwise. Groups and noisy records have no term chunks and take the
    default only. Generalised records are not reconstructed: their original terms are not known.
    """
    require_kind(release, Release, "a release", "Load one with disjoin.load.")
    if not isinstance(rare, str) or rare not in get_args(Rare):
        raise InvalidParameter(f"rare must be one of {', '.join(get_args(Rare))}, got {described(rare)}.")
    published, guarantee = sets_of(release, "reconstruct")
    if rare == "once":
        return reconstruct(published, n, seed)
    if not isinstance(published, Clusters):
        raise InvalidParameter(f"rare is about term chunks, which {published.in_words} do not have. Leave it out.")
    assert isinstance(guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    return reconstruct(published, n, seed, most_repeats=guarantee.k - 1)


def _draw(published: Clusters, puzzle: search.Puzzle, state: State, most: int) -> Transactions:
    world = draw(puzzle, len(published.vocabulary), most, state)
    if world is None:
        raise InvalidParameter(
            "these clusters cannot be put together again: no arrangement of their parts leaves no record empty. "
            "Verify them first."
        )
    records = search.records_of(puzzle, world)
    return Transactions(records.offsets, records.items, published.vocabulary, intake=Intake("reconstruction"))
