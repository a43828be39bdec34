"""Charts of results: lines against a setting, bars side by side, pictures of matrices; as Vega-Lite."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

from disjoin.charts.figures import HEIGHT, WIDTH, bars, figure, measured, spoken
from disjoin.charts.specifications import Specification
from disjoin.forms.groups.density import Grid, levels_of
from disjoin.trials.rows import Rows, distinct

__all__ = ["bars", "density", "lines"]

SHADES = ("#dbe9f4", "#a9cce6", "#6aa8d5", "#2a7cb8", "#084a7d")  # from few to many


def lines(
    title: str,
    rows: Rows,
    x: tuple[str, str],
    y: str,
    colour: str = "data",
    *,
    log: bool = False,
    log_values: bool = False,
) -> Specification:
    """Return a line for every value of `colour`; `x` is a column and what to call it, `y` is what the values are.

    `log` is for `x`, `log_values` for values that are far apart; of these, 0 cannot be shown and is left out.
    """
    field, called = x
    values = [entry for entry in measured(rows, field, colour) if entry["value"] > 0 or not log_values]
    places, series = sorted(distinct(values, field)), distinct(values, colour)
    short = "datum.value >= 10000 ? format(datum.value, '~s') : format(datum.value, ',')"
    ticks = {"labelExpr": short, "grid": False} | ({"values": places} if len(places) <= 8 else {})
    scale = {"type": "log" if log else "linear", "zero": False, "nice": False, "padding": 14}
    told = {"legend": None} if len(series) == 1 else {}
    kind = {"field": colour, "type": "nominal", "sort": series, **told}
    tall = {"axis": {"tickCount": 5}} if not log_values else _powers([entry["value"] for entry in values], short)
    encoding = {
        "x": {"field": field, "type": "quantitative", "title": called, "scale": scale, "axis": ticks},
        "y": {"field": "value", "type": "quantitative", "title": y, **tall},
        "color": kind,
    }
    marks = [
        {"mark": {"type": "line", "strokeWidth": 2}},
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {"shape": kind | {"legend": None}},
        },
    ]
    seen = f"{title}, lines of {y}: {spoken(values, field, called, colour)}"
    return figure(title, seen, values, encoding=encoding, layer=marks)


def _powers(values: list[float], written: str) -> dict[str, Any]:
    """Return a logarithmic scale with a line at every power of ten, as those between are no help at this size."""
    least, most = (math.log10(end) for end in (min(values, default=1), max(values, default=1)))
    powers = [10.0**power for power in range(math.floor(least), math.ceil(most) + 1)]
    scale = {"type": "log", "domain": [powers[0], powers[-1]]} if len(powers) > 1 else {"type": "log"}
    return {"scale": scale, "axis": {"values": powers, "labelExpr": written}}


def density(title: str, shown: str, grids: dict[str, Grid], size: tuple[int, int]) -> Specification:
    """Return a picture of where the ones of a matrix are, on the scale that all of `grids` have in common.

    A grid has the number of ones in every cell; `size` is that of the whole matrix (rows, columns).
    """
    levels = dict(zip(grids, levels_of(*grids.values(), rows=size[0], columns=size[1]), strict=True))[shown]
    tall, wide = len(levels), len(levels[0])
    values = [run for line, row in enumerate(levels) for run in _runs(row, line)]
    bare: dict[str, Any] = {"labels": False, "ticks": False, "grid": False}
    x = {"field": "x", "type": "quantitative", "title": f"{size[1]:,} items", "axis": bare}
    y = {"field": "y", "type": "quantitative", "title": f"{size[0]:,} records", "axis": bare}
    steps = list(range(1, len(SHADES) + 1))
    encoding = {
        "x": x | {"scale": {"domain": [0, wide], "nice": False}},
        "x2": {"field": "x2"},
        "y": y | {"scale": {"domain": [0, tall], "nice": False, "reverse": True}},
        "y2": {"field": "y2"},
        "color": {
            "field": "level",
            "type": "ordinal",
            "scale": {"domain": steps, "range": list(SHADES)},
            "legend": None,
        },
    }
    covered = sum(step > 0 for row in levels for step in row) / (tall * wide)
    seen = f"{title}: where {size[0]:,} records have which of {size[1]:,} items; {covered:.0%} of the picture have any."
    whole = {"width": wide * max(1, WIDTH // wide), "height": tall * max(1, HEIGHT // tall)}  # cells of whole dots
    return figure(title, seen, values, encoding=encoding, mark="rect") | whole


def _runs(row: list[int], line: int) -> list[dict[str, int]]:
    """Return the cells of a line that are not empty, neighbours of one step together: it makes small files."""
    found, x = [], 0
    for level, run in groupby(row):
        end = x + len(list(run))
        if level:
            found.append({"x": x, "x2": end, "y": line, "y2": line + 1, "level": level})
        x = end
    return found
