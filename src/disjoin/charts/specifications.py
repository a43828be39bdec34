"""Charts as data: Vega-Lite specifications, and their drawings as SVG without script or network.

Colours are the page's CSS variables, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from disjoin.charts.display_text import shorten
from disjoin.charts.report_drawing import can_draw, drawn
from disjoin.escaping import in_html, legible

Specification = dict[str, Any]
Draw = Callable[[Specification], str]

WIDTH, _HEIGHT = 320, 150  # fits a phone without shrinking the letters
_CONFIG: dict[str, Any] = {
    "aria": False,  # the figure has one label for all of it
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": 11,
        "labelLimit": 0,
        "titleFontSize": 11,
        "titleLimit": 0,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
}


def histogram(distribution: dict[str, Any], what: str, of: str) -> Specification:
    """Return a histogram of a distribution, empty if there is nothing in it."""
    bins = distribution["histogram"]
    if not bins:
        return {}
    width = bins[0]["to"] - bins[0]["from"] + 1 if len(bins) > 1 else 1
    is_open = len(bins) > 1 and bins[-1]["to"] - bins[-1]["from"] + 1 > width
    values = [{"label": f"{b['from']:,}", "from": b["from"], "count": b["count"]} for b in bins]
    if is_open:
        values[-1]["label"] += "+"
    title = what if width == 1 else f"{what} (in steps of {width:,})"
    spread = f"from {distribution['least']:,} to {distribution['largest']:,}, median {distribution['median']:,}"
    return framed(
        f"Histogram of {distribution['number']:,} {of} by number of {what}: {spread}.",
        data={"values": values},
        mark={
            "type": "bar",
            "color": "var(--accent)",
            "cornerRadiusEnd": 2,
            "size": min(32, 0.86 * WIDTH / len(bins)),
        },
        encoding={
            "x": {
                "field": "label",
                "type": "ordinal",
                "sort": {"field": "from"},
                "title": title,
                "axis": {
                    "labelAngle": 0,
                    "labelOverlap": "greedy",
                    "labelSeparation": 6,
                    "ticks": False,
                    "labelPadding": 6,
                },
                "scale": {"paddingInner": 0.12, "paddingOuter": 0.1},
            },
            "y": {"field": "count", "type": "quantitative", "title": of, "axis": _count_axis(bins)},
        },
    )


def _count_axis(bins: list[dict[str, int]]) -> dict[str, Any]:
    """Return an axis of whole numbers, written short when they are large."""
    short = "datum.value >= 10000 ? format(datum.value, '~s') : format(datum.value, ',')"
    ticks = min(4, max(entry["count"] for entry in bins))
    return {"tickCount": ticks, "domain": False, "ticks": False, "labelExpr": short, "titleX": -44}


def draw(chart: Specification) -> str:
    """Return the chart as an SVG element for a page; equal charts give equal text."""
    if can_draw(chart):
        return drawn(chart)
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
    # In a page the element needs no name spaces.
    bare = re.sub(r' (xmlns(:xlink)?|version|class)="[^"]*"', "", svg)
    return _with_own_ids(bare, hashlib.sha256(chart["description"].encode()).hexdigest()[:8])


def draw_with_table(chart: Specification) -> str:
    """Return the drawing, and below it the same as a table that can be opened."""
    axes, values = chart.get("encoding", {}), chart["data"]["values"]
    titles = [axes.get(axis, {}).get("title") or word for axis, word in (("x", "what"), ("y", "how much"))]
    cells = [(each["label"], each.get("text") or f"{each['count']:,}") for each in values]
    head = "".join(f'<th scope="col">{in_html(title)}</th>' for title in titles)
    body = "".join(f'<tr><th scope="row">{in_html(label)}</th><td>{in_html(text)}</td></tr>' for label, text in cells)
    table = f'<table class="rows"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f"{draw(chart)}<details><summary>As a table</summary>{table}</details>"


def _with_own_ids(svg: str, prefix: str) -> str:
    """Rename what has an id: the engine numbers them from its start on, so they would differ from run to run."""
    names = dict.fromkeys(re.findall(r' id="([^"]*)"', svg))
    for number, name in enumerate(names):
        svg = re.sub(rf'(id="|#){re.escape(name)}\b', rf"\g<1>c{prefix}-{number}", svg)
    return svg


def framed(description: str, *, height: int = _HEIGHT, **parts: Any) -> Specification:
    """Return a chart with the frame that all have."""
    # Sizes are fixed, not fitted to the letters: their widths depend on the fonts of the machine.
    room = {"left": 56, "right": 14, "top": 10, "bottom": 42}
    shape: dict[str, Any] = {"width": WIDTH, "height": height, "autosize": {"type": "none"}, "padding": room}
    shape |= {"background": None, "config": _CONFIG}
    return {"description": description, **shape, **parts}


_NAME = 26
_STEP = 30
_PLACE: dict[str, Any] = {"field": "place", "type": "ordinal", "title": None, "axis": None}
_LEFT: dict[str, Any] = {"type": "text", "align": "left", "baseline": "bottom", "dy": -5, "fontSize": 12}
_PALEST = 0.12


class Bar(NamedTuple):
    """A bar: its name, how long it is, and words on the right."""

    name: str
    value: float
    text: str


class Stack(NamedTuple):
    """A bar of several parts that make up 1: its name, the parts, and words on the right."""

    name: str
    parts: tuple[float, ...]
    text: str


def bars(
    found: Sequence[Bar], what: str, described: str, *, limit: float | None = None, until: float = 0
) -> Specification:
    """Return bars, and a limit as a line; `what` is the title of the axis, which reaches at least `until`."""
    values = [
        {"place": place, "value": bar.value, "label": shorten(legible(bar.name), _NAME), "text": bar.text}
        for place, bar in enumerate(found)
    ]
    x = _shares(what, max(limit or 0, until, *(bar.value for bar in found))) | {"stack": None}
    bar = {"type": "bar", "color": "var(--accent)", "cornerRadiusEnd": 2, "height": 7}
    layers: list[dict[str, Any]] = [{"mark": bar, "encoding": {"x": x | {"field": "value"}, "y": _PLACE}}, *_names()]
    if limit:
        rule = {"type": "rule", "color": "var(--warn)", "strokeWidth": 1.5, "strokeDash": [4, 3]}
        layers.append({"mark": rule, "encoding": {"x": x | {"datum": limit}}})
    return framed(described, height=_STEP * len(values) + 8, data={"values": values}, layer=layers)


def stacks(found: Sequence[Stack], what: str, described: str) -> Specification:
    """Return bars whose parts are paler the later they come."""
    named = [
        {"place": place, "label": shorten(legible(stack.name), _NAME), "text": stack.text}
        for place, stack in enumerate(found)
    ]
    parts = [part for place, stack in enumerate(found) for part in _parts(place, stack.parts)]
    x = _shares(what, 1.0)
    bar = {"type": "bar", "color": "var(--accent)", "height": 9}
    encoding = {
        "x": x | {"field": "from"},
        "x2": {"field": "to"},
        "y": _PLACE,
        "opacity": {"field": "strength", "type": "quantitative", "scale": None, "legend": None},
    }
    layers = [{"data": {"values": parts}, "mark": bar, "encoding": encoding}, *_names()]
    return framed(described, height=_STEP * len(named) + 8, data={"values": named}, layer=layers)


def _parts(place: int, shares: tuple[float, ...]) -> list[dict[str, float]]:
    """Return the parts that are not empty, with their ends and colours: the first is the strongest."""
    found, start = [], 0.0
    for step, share in enumerate(shares):
        fade = step / max(1, len(shares) - 1)
        ends = {"from": round(start, 6), "to": round(start + share, 6)}
        if share:
            found.append({"place": place, **ends, "strength": round(1 - (1 - _PALEST) * fade, 3)})
        start += share
    return found


def _shares(what: str, most: float) -> dict[str, Any]:
    """Return the axis of shares up to the largest one."""
    axis = {"format": ".1%" if most < 0.1 else ".0%", "grid": False, "tickCount": 4, "ticks": False}
    scale = {"domain": [0, round(most * 1.04, 6)], "nice": False}
    return {"type": "quantitative", "title": what, "scale": scale, "axis": axis}


def _names() -> list[dict[str, Any]]:
    """Return the layers with the names on the left and the words on the right."""
    left = _LEFT | {"color": "var(--ink)"}
    right = _LEFT | {"align": "right", "color": "var(--muted)"}
    return [
        {"mark": left, "encoding": {"x": {"value": 0}, "y": _PLACE, "text": {"field": "label"}}},
        {"mark": right, "encoding": {"x": {"value": WIDTH - 26}, "y": _PLACE, "text": {"field": "text"}}},
    ]
