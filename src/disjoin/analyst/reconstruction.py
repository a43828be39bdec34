"""Possible originals of a release: all that is published fits each of them, and none is the original (section A.7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Literal, get_args

import numpy as np

from disjoin.analyst.groups_as_clusters import as_clusters
from disjoin.analyst.reconstruction_drawing import State, draw
from disjoin.analyst.reconstruction_puzzle import puzzle_of, runs
from disjoin.errors import InvalidParameter, described, require_kind
from disjoin.kernels.puzzle import Puzzle
from disjoin.kernels.randomness import seeded
from disjoin.kernels.record_rows import sort_rows
from disjoin.kernels.slots_read import gather_records, has_repeats
from disjoin.model import (
    Bag,
    Clusters,
    GeneralizedItems,
    Groups,
    Intake,
    KmAnonymity,
    NoisyRecords,
    Release,
    Transactions,
)
from disjoin.model.arrays import offsets_of
from disjoin.model.guarantee import require_integer
from disjoin.model.published import require_sets

# How often a term of a term chunk occurs: in one record, or in 1 to k-1, all numbers equally likely.
Rare = Literal["once", "uniform"]


def reconstruct(
    published: Clusters | Groups | NoisyRecords, n: int = 1, seed: int = 0, *, most_repeats: int = 1
) -> Iterator[Transactions]:
    """Return `n` possible originals, drawn when they are asked for.

    Each has every published subrecord in a record of its own cluster, every term of a term chunk in at least one
    record, and no empty record. Of groups, each has every published record, and every sensitive item of a group in as
    many of its records as the group says. World `i` depends on the seed and on `i` alone. The records of a cluster or
    group stand together; their order means nothing. Noisy records are made up already: they are returned as they are.

    Parameters
    ----------
    most_repeats
        A term of a term chunk goes to 1..most_repeats records, all numbers equally likely; to more if there would be
        empty records otherwise.

    Notes
    -----
    A leaf outside joint clusters and without a term chunk, of up to `LARGEST_COVERED_LEAF` records, is drawn uniformly
    from all its possibilities, and so is a group of so many records, or one without bare records; elsewhere chunks are
    laid at random and empty records filled (docs/analyst).

    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 3]]}], "term_chunk": ["milk"]}
    >>> [world] = reconstruct(Clusters.from_nested([leaf]))
    >>> sorted(sorted(record) for record in world.to_sets())
    [['milk', 'tea'], ['tea'], ['tea']]
    """
    wanted = "published data, such as Clusters or Groups"
    require_kind(published, (Clusters, Groups, NoisyRecords), wanted, "A release has it: published.")
    n = require_integer("n", n, 1, "it is the number of possible originals.")
    seed = require_integer("seed", seed, 0, "any other whole number will do.")
    most = require_integer("most_repeats", most_repeats, 1, "every term of a term chunk occurs.")
    if isinstance(published, NoisyRecords):
        return repeat(_one_by_one(published.records), n)
    clusters = as_clusters(published) if isinstance(published, Groups) else published
    puzzle = puzzle_of(clusters)
    return (_draw(clusters, puzzle, seeded(seed, number), most) for number in range(n))


def worlds_of(release: Release, n: int = 1, seed: int = 0, *, rare: Rare = "once") -> Iterator[Transactions]:
    """Return `n` possible originals of a release; `rare` says how often the terms of term chunks occur.

    They occur in one record of their cluster (`once`), or in 1 to k-1 records, all numbers equally likely (`uniform`);
    either way in more if records would be empty otherwise. Groups and noisy records have no term chunks and take the
    default only. Generalised records are not reconstructed: nothing tells which terms a name stands for.
    """
    require_kind(release, Release, "a release", "Load one with disjoin.load.")
    if not isinstance(rare, str) or rare not in get_args(Rare):
        raise InvalidParameter(f"rare must be one of {', '.join(get_args(Rare))}, got {described(rare)}.")
    published = require_sets(release.published, "reconstruct")
    if isinstance(published, GeneralizedItems):
        raise InvalidParameter(
            "nothing tells which terms the names of generalised records stand for, so nothing is reconstructed: "
            "take the records as they are, in records.parquet."
        )
    if rare == "once":
        return reconstruct(published, n, seed)
    if not isinstance(published, Clusters):
        what = "groups" if isinstance(published, Groups) else "noisy records"
        raise InvalidParameter(f"rare is about term chunks, which {what} do not have. Leave it out.")
    assert isinstance(release.guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    return reconstruct(published, n, seed, most_repeats=release.guarantee.k - 1)


def _one_by_one(records: Bag) -> Transactions:
    """Return every record as often as it is counted."""
    lengths = np.diff(records.offsets)
    starts = np.repeat(records.offsets[:-1], records.counts)
    items = records.items[runs(starts, starts + np.repeat(lengths, records.counts))]
    offsets = offsets_of(np.repeat(lengths, records.counts))
    return Transactions(offsets, items, records.vocabulary, intake=Intake("reconstruction"))


def _draw(published: Clusters, puzzle: Puzzle, state: State, most: int) -> Transactions:
    world = draw(puzzle, len(published.vocabulary), most, state)
    if world is None:
        raise InvalidParameter(
            "these clusters cannot be put together again: no arrangement of their parts leaves no record empty. "
            "Verify them first."
        )
    offsets, items = gather_records(puzzle, world)
    sort_rows(items, offsets)
    if has_repeats(offsets, items):
        raise InvalidParameter(
            "these clusters cannot be put together again: chunks of one cluster have terms in common. "
            "Verify them first."
        )
    return Transactions(offsets, items, published.vocabulary, intake=Intake("reconstruction"))
