"""Charts of a release that is a table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from disjoin.escaping import legible
from disjoin.model.report import Report
from disjoin.report.bars import Bar, Stack, bars, stacks
from disjoin.report.charts import Draw, Specification, histogram
from disjoin.report.form import Figure, figures_from
from disjoin.report.lettering import shorten
from disjoin.report.table.summary import percent

SHOWN = 12  # bars of a chart
_SIZES, _LEFT, _LEVELS = "Rows in a class", "What is left of each column", "How far values were generalised"
_SHARES = "Largest share of a value of {}"
_TITLE = 40
_KEY = Stack("key: as it was", (0.2,) * 5, "any value")


def figures_of(report: Report, draw: Draw) -> list[Figure]:
    """Return the charts with what to know about them."""
    notes = notes_of(report)
    return figures_from(charts_of(report), draw, notes)


def charts_of(report: Report) -> dict[str, Specification]:
    """Return the charts of a report by title."""
    facts = report.statistics
    charts = {
        _SIZES: histogram(facts["class_sizes"], "rows", "classes"),
        _LEFT: kept(facts["quasi_identifiers"]),
        _LEVELS: levels(facts["quasi_identifiers"], report.counts["records"]),
    }
    alpha = report.guarantee.get("alpha")
    charts |= {_about(entry): shares(entry, alpha) for entry in facts["sensitive_columns"][:SHOWN]}
    return {title: chart for title, chart in charts.items() if chart}


def kept(columns: list[dict[str, Any]]) -> Specification:
    """Return the granularity kept of each quasi-identifier as bars."""
    found = [Bar(entry["column"], entry["granularity"], percent(entry["granularity"])) for entry in most_lost(columns)]
    if not found:
        return {}
    words = ", ".join(f"{_short(bar.name)} {bar.text}" for bar in found)
    return bars(found, "granularity kept", f"Bars of the granularity that each column keeps: {words}.", until=1.0)


def levels(columns: list[dict[str, Any]], rows: int) -> Specification:
    """Return which share of the rows stands at which level of each quasi-identifier, as stacked bars."""
    shown = most_lost(columns)
    if not shown or not rows:
        return {}
    found = [Stack(entry["column"], parts := _parts(entry, rows), _as_it_was(parts)) for entry in shown]
    words = ", ".join(f"{_short(stack.name)} {stack.text}" for stack in found)
    return stacks([*found, _KEY], "share of the rows", f"Bars of the rows at each level of generalisation: {words}.")


def shares(entry: dict[str, Any], alpha: str | None) -> Specification:
    """Return the largest share of a class that has each value of a sensitive column, and the limit alpha as a line."""
    found = [
        Bar(one["value"], share["rounded"], f"{share['count']:,} of {share['size']:,}")
        for one in entry["worst"]
        for share in (one["largest_share"],)
    ]
    if not found:
        return {}
    words = ", ".join(f"{_short(bar.name)} {bar.text}" for bar in found)
    described = f"Bars of the largest share of a class that has the same {_short(entry['column'])}: {words}"
    described += f"; the limit is {alpha}." if alpha else "."
    limit = round(float(Fraction(alpha)), 6) if alpha else None
    return bars(found, "share of the rows of a class", described, limit=limit)


def most_lost(columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the columns in their order; if they are many, those that keep least."""
    worst = sorted(range(len(columns)), key=lambda place: (columns[place]["granularity"], place))[:SHOWN]
    return [columns[place] for place in sorted(worst)]


def notes_of(report: Report) -> dict[str, tuple[str, ...]]:
    """Return sentences below the charts, by title."""
    facts = report.statistics
    quasi, rest = facts["quasi_identifiers"], len(facts["quasi_identifiers"]) - SHOWN
    more = (f"{rest:,} more columns keep as much or more; report.json lists them all.",) if rest > 0 else ()
    left = "100% if every value is as it was, 0% if every row could have any value."
    steps = "Each bar is all rows, from those whose value is as it was to those that could have any value."
    if any(entry["kind"] == "intervals" for entry in quasi):
        steps += " For numbers without a hierarchy the steps are widths of intervals: 5%, 10%, 25%, 50% and all."
    notes = {_SIZES: _about_sizes(report), _LEFT: (left, *more), _LEVELS: (steps, *more)}
    return notes | {_about(entry): _about_shares(entry, report) for entry in facts["sensitive_columns"]}


def _about_sizes(report: Report) -> tuple[str, ...]:
    k, classes, sizes = report.guarantee.get("k"), report.statistics["classes"], report.statistics["class_sizes"]
    if not sizes["number"]:
        return ()
    part = percent(classes["share_in_classes_of_k"])
    least = f" {part} of the rows are in classes of exactly {k}, the least that is allowed." if k else ""
    return (f"The largest class has {sizes['largest']:,} rows.{least}",)


def _about_shares(entry: dict[str, Any], report: Report) -> tuple[str, ...]:
    alpha = report.guarantee.get("alpha")
    note = "For each value, the class in which it has the largest share." + (
        f" The line is the limit: {alpha}." if alpha else " No limit was promised."
    )
    rest = entry["values"] - len(entry["worst"])
    return (note, f"{rest:,} more values have smaller or equal shares.") if rest > 0 else (note,)


def _parts(entry: dict[str, Any], rows: int) -> tuple[float, ...]:
    counts = entry["rows_by_level"] if entry["kind"] == "hierarchy" else [b["rows"] for b in entry["rows_by_width"]]
    return tuple(round(count / rows, 6) for count in counts)


def _as_it_was(parts: tuple[float, ...]) -> str:
    return f"{percent(round(parts[0], 4))} as it was"


def _about(entry: dict[str, Any]) -> str:
    return _SHARES.format(shorten(legible(entry["column"]), _TITLE))


def _short(name: str) -> str:
    return shorten(legible(name), _TITLE)
