"""Charts as data: Vega-Lite specifications, and their drawings as SVG without script or network.

Colours are the page's CSS variables, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

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
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
    # In a page the element needs no name spaces.
    bare = re.sub(r' (xmlns(:xlink)?|version|class)="[^"]*"', "", svg)
    return _with_own_ids(bare, hashlib.sha256(chart["description"].encode()).hexdigest()[:8])


def _with_own_ids(svg: str, prefix: str) -> str:
    """Rename what has an id: the engine numbers them from its start on, so they would differ from run to run."""
    names = dict.fromkeys(re.findall(r' id="([^"]*)"', svg))
    for number, name in enumerate(names):
        svg = re.sub(rf'(id="|#){re.escape(name)}\b', rf"\g<1>c{prefix}-{number}", svg)
    return svg


def warm_up() -> None:
    """Start the chart engine (about 0.6 s, and it holds the interpreter meanwhile)."""
    draw(framed("", data={"values": []}, mark="bar", encoding={}))


def framed(description: str, *, height: int = _HEIGHT, **parts: Any) -> Specification:
    """Return a chart with the frame that all have."""
    # Sizes are fixed, not fitted to the letters: their widths depend on the fonts of the machine.
    room = {"left": 56, "right": 14, "top": 10, "bottom": 42}
    shape: dict[str, Any] = {"width": WIDTH, "height": height, "autosize": {"type": "none"}, "padding": room}
    shape |= {"background": None, "config": _CONFIG}
    return {"description": description, **shape, **parts}
