"""Clusters that can be counted on: offsets that fit, parents before children, sizes that add up.

A release has been inspected; bare clusters may hold anything, and compiled loops trust their arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters
from disjoin.model.arrays import Ints32, Ints64


def require_form(published: Clusters) -> None:
    """Raise `InvalidParameter` unless the arrays describe a forest (whether it is anonymous is not asked)."""
    finding = _offsets_finding(published) or _tree_finding(published) or _content_finding(published)
    if finding:
        raise InvalidParameter(f"{finding}: these are not sound clusters. Ask disjoin.verify what is wrong.")


def _offsets_finding(published: Clusters) -> str | None:
    nodes = published.parents.size
    pairs = (
        (published.term_offsets, nodes, published.term_items.size),
        (published.chunk_offsets, nodes, published.subrecord_offsets.size - 1),
        (published.subrecord_offsets, published.subrecord_offsets.size - 1, published.item_offsets.size - 1),
        (published.item_offsets, published.counts.size, published.items.size),
    )
    fits = published.sizes.size == nodes and all(_is_cut(*pair) for pair in pairs)
    return None if fits else "the offsets do not fit"


def _is_cut(offsets: Ints64, rows: int, values: int) -> bool:
    return bool(
        offsets.size == rows + 1 and offsets[0] == 0 and offsets[-1] == values and (np.diff(offsets) >= 0).all()
    )


def _tree_finding(published: Clusters) -> str | None:
    parents, sizes = published.parents, published.sizes
    if (parents >= np.arange(parents.size)).any() or (parents < -1).any():
        return "a cluster comes before its parent"
    if (sizes < 1).any():
        return "a cluster has no records"
    below = np.zeros_like(sizes)
    np.add.at(below, parents[parents >= 0], sizes[parents >= 0])
    joint = published.is_joint
    if (below[joint] != sizes[joint]).any():
        return "a joint cluster is not as large as its children"
    return "a joint cluster has a term chunk" if np.diff(published.term_offsets)[joint].any() else None


def _content_finding(published: Clusters) -> str | None:
    n_terms = len(published.vocabulary)
    if not (_within(published.items, n_terms) and _within(published.term_items, n_terms)):
        return "a term has no name"
    return "a subrecord stands for no record" if (published.counts < 1).any() else None


def _within(items: Ints32, end: int) -> bool:
    return items.size == 0 or bool(items.min() >= 0 and items.max() < end)


def require_once(starts: Ints64, listed: NDArray[Any], finding: str) -> None:
    """Raise if a term's list (they ascend, and `starts` cuts them) has the same number twice."""
    same = listed[1:] == listed[:-1]
    same[starts[(starts > 0) & (starts < listed.size)] - 1] = False
    if same.any():
        raise InvalidParameter(f"{finding}: these are not sound clusters. Ask disjoin.verify what is wrong.")
