"""Reverse Cuthill-McKee ordering, which puts similar records next to each other; ties are broken by (degree, index)."""

from __future__ import annotations

import numpy as np

from disjoin.arrays.ordering import sort_keys
from disjoin.arrays.ragged import mirrored
from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.cahd import ORDERS
from disjoin.model.ragged import Ints32, Ints64, Ragged, inverse


@inner
def _take_unseen(record, offsets, items, ranks, ranked, seen, fresh, found, size):
    n, new = offsets.size - 1, 0
    for place in range(offsets[record], offsets[record + 1]):
        if not seen[n + items[place]]:
            seen[n + items[place]] = True
            fresh[new] = ranks[items[place]]
            new += 1
    sort_keys(fresh, new)
    for i in range(new):
        found[size + i] = ranked[fresh[i]]
    return size + new


@kernel
def order_bipartite(offsets, items, starts, records, ranked, ranks):
    """Return all vertices, records (0..n-1) and items (n..), in Cuthill-McKee order of the bipartite graph."""
    n, n_items = offsets.size - 1, ranks.size
    fresh = np.empty(n_items, np.int64)
    found = np.empty(n + n_items, np.int64)
    seen = np.zeros(n + n_items, np.bool_)
    size = done = items_seen = 0
    for start in ranked:
        if seen[start]:
            continue
        seen[start] = True
        found[size] = start
        size += 1
        items_seen += start >= n
        while done < size:
            vertex = found[done]
            done += 1
            if vertex >= n:
                for place in range(starts[vertex - n], starts[vertex - n + 1]):
                    if not seen[records[place]]:
                        seen[records[place]] = True
                        found[size] = records[place]
                        size += 1
            elif items_seen < n_items:
                before = size
                size = _take_unseen(vertex, offsets, items, ranks, ranked, seen, fresh, found, size)
                items_seen += size - before
    return found


@kernel
def neighbour_counts(offsets, items, starts, records):
    """Return for every record the number of other records with a common item, without a matrix of records."""
    n = offsets.size - 1
    degrees = np.zeros(n, np.int64)
    met = np.zeros(n, np.int64)  # the last record that reached this one, plus one
    for record in range(n):
        met[record] = record + 1
        for place in range(offsets[record], offsets[record + 1]):
            for other in range(starts[items[place]], starts[items[place] + 1]):
                if met[records[other]] != record + 1:
                    met[records[other]] = record + 1
                    degrees[record] += 1
    return degrees


@kernel
def order_by_common_items(offsets, items, starts, records, ranked, ranks):
    """Return the records in Cuthill-McKee order of the graph that joins those with a common item; visits items once."""
    n = offsets.size - 1
    found, fresh = np.empty(n, np.int64), np.empty(n, np.int64)
    seen, spent = np.zeros(n, np.bool_), np.zeros(starts.size - 1, np.bool_)
    size = done = 0
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
    return found


MOST_MEETINGS = 2 * 10**10  # pairs of records that share an item, counted per item: less than a minute
PATIENCE = 10  # seconds of work that need no note
_SECONDS = 2.5e-9  # per pair, measured on one core with 5,000 to 30,000 records


def rows_and_columns(offsets: Ints64, items: Ints32, n_items: int, order: str) -> tuple[Ints64, Ints64]:
    """Return the orders of rows and columns: new position -> old index. Row `i` has the columns
    `items[offsets[i]:offsets[i + 1]]`. Ties go to the lower index (before the order is reversed). Rows without items
    are neighbours.

    >>> rows, columns = rows_and_columns(np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1]), 2, "bipartite")
    >>> rows.tolist(), columns.tolist()
    ([1, 2, 0], [1, 0])
    """
    found: tuple[Ints64, Ints64] = ORDERS[order].load()(offsets, items, n_items)
    return found


def _ranked(degrees: Ints64) -> tuple[Ints64, Ints64]:
    ranked = np.argsort(degrees, kind="stable")
    return ranked, inverse(ranked)


def by_graph(offsets: Ints64, items: Ints32, n_items: int) -> tuple[Ints64, Ints64]:
    n = offsets.size - 1
    ranked, ranks = _ranked(np.concatenate([np.diff(offsets), np.bincount(items, minlength=n_items)]))
    order = ranked[ranked < n]
    rows = Ragged(offsets, items).take(order)
    starts, places = mirrored(rows.offsets, rows.items, n_items)
    vertices = order_bipartite(offsets, items, starts, order[places], ranked, ranks[n:])[::-1]
    return vertices[vertices < n], vertices[vertices >= n] - n


def by_common_items(offsets: Ints64, items: Ints32, n_items: int) -> tuple[Ints64, Ints64]:
    """Return these orders for rows that share columns; columns follow the mean position of their rows."""
    supports = np.bincount(items, minlength=n_items)
    meetings = int((supports.astype(object) ** 2).sum())
    if meetings > MOST_MEETINGS:
        raise InvalidParameter(
            f"the order 'aat' would visit {meetings:,} pairs of records with a common item, the limit is "
            f"{MOST_MEETINGS:,}. Use order 'bipartite'."
        )
    starts, records = mirrored(offsets, items, n_items)
    ranked, ranks = _ranked(neighbour_counts(offsets, items, starts, records))
    rows = order_by_common_items(offsets, items, starts, records, ranked, ranks)[::-1].copy()
    where = np.repeat(inverse(rows), np.diff(offsets)).astype(np.float64)  # integers, so the sums are exact
    return rows, np.argsort(np.bincount(items, where, n_items) / np.maximum(supports, 1), kind="stable")


def slow_note(supports: Ints64) -> str:
    """Return a note on the running time of order 'aat' for these supports of ordinary items; empty if it is short.

    >>> slow_note(np.array([2_000] * 40)), slow_note(np.array([9_000] * 100)).split(": ")[1]
    ('', "about 20 seconds. Order 'bipartite' takes one or two.")
    """
    meetings = int((supports.astype(object) ** 2).sum())
    seconds = meetings * _SECONDS
    if seconds < PATIENCE or meetings > MOST_MEETINGS:
        return ""
    about = f"about {-(-int(seconds) // 10) * 10} seconds"
    return (
        f"order 'aat' visits {meetings:,} pairs of records with a common item: {about}. "
        "Order 'bipartite' takes one or two."
    )
