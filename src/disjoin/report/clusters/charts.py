"""Charts of a release of clusters."""

from __future__ import annotations

from typing import Any

from disjoin.model.report import Report
from disjoin.report.charts import WIDTH, Draw, Specification, framed, histogram
from disjoin.report.form import Figure

_KEPT = "What was kept"


def figures_of(report: Report, draw: Draw) -> list[Figure]:
    """Return the charts as drawings."""
    return [
        Figure(title, chart["description"], draw(chart), _notes(report) if title == _KEPT else ())
        for title, chart in charts_of(report).items()
    ]


def _notes(report: Report) -> tuple[str, ...]:
    meanings = [entry["meaning"] for entry in report.measures.values()]
    if any("without_shared_chunks" in entry for entry in report.measures.values()):
        meanings.append("The paler part of a bar is what the shared chunks of joint clusters tell.")
    return tuple(meanings)


def charts_of(report: Report) -> dict[str, Specification]:
    """Return the charts of a report by title."""
    facts = report.statistics
    charts = {
        "Records in a cluster": histogram(facts["cluster_sizes"], "records", "clusters"),
        "Terms in a chunk": histogram(facts["chunk_widths"], "terms", "chunks"),
        "Terms in a subrecord": histogram(facts["subrecord_lengths"], "terms", "subrecords"),
    }
    return {_KEPT: masses(report.measures)} | {title: chart for title, chart in charts.items() if chart}


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
    return framed(
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
                "encoding": {"x": {"value": WIDTH}, "text": {"field": "text"}},
            },
        ],
    )
