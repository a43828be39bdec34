"""Clusters that can be counted on: offsets that fit, parents before children, sizes that add up.

A release has been inspected; bare clusters may hold anything, and compiled loops trust their arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters
from disjoin.model.ragged import Ints64, are_below


def require_form(published: Clusters) -> None:
    """Raise `InvalidParameter` unless the arrays describe a forest (whether it is anonymous is not asked)."""
    finding = _offsets_finding(published) or _tree_finding(published) or _content_finding(published)
    if finding:
        raise InvalidParameter(f"{finding}: these are not sound clusters. Ask disjoin.verify what is wrong.")


def _offsets_finding(published: Clusters) -> str | None:
    nodes = published.parents.size
    fits = published.sizes.size == nodes and are_nested(published)
    return None if fits else "the offsets do not fit"


def are_nested(published: Clusters) -> bool:
    """Tell whether the offsets of clusters cut nodes into chunks, these into subrecords, and these into items."""
    nodes, rows = published.parents.size, published.counts.size
    return (
        published.term_chunks.cuts(nodes, published.term_items.size)
        and published.nodes.cuts(nodes, len(published.chunks))
        and published.chunks.cuts(len(published.chunks), rows)
        and published.subrecords.cuts(rows, published.items.size)
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
    return "a joint cluster has a term chunk" if published.term_chunks.lengths[joint].any() else None


def _content_finding(published: Clusters) -> str | None:
    n_terms = len(published.vocabulary)
    if not (are_below(published.items, n_terms) and are_below(published.term_items, n_terms)):
        return "a term has no name"
    return "a subrecord stands for no record" if (published.counts < 1).any() else None


def require_once(starts: Ints64, listed: NDArray[Any], finding: str) -> None:
    """Raise if a term's list (they ascend, and `starts` cuts them) has the same number twice."""
    same = listed[1:] == listed[:-1]
    same[starts[(starts > 0) & (starts < listed.size)] - 1] = False
    if same.any():
        raise InvalidParameter(f"{finding}: these are not sound clusters. Ask disjoin.verify what is wrong.")
