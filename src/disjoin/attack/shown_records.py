"""What a release shows of records for certain: pieces of them, and of how many records something is known at least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import Desk
from disjoin.analyst.postings import PARENT
from disjoin.model import Clusters
from disjoin.model.ragged import Ints64, Ragged, offsets_of


def records_at_least(published: Clusters, by_chunk: Ints64, by_node: Ints64 | None = None) -> int:
    """Return how many records are concerned at least: of a node, those of one chunk, or of the nodes below together.

    `by_node` says of how many records of a node it is known otherwise.
    """
    totals = np.zeros(len(published), np.int64) if by_node is None else by_node.copy()
    owners = published.nodes.owners()
    np.maximum.at(totals, owners, by_chunk)
    below = np.zeros(len(published), np.int64)
    for node in range(len(published) - 1, -1, -1):
        totals[node] = max(totals[node], below[node])
        if published.parents[node] >= 0:
            below[published.parents[node]] += totals[node]
    return int(totals[published.parents < 0].sum())


def shown_rows(desk: Desk, everyone: Ragged) -> Ragged:
    """Return every subrecord with what all records of its cluster have, terms ascending."""
    published = desk.published
    owners = desk.places[published.nodes.over(published.chunks).owners()]
    around = _with_ancestors(desk, everyone)
    own, more = published.subrecords, around.take(owners)
    rows = np.concatenate((own.owners(), more.owners()))
    keys = np.unique(rows * desk.n_terms + np.concatenate((own.items, more.items)))
    counts = np.bincount(keys // desk.n_terms, minlength=len(own))
    return Ragged(offsets_of(counts), (keys % desk.n_terms).astype(np.int32))


def _with_ancestors(desk: Desk, everyone: Ragged) -> Ragged:
    lists: list[NDArray[np.int32]] = []
    for place, parent in enumerate(desk.index.nodes[PARENT].tolist()):  # a parent comes first
        own = everyone[place]
        lists.append(np.concatenate((lists[parent], own)) if parent >= 0 and lists[parent].size else own)
    return Ragged(offsets_of([each.size for each in lists]), np.concatenate([*lists, np.empty(0, np.int32)]))
