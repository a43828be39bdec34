"""Charts as SVG: bars, stacked bars, histograms, lines, scatter plots and matrices, each with the table behind it.

Equal data give equal bytes: there are no ids, dates or measured fonts, and coordinates are rounded to a tenth. Widths
of texts are estimated for a wide sans-serif font, so that labels do not overlap on other machines. Colours are the
CSS variables of the page, which change with light, dark and print; `alone` writes dark text on white instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from disjoin.charts.svg_parts import (
    SERIES,
    SIZE,
    SMALL,
    AxisScale,
    Box,
    axis_below,
    box_of,
    drawable,
    escaped,
    grid_across,
    hatched,
    inside,
    legend_of,
    line_key,
    marker_at,
    num,
    number,
    overlap,
    path_of,
    powers,
    rect_of,
    spaced,
    swatch,
    thinned,
    tick_percent,
    ticks,
    upwards,
    value_text,
    width_of,
    within,
    words_at,
    wrapped,
)

WIDTH = 340  # of a chart of a report: on a phone of 390 pixels letters are 10 pixels high or more
WIDE = 360  # of lines, grouped bars and scatter plots
_TITLE = 14  # size of the letters of a title
_MARGIN = 14  # around a chart in a file of its own
_ALONE = {
    "ink": "#1b2430",
    "muted": "#52606d",
    "line": "#dfe3e8",
    "accent": "#1f6f6b",
    "warn": "#9a5b13",
    "card": "#ffffff",
    "paper": "#f5f5f3",
}
_SHADES = (1.0, 0.68, 0.44, 0.26, 0.13)  # opacities, from the first part of a stack to the last
_DENSITIES = (0.14, 0.3, 0.48, 0.68, 1.0)  # opacities of a matrix, from the emptiest cells to the fullest

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, what it shows in one sentence, and the same as a table."""

    title: str
    description: str
    header: tuple[str, ...]
    rows: Rows
    width: int
    height: float
    body: str  # SVG elements


def drawing(chart: Chart, *, alone: bool = False) -> str:
    """Return the chart as an SVG element of a page; or `alone` as a file, with its title and on white."""
    heading = wrapped(chart.title, chart.width / 1.12, _TITLE) if alone else []
    margin, above = (_MARGIN, 20 * len(heading) + 4 if heading else 0) if alone else (0, 0)
    left, top = -margin, -margin - above
    wide, high = chart.width + 2 * margin, chart.height + 2 * margin + above
    space = 'xmlns="http://www.w3.org/2000/svg" ' if alone else ""
    opening = (
        f'<svg {space}role="img" viewBox="{num(left)} {num(top)} {num(wide)} {num(high)}" width="{num(wide)}" '
        f'height="{num(high)}" font-family="system-ui, sans-serif" font-size="{SIZE}">'
    )
    named = f"<title>{escaped(chart.title)}</title><desc>{escaped(chart.description)}</desc>"
    if not alone:
        return f"{opening}{named}{chart.body}</svg>"
    words = "".join(
        words_at(0, 14 - above + 20 * line, part, colour="ink", size=_TITLE, bold=True)
        for line, part in enumerate(heading)
    )
    paper = f'<path d="M{num(left)} {num(top)}h{num(wide)}v{num(high)}H{num(left)}z" fill="#ffffff"/>'
    plain = re.sub(r'="var\(--([a-z]+)\)"', lambda found: f'="{_ALONE[found[1]]}"', words + chart.body)
    return f"{opening}{named}{paper}{plain}</svg>\n"


def table_of(chart: Chart) -> str:
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in chart.header)
    body = "".join(
        f'<tr><th scope="row">{escaped(first)}</th>{"".join(f"<td>{escaped(cell)}</td>" for cell in others)}</tr>'
        for first, *others in chart.rows
    )
    table = f'<table class="rows"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<details class="behind"><summary>As a table</summary><div class="wide">{table}</div></details>'


class Bar(NamedTuple):
    """A bar: its name, its length, words on its right, and the part of it that is drawn darker, if not all of it."""

    name: str
    value: float
    text: str
    part: float | None = None


