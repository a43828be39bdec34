"""The folder of an experiment: tidy tables, charts, and a page that puts our figures beside the papers'."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.experiments.experiment import Experiment, Rows
from disjoin.experiments.journal import RESULTS
from disjoin.experiments.page import section_of
from disjoin.files.result_folder import LIST
from disjoin.generate.output import whole_file
from disjoin.report.figures import standing_alone

if TYPE_CHECKING:
    import pyarrow as pa


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
    files = {file.name: file for file in folder.iterdir() if RESULTS.is_known(file.name)}
    _write(folder / LIST, RESULTS.list_of(files).encode())


def write_charts(experiment: Experiment, rows: Rows, folder: Path, prefix: str = "") -> dict[str, tuple[str, str]]:
    """Draw the charts into a folder; return title -> (file name, what can be seen)."""
    written = {}
    for title, chart in experiment.charts(rows).items():
        name = f"{prefix}{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}.svg"
        _write(folder / name, standing_alone(chart).encode())
        written[title] = (name, chart["description"])
    return written


def tidy_table(rows: Rows) -> pa.Table:
    """Return the rows as a table: a column for every setting of any of them, then `measure` and `value`."""
    import pyarrow as pa

    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in ("measure", "value")]
    columns = {name: pa.array([row.get(name) for row in rows]) for name in (*names, "measure")}
    columns["value"] = pa.array([row["value"] for row in rows], pa.float64())
    return pa.table(columns)


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)
