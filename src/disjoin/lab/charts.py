"""Two kinds of chart that only experiments need: lines, and bars in groups."""

from __future__ import annotations

import math
from collections.abc import Sequence

from disjoin.charts import svg
from disjoin.charts.svg import SERIES, SMALL, WIDE, AxisScale, Box, Chart, num, number, width_of, words_at


def grouped_bars(
    title: str,
    groups: Sequence[tuple[str, Sequence[float | None]]],
    series: Sequence[str],
    axis: tuple[str, str],
    description: str,
) -> Chart:
    """Return horizontal bars in groups: (name, a value for each of `series`, or None for a missing one)."""
    values = [value for _, row in groups for value in row if value is not None]
    room = max((width_of(value_text(value), SMALL) for value in values), default=0) + 6
    across = AxisScale(0, max(values, default=0) or 1, 0, WIDE - room)
    legend = [(hatched((-7, -5, 7, 5), SERIES[place % 7], place), name) for place, name in enumerate(series)]
    above, top = svg.legend_of(legend if len(series) > 1 else [], WIDE)
    body = above + words_at(0, top + 10, axis[1], size=SMALL, room=WIDE)
    y = top + 18.0
    for name, row in groups:
        body += words_at(0, y + 13, name, colour="ink", room=WIDE)
        y += 18
        for place, value in enumerate(row):
            if value is None:
                continue
            box, words = (0, y, across(value), y + 11), value_text(value)
            body += hatched(box, SERIES[place % 7], place, f"{name}, {series[place]}: {words}")
            body += words_at(across(value) + 4, y + 9.5, words, size=SMALL)
            y += 13
        y += 6
    cells = tuple((name, *("" if value is None else f"{value:.6g}" for value in row)) for name, row in groups)
    return Chart(title, description, (axis[0], *series), cells, WIDE, y, body)


def lines(
    title: str,
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    axes: tuple[str, str],
    description: str,
    *,
    log: tuple[bool, bool] = (False, False),
) -> Chart:
    """Return a line per series of (name, points from left to right); on a `log` axis values of 0 are left out."""
    drawn = [(name, [(x, y) for x, y in points if y > 0 or not log[1]]) for name, points in series]
    places = sorted({x for _, points in drawn for x, _ in points}) or [0.0, 1.0]
    values = [y for _, points in drawn for _, y in points] or [1.0]
    keys = [(line_key(place), name) for place, name in enumerate(name for name, _ in series)]
    above, top = svg.legend_of(keys if len(series) > 1 else [], WIDE)
    bottom = top + 234
    down, marks = powers(values, bottom, top + 26) if log[1] else svg.upwards(max(values), 5, bottom, top + 26)
    left = max(width_of(number(mark), SMALL) for mark in marks) + 6
    across = AxisScale(places[0], places[-1], left + 14, WIDE - 14, "log" if log[0] else "linear")
    body = (
        above + words_at(0, top + 12, axes[1], size=SMALL, room=WIDE) + svg.grid_across(down, marks, number, left, WIDE)
    )
    shown = places if len(places) <= 10 else svg.ticks(places[0], places[-1], 6)
    body += svg.axis_below(across, shown, number, bottom, axes[0], (left, WIDE))
    for place, (name, points) in enumerate(drawn):
        at = [(across(x), down(y)) for x, y in points]
        if len(at) > 1:
            body += f'<path d="{svg.path_of(at)}" fill="none" stroke="{SERIES[place % 7]}" stroke-width="2"/>'
        for (x, y), (given, value) in zip(at, points, strict=True):
            body += svg.marker_at(place, x, y, f"{name}, {axes[0]} {number(given)}: {value_text(value)}")
    found = [dict(points) for _, points in series]
    every = sorted({x for points in found for x in points})
    cells = tuple((f"{x:g}", *(f"{points[x]:.6g}" if x in points else "" for points in found)) for x in every)
    return Chart(title, description, (axes[0], *(name for name, _ in series)), cells, WIDE, bottom + 36, body)


def powers(values: Sequence[float], bottom: float, top: float) -> tuple[AxisScale, tuple[float, ...]]:
    low, high = math.floor(math.log10(max(min(values), svg.TINY))), math.ceil(math.log10(max(values)))
    marks = tuple(10.0**power for power in range(low, max(high, low + 1) + 1))
    scale = AxisScale(marks[0], marks[-1], bottom, top, "log")
    return scale, tuple(svg.spaced(marks, scale))


def line_key(place: int) -> str:
    return f'<path d="M-8 0H8" stroke="{SERIES[place % 7]}" stroke-width="2"/>' + svg.marker_at(place, 0, 0)


def value_text(value: float) -> str:
    """Return a measured value with three digits, or all of a large one."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def hatched(box: Box, colour: str, hatch: int, words: str = "") -> str:
    """Return a box in a colour, with white lines that mark every series but the first without colour."""
    left, top, right, bottom = (round(each, 1) for each in box)
    found = []
    if hatch % 6 in (1, 3, 5):  # upwards to the right
        found += _diagonals(left, top, right, bottom)
    if hatch % 6 in (2, 3):  # downwards to the right: mirrored
        found += [(x, top + bottom - y, u, top + bottom - v) for x, y, u, v in _diagonals(left, top, right, bottom)]
    if hatch % 6 == 4:
        found += [(x, top, x, bottom) for x in _every(left + 3, right, 5)]
    if hatch % 6 == 5:
        found += [(left, (top + bottom) / 2, right, (top + bottom) / 2)]
    hatching = "".join(f"M{num(x)} {num(y)}L{num(u)} {num(v)}" for x, y, u, v in found)
    lines_in = f'<path d="{hatching}" stroke="var(--card)" stroke-width="1.4" fill="none"/>' if hatching else ""
    return svg.rect_of((left, top, right, bottom), colour, words=words) + lines_in


def _diagonals(left: float, top: float, right: float, bottom: float) -> list[Box]:
    """Return lines from the lower left to the upper right, cut at the edges of the box."""
    high, found = bottom - top, []
    for start in _every(left - high + 4, right, 6):
        low, far = max(start, left), min(start + high, right)
        if low < far:
            found.append((low, bottom - (low - start), far, bottom - (far - start)))
    return found


def _every(start: float, end: float, step: float) -> list[float]:
    return [start + step * place for place in range(max(0, math.ceil((end - start) / step)))]
