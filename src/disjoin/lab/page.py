"""Result page of an experiment: claims, our figures, charts."""

from __future__ import annotations

import io
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from disjoin.advise.results import Rows, markdown_table, names_in
from disjoin.atomic import whole_file
from disjoin.charts.svg import drawing
from disjoin.errors import UnreadableInput
from disjoin.lab import EXPERIMENTS, experiment_named
from disjoin.lab.experiment import Experiment
from disjoin.lab.rows import Row, distinct, rows_with, tidy_table
from disjoin.lab.running import RESULTS, read_results
from disjoin.release.result_folder import LIST

_ALWAYS = ("data", "known_as", "records", "terms", "measure", "value")
MARKS = {"met": "**met**", "not met": "**not met**", "not comparable": "not comparable"}


def section_of(
    experiment: Experiment, rows: Rows, facts: dict[str, Any], charts: dict[str, tuple[str, str]], level: int = 1
) -> str:
    judged = [(claim, claim.judge(rows)) for claim in experiment.claims]
    lines = [[claim.paper, claim.states, found.ours, MARKS[found.verdict]] for claim, found in judged]
    claims = [markdown_table(["paper", "it states", "we find", "verdict"], lines) + "\n"] if lines else []
    how = "quick settings: for trying, not for quoting; " if facts["quick"] else ""
    where = f"{facts['date']}, {facts['machine']}, disjoin {facts['version']}"
    parts = [
        f"{'#' * level} {experiment.title}\n",
        f"{experiment.question}\n",
        *claims,
        "".join(f"![{seen}]({name})\n" for name, seen in charts.values()),  # one paragraph, so in one line
        _table(experiment, rows),
        *(f"{note}\n" for note in experiment.notes),
        f"*`disjoin experiment {experiment.name}`, {how}{where}.*\n",
    ]
    return "\n".join(parts)


def _table(experiment: Experiment, rows: Rows) -> str:
    column, spreads = experiment.across or "measure", rows_with(rows, measure=f"{(*experiment.shown, '')[0]} spread")
    wanted = experiment.shown[:1] if experiment.across else experiment.shown
    rows = [row for row in rows if not wanted or row["measure"] in wanted]
    settings = [name for name in names_in(rows) if name not in _ALWAYS]
    varying = [name for name in settings if len({row.get(name) for row in rows}) > 1]
    fixed = [f"{name} = {rows[0][name]}" for name in settings if name not in varying]
    index = ["data", *_sizes(rows), *(name for name in varying if name != column)]
    head = [str(value) for value in distinct(rows, column)]
    beside = _values(spreads, index, column) if experiment.across else {}

    def spread(key: tuple[str, ...], name: Any) -> str:
        found = beside.get(key, {})
        return f" ± {_number(found[name])}" if name in found else ""

    lines = [
        [*key, *(_number(found.get(name)) + spread(key, name) for name in distinct(rows, column))]
        for key, found in _values(rows, index, column).items()
    ]
    about = f"{experiment.shown[0]} by {column}" if experiment.across else ""
    said = ", ".join(filter(None, [about, *fixed]))
    return (f"{said}:\n\n" if said else "") + markdown_table([*index, *head], lines) + "\n"


def _sizes(rows: Rows) -> list[str]:
    return [
        name
        for name in ("records", "terms")
        if len({(row["data"], row.get(name)) for row in rows}) > len(distinct(rows, "data"))
    ]


def _values(rows: Rows, index: list[str], column: str) -> dict[tuple[str, ...], dict[Any, Any]]:
    found: dict[tuple[str, ...], dict[Any, Any]] = {}
    for row in rows:
        found.setdefault(tuple(_shown(row, name) for name in index), {})[row[column]] = row["value"]
    return found


def _shown(row: Row, name: str) -> str:
    value = row.get(name)
    if name == "data" and row.get("known_as"):
        return f"{value} ({row['known_as']})" if str(value).upper() != row["known_as"] else str(row["known_as"])
    return (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def verdicts_of(experiment: Experiment, rows: Rows) -> list[str]:
    anchor = re.sub(r"[^\w -]", "", experiment.title.lower()).replace(" ", "-")  # like the anchors of headings
    linked = f"[{experiment.title}](#{anchor})"
    return [
        f"| {linked} | {claim.paper} | {claim.states} | {MARKS[claim.judge(rows).verdict]} |"
        for claim in experiment.claims
    ]


REMARKS = "remarks.md"  # the user's remarks on a run, shown after its figures
_NO_POS = """
BMS-POS, the third dataset of the disassociation paper, was not available, so no figure here is about it;
`disjoin experiment` accepts a copy of it.
"""


def write_results_page(results: str | Path, page: str | Path) -> list[str]:
    found = [name for name in EXPERIMENTS if (Path(results) / name / "facts.json").is_file()]
    if not found:
        raise UnreadableInput(
            "expected a folder with results of experiments, found none. Run `disjoin experiment NAME` first.",
            source=str(results),
        )
    page = Path(page)
    beside = page.with_suffix("")
    knows_pos = False
    overview, sections = ["| experiment | paper | it states | verdict |", "|---|---|---|---|"], []
    for name in found:
        experiment = experiment_named(name)
        facts, rows = read_results(Path(results) / name)
        knows_pos |= bool(rows_with(rows, known_as="POS"))
        overview += verdicts_of(experiment, rows)
        charts = write_charts(experiment, rows, beside, f"{name}-")
        placed = {title: (f"{beside.name}/{file}", seen) for title, (file, seen) in charts.items()}
        remarks = Path(results) / name / REMARKS
        sections.append(section_of(experiment, rows, facts, placed, level=2))
        sections += [remarks.read_text(encoding="utf-8")] if remarks.is_file() else []
    with whole_file(page) as file:
        template = files(__package__).joinpath("results_page.md").read_text(encoding="utf-8")
        head = template.format(verdicts="\n".join(overview)) + ("" if knows_pos else _NO_POS)
        file.write("\n".join([head, *sections]).encode())
    return found


def write_results(experiment: Experiment, rows: Rows, facts: dict[str, Any], folder: Path) -> None:
    """Write results.csv, results.parquet, the charts as SVG, facts.json and README.md, and the list of them."""
    import pyarrow.parquet as pq
    from pyarrow import csv

    table = tidy_table(rows)
    packed, plain = io.BytesIO(), io.BytesIO()
    pq.write_table(table, packed)
    csv.write_csv(table, plain)
    charts = write_charts(experiment, rows, folder)
    _write(folder / "results.parquet", packed.getvalue())
    _write(folder / "results.csv", plain.getvalue())
    _write(folder / "facts.json", json.dumps({**facts, "rows": rows}, indent=1).encode())
    _write(folder / "README.md", section_of(experiment, rows, facts, charts).encode())
    written = {file.name: file for file in folder.iterdir() if RESULTS.is_known(file.name)}
    _write(folder / LIST, RESULTS.list_of(written).encode())


def write_charts(experiment: Experiment, rows: Rows, folder: Path, prefix: str = "") -> dict[str, tuple[str, str]]:
    written = {}
    for title, chart in experiment.charts(rows).items():
        name = f"{prefix}{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}.svg"
        _write(folder / name, drawing(chart, alone=True).encode())
        written[title] = (name, chart.description)
    return written


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)
