"""How dense the matrix of records and items is, before and after ordering: matrix and picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints64, Ragged, ranks_of

MOST_ROWS, MOST_ONES = 5_000_000, 50_000_000  # beyond that nobody waits for a picture
_TALL, _WIDE = 48, 64  # cells of a picture, at most
_AT_ONCE = 1 << 14  # rows that are looked at


@dataclass(frozen=True, slots=True, eq=False)
class Matrix(Ragged):
    """A matrix of zeros and ones: the items of a row are the columns in which it has ones."""

    n_items: int


def matrix_facts(published: Groups, order: str) -> dict[str, Any] | None:
    """Return size, bandwidth and density of the matrix before and after ordering; None if it is too large for that."""
    from disjoin.methods.cahd.cuthill_mckee import rows_and_columns

    matrix = matrix_of(published)
    if matrix is None:
        return None
    try:
        rows, columns = rows_and_columns(matrix.offsets, matrix.items, matrix.n_items, order)
    except InvalidParameter:  # too large for this order; whoever made it had another way
        return None
    rest = np.arange(len(matrix)), np.arange(matrix.n_items)
    return {
        "rows": len(matrix),
        "columns": matrix.n_items,
        "ones": int(matrix.items.size),
        "order": order,
        "before": _arranged(matrix, *rest),
        "after": _arranged(matrix, rows, columns),
    }


def matrix_of(published: Groups) -> Matrix | None:
    """Return the matrix with its rows sorted by content; None if there is nothing in it, or far too much."""
    from disjoin.jit.ordering import in_order

    lengths, counts = published.records.lengths, published.counts
    # Floats first: counts that somebody made up may not fit into whole numbers.
    if not lengths.any() or counts.astype(float).sum() > MOST_ROWS or counts.astype(float) @ lengths > MOST_ONES:
        return None
    is_there = published.records.used(len(published.vocabulary))
    index = in_order(published.items, published.item_offsets[:-1], lengths, len(published.vocabulary))
    rows = published.records.take(np.repeat(index, counts[index])).renumbered(ranks_of(is_there))
    return Matrix(rows.offsets, rows.items, int(is_there.sum()))


def _arranged(matrix: Matrix, rows: Ints64, columns: Ints64) -> dict[str, Any]:
    """Return the facts of the matrix with rows and columns arranged so (new position -> old index)."""
    row_at, column_at = _inverse(rows), _inverse(columns)
    first, last, density = _ends_and_density(matrix, row_at, column_at)
    return {
        "bandwidth": _bandwidth(row_at[matrix.lengths > 0], first, last, len(matrix), matrix.n_items),
        "mean_spread": round(int((last - first).sum()) / first.size, 2),
        "density": [" ".join(map(str, line)) for line in density.tolist()],
    }


def _inverse(order: Ints64) -> Ints64:
    """Turn (new position -> old index) into (old index -> new position)."""
    positions = np.empty(order.size, dtype=np.int64)
    positions[order] = np.arange(order.size)
    return positions


def _bandwidth(i: Ints64, first: Ints64, last: Ints64, n: int, d: int) -> float:
    """Return B = U + L + 1, the width of the band around the diagonal that has all ones; columns count n/d rows.

    `i` is where each row that has ones is, `first` and `last` in which columns it begins and ends.
    """
    above, below = int((last * n - i * d).max()), int((i * d - first * n).max())  # in d-ths of a row: whole numbers
    return round((max(0, above) + max(0, below)) / d + 1, 1)


def _ends_and_density(matrix: Matrix, row_at: Ints64, column_at: Ints64) -> tuple[Ints64, Ints64, Ints64]:
    """Return in which columns every row that has ones begins and ends, and the number of ones in each cell of a grid.

    A block of rows at a time: what is made of all of them at once takes room, and longer.
    """
    n, d = len(matrix), matrix.n_items
    tall, wide = min(n, _TALL), min(d, _WIDE)
    lines, places = (row_at * tall // n * wide).astype(np.int32), (column_at * wide // d).astype(np.int32)
    lengths, narrow = matrix.lengths, column_at.astype(np.int32)
    ends: list[Any] = []
    density = np.zeros(tall * wide, dtype=np.int64)
    for top in range(0, n, _AT_ONCE):
        cuts = matrix.offsets[top : top + _AT_ONCE + 1]
        ones, here = matrix.items[cuts[0] : cuts[-1]], lengths[top : top + _AT_ONCE]
        cells = np.repeat(lines[top : top + _AT_ONCE], here) + places[ones]
        density += np.bincount(cells, minlength=tall * wide)
        starts = (cuts[:-1] - cuts[0])[here > 0]
        j = narrow[ones]
        if starts.size:
            ends.append((np.minimum.reduceat(j, starts), np.maximum.reduceat(j, starts)))
    first, last = (np.concatenate(each).astype(np.int64) for each in zip(*ends, strict=True))
    return first, last, density.reshape(tall, wide)


_STEPS = (0.14, 0.3, 0.48, 0.68, 1.0)  # opacities: each step is four times as dense as the one before
_FACTOR = 4
_WIDTH, _HEIGHT = 320, 240  # units of the page; as wide as a chart

Grid = list[list[int]]


def grid_of(lines: Sequence[str]) -> Grid:
    """Read the picture of a report: one text per row, its numbers separated by blanks.

    >>> grid_of(["0 12", "3 0"])
    [[0, 12], [3, 0]]
    """
    return [[int(number) for number in line.split()] for line in lines]


def density_svg(grid: Grid, levels: list[list[int]]) -> str:
    """Return the picture as an SVG element; cells of one row and level that touch are drawn at once."""
    tall, wide = len(grid), len(grid[0])
    paths = "".join(
        f'<path fill="var(--accent)" fill-opacity="{_STEPS[level - 1]:g}" d="{_runs(levels, level)}"/>'
        for level in range(1, len(_STEPS) + 1)
        if any(level in row for row in levels)
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {wide} {tall}" preserveAspectRatio="none" '
        f'shape-rendering="crispEdges"><path fill="var(--paper)" d="M0 0h{wide}v{tall}H0z"/>{paths}</svg>'
    )


def levels_of(*grids: Grid, rows: int, columns: int) -> list[list[list[int]]]:
    """Return the steps of the cells of several pictures on one scale: 0 is empty, the last step is the densest.

    Cells may cover one row or column more than others, so densities are compared, not numbers of ones.
    """
    areas = _areas(grids[0], rows, columns)
    densest = max((n / a for grid in grids for n, a in _cells(grid, areas)), default=0.0)
    return [
        [[_level(n / a, densest) for n, a in zip(*pair, strict=True)] for pair in zip(grid, areas, strict=True)]
        for grid in grids
    ]


def _level(density: float, densest: float) -> int:
    if not density:
        return 0
    level = len(_STEPS)
    while level > 1 and density * _FACTOR ** (len(_STEPS) - level + 0.5) < densest:
        level -= 1
    return level


def _areas(grid: Grid, rows: int, columns: int) -> Grid:
    """Return how many entries of the matrix every cell covers."""
    tall, wide = len(grid), len(grid[0])
    heights = [_first(i + 1, rows, tall) - _first(i, rows, tall) for i in range(tall)]
    widths = [_first(j + 1, columns, wide) - _first(j, columns, wide) for j in range(wide)]
    return [[height * width for width in widths] for height in heights]


def _first(cell: int, of: int, cells: int) -> int:
    """Return the first row (column) of a cell: the least i with i * cells // of == cell."""
    return -(-cell * of // cells)


def _cells(grid: Grid, areas: Grid) -> Iterator[tuple[int, int]]:
    return (pair for row, sizes in zip(grid, areas, strict=True) for pair in zip(row, sizes, strict=True))


def _runs(levels: list[list[int]], level: int) -> str:
    found = []
    for y, row in enumerate(levels):
        x = 0
        for value, run in groupby(row):
            length = len(list(run))
            if value == level:
                found.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return "".join(found)
