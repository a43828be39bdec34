"""Which clusters are good to look at: functions of the published content, so that they can be shown in a release."""

from __future__ import annotations

import numpy as np

from disjoin.model.arrays import Flags, Ints64
from disjoin.model.clusters import Clusters


def typical_clusters(published: Clusters) -> list[int]:
    """Return a leaf and, if there is one, a joint cluster that are good to look at."""
    joint = typical_joint(published)
    return [typical_leaf(published)] + ([] if joint is None else [joint])


def typical_leaf(published: Clusters) -> int:
    """Choose a leaf with two or three chunks, some rows but few, a short term chunk and a usual size."""
    leaves = np.flatnonzero(~published.is_joint)
    return int(leaves[np.argmin(_oddness(published)[leaves])])


def typical_joint(published: Clusters) -> int | None:
    """Choose a joint cluster of two or three leaves with few short chunks; None if there is no joint cluster."""
    joint = published.is_joint
    candidates = np.flatnonzero(joint & (_sums_below(published, joint.astype(np.int64)) == 0))
    if not candidates.size:
        return None
    children = _sums_below(published, np.ones(len(published), dtype=np.int64))
    ends = published.subrecord_offsets[published.chunk_offsets]  # (nodes + 1,)
    chunks, rows = np.diff(published.chunk_offsets), np.diff(ends)
    items = np.diff(published.item_offsets[ends])
    odd = 60 * _outside(children, 2, 3) + 40 * _outside(chunks, 1, 3) + 12 * _outside(rows, 2, 10)
    odd = odd + 40 * (items <= rows) + 24 * (published.parents >= 0) + _sums_below(published, _oddness(published))
    return int(candidates[np.argmin(odd[candidates])])


def _oddness(published: Clusters) -> Ints64:
    """Rate every node as if it were a leaf: 0 is good to look at."""
    chunks = np.diff(published.chunk_offsets)
    ends = published.subrecord_offsets[published.chunk_offsets]  # (nodes + 1,)
    rows = np.diff(ends)
    terms = np.diff(published.term_offsets)
    items = np.diff(published.item_offsets[ends])
    usual = _usual(published.sizes, ~published.is_joint)
    odd = 10 * _outside(chunks, 2, 3) + 3 * _outside(rows, 5, 12) + np.minimum(_outside(terms, 2, 10), 20)
    return 4 * odd + 12 * (items <= rows) + (abs(published.sizes - usual) > usual // 2)


def _usual(sizes: Ints64, leaf: Flags) -> int:
    """Return the median size of the leaves."""
    return int(np.sort(sizes[leaf])[int(leaf.sum()) // 2]) if leaf.any() else 0


def _sums_below(published: Clusters, values: Ints64) -> Ints64:
    """Sum the values of the children of every node."""
    has_parent = published.parents >= 0
    sums = np.zeros(len(published), dtype=np.int64)
    np.add.at(sums, published.parents[has_parent], values[has_parent])
    return sums


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)
