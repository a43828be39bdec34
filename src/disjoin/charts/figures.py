"""Figures that stand alone, in a file of their own: bars side by side, and what all figures have in common."""

from __future__ import annotations

import re
from typing import Any

from disjoin.charts.specifications import Specification, draw

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666")  # also for the colour-blind
WIDTH, HEIGHT = 330, 190
_INK, _MUTED, _LINE = "#1f2933", "#52606d", "#d9e0e6"
_CONFIG: dict[str, Any] = {
    "aria": False,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "range": {"category": list(COLOURS)},
    "title": {"color": _INK, "fontSize": 13, "anchor": "start", "offset": 12},
    "axis": {
        "labelColor": _MUTED,
        "titleColor": _MUTED,
        "gridColor": _LINE,
        "domainColor": _LINE,
        "tickColor": _LINE,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {"labelColor": _INK, "title": None, "orient": "bottom", "columns": 3, "labelFontSize": 11, "offset": 10},
}
_OF_PAGES = {  # what colours of a figure are on a page, light or dark
    _INK: "var(--ink)",
    _MUTED: "var(--muted)",
    "#7b8794": "var(--muted)",
    _LINE: "var(--line)",
    "#ffffff": "none",
    "#b3261e": "var(--alarm)",
}
Rows = list[dict[str, Any]]  # tidy: settings by name, and `value`


def bars(title: str, rows: Rows, x: str, y: str, colour: str = "measure") -> Specification:
    """Return bars in groups: a group for every value of `x`, a bar for every value of `colour`."""
    values = measured(rows, x, colour)
    groups, series = (list(dict.fromkeys(entry[name] for entry in values)) for name in (x, colour))
    told = {"legend": None} if len(series) == 1 else {}
    order = {"type": "nominal", "sort": series}
    axis = {"labelAngle": -30 if len(groups) > 4 else 0, "ticks": False}
    encoding = {
        "x": {"field": x, "type": "nominal", "title": None, "sort": groups, "axis": axis},
        "xOffset": {"field": colour, **order},
        "y": {"field": "value", "type": "quantitative", "title": y, "axis": {"tickCount": 5}},
        "color": {"field": colour, **order, **told},
    }
    seen = f"{title}, bars of {y}: {each_spoken(values, x, colour)}"
    return figure(title, seen, values, encoding=encoding, mark={"type": "bar", "cornerRadiusEnd": 2})


def measured(rows: Rows, x: str, colour: str) -> Rows:
    """Return what a figure needs of the rows; what was not measured is left out."""
    return [{x: row[x], "value": row["value"], colour: row[colour]} for row in rows if row["value"] is not None]


def spoken(values: Rows, x: str, called: str, colour: str) -> str:
    """Say what the figure shows to a reader who cannot see it: every series with its first and last value."""
    said = []
    for name in dict.fromkeys(entry[colour] for entry in values):
        series = [entry for entry in values if entry[colour] == name]
        ends = [f"{entry['value']:.3g} ({called} {entry[x]})".replace("( ", "(") for entry in (series[0], series[-1])]
        said.append(f"{name} from {ends[0]} to {ends[1]}")
    return "; ".join(said) + "."


def each_spoken(values: Rows, x: str, colour: str) -> str:
    """Say the height of every bar, series by series."""
    said = []
    for name in dict.fromkeys(entry[colour] for entry in values):
        series = [f"{entry[x]} {entry['value']:.3g}" for entry in values if entry[colour] == name]
        said.append(f"{name}: {', '.join(series)}")
    return "; ".join(said) + "."


def figure(title: str, description: str, values: Rows, **parts: Any) -> Specification:
    """Return a figure with the frame that all have."""
    shape = {"width": WIDTH, "height": HEIGHT, "background": "#ffffff", "padding": 14, "config": _CONFIG}
    return {"title": title, "description": description, "data": {"values": values}, **shape, **parts}


def standing_alone(chart: Specification) -> str:
    """Return a figure as an SVG file, which needs the name space that an element of a page does without."""
    return draw(chart).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def in_page(chart: Specification) -> str:
    """Return a figure as an element of a page, in the page's colours; what is around it says what can be seen."""
    svg = re.sub(r' (role|aria-[a-z]+)="[^"]*"', "", draw(chart))
    for colour, name in _OF_PAGES.items():
        svg = svg.replace(f'="{colour}"', f'="{name}"')
    return svg