def bars(
    title: str,
    found: Sequence[Bar],
    axis: tuple[str, str],
    description: str,
    *,
    until: float = 0,
    limit: float | None = None,
    parts: tuple[str, str] | None = None,
    colour: str = "accent",
) -> Chart:
    """Return horizontal bars of shares; `axis` is what has a bar and what its length is.

    The axis reaches at least `until`. `limit` is a dashed line. `parts` are the names of the darker part and the whole.
    """
    longest = max((bar.value for bar in found), default=0)
    most = max(longest, until, 1.04 * limit if limit else 0) or 1
    across, legend = AxisScale(0, most, 0, WIDTH), []
    if parts:
        legend = [(swatch(colour), parts[0]), (swatch(colour, _PALE), parts[1])]
    body, top = legend_of(legend, WIDTH)
    line = _limit_mark(across(limit), top, len(found)) if limit else ""
    top += 16 if limit else 0
    for row, bar in enumerate(found):
        y = top + _STEP * row
        body += _named(bar.name, bar.text, y)
        body += rect_of((0, y + 19, WIDTH, y + 27), "line", 0.6, round_by=3) if until else ""
        whole = (0, y + 19, across(bar.value), y + 27)
        if bar.part is not None and bar.part < bar.value:
            body += rect_of(whole, colour, _PALE, round_by=3)
            whole = (0, y + 19, across(bar.part), y + 27)
        body += rect_of(whole, colour, round_by=3, words=f"{bar.name}: {bar.text}")
    foot = top + _STEP * len(found)
    body += line + axis_below(across, ticks(0, most, 4), tick_percent, foot, axis[1], (0, WIDTH))
    cells = [
        (bar.name, bar.text, *((tick_percent(bar.value if bar.part is None else bar.part),) if parts else ()))
        for bar in found
    ]
    header = (*axis, parts[0]) if parts else axis
    return Chart(title, description, header, tuple(cells), WIDTH, foot + 36, body)


_STEP, _PALE = 36, 0.45


def _named(name: str, text: str, y: float) -> str:
    """Return a name on the left and words on the right above a bar; the name is cut where they would meet."""
    right = words_at(WIDTH, y + 13, text, "end", "ink", room=WIDTH / 2)
    return words_at(0, y + 13, name, colour="ink", room=WIDTH - min(width_of(drawable(text)), WIDTH / 2) - 12) + right


def _limit_mark(x: float, top: float, rows: int) -> str:
    """Return a line across every bar, but not across the words above it."""
    anchor = "end" if x > WIDTH / 2 else "start"
    across = f"M{num(x)} {num(top + 2)}v12" + "".join(
        f"M{num(x)} {num(top + 32 + _STEP * row)}v14" for row in range(rows)
    )
    line = f'<path d="{across}" stroke="var(--warn)" stroke-width="2"/>'
    return words_at(x - 6 if anchor == "end" else x + 6, top + 12, "limit", anchor, "warn", SMALL) + line


def stacks(
    title: str,
    found: Sequence[tuple[str, Sequence[float], str]],
    axis: tuple[str, str],
    ends: tuple[str, str],
    description: str,
) -> Chart:
    """Return bars of parts that sum to 1, in ever paler shades: (name, parts, words on the right).

    `ends` are the names of the first and the last part; those between are steps from one to the other.
    """
    across = AxisScale(0, 1, 0, WIDTH)
    key = "".join(rect_of((16 * step, -9, 16 * step + 15, 1), "accent", shade) for step, shade in enumerate(_SHADES))
    after = width_of(ends[0]) + 8
    body = f'{words_at(0, 12, ends[0], size=SIZE)}<g transform="translate({num(after)} 12)">{key}</g>'
    body += words_at(after + 88, 12, ends[1])
    top = 22
    for row, (name, parts, text) in enumerate(found):
        y, start = top + _STEP * row, 0.0
        body += _named(name, text, y)
        for step, part in enumerate(parts):
            box = (across(start), y + 19, across(start + part), y + 28)
            if part > 0:
                body += rect_of(box, "accent", _shade(step, len(parts)), words=f"{name}: {tick_percent(part)}")
            start += part
    foot = top + _STEP * len(found)
    body += axis_below(across, (0, 0.25, 0.5, 0.75, 1), tick_percent, foot, axis[1], (0, WIDTH))
    most = max((len(parts) for _, parts, _ in found), default=0)
    cells = [(name, *(tick_percent(part) for part in parts), *[""] * (most - len(parts))) for name, parts, _ in found]
    header = (axis[0], ends[0], *(f"step {step}" for step in range(1, most)))
    return Chart(title, description, header, tuple(cells), WIDTH, foot + 36, body)


