"""How much of the company that terms keep a release shows."""

from __future__ import annotations

import numpy as np

from disjoin.measure.mass import Floats, levels_from_the_deepest, pairs_inside, share, sums_between
from disjoin.measure.record import Measure, whatever_is_promised
from disjoin.model.arrays import Ints64
from disjoin.model.clusters import Clusters


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
    own = sums_between(masses, published.chunk_offsets) + entries
    squares = sums_between(masses * masses, published.chunk_offsets) + entries
    below = _below(own, published.parents)
    return float((((own * own - squares) / 2 + below * own) / published.sizes).sum())


def _chunk_masses(published: Clusters) -> Floats:
    """Count the occurrences in every chunk."""
    weights = (published.counts * np.diff(published.item_offsets)).astype(np.float64)
    return sums_between(weights, published.subrecord_offsets)


def _below(own: Floats, parents: Ints64) -> Floats:
    """Sum `own` over the proper descendants of every node."""
    whole = own.copy()
    for level in levels_from_the_deepest(parents):
        np.add.at(whole, parents[level], whole[level])
    return whole - own


PAIR_MASS = Measure(
    name="pair_mass",
    title="Pair mass kept",
    direction="higher",
    least=0.0,
    largest=1.0,
    sign="≈",
    meaning="About this share of the pairs of terms in records is shown as pairs; the others can only be guessed.",
    compute=whatever_is_promised(pair_mass),
)
