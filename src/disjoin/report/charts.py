"""Charts as data: Vega-Lite specifications, and their drawings as SVG without script or network.

Colours are the page's CSS variables, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # whoever only draws does not load the nouns
    from disjoin.model.report import Report

Specification = dict[str, Any]
Draw = Callable[[Specification], str]

_WIDTH, _HEIGHT = 320, 150  # fits a phone without shrinking the letters
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


def charts_of(report: Report) -> dict[str, Specification]:
    """Return the charts of a report by title."""
    facts = report.statistics
    charts = {
        "Records in a cluster": histogram(facts["cluster_sizes"], "records", "clusters"),
        "Terms in a chunk": histogram(facts["chunk_widths"], "terms", "chunks"),
        "Terms in a subrecord": histogram(facts["subrecord_lengths"], "terms", "subrecords"),
    }
    return {"What was kept": masses(report.measures)} | {title: chart for title, chart in charts.items() if chart}


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
    return _chart(
        f"Histogram of {distribution['number']:,} {of} by number of {what}: {spread}.",
        data={"values": values},
        mark={
            "type": "bar",
            "color": "var(--accent)",
            "cornerRadiusEnd": 2,
            "size": min(32, 0.86 * _WIDTH / len(bins)),
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


def _every(values: list[dict[str, Any]]) -> list[str]:
    """Choose the labels that have room side by side: every one, every second, ...; the last one always."""
    widest = max(len(entry["label"]) for entry in values)
    step = max(1, -(-len(values) * (7 * widest + 6) // _WIDTH))
    last = len(values) - 1
    return [v["label"] for i, v in enumerate(values) if i == last or (i % step == 0 and last - i >= step)]


def _count_axis(bins: list[dict[str, int]]) -> dict[str, Any]:
    """Return an axis of whole numbers, written short when they are large."""
    short = "datum.value >= 10000 ? format(datum.value, '~s') : format(datum.value, ',')"
    ticks = min(4, max(entry["count"] for entry in bins))
    return {"tickCount": ticks, "domain": False, "ticks": False, "labelExpr": short, "titleX": -44}


def masses(measures: dict[str, Any]) -> Specification:
    """Return the kept shares as bars from 0 to 100 %; the part that shared chunks won is paler."""
    values = [
        {
            "label": entry["title"],
            "value": entry["value"],
            "before": entry.get("without_shared_chunks", entry["value"]),
            "text": f"{entry['sign']} {entry['value']:.1%}",
            "whole": 1,
        }
        for entry in measures.values()
    ]
    words = ", ".join(f"{entry['label'].lower()} {entry['text']}" for entry in values)
    if any("without_shared_chunks" in entry for entry in measures.values()):
        words += "; without shared chunks " + ", ".join(f"{entry['before']:.1%}" for entry in values)
    y: dict[str, Any] = {"field": "label", "type": "nominal", "sort": None, "title": None}
    y |= {
        "axis": {"labels": False, "ticks": False, "domain": False},
        "scale": {"paddingInner": 0.72, "paddingOuter": 0.5},
    }
    x: dict[str, Any] = {"type": "quantitative", "title": None, "stack": None, "scale": {"domain": [0, 1]}}
    x |= {"axis": {"format": "%", "grid": False, "tickCount": 5, "domain": False, "ticks": False}}
    bar: dict[str, Any] = {"type": "bar", "cornerRadius": 3}
    name = {"type": "text", "align": "left", "baseline": "bottom", "dy": -14, "fontSize": 12, "color": "var(--ink)"}
    return _chart(
        f"Bars of the shares that were kept: {words}.",
        data={"values": values},
        encoding={"y": y},
        layer=[
            {"mark": bar | {"color": "var(--line)"}, "encoding": {"x": x | {"field": "whole"}}},
            {"mark": bar | {"color": "var(--accent)", "opacity": 0.5}, "encoding": {"x": x | {"field": "value"}}},
            {"mark": bar | {"color": "var(--accent)"}, "encoding": {"x": x | {"field": "before"}}},
            {"mark": name, "encoding": {"x": {"value": 0}, "text": {"field": "label"}}},
            {
                "mark": name | {"align": "right", "fontWeight": "bold"},
                "encoding": {"x": {"value": _WIDTH}, "text": {"field": "text"}},
            },
        ],
    )


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
    draw(_chart("", data={"values": []}, mark="bar", encoding={}))


def _chart(description: str, **parts: Any) -> Specification:
    # Sizes are fixed, not fitted to the letters: their widths depend on the fonts of the machine.
    room = {"left": 56, "right": 14, "top": 10, "bottom": 42}
    shape: dict[str, Any] = {"width": _WIDTH, "height": _HEIGHT, "autosize": {"type": "none"}, "padding": room}
    shape |= {"background": None, "config": _CONFIG}
    return {"description": description, **shape, **parts}