def _shade(step: int, steps: int) -> float:
    """Return the opacity of a part: the first is full, the last the palest, the others evenly between."""
    return 1.0 if steps < 2 else round(1 - (1 - _SHADES[-1]) * step / (steps - 1), 3)


def histogram(title: str, distribution: dict[str, Any], what: str, of: str) -> Chart | None:
    """Return a histogram of a distribution (see `distribution_of`), or nothing if there is nothing in it."""
    bins = distribution["histogram"]
    if not bins:
        return None
    step = bins[0]["to"] - bins[0]["from"] + 1 if len(bins) > 1 else 1
    is_open = len(bins) > 1 and bins[-1]["to"] - bins[-1]["from"] + 1 > step
    names = [f"{one['from']:,}" for one in bins]
    names[-1] += "+" if is_open else ""
    most = max(one["count"] for one in bins)
    down, marks = upwards(most, min(4, most), 160.0, 26.0)
    left = max(width_of(number(mark), SMALL) for mark in marks) + 6
    body = words_at(0, 12, of, size=SMALL) + grid_across(down, marks, number, left, WIDTH)
    band = (WIDTH - left) / len(bins)
    thick = min(36.0, 0.88 * band)
    cells = []
    for place, one in enumerate(bins):
        middle = left + band * (place + 0.5)
        values = f"{one['from']:,}" if one["from"] == one["to"] else f"{one['from']:,} to {one['to']:,}"
        box = (middle - thick / 2, down(one["count"]), middle + thick / 2, down(0))
        body += (
            rect_of(box, "accent", round_by=2, words=f"{values} {what}: {one['count']:,} {of}") if one["count"] else ""
        )
        cells.append((values, f"{one['count']:,}"))
    at = inside([left + band * (place + 0.5) for place in range(len(bins))], names, WIDTH)
    body += "".join(words_at(x, 175, names[place], "middle", size=SMALL) for place, x in thinned(at, names))
    below = what if step == 1 else f"{what} (in steps of {step:,})"
    body += words_at((left + WIDTH) / 2, 193, below, "middle", size=SMALL)
    spread = f"from {distribution['least']:,} to {distribution['largest']:,}, median {distribution['median']:,}"
    described = f"Histogram of {distribution['number']:,} {of} by number of {what}: {spread}."
    return Chart(title, described, (what, of), tuple(cells), WIDTH, 198, body)


def grouped_bars(
    title: str,
    groups: Sequence[tuple[str, Sequence[float | None]]],
    series: Sequence[str],
    axis: tuple[str, str],
    description: str,
) -> Chart:
    """Return horizontal bars in groups: (name, a value for each of `series`, or None where there is none)."""
    values = [value for _, row in groups for value in row if value is not None]
    room = max((width_of(value_text(value), SMALL) for value in values), default=0) + 6
    across = AxisScale(0, max(values, default=0) or 1, 0, WIDE - room)
    legend = [(swatch(SERIES[place % 7], hatch=place), name) for place, name in enumerate(series)]
    above, top = legend_of(legend if len(series) > 1 else [], WIDE)
    body = above + words_at(0, top + 10, axis[1], size=SMALL, room=WIDE)
    y = top + 18.0
    for name, row in groups:
        body += words_at(0, y + 13, name, colour="ink", room=WIDE)
        y += 18
        for place, value in enumerate(row):
            if value is None:
                continue
            body += hatched(
                (0, y, across(value), y + 11), SERIES[place % 7], place, f"{name}, {series[place]}: {value_text(value)}"
            )
            body += words_at(across(value) + 4, y + 9.5, value_text(value), size=SMALL)
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
    """Return a line with marks for each of `series`: (name, points from left to right); `log` is for either axis.

    On a logarithmic axis values of 0 are left out.
    """
    drawn = [(name, [(x, y) for x, y in points if y > 0 or not log[1]]) for name, points in series]
    places = sorted({x for _, points in drawn for x, _ in points}) or [0.0, 1.0]
    values = [y for _, points in drawn for _, y in points] or [1.0]
    keys = [(line_key(place), name) for place, name in enumerate(name for name, _ in series)]
    above, top = legend_of(keys if len(series) > 1 else [], WIDE)
    bottom = top + 234
    down, marks = powers(values, bottom, top + 26) if log[1] else upwards(max(values), 5, bottom, top + 26)
    left = max(width_of(number(mark), SMALL) for mark in marks) + 6
    across = AxisScale(places[0], places[-1], left + 14, WIDE - 14, "log" if log[0] else "linear")
    body = above + words_at(0, top + 12, axes[1], size=SMALL, room=WIDE) + grid_across(down, marks, number, left, WIDE)
    shown = places if len(places) <= 10 else ticks(places[0], places[-1], 6)
    body += axis_below(across, shown, number, bottom, axes[0], (left, WIDE))
    for place, (name, points) in enumerate(drawn):
        at = [(across(x), down(y)) for x, y in points]
        if len(at) > 1:
            body += f'<path d="{path_of(at)}" fill="none" stroke="{SERIES[place % 7]}" stroke-width="2"/>'
        for (x, y), (given, value) in zip(at, points, strict=True):
            body += marker_at(place, x, y, f"{name}, {axes[0]} {number(given)}: {value_text(value)}")
    found = [dict(points) for _, points in series]
    every = sorted({x for points in found for x in points})
    cells = tuple((f"{x:g}", *(f"{points[x]:.6g}" if x in points else "" for points in found)) for x in every)
    return Chart(title, description, (axes[0], *(name for name, _ in series)), cells, WIDE, bottom + 36, body)


