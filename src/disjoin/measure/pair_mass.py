"""How much of the company that terms keep a release shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disjoin.measure.mass import pairs_inside, share
from disjoin.measure.record import Measure
from disjoin.model.arrays import Ints64
from disjoin.model.clusters import Clusters

Floats = NDArray[np.float64]


def pair_mass(published: Clusters, *, shared: bool = True) -> float:
    """Return pairs inside subrecords / pairs expected in a random reconstruction.

    Notes
    -----
    Section A.8 of the specification: parts of a cluster of s records fall on them independently and uniformly, so two
    parts with O_i and O_j occurrences meet in O_i·O_j/s pairs. Every term of a term chunk is a part that stands once.
    A shared chunk of the joint cluster J meets everything below J and its fellow shared chunks over |J| records.
    Without `shared` chunks, the pairs inside these count as lost.
    """
    inside = pairs_inside(published)
    return share(float(pairs_inside(published, shared=shared)), inside + _pairs_across(published))


def _pairs_across(published: Clusters) -> float:
    """Expect this many pairs between different parts."""
    masses = _chunk_masses(published)  # (chunks,)
    entries = np.diff(published.term_offsets)  # (nodes,): each stands once, so its square is 1 as well
    own = _sums_between(masses, published.chunk_offsets) + entries
    squares = _sums_between(masses * masses, published.chunk_offsets) + entries
    below = _below(own, published.parents)
    return float((((own * own - squares) / 2 + below * own) / published.sizes).sum())


def _chunk_masses(published: Clusters) -> Floats:
    """Count the occurrences in every chunk."""
    weights = (published.counts * np.diff(published.item_offsets)).astype(np.float64)
    return _sums_between(weights, published.subrecord_offsets)


def _sums_between(values: Floats, offsets: Ints64) -> Floats:
    """Sum `values[offsets[i]:offsets[i + 1]]` for every i; exact for whole numbers below 2^53."""
    running = np.concatenate(([0.0], np.cumsum(values)))
    return running[offsets[1:]] - running[offsets[:-1]]


def _below(own: Floats, parents: Ints64) -> Floats:
    """Sum `own` over the proper descendants of every node."""
    whole = own.copy()
    for level in _levels_from_the_deepest(parents):
        np.add.at(whole, parents[level], whole[level])
    return whole - own


def _levels_from_the_deepest(parents: Ints64) -> list[Ints64]:
    """Return the nodes that have a parent, grouped by depth; a parent comes before its children in `parents`."""
    levels: list[Ints64] = []
    depth_reached = parents < 0
    waiting = np.flatnonzero(~depth_reached)
    while waiting.size:
        ready = depth_reached[parents[waiting]]
        assert ready.any(), "a forest has no cycles"
        levels.append(waiting[ready])
        depth_reached[waiting[ready]] = True
        waiting = waiting[~ready]
    return levels[::-1]


PAIR_MASS = Measure(
    name="pair_mass",
    title="Pair mass kept",
    direction="higher",
    least=0.0,
    largest=1.0,
    sign="≈",
    meaning="About this share of the pairs of terms in records is shown as pairs; the others can only be guessed.",
    compute=pair_mass,
)
