"""Charts as SVG, each with the table behind it.

Equal data give equal bytes: there are no ids or dates, coordinates are rounded to a tenth, and widths of text are
estimated for a wide sans-serif font. Colours are CSS variables; `alone` writes dark text on white instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from disjoin.text import in_html, printable

WIDTH = 340  # of a chart of a report: on a phone of 390 pixels letters are 10 pixels high or more
WIDE = 360  # of scatter plots and of the charts of experiments
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
    """Return horizontal bars of shares; `axis` names what has a bar and its length, and reaches at least `until`.
    `limit` is a dashed line; `parts` name the darker part and the whole."""
    most = max(*(bar.value for bar in found), until, 1.04 * limit if limit else 0, 0) or 1
    across = AxisScale(0, most, 0, WIDTH)
    body, top = legend_of([(swatch(colour), parts[0]), (swatch(colour, _PALE), parts[1])] if parts else [], WIDTH)
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
    return Chart(title, description, (*axis, *(parts or ())[:1]), tuple(cells), WIDTH, foot + 36, body)


_STEP, _PALE = 36, 0.45


def _named(name: str, text: str, y: float) -> str:
    right = words_at(WIDTH, y + 13, text, "end", "ink", room=WIDTH / 2)
    return words_at(0, y + 13, name, colour="ink", room=WIDTH - min(width_of(drawable(text)), WIDTH / 2) - 12) + right


def _limit_mark(x: float, top: float, rows: int) -> str:
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
    """Return bars of (name, parts that sum to 1, words) in ever paler shades; `ends` name the first and last part."""
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
            if part > 0:  # the first is full, the last the palest, the others evenly between
                shade = 1.0 if len(parts) < 2 else round(1 - (1 - _SHADES[-1]) * step / (len(parts) - 1), 3)
                body += rect_of(box, "accent", shade, words=f"{name}: {tick_percent(part)}")
            start += part
    foot = top + _STEP * len(found)
    body += axis_below(across, (0, 0.25, 0.5, 0.75, 1), tick_percent, foot, axis[1], (0, WIDTH))
    most = max((len(parts) for _, parts, _ in found), default=0)
    cells = [(name, *(tick_percent(part) for part in parts), *[""] * (most - len(parts))) for name, parts, _ in found]
    header = (axis[0], ends[0], *(f"step {step}" for step in range(1, most)))
    return Chart(title, description, header, tuple(cells), WIDTH, foot + 36, body)


def histogram(title: str, distribution: dict[str, Any], what: str, of: str) -> Chart | None:
    """Return a histogram of a distribution (see `distribution_of`); None if it is empty."""
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
    body = words_at(0, 12, f"number of {of}", size=SMALL) + grid_across(down, marks, number, left, WIDTH)
    band = (WIDTH - left) / len(bins)
    thick = min(36.0, 0.88 * band)
    cells = []
    for place, one in enumerate(bins):
        middle = left + band * (place + 0.5)
        values = f"{one['from']:,}" if one["from"] == one["to"] else f"{one['from']:,} to {one['to']:,}"
        box = (middle - thick / 2, down(one["count"]), middle + thick / 2, down(0))
        if one["count"]:
            body += rect_of(box, "accent", round_by=2, words=f"{values} {what}: {one['count']:,} {of}")
        cells.append((values, f"{one['count']:,}"))
    at = inside([left + band * (place + 0.5) for place in range(len(bins))], names, WIDTH)
    body += "".join(words_at(x, 175, names[place], "middle", size=SMALL) for place, x in thinned(at, names))
    below = f"number of {what}" + (f" (in steps of {step:,})" if step > 1 else "")
    body += words_at((left + WIDTH) / 2, 193, below, "middle", size=SMALL)
    spread = f"from {distribution['least']:,} to {distribution['largest']:,}, median {distribution['median']:,}"
    described = f"Histogram of {distribution['number']:,} {of} by number of {what}: {spread}."
    return Chart(title, described, (what, of), tuple(cells), WIDTH, 198, body)


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
    `keys` explain the dashed line, the ring and the labels; a label without a free place is only in the table."""
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
    body = above + words_at(0, start + 12, axes[1], size=SMALL, room=WIDE)
    body += grid_across(down, marks, tick_percent, left, WIDE)
    body += axis_below(across, ticks(low, far, 5), written, bottom, axes[0], (left, WIDE))
    taken: list[Box] = []
    if limit and limit[0] <= high:
        y = down(limit[0])
        body += (
            f'<path d="M{num(left)} {num(y)}H{WIDE}" stroke="var(--warn)" stroke-width="1.3" stroke-dasharray="2 3"/>'
        )
        body += words_at(WIDE, y - 5, limit[1], "end", "warn", SMALL)
        taken = [box_of(WIDE, y - 9, limit[1], "end")]
    at = [(across(point.x), down(point.y)) for point in points]
    line = sorted(place for place, point in zip(at, points, strict=True) if point.is_kept)
    if len(line) > 1:
        body += f'<path d="{path_of(line)}" fill="none" {_DASHES}/>'
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
    found += [(f'<path d="M-8 0H8" {_DASHES}/>', keys[0])] if sum(point.is_kept for point in points) > 1 else []
    found += [(_RING.format(x=0, y=0, r=6), keys[1])] if any(point.is_best for point in points) else []
    return [*found, ("", keys[2])] if keys[2] else found