class Dot(NamedTuple):
    """A mark of a scatter plot; `is_kept` puts it on the dashed line, `is_best` puts a ring round it."""

    x: float
    y: float
    series: str
    label: str
    is_kept: bool = False
    is_best: bool = False


def scatter(
    title: str,
    points: Sequence[Dot],
    axes: tuple[str, str],
    description: str,
    *,
    series: Sequence[str],
    keys: tuple[str, str, str] = ("", "", ""),
    top: float | None = None,
    limit: tuple[float, str] | None = None,
    written: Callable[[float], str] | None = None,
) -> Chart:
    """Return a scatter plot whose upright axis is a share on a square-root scale, so that small ones differ visibly.

    `keys` explain the dashed line, the ring and the labels; `top` is where the upright axis ends; `written` is how the
    other one is written. A label that has no free place is left out; the table has it.
    """
    written = written or number
    above, start = legend_of(_scatter_keys(points, series, keys), WIDE)
    high = top or max((point.y for point in points), default=1) or 1
    down = AxisScale(0, high, start + 288, start + 34, "sqrt")
    marks = spaced([mark for mark in _SHARES if mark <= high], down)
    left = max(width_of(tick_percent(mark), SMALL) for mark in marks) + 6
    low, far = min((p.x for p in points), default=0), max((p.x for p in points), default=1)
    ends = (low, far) if low < far else (low - 1, low + 1)
    across = AxisScale(*ends, left + 26, WIDE - 26)
    bottom = start + 308  # labels have room below 0
    body = (
        above
        + words_at(0, start + 12, axes[1], size=SMALL, room=WIDE)
        + grid_across(down, marks, tick_percent, left, WIDE)
    )
    body += axis_below(across, ticks(low, far, 5), written, bottom, axes[0], (left, WIDE))
    taken: list[Box] = []
    if limit and limit[0] <= high:
        body += _limit_across(limit, down, left)
        taken = [box_of(WIDE, down(limit[0]) - 9, limit[1], "end")]
    at = [(across(point.x), down(point.y)) for point in points]
    line = sorted(place for place, point in zip(at, points, strict=True) if point.is_kept)
    if len(line) > 1:
        body += (
            f'<path d="{path_of(line)}" fill="none" stroke="var(--muted)" stroke-width="1.2" stroke-dasharray="5 4"/>'
        )
    for (x, y), point in zip(at, points, strict=True):
        named = f"{point.series} {point.label}: {axes[0]} {written(point.x)}, {axes[1]} {tick_percent(point.y)}"
        body += _RING.format(x=num(x), y=num(y), r=9) if point.is_best else ""
        body += marker_at(series.index(point.series), x, y, named)
    labels = _labels(points, at, (left, start + 18, WIDE, bottom), taken)
    body, height = body + "".join(labels), bottom + 36
    if len(labels) < len(points):
        body += words_at(0, height + 14, "Marks without numbers have no room for them.", size=SMALL)
        height += 20
    cells = tuple((point.series, point.label, written(point.x), tick_percent(point.y)) for point in points)
    return Chart(title, description, ("series", "label", *axes), cells, WIDE, height, body)


