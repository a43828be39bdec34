"""A matrix drawn as a picture of where its ones are: darker where there are more, on a scale of few steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

_STEPS = (0.14, 0.3, 0.48, 0.68, 1.0)  # opacities: each step is four times as dense as the one before
_FACTOR = 4
_WIDTH, _HEIGHT = 320, 240  # units of the page; as wide as a chart

Grid = list[list[int]]


def grid_of(lines: Sequence[str]) -> Grid:
    """Read the picture of a report: a text a row, its numbers separated by blanks.

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
