"""The matrix of records and ordinary items that groups stand for: how wide its band is, and where its ones are.

It has a row for every record and a column for every ordinary item; sensitive items are no part of it. Before: rows by
content, columns in code-point order. After: in the order in which the method looks for similar records. Both are
functions of the published records alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.groups import Groups

MOST_ROWS, MOST_ONES = 5_000_000, 50_000_000  # beyond that nobody waits for a picture
_TALL, _WIDE = 48, 64  # cells of a picture, at most


@dataclass(frozen=True, slots=True)
class Matrix:
    """Row `i` has its ones in the columns `items[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints64  # (rows + 1,)
    items: Ints32
    n_items: int

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return self.offsets.size - 1


def matrix_facts(published: Groups, order: str) -> dict[str, Any] | None:
    """Return size, bandwidth and density of the matrix before and after ordering; None if it is too large for that."""
    from disjoin.methods.cahd.ordering import rows_and_columns

    matrix = matrix_of(published)
    if matrix is None:
        return None
    try:
        rows, columns = rows_and_columns(matrix.offsets, matrix.items, matrix.n_items, order)
    except InvalidParameter:  # too large for this order; whoever made it had another way
        return None
    rest = np.arange(matrix.n_rows), np.arange(matrix.n_items)
    return {
        "rows": matrix.n_rows,
        "columns": matrix.n_items,
        "ones": int(matrix.items.size),
        "order": order,
        "before": _arranged(matrix, *rest),
        "after": _arranged(matrix, rows, columns),
    }


def matrix_of(published: Groups) -> Matrix | None:
    """Return the matrix with its rows sorted by content; None if there is nothing in it, or far too much."""
    from disjoin.kernels.ordering import sort_subrecords

    lengths = np.diff(published.item_offsets)
    counts = published.counts
    # Floats first: counts that somebody made up may not fit into whole numbers.
    if not lengths.any() or counts.astype(float).sum() > MOST_ROWS or counts.astype(float) @ lengths > MOST_ONES:
        return None
    is_there = np.zeros(len(published.vocabulary), dtype=np.bool_)
    is_there[published.items] = True
    columns = (np.cumsum(is_there) - 1).astype(np.int32)
    index = np.arange(lengths.size)
    starts = published.item_offsets[:-1]
    sort_subrecords(published.items, starts, lengths, index, np.empty_like(index), 0, index.size)
    index = np.repeat(index, counts[index])
    offsets = offsets_of(lengths[index])
    places = np.repeat(starts[index] - offsets[:-1], lengths[index]) + np.arange(offsets[-1])
    return Matrix(offsets, columns[published.items[places]], int(is_there.sum()))


def _arranged(matrix: Matrix, rows: Ints64, columns: Ints64) -> dict[str, Any]:
    """Return the facts of the matrix with rows and columns arranged so (new position -> old index)."""
    row_at, column_at = _inverse(rows), _inverse(columns)
    i = np.repeat(row_at, np.diff(matrix.offsets))  # (ones,)
    j = column_at[matrix.items]
    return {
        "bandwidth": _bandwidth(i, j, matrix.n_rows, matrix.n_items),
        "mean_spread": _mean_spread(matrix.offsets, j),
        "density": [" ".join(map(str, line)) for line in _density(i, j, matrix.n_rows, matrix.n_items).tolist()],
    }


def _inverse(order: Ints64) -> Ints64:
    """Turn (new position -> old index) into (old index -> new position)."""
    positions = np.empty(order.size, dtype=np.int64)
    positions[order] = np.arange(order.size)
    return positions


def _bandwidth(i: Ints64, j: Ints64, n: int, d: int) -> float:
    """Return B = U + L + 1, the width of the band around the diagonal that has all ones; columns count n/d rows."""
    off = j * n - i * d  # in d-ths of a row, so whole numbers
    return round((max(0, int(off.max())) + max(0, -int(off.min()))) / d + 1, 1)


def _mean_spread(offsets: Ints64, j: Ints64) -> float:
    """Return the mean over the rows that have ones of last less first column."""
    starts = offsets[:-1][np.diff(offsets) > 0]
    spreads = np.maximum.reduceat(j, starts) - np.minimum.reduceat(j, starts)
    return round(int(spreads.sum()) / starts.size, 2)


def _density(i: Ints64, j: Ints64, n: int, d: int) -> Ints64:
    """Return the number of ones in each cell of a coarse grid."""
    tall, wide = min(n, _TALL), min(d, _WIDE)
    return np.bincount((i * tall // n) * wide + j * wide // d, minlength=tall * wide).reshape(tall, wide)
