"""Charts of a release of clusters."""

from __future__ import annotations

from typing import Any

from disjoin.model.report import Report
from disjoin.report.charts import WIDTH, Draw, Specification, framed, histogram
from disjoin.report.form import Figure

_KEPT, _SHOWN = "What was kept", "What it shows beyond the promise"


def figures_of(report: Report, draw: Draw) -> list[Figure]:
    """Return the charts as drawings."""
    notes = {_KEPT: _notes(_measures(report, "higher")), _SHOWN: _notes(_measures(report, "lower"))}
    return [
        Figure(title, chart["description"], draw(chart), notes.get(title, ()))
        for title, chart in charts_of(report).items()
    ]


def _measures(report: Report, direction: str) -> dict[str, Any]:
    """Return the measures of which more is better, or less."""
    return {name: entry for name, entry in report.measures.items() if entry["direction"] == direction}


def _computed(measures: dict[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in measures.items() if entry["value"] is not None}


def _notes(measures: dict[str, Any]) -> tuple[str, ...]:
    meanings = [entry["meaning"] for entry in measures.values()]
    if any("without_shared_chunks" in entry for entry in measures.values()):
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
    shares = {
        _KEPT: shares_of("what was kept", _computed(_measures(report, "higher")), "var(--accent)"),
        _SHOWN: shares_of("what is shown beyond the promise", _computed(_measures(report, "lower")), "var(--warn)"),
    }
    return shares | {title: chart for title, chart in charts.items() if chart}


def shares_of(what: str, measures: dict[str, Any], colour: str) -> Specification:
    """Return shares as bars from 0 to 100 %; the part that shared chunks tell is paler."""
    values = [
        {
            "label": entry["title"],
            "value": entry["value"],
            "before": entry.get("without_shared_chunks", entry["value"]),
            "text": f"{entry['sign']} {entry['value']:.1%}".strip(),
            "whole": 1,
        }
        for entry in measures.values()
    ]
    words = ", ".join(f"{entry['label'].lower()} {entry['text']}" for entry in values)
    without = [entry["without_shared_chunks"] for entry in measures.values() if "without_shared_chunks" in entry]
    if without:
        words += "; without shared chunks " + ", ".join(f"{value:.1%}" for value in without)
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
        f"Bars of {what}: {words}.",
        data={"values": values},
        encoding={"y": y},
        layer=[
            {"mark": bar | {"color": "var(--line)"}, "encoding": {"x": x | {"field": "whole"}}},
            {"mark": bar | {"color": colour, "opacity": 0.5}, "encoding": {"x": x | {"field": "value"}}},
            {"mark": bar | {"color": colour}, "encoding": {"x": x | {"field": "before"}}},
            {"mark": name, "encoding": {"x": {"value": 0}, "text": {"field": "label"}}},
            {
                "mark": name | {"align": "right", "fontWeight": "bold"},
                "encoding": {"x": {"value": WIDTH}, "text": {"field": "text"}},
            },
        ],
    )
