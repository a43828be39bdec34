"""Occurrences and pairs of terms that a release still shows: exact counts, and their shares of the original.

The shares of the original are for the data steward's screen. They must not be published: with a cluster of 4 records
and the term chunk {t}, "80 % kept" would betray how often t occurs.
"""

from __future__ import annotations

import numpy as np

from disjoin.model.clusters import Clusters
from disjoin.model.transactions import Transactions


def occurrences_inside(published: Clusters) -> int:
    """Count the term occurrences that chunks show."""
    return int(published.counts @ np.diff(published.item_offsets))


def pairs_inside(published: Clusters) -> int:
    """Count the pairs of terms that stand together in a subrecord, once for every record that has it."""
    lengths = np.diff(published.item_offsets)
    return int(published.counts @ (lengths * (lengths - 1) // 2))


def exact_term_mass(published: Clusters, original: Transactions) -> float:
    """Return the share of the original term occurrences that chunks show; 1 when there were none."""
    return share(occurrences_inside(published), original.items.size)


def exact_pair_mass(published: Clusters, original: Transactions) -> float:
    """Return the share of the original pairs of terms in a record that subrecords show; 1 when there were none."""
    lengths = np.diff(original.offsets)
    return share(pairs_inside(published), int((lengths * (lengths - 1) // 2).sum()))


def share(part: float, whole: float) -> float:
    """Return part / whole; where there was nothing to lose nothing is lost.

    >>> share(1, 4), share(0, 0)
    (0.25, 1.0)
    """
    return part / whole if whole else 1.0
