"""Section of the dossier: the settings that were tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from disjoin.advise.results import cells
from disjoin.advise.table_trials import COLUMNS, LIMITS
from disjoin.report.html import paragraphs, rows_table, section
from disjoin.text import percent

_POINT = ("clustering", "k", "m")  # a setting that is tried
_TRIED = "Settings tried, and the chosen one"
_WHY = '<p class="why">Why this one was chosen:</p>'


def settings_tried(tried: Mapping[str, Any] | None, report: Any) -> str:
    """Return the settings tried, the published one among them, and space for a reason; empty if none were tried."""
    if not tried or not tried["rows"]:
        return ""
    if "clustering" not in tried["rows"][0]:
        return _settings_of_tables(tried, report)
    columns = ("pair_mass", "weighted_pair_error", "exposed", "singled_out", "harmed")
    head = ["clustering", "k", "m", *(tried["columns"][name]["title"] for name in columns)]
    rows = [
        [str(row["clustering"]), f"{row['k']}", f"{row['m']}", *(_written(name, row[name]) for name in columns)]
        for row in tried["rows"]
    ]
    advised = next((number for number, row in enumerate(tried["rows"]) if row["recommended"]), None)
    said = paragraphs(_chosen(tried["rows"], report), *tried["advice"])
    return section(_TRIED, rows_table(head, rows, advised), said, _WHY)


def _settings_of_tables(tried: Mapping[str, Any], report: Any) -> str:
    head = ["k", "sensitive columns", "suppressed, at most", *(column.title for column in COLUMNS.values())]
    rows = [
        [f"{row['k']}", _limits(row) or "-", str(row.get("suppress") or "none"), *cells(COLUMNS, row)]
        for row in tried["rows"]
        if not row["failure"]
    ]
    found = report.parameters
    is_there = any(_setting(row) == _setting(found) for row in tried["rows"])
    asked = f", {_limits(found)}" if _limits(found) else ""
    suppressed = (
        f", up to {float(Fraction(found['suppress'])):g} of the rows suppressed" if found.get("suppress") else ""
    )
    tail = "" if is_there else ", which is not among those that were tried"
    chosen = f"Chosen: k = {found['k']}{asked}{suppressed}{tail}."
    return section(_TRIED, rows_table(head, rows), paragraphs(chosen, *tried.get("advice", ())), _WHY)


def _limits(settings: Mapping[str, Any]) -> str:
    given = {name: settings[name] for name in LIMITS if settings.get(name)}
    return ", ".join(f"{name} = {float(Fraction(value)):g}" for name, value in given.items())


def _setting(settings: Mapping[str, Any]) -> list[Fraction]:
    """Return the numbers of a setting as fractions, so that 0.01 equals 1/100."""
    return [Fraction(settings.get(name) or 0) for name in ("k", "suppress", *LIMITS)]


def _chosen(rows: Sequence[Mapping[str, Any]], report: Any) -> str:
    found = {"clustering": "horpart"} | {name: report.parameters[name] for name in _POINT if name in report.parameters}
    first = found["clustering"] if report.form == "clusters" else report.method
    words = ", ".join([f"Chosen: {first}", *(f"{name} = {found[name]}" for name in _POINT[1:] if name in found)])
    row = next((row for row in rows if all(row[name] == found.get(name) for name in _POINT)), None)
    if row is None or report.form != "clusters":
        return f"{words}, which is not among those that were tried."
    return f"{words}, which is the recommended one." if row["recommended"] else f"{words}, not the recommended one."


def _written(name: str, value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:.2f}" if name == "weighted_pair_error" else percent(value)
