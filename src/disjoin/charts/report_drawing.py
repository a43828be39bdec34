"""The charts of a report, drawn without the chart engine, which takes more than half a second and 90 MB to wake.

They need little: on a frame of fixed size bars, words and a line, and one or two axes. A specification that asks for
anything else is left to the engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from disjoin.escaping import in_html

Box = tuple[float, float, float, float]  # left, top, right, bottom

_FRAME = {"description", "width", "height", "autosize", "padding", "background", "config", "data"}
_MARKS = {"bar", "rule", "text"}
_FONT = 11
_LETTER = 0.6 * _FONT  # wide, at most, if it is a digit
_TICKS = 5
_STEPS = ((10, 50), (5, 10), (2, 2), (1, 0))  # what is meant, from the square of what is wanted on
_LARGE = 10_000  # whole numbers from here on are written short
_SHORT = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class Layer(NamedTuple):
    """One mark, drawn for each of its values."""

    mark: dict[str, Any]
    encoding: dict[str, Any]
    values: list[dict[str, Any]]


def can_draw(chart: dict[str, Any]) -> bool:
    """Tell whether a chart needs no engine: a fixed frame with bars, lines and words."""
    is_framed = chart.get("autosize") == {"type": "none"} and chart.keys() <= _FRAME | {"layer", "mark", "encoding"}
    return is_framed and all(layer.mark.get("type") in _MARKS for layer in _layers(chart))


def drawn(chart: dict[str, Any]) -> str:
    """Return the chart as an SVG element; equal charts give equal text."""
    layers, width, height = _layers(chart), chart["width"], chart["height"]
    across, down = _scale(layers, "x", 0.0, width), _scale(layers, "y", height, 0.0)
    parts = [*_axes(layers, across, down, width, height)]
    for layer in layers:
        parts += _drawn_layer(layer, across, down)
    room = chart["padding"]
    whole = f"{_n(room['left'] + width + room['right'])} {_n(room['top'] + height + room['bottom'])}".split()
    size = f'width="{whole[0]}" height="{whole[1]}" viewBox="0 0 {whole[0]} {whole[1]}"'
    font = f'font-family="{in_html(chart["config"]["font"])}" font-size="{_FONT}"'
    place = f'transform="translate({_n(room["left"])},{_n(room["top"])})"'
    return f"<svg {size}><g {place} {font}>{''.join(parts)}</g></svg>"


def _layers(chart: dict[str, Any]) -> list[Layer]:
    """Return the marks with what they share: values and encodings."""
    found = []
    for one in chart.get("layer", [chart]):
        mark = one.get("mark", {})
        values = one.get("data", chart.get("data", {})).get("values", [])
        shared = {} if one is chart else chart.get("encoding", {})
        encoding = shared | one.get("encoding", {})
        found.append(Layer({"type": mark} if isinstance(mark, str) else mark, encoding, values))
    return found


@dataclass(frozen=True, slots=True)
class Band:
    """Names in a row, each with a strip of its own."""

    names: list[Any]
    first: float
    step: float
    width: float

    def ends(self, name: Any) -> tuple[float, float]:
        """Return where the strip of a name begins and ends."""
        start = self.first + self.step * self.names.index(name)
        return start, start + self.width

    def __call__(self, name: Any) -> float:
        """Return the middle of a name's strip."""
        return sum(self.ends(name)) / 2


