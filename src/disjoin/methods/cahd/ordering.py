"""An order of the records in which similar ones are near each other: reverse Cuthill-McKee (section C.2).

Only ordinary items count. What is ordered is a matrix of records (rows) and items (columns); it is never made dense,
and no matrix of records by records is made at all.
"""

from __future__ import annotations

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.kernels.bandwidth import order_bipartite, order_by_common_items
from disjoin.model.arrays import Ints32, Ints64

MOST_MEETINGS = 2 * 10**10  # pairs of records that share an item, an item at a time: less than a minute
PATIENCE = 10  # seconds that nobody has to be told of
_SECONDS = 2.5e-9  # for each pair, measured on one core with 5,000 to 30,000 records


def rows_and_columns(offsets: Ints64, items: Ints32, n_items: int, order: str) -> tuple[Ints64, Ints64]:
    """Return the order of the rows and that of the columns, both as: new position -> old index.

    Row `i` has the columns `items[offsets[i]:offsets[i + 1]]`. Where there is a choice the lower index goes first
    (before all is reversed), so sort the rows by content if their order must not matter. Rows without items end up
    together.

    >>> rows, columns = rows_and_columns(np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1]), 2, "bipartite")
    >>> rows.tolist(), columns.tolist()
    ([1, 2, 0], [1, 0])
    """
    if order == "bipartite":
        n, vertices = offsets.size - 1, order_bipartite(offsets, items, n_items)
        return vertices[vertices < n], vertices[vertices >= n] - n
    _require_few_meetings(items, n_items)
    rows = order_by_common_items(offsets, items, n_items)
    return rows, _columns_by_mean(offsets, items, n_items, rows)


def slow_note(supports: Ints64) -> str:
    """Say how long the order 'aat' will take on ordinary items with these supports; nothing if it will not take long.

    >>> slow_note(np.array([2_000] * 40)), slow_note(np.array([9_000] * 100)).split(": ")[1]
    ('', 'about 20 seconds. The order bipartite takes one or two.')
    """
    meetings = _meetings(supports)
    seconds = meetings * _SECONDS
    if seconds < PATIENCE or meetings > MOST_MEETINGS:
        return ""
    about = f"about {-(-int(seconds) // 10) * 10} seconds"
    return (
        f"the order aat looks at {meetings:,} pairs of records with a common item: {about}. "
        "The order bipartite takes one or two."
    )


def _meetings(supports: Ints64) -> int:
    return int((supports.astype(object) ** 2).sum()) if supports.size else 0


def _require_few_meetings(items: Ints32, n_items: int) -> None:
    meetings = _meetings(np.bincount(items, minlength=n_items))
    if meetings > MOST_MEETINGS:
        raise InvalidParameter(
            f"the order 'aat' would look at {meetings:,} pairs of records with a common item, the limit is "
            f"{MOST_MEETINGS:,}. Use the order 'bipartite'."
        )


def _columns_by_mean(offsets: Ints64, items: Ints32, n_items: int, rows: Ints64) -> Ints64:
    """Order the columns by the mean position of the rows that have them."""
    positions = np.empty(rows.size, dtype=np.int64)
    positions[rows] = np.arange(rows.size)
    where = np.repeat(positions, np.diff(offsets)).astype(np.float64)  # whole numbers: the sums are exact
    sums = np.bincount(items, where, n_items)
    counts = np.bincount(items, minlength=n_items)
    return np.argsort(sums / np.maximum(counts, 1), kind="stable")
