"""Horizontal bars with their names above them, so that long names need no margin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from disjoin.charts.display_text import shorten
from disjoin.charts.specifications import WIDTH, Specification, framed
from disjoin.escaping import legible

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
