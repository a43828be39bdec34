"""Every experiment on the list runs, quickly, on data that it makes: on a part of them, with the compiler on all."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from disjoin.cli.main import run
from disjoin.lab import EXPERIMENTS, experiment_named
from disjoin.lab.page import MARKS


@pytest.mark.usefixtures("part_of_the_data")
@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_it_runs_quickly_and_shows_a_verdict_on_every_claim(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["experiment", name, "--quick", "-o", str(tmp_path)]) == 0
    experiment, said = experiment_named(name), capsys.readouterr().out
    assert len([line for line in said.splitlines() if line.split(":")[0] in MARKS]) == len(experiment.claims)
    table = pq.read_table(tmp_path / name / "results.parquet")
    of_its_data = {"records"} if experiment.takes == "table" else {"records", "terms"}
    assert {"data", "measure", "value"} | of_its_data <= set(table.column_names)
    assert set(experiment.shown) <= set(table["measure"].to_pylist())
    assert table["value"].null_count < table.num_rows
    page = (tmp_path / name / "README.md").read_text()
    charts = sorted(path.name for path in (tmp_path / name).glob("*.svg"))
    assert charts
    assert all(f"]({chart})" in page for chart in charts)