def _scatter_keys(points: Sequence[Dot], series: Sequence[str], keys: tuple[str, str, str]) -> list[tuple[str, str]]:
    found = [(marker_at(place, 0, 0), name) for place, name in enumerate(series)]
    found += [(_DASHED, keys[0])] if sum(point.is_kept for point in points) > 1 else []
    found += [(_RING.format(x=0, y=0, r=6), keys[1])] if any(point.is_best for point in points) else []
    return [*found, ("", keys[2])] if keys[2] else found


_SHARES = (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1)
_RING = '<circle cx="{x}" cy="{y}" r="{r}" fill="none" stroke="var(--ink)" stroke-width="1.6"/>'
_DASHED = '<path d="M-8 0H8" stroke="var(--muted)" stroke-width="1.2" stroke-dasharray="5 4"/>'


def _limit_across(limit: tuple[float, str], down: AxisScale, left: float) -> str:
    y = down(limit[0])
    line = f'<path d="M{num(left)} {num(y)}H{WIDE}" stroke="var(--warn)" stroke-width="1.3" stroke-dasharray="2 3"/>'
    return line + words_at(WIDE, y - 5, limit[1], "end", "warn", SMALL)


def _labels(points: Sequence[Dot], at: Sequence[tuple[float, float]], field: Box, taken: list[Box]) -> list[str]:
    """Return the labels that have a free place next to their mark; the best and those on the line choose first.

    They stay in the field and off what is taken.
    """
    taken += [
        (x - r, y - r, x + r, y + r) for (x, y), p in zip(at, points, strict=True) for r in (13 if p.is_best else 6,)
    ]
    first = sorted(range(len(points)), key=lambda place: (not points[place].is_best, not points[place].is_kept, place))
    drawn = {}
    for place in first:
        words = drawable(points[place].label)
        for right, below, anchor in _PLACES:
            x, y = at[place][0] + right, at[place][1] + below
            box = box_of(x, y, words, anchor)
            if within(box, field) and not any(overlap(box, other) for other in taken):
                drawn[place] = words_at(x, y + 4, words, anchor, "ink", SMALL).replace(" fill=", _HALO, 1)
                taken.append(box)
                break
    return [drawn[place] for place in sorted(drawn)]


_HALO = ' paint-order="stroke" stroke="var(--card)" stroke-width="3" fill='  # lines do not cross letters

# Where a label may be relative to its mark, the best place first.
_PLACES: tuple[tuple[float, float, str], ...] = tuple(
    (far * right, far * down, anchor)
    for far in (1, 1.5, 2.2)
    for right, down, anchor in (
        *((0, -15, "middle"), (12, 0, "start"), (0, 15, "middle"), (-12, 0, "end")),
        *((9, -12, "start"), (9, 12, "start"), (-9, 12, "end"), (-9, -12, "end")),
    )
)


def matrix(title: str, levels: Sequence[Sequence[int]], axes: tuple[str, str], description: str) -> Chart:
    """Return where the ones of a matrix are: a level from 0 (empty) to 5 (densest) for every cell.

    `axes` are what the columns and the rows are.
    """
    tall, wide = len(levels), len(levels[0])
    paths = "".join(
        f'<path fill="var(--accent)" fill-opacity="{num(opacity, 3)}" d="{_runs(levels, level)}"/>'
        for level, opacity in enumerate(_DENSITIES, start=1)
        if any(level in row for row in levels)
    )
    scale = f"translate(0 20) scale({num(WIDTH / wide, 5)} {num(240 / tall, 5)})"
    field = f'<path fill="var(--paper)" d="M0 0h{wide}v{tall}H0z"/>'
    body = words_at(0, 12, f"{axes[1]}, from top to bottom", size=SMALL)
    body += f'<g transform="{scale}" shape-rendering="crispEdges">{field}{paths}</g>'
    body += words_at(WIDTH / 2, 275, f"{axes[0]}, from left to right", "middle", size=SMALL)
    cells = [cell for row in levels for cell in row]
    names = ("empty", "sparsest", "sparse", "medium", "dense", "densest")
    rows = tuple((name, tick_percent(cells.count(level) / len(cells))) for level, name in enumerate(names))
    return Chart(title, description, ("cells", "share of the picture"), rows, WIDTH, 280, body)


def _runs(levels: Sequence[Sequence[int]], level: int) -> str:
    """Return the outlines of the cells of a level; neighbours in a row are one."""
    found = []
    for line, row in enumerate(levels):
        x = 0
        for step, run in groupby(row):
            length = len(list(run))
            found += [f"M{x} {line}h{length}v1h-{length}z"] if step == level else []
            x += length
    return "".join(found)
