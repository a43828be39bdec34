"""Reverse Cuthill-McKee on records and items: similar records come to stand near each other.

Vertices are taken by (degree, index) wherever there is a choice, so the order is a function of the graph alone. (A
library routine that sorts by degree only leaves ties to the sorting routine of the machine.)
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.ordering import sort_keys


@inner
def _ranked(degrees):
    """Return the vertices by (degree, index): a counting sort."""
    most = 0
    for degree in degrees:
        most = max(most, degree)
    starts = np.zeros(most + 2, np.int64)
    for degree in degrees:
        starts[degree + 1] += 1
    for degree in range(most + 1):
        starts[degree + 1] += starts[degree]
    ranked = np.empty(degrees.size, np.int64)
    for vertex in range(degrees.size):
        ranked[starts[degrees[vertex]]] = vertex
        starts[degrees[vertex]] += 1
    return ranked


@inner
def _postings(offsets, items, n_items, order):
    """Return (offsets, records) of every item, the records in the order given."""
    starts = np.zeros(n_items + 1, np.int64)
    for item in items:
        starts[item + 1] += 1
    for item in range(n_items):
        starts[item + 1] += starts[item]
    free = starts[:-1].copy()
    records = np.empty(items.size, np.int64)
    for record in order:
        if record < offsets.size - 1:  # the others are items
            for place in range(offsets[record], offsets[record + 1]):
                records[free[items[place]]] = record
                free[items[place]] += 1
    return starts, records


@inner
def _items_by_rank(offsets, items, starts, records, ranked):
    """Return the items of every record, those first that come first in `ranked` (records, then items)."""
    n = offsets.size - 1
    free = offsets[:-1].copy()
    sorted_items = np.empty(items.size, np.int64)
    for vertex in ranked:
        if vertex >= n:
            for place in range(starts[vertex - n], starts[vertex - n + 1]):
                record = records[place]
                sorted_items[free[record]] = vertex - n
                free[record] += 1
    return sorted_items


@kernel
def order_bipartite(offsets, items, n_items):
    """Return all vertices, records (0..n-1) and items (n..), in reverse Cuthill-McKee order of the bipartite graph."""
    n = offsets.size - 1
    degrees = np.zeros(n + n_items, np.int64)
    for record in range(n):
        degrees[record] = offsets[record + 1] - offsets[record]
    for item in items:
        degrees[n + item] += 1
    ranked = _ranked(degrees)
    starts, records = _postings(offsets, items, n_items, ranked)
    by_rank = _items_by_rank(offsets, items, starts, records, ranked)
    found = np.empty(n + n_items, np.int64)
    seen = np.zeros(n + n_items, np.bool_)
    size = 0
    done = 0
    for start in ranked:
        if seen[start]:
            continue
        seen[start] = True
        found[size] = start
        size += 1
        while done < size:
            vertex = found[done]
            done += 1
            first = offsets[vertex] if vertex < n else starts[vertex - n]
            last = offsets[vertex + 1] if vertex < n else starts[vertex - n + 1]
            for place in range(first, last):
                neighbour = n + by_rank[place] if vertex < n else records[place]
                if not seen[neighbour]:
                    seen[neighbour] = True
                    found[size] = neighbour
                    size += 1
    return found[::-1].copy()


@inner
def _neighbour_counts(offsets, items, starts, records):
    """Return for every record how many others have an item in common with it; needs no matrix of records."""
    n = offsets.size - 1
    degrees = np.zeros(n, np.int64)
    met = np.zeros(n, np.int64)  # the last record that was met here, plus one
    for record in range(n):
        met[record] = record + 1
        for place in range(offsets[record], offsets[record + 1]):
            for other in range(starts[items[place]], starts[items[place] + 1]):
                if met[records[other]] != record + 1:
                    met[records[other]] = record + 1
                    degrees[record] += 1
    return degrees


@kernel
def order_by_common_items(offsets, items, n_items):
    """Return the records in reverse Cuthill-McKee order of the graph that joins records with a common item.

    Time grows with the squares of the items' supports (for the degrees), memory does not: an item's records are
    neighbours of each other, so each item is gone through once.
    """
    n = offsets.size - 1
    starts, records = _postings(offsets, items, n_items, np.arange(n))
    degrees = _neighbour_counts(offsets, items, starts, records)
    ranked = _ranked(degrees)
    ranks = np.empty(n, np.int64)
    for rank in range(n):
        ranks[ranked[rank]] = rank
    found = np.empty(n, np.int64)
    seen = np.zeros(n, np.bool_)
    spent = np.zeros(n_items, np.bool_)
    fresh = np.empty(n, np.int64)
    size = 0
    done = 0
    for start in ranked:
        if seen[start]:
            continue
        seen[start] = True
        found[size] = start
        size += 1
        while done < size:
            record = found[done]
            done += 1
            new = 0
            for place in range(offsets[record], offsets[record + 1]):
                item = items[place]
                if spent[item]:
                    continue
                spent[item] = True
                for other in range(starts[item], starts[item + 1]):
                    if not seen[records[other]]:
                        seen[records[other]] = True
                        fresh[new] = ranks[records[other]]
                        new += 1
            sort_keys(fresh, new)
            for i in range(new):
                found[size] = ranked[fresh[i]]
                size += 1
    return found[::-1].copy()