_SHARES = (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1)
_RING = '<circle cx="{x}" cy="{y}" r="{r}" fill="none" stroke="var(--ink)" stroke-width="1.6"/>'
_DASHES = 'stroke="var(--muted)" stroke-width="1.2" stroke-dasharray="5 4"'


def _labels(points: Sequence[Dot], at: Sequence[tuple[float, float]], field: Box, taken: list[Box]) -> list[str]:
    """Return the labels with a free place in the field and off `taken`; the best and those on the line choose first."""
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
            is_inside = field[0] <= box[0] and field[1] <= box[1] and box[2] <= field[2] and box[3] <= field[3]
            if is_inside and not any(overlap(box, other) for other in taken):
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
    """Return where the ones of a matrix are, by levels from 0 (empty) to 5 (densest); `axes` name columns and rows."""
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


# The parts of a chart: scales, ticks, axes, legends, marks and texts, as SVG elements in text.

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666")  # Okabe and Ito
SIZE, SMALL = 12, 11  # of letters
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHORT = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
TINY = 1e-290  # smaller steps are none: powers of ten below it are not exact
_LARGE = 10_000  # numbers from here on are written short
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Numbers from `least` to `most` as coordinates from `start` to `end`."""

    least: float
    most: float
    start: float
    end: float
    kind: str = "linear"  # or sqrt, log

    def __call__(self, value: float) -> float:
        low, high, here = (_KINDS[self.kind](each) for each in (self.least, self.most, value))
        return self.start + (self.end - self.start) * (here - low) / ((high - low) or 1)


_KINDS: dict[str, Callable[[float], float]] = {"linear": float, "sqrt": math.sqrt, "log": math.log10}


def ticks(least: float, most: float, wanted: int) -> tuple[float, ...]:
    """Return round numbers between two: about as many as wanted, 1, 2 or 5 times a power of ten apart.

    >>> ticks(0, 1, 5), ticks(0, 0.075, 4), ticks(2, 2, 4)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 0.02, 0.04, 0.06), (2,))
    """
    if most - least < TINY:
        return (least,)
    rough = (most - least) / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= rough * (1 - 1e-9))
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return tuple(float(f"{place * step:.12g}") for place in range(first, last + 1))


def upwards(most: float, wanted: int, bottom: float, top: float) -> tuple[AxisScale, tuple[float, ...]]:
    marks = ticks(0, most or 1, wanted)
    if marks[-1] < most:
        marks = (*marks, float(f"{2 * marks[-1] - marks[-2]:.12g}") if len(marks) > 1 else most)
    return AxisScale(0, marks[-1], bottom, top), marks


def spaced(marks: Sequence[float], scale: AxisScale) -> list[float]:
    """Return the ticks of an upright axis that are a line of text apart, the largest first."""
    kept: list[float] = []
    for mark in reversed(marks):
        if not kept or scale(mark) - scale(kept[-1]) >= 15:
            kept.append(mark)
    return kept


def grid_across(
    scale: AxisScale, marks: Iterable[float], written: Callable[[float], str], left: float, right: float
) -> str:
    return "".join(
        f'<path d="M{num(left)} {num(scale(mark))}H{num(right)}" stroke="var(--line)"/>'
        + words_at(left - 5, scale(mark) + 4, written(mark), "end", size=SMALL)
        for mark in marks
    )


def axis_below(
    across: AxisScale,
    marks: Sequence[float],
    written: Callable[[float], str],
    y: float,
    title: str,
    edge: tuple[float, float],
) -> str:
    left, right = edge
    body = f'<path d="M{num(left)} {num(y)}H{num(right)}" stroke="var(--line)"/>'
    names = [written(mark) for mark in marks]
    at = inside([across(mark) for mark in marks], names, right)
    for place, x in thinned(at, names):
        tick = across(marks[place])
        body += f'<path d="M{num(tick)} {num(y)}v4" stroke="var(--muted)"/>'
        body += words_at(x, y + 15, names[place], "middle", size=SMALL)
    return body + words_at((left + right) / 2, y + 31, title, "middle", size=SMALL, room=right - left)


def inside(at: Sequence[float], names: Sequence[str], right: float) -> list[float]:
    """Return the middles of labels, moved where the first or the last would leave the drawing."""
    halves = [width_of(name, SMALL) / 2 for name in names]
    return [min(max(x, half), right - half) for x, half in zip(at, halves, strict=True)]


def legend_of(items: Sequence[tuple[str, str]], width: float) -> tuple[str, float]:
    body, x, y = "", 0.0, 10.0
    for symbol, words in items:
        room = 20 if symbol else 0
        wide = min(width_of(drawable(words), SMALL), width - room) + room
        if x and x + wide > width:
            x, y = 0.0, y + 17
        body += f'<g transform="translate({num(x + 8)} {num(y - 4)})">{symbol}</g>' if symbol else ""
        body += words_at(x + room, y, words, colour="ink", size=SMALL, room=width - room)
        x += wide + 14
    return body, y + 10 if items else 0.0


def swatch(colour: str, opacity: float = 1) -> str:
    return rect_of((-7, -5, 7, 5), colour, opacity)


# Outlines of marks, in parts of their radius; the first mark is a circle.
_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.15), (1.15, 0.85), (-1.15, 0.85)),
    ((0, -1.3), (1.15, 0), (0, 1.3), (-1.15, 0)),
    ((-1.15, -0.85), (1.15, -0.85), (0, 1.15)),
    tuple(
        (a * x, b * y)
        for a, b, arm in ((-1, -1, 0), (1, -1, 1), (1, 1, 0), (-1, 1, 1))
        for x, y in (((1.2, 0.4), (0.4, 0.4), (0.4, 1.2)) if not arm else ((0.4, 1.2), (0.4, 0.4), (1.2, 0.4)))
    ),
)
_RADIUS = 4.5


def marker_at(series: int, x: float, y: float, words: str = "") -> str:
    colour = f'fill="{SERIES[series % 7]}" stroke="var(--card)" stroke-width="0.8"'
    shape = _SHAPES[series % 6]
    if not shape:
        return _titled("circle", f'cx="{num(x)}" cy="{num(y)}" r="{_RADIUS}" {colour}', words)
    corners = [(x + _RADIUS * right, y + _RADIUS * down) for right, down in shape]
    return _titled("path", f'd="{path_of(corners)}z" {colour}', words)


def rect_of(box: Box, colour: str, opacity: float = 1, *, round_by: float = 0, words: str = "") -> str:
    """Return a box in a colour of the page or in a fixed one; `words` are its tooltip."""
    left, top, right, bottom = box
    fill = colour if colour.startswith("#") else f"var(--{colour})"
    pale = f' fill-opacity="{num(opacity, 3)}"' if opacity != 1 else ""
    bend = f' rx="{num(min(round_by, (right - left) / 2))}"' if round_by else ""
    size = (
        f'x="{num(left)}" y="{num(top)}" width="{num(max(0.0, right - left))}" height="{num(max(0.0, bottom - top))}"'
    )
    return _titled("rect", f'{size}{bend} fill="{fill}"{pale}', words)


def _titled(name: str, attributes: str, words: str) -> str:
    return f"<{name} {attributes}><title>{escaped(words)}</title></{name}>" if words else f"<{name} {attributes}/>"


def path_of(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points)


def words_at(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    colour: str = "muted",
    size: int = SIZE,
    *,
    bold: bool = False,
    room: float | None = None,
) -> str:
    """Return words; those that need more room are cut with an ellipsis, and a tooltip has all of them."""
    whole = drawable(words)
    shown = whole if room is None else fitted(whole, room, size)
    held = f' text-anchor="{anchor}"' if anchor != "start" else ""
    letters = f' font-size="{size}"' if size != SIZE else ""
    weight = ' font-weight="600"' if bold else ""
    named = f"<title>{escaped(whole)}</title>" if shown != whole else ""
    place = f'x="{num(x)}" y="{num(y)}"{held}{letters}{weight} fill="var(--{colour})"'
    return f"<text {place}>{named}{escaped(shown)}</text>"


def fitted(words: str, room: float, size: int = SIZE) -> str:
    """Return words, cut with an ellipsis where they would be wider than there is room.

    >>> fitted("digital camera", 60), fitted("tea", 60)
    ('digital…', 'tea')
    """
    if width_of(words, size) <= room:
        return words
    used, kept = width_of("…", size), ""
    for letter in words:
        used += size * _letter(letter)
        if used > room:
            break
        kept += letter
    return kept.rstrip() + "…"


def width_of(words: str, size: int = SIZE) -> float:
    return size * sum(map(_letter, words))


def _letter(letter: str) -> float:
    """Return the width of a character in parts of the font size, at most; the same in every version of Python."""
    if letter in "iljtfrI.,:;|!'()[] -/":
        return 0.4
    if letter in "mwMW@%…—":
        return 0.98
    if letter < "\x7f":
        return 0.72 if "A" <= letter <= "Z" else 0.63
    if any(first <= letter <= last for first, last in _NO_WIDTH):
        return 0.0
    return 1.3 if letter >= "\U0001f000" else 1.05 if letter >= "\u2e80" or "\u1100" <= letter <= "\u115f" else 0.75


_NO_WIDTH = (("\u0300", "\u036f"), ("\u200c", "\u200d"), ("\ufe00", "\ufe0f"))  # marks on letters, joiners, variants


def wrapped(words: str, room: float, size: int) -> list[str]:
    found: list[str] = []
    for word in drawable(words).split(" "):
        longer = f"{found[-1]} {word}" if found else word
        if found and width_of(longer, size) <= room:
            found[-1] = longer
        else:
            found.append(fitted(word, room, size))
    return found


def number(value: float) -> str:
    """Return a number of an axis; large ones are written short.

    >>> [number(each) for each in (0, 0.05, 9999, 10000, 2500000)]
    ['0', '0.05', '9,999', '10k', '2.5M']
    """
    for unit, letter in _SHORT if abs(value) >= _LARGE else ():
        if abs(value) >= unit:
            return f"{value / unit:.4g}{letter}"
    return f"{value:,.6g}"


def tick_percent(share: float) -> str:
    """Return a share of an axis or of a table.

    >>> tick_percent(0.25), tick_percent(0.005), tick_percent(1 / 3)
    ('25%', '0.5%', '33.3%')
    """
    return f"{100 * share:.3g}%"


def drawable(words: str) -> str:
    """Return text with the characters written out that are invisible or not allowed in XML."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(words))


def escaped(words: str) -> str:
    return in_html(drawable(words))


def num(value: float, digits: int = 1) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def thinned(at: Sequence[float], names: Sequence[str]) -> list[tuple[int, float]]:
    """Return the places of labels that do not overlap: every n-th from the first on, and the last.

    >>> thinned([0, 10, 20, 30, 40], ["10", "20", "30", "40", "50"])
    [(0, 0), (2, 20), (4, 40)]
    """
    halves = [width_of(name, SMALL) / 2 + 3 for name in names]
    for stride in range(1, len(names) + 1):
        kept = list(range(0, len(names), stride))
        last = len(names) - 1
        if kept[-1] != last:
            kept = [place for place in kept if at[place] + halves[place] <= at[last] - halves[last]] + [last]
        if all(at[a] + halves[a] <= at[b] - halves[b] for a, b in pairwise(kept)):
            return [(place, at[place]) for place in kept]
    return []


def box_of(x: float, y: float, words: str, anchor: str) -> Box:
    wide = width_of(words, SMALL)
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return left, y - 7, left + wide, y + 7


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes have more than an edge in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
