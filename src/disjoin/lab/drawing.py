"""Drawing of experiments: from tidy rows to a chart of `lab/charts.py` or a picture of a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from disjoin.advise.results import Rows
from disjoin.charts.svg import Chart, matrix
from disjoin.forms.groups.facts import Grid, levels_of
from disjoin.lab import charts
from disjoin.lab.rows import distinct, rows_with


def by_title(drawn: Iterable[Chart]) -> dict[str, Chart]:
    return {chart.title: chart for chart in drawn}


def bars_by(colour: str, rows: Rows, shown: Mapping[str, tuple[str, str]], setting: str = "") -> dict[str, Chart]:
    return {
        title: bars(f"{title}{setting}", rows_with(rows, measure=measure), "data", unit, colour)
        for measure, (title, unit) in shown.items()
    }


def lines(
    title: str,
    rows: Rows,
    x: tuple[str, str],
    y: str,
    colour: str = "data",
    *,
    log: bool = False,
    log_values: bool = False,
) -> Chart:
    """Return a line for every value of `colour`; `x` is a column and its label, `y` is the label of the values. `log`
    is for `x`, `log_values` for values of very different sizes, without 0."""
    field, called = x
    values = [row for row in _measured(rows) if row["value"] > 0 or not log_values]
    series = [
        (str(name), sorted((row[field], row["value"]) for row in values if row[colour] == name))
        for name in distinct(values, colour)
    ]
    seen = f"{title}, lines of {y}: {_ends(values, field, called, colour)}"
    return charts.lines(title, series, (called, y), seen, log=(log, log_values))


def bars(title: str, rows: Rows, x: str, y: str, colour: str = "measure") -> Chart:
    values = _measured(rows)
    series = distinct(values, colour)
    found = {(row[x], row[colour]): row["value"] for row in values}
    groups = [(str(group), [found.get((group, name)) for name in series]) for group in distinct(values, x)]
    said = []
    for name in series:
        each = (f"{row[x]} {row['value']:.3g}" for row in values if row[colour] == name)
        said.append(f"{name}: {', '.join(each)}")
    seen = f"{title}, bars of {y}: {'; '.join(said)}."
    return charts.grouped_bars(title, groups, [str(name) for name in series], (x, y), seen)


def _measured(rows: Rows) -> Rows:
    return [row for row in rows if row["value"] is not None]


def _ends(values: Rows, x: str, called: str, colour: str) -> str:
    said = []
    for name in distinct(values, colour):
        series = [row for row in values if row[colour] == name]
        first, last = (f"{row['value']:.3g} ({called} {row[x]})".replace("( ", "(") for row in (series[0], series[-1]))
        said.append(f"{name} from {first} to {last}")
    return "; ".join(said) + "."


def density(title: str, shown: str, grids: dict[str, Grid], size: tuple[int, int]) -> Chart:
    """Return a picture of a matrix of `size` (rows, columns), on the scale of all `grids` (number of ones by cell)."""
    levels = dict(zip(grids, levels_of(*grids.values(), rows=size[0], columns=size[1]), strict=True))[shown]
    cells = [step for row in levels for step in row]
    covered = 1 - cells.count(0) / len(cells)
    seen = f"{title}: {size[0]:,} records by {size[1]:,} items; {covered:.0%} of the picture are not empty."
    return matrix(title, levels, (f"{size[1]:,} items", f"{size[0]:,} records"), seen)