@dataclass(frozen=True, slots=True)
class Line:
    """Numbers from one to another, spread evenly."""

    least: float
    most: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return where a number is."""
        return self.start + (self.end - self.start) * (value - self.least) / ((self.most - self.least) or 1)


def _scale(layers: Sequence[Layer], channel: str, start: float, end: float) -> Band | Line | None:
    """Return where values of a channel are; a channel without a type has none."""
    typed = [layer for layer in layers if "type" in layer.encoding.get(channel, {})]
    if not typed:
        return None
    channel_of = typed[0].encoding[channel]
    values = [_value(layer, channel, value) for layer in typed for value in layer.values]
    if channel_of["type"] != "quantitative":
        return _band([*dict.fromkeys(values)], channel_of.get("scale", {}), abs(end - start))
    wanted = (channel_of.get("axis") or {}).get("tickCount", _TICKS)
    if "domain" in channel_of.get("scale", {}):
        least, most = channel_of["scale"]["domain"]
        return Line(least, most, start, end, ticks(least, most, wanted))
    found = ticks(0, max(values, default=1), wanted)
    step = found[-1] - found[-2] if len(found) > 1 else 1
    found = (*found, found[-1] + step) if found[-1] < max(values, default=1) else found
    return Line(0, found[-1], start, end, found)


def _band(names: list[Any], padding: dict[str, float], room: float) -> Band:
    inside = padding.get("paddingInner", 0.1)
    outside = padding.get("paddingOuter", inside / 2)
    step = room / max(1.0, len(names) - inside + 2 * outside)
    return Band(names, (room - step * (len(names) - inside)) / 2, step, step * (1 - inside))


def _value(layer: Layer, channel: str, value: dict[str, Any]) -> Any:
    encoding = layer.encoding[channel]
    return value[encoding["field"]] if "field" in encoding else encoding["datum"]


def ticks(least: float, most: float, wanted: int) -> tuple[float, ...]:
    """Return round numbers between two numbers, about as many as wanted: steps of 1, 2 or 5 and their tenfolds.

    >>> ticks(0, 1, 5), ticks(0, 13, 4)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 5.0, 10.0))
    """
    if most <= least:
        return (float(least),)
    rough = (most - least) / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(size for size, least_square in _STEPS if (rough / power) ** 2 >= least_square)
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return tuple(round(number * step, 9) for number in range(first, last + 1))


def label(number: float, axis: dict[str, Any]) -> str:
    """Return a number as an axis writes it: as a share, or as a whole number that is short when it is large.

    >>> label(0.25, {"format": ".0%"}), label(2500, {}), label(12500, {})
    ('25%', '2,500', '12.5k')
    """
    if axis.get("format", "").endswith("%"):
        return f"{number:.1%}" if axis["format"] == ".1%" else f"{number:.0%}"
    for sign, size in reversed(_SHORT.items()):
        if number >= max(size, _LARGE):
            return f"{number / size:.12g}{sign}"
    return f"{number:,.12g}"


def _axes(
    layers: Sequence[Layer], across: Band | Line | None, down: Band | Line | None, width: float, height: float
) -> Iterator[str]:
    """Draw what the marks stand on: a grid and numbers on the left, numbers or names and a title below."""
    left, below = _channel(layers, "y"), _channel(layers, "x")
    axis = left.get("axis") or {}
    if isinstance(down, Line):
        for tick in down.ticks:
            yield _line(0, down(tick), width, down(tick))
            yield _text(-4, down(tick) + 4, label(tick, axis), "end")
    if left.get("title"):
        turned = f'transform="translate({_n(axis.get("titleX", -40))},{_n(height / 2)}) rotate(-90)"'
        yield f'<text {turned} text-anchor="middle" fill="var(--muted)">{in_html(left["title"])}</text>'
    axis = below.get("axis") or {}
    if across is not None and axis.get("domain", True):
        yield _line(0, height, width, height)
    foot = height + 9 + axis.get("labelPadding", 2)
    yield from (_text(x, foot, words, "middle") for x, words in _labels(across, axis))
    if below.get("title"):
        yield _text(width / 2, foot + 19, below["title"], "middle")


def _channel(layers: Sequence[Layer], channel: str) -> dict[str, Any]:
    """Return the first encoding that says what a channel is."""
    return next((each.encoding[channel] for each in layers if "type" in each.encoding.get(channel, {})), {})


def _labels(across: Band | Line | None, axis: dict[str, Any]) -> Iterator[tuple[float, str]]:
    """Yield the names or numbers below, but for those that would run into the one before."""
    if across is None:
        return
    ends = -math.inf
    for value in across.names if isinstance(across, Band) else across.ticks:
        words = str(value) if isinstance(across, Band) else label(value, axis)
        half = len(words) * _LETTER / 2
        if across(value) - half >= ends:
            yield across(value), words
            ends = across(value) + half + axis.get("labelSeparation", 0)


def _drawn_layer(layer: Layer, across: Band | Line | None, down: Band | Line | None) -> Iterator[str]:
    kind, mark = layer.mark["type"], layer.mark
    if kind == "rule" and across is not None and isinstance(down, Band):
        x, bottom = across(_value(layer, "x", {})), down.ends(down.names[-1])[1] + down.first
        dash = ",".join(_n(length) for length in mark["strokeDash"])
        yield _line(x, 0, x, bottom, mark["color"], f'stroke-width="{mark["strokeWidth"]}" stroke-dasharray="{dash}"')
        return
    for value in layer.values:
        if kind == "bar" and across is not None and down is not None:
            yield _bar(layer, value, across, down)
        elif kind == "text" and down is not None:
            y = down(_value(layer, "y", value)) + mark["dy"] - 3  # below the letters there is room for their tails
            words, anchor = value[layer.encoding["text"]["field"]], {"left": "start"}.get(mark["align"], "end")
            weight = f' font-weight="{mark["fontWeight"]}"' if "fontWeight" in mark else ""
            more = f'font-size="{mark["fontSize"]}"{weight}'
            yield _text(layer.encoding["x"]["value"], y, words, anchor, mark["color"], more)


def _bar(layer: Layer, value: dict[str, Any], across: Band | Line, down: Band | Line) -> str:
    """Draw one bar from the axis to its value, or between two values; its far end may be round."""
    mark = layer.mark
    x, y = _value(layer, "x", value), _value(layer, "y", value)
    if isinstance(across, Line):
        far = value[layer.encoding["x2"]["field"]] if "x2" in layer.encoding else 0
        top, bottom = _thick(down, y, mark.get("height"))
        box = (min(across(x), across(far)), top, max(across(x), across(far)), bottom)
    else:
        left, right = _thick(across, x, mark.get("size"))
        box = (left, down(y), right, down(0))
    strength = value[layer.encoding["opacity"]["field"]] if "opacity" in layer.encoding else mark.get("opacity", 1)
    pale = f' fill-opacity="{_n(strength)}"' if strength != 1 else ""
    return f'<path d="{_outline(box, mark, upright=isinstance(across, Band))}" fill="{mark["color"]}"{pale}/>'


def _thick(scale: Band | Line, name: Any, size: float | None) -> tuple[float, float]:
    """Return the sides of a bar: the strip of its name, or a part of it."""
    if size is None and isinstance(scale, Band):
        return scale.ends(name)
    return scale(name) - (size or 0) / 2, scale(name) + (size or 0) / 2


def _outline(box: Box, mark: dict[str, Any], *, upright: bool) -> str:
    """Return the outline of a bar, whose corners are round at the far end or everywhere."""
    left, top, right, bottom = box
    most = min(right - left, bottom - top) / 2
    end = min(most, mark.get("cornerRadiusEnd", mark.get("cornerRadius", 0)))
    start = min(most, mark.get("cornerRadius", 0))
    # From the upper left corner clockwise: how round each is.
    one, two, three, four = (end, end, start, start) if upright else (start, end, end, start)
    return (
        f"M{_n(left)},{_n(top + one)}Q{_n(left)},{_n(top)},{_n(left + one)},{_n(top)}"
        f"L{_n(right - two)},{_n(top)}Q{_n(right)},{_n(top)},{_n(right)},{_n(top + two)}"
        f"L{_n(right)},{_n(bottom - three)}Q{_n(right)},{_n(bottom)},{_n(right - three)},{_n(bottom)}"
        f"L{_n(left + four)},{_n(bottom)}Q{_n(left)},{_n(bottom)},{_n(left)},{_n(bottom - four)}Z"
    )


def _line(left: float, top: float, right: float, bottom: float, colour: str = "var(--line)", more: str = "") -> str:
    ends = f'x1="{_n(left)}" y1="{_n(top)}" x2="{_n(right)}" y2="{_n(bottom)}"'
    return f'<line {ends} stroke="{colour}" {more}/>'.replace(" />", "/>")


def _text(x: float, y: float, words: str, anchor: str, colour: str = "var(--muted)", more: str = "") -> str:
    opening = f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" fill="{colour}" {more}>'.replace(" >", ">")
    return f"{opening}{in_html(words)}</text>"


def _n(number: float) -> str:
    """Return a coordinate: a hundredth is finer than any screen."""
    return f"{round(number, 2) + 0:g}"
