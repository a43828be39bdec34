"""Occurrences and pairs of terms that a release still shows: exact counts, and their shares of the original.

The shares of the original are for the data steward's screen. They must not be published: with a cluster of 4 records
and the term chunk {t}, "80 % kept" would betray how often t occurs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints64
from disjoin.model.clusters import Clusters
from disjoin.model.transactions import Transactions

Floats = NDArray[np.float64]


def occurrences_inside(published: Clusters, *, shared: bool = True) -> int:
    """Count the term occurrences that chunks show; `shared` tells whether shared chunks count."""
    return int(_weights(published, shared) @ np.diff(published.item_offsets))


def pairs_inside(published: Clusters, *, shared: bool = True) -> int:
    """Count the pairs of terms that stand together in a subrecord, once for every record that has it."""
    lengths = np.diff(published.item_offsets)
    return int(_weights(published, shared) @ (lengths * (lengths - 1) // 2))


def _weights(published: Clusters, shared: bool) -> Ints64:
    """Return how many records each subrecord stands for; 0 in shared chunks, if these do not count."""
    if shared:
        return published.counts
    subrecords = np.diff(published.subrecord_offsets[published.chunk_offsets])  # of every node
    return np.where(np.repeat(published.is_joint, subrecords), 0, published.counts)


def exact_term_mass(published: Clusters, original: Transactions, *, shared: bool = True) -> float:
    """Return the share of the original term occurrences that chunks show; 1 when there were none.

    REFINE leaves record chunks alone, so the share without shared chunks is the one before it.
    """
    return share(occurrences_inside(published, shared=shared), original.items.size)


def exact_pair_mass(published: Clusters, original: Transactions, *, shared: bool = True) -> float:
    """Return the share of the original pairs of terms in a record that subrecords show; 1 when there were none."""
    lengths = np.diff(original.offsets)
    return share(pairs_inside(published, shared=shared), int((lengths * (lengths - 1) // 2).sum()))


def share(part: float, whole: float) -> float:
    """Return part / whole; where there was nothing to lose nothing is lost.

    >>> share(1, 4), share(0, 0)
    (0.25, 1.0)
    """
    return part / whole if whole else 1.0


def sums_between(values: Floats, offsets: Ints64) -> Floats:
    """Sum `values[offsets[i]:offsets[i + 1]]` for every i; exact for whole numbers below 2^53."""
    running = np.concatenate(([0.0], np.cumsum(values)))
    return running[offsets[1:]] - running[offsets[:-1]]


def levels_from_the_deepest(parents: Ints64) -> list[Ints64]:
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
