"""Experiments can be stopped and gone on with, take anybody's data, and say honestly what they found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from disjoin.advise.results import Rows
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter, OutputExists, UnreadableInput
from disjoin.lab import EXPERIMENTS, experiment_named
from disjoin.lab.claims import Claim, Judgement
from disjoin.lab.cost import Measured
from disjoin.lab.drawing import bars, lines
from disjoin.lab.experiment import Experiment, Point, Setting
from disjoin.lab.page import section_of, write_results_page
from disjoin.lab.running import read_results, run_experiment
from disjoin.lab.sources import ExperimentSource, file_sources, known_as
from disjoin.lab.times import TIME
from disjoin.model import Transactions
from disjoin.report.facts import machine_in_words


def counting(measured: list[Setting], stop_at: int | None = None) -> Experiment:
    """An experiment that notes what it measures, and is stopped before it measures this k."""

    def points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
        return [Point(source, {"k": k}) for source in sources for k in ((2, 3) if quick else (2, 3, 4, 5))]

    def measure(data: Transactions, setting: Setting) -> Measured:
        if setting["k"] == stop_at:
            raise KeyboardInterrupt
        measured.append(setting)
        return {"records by k": len(data) / setting["k"], "nothing": None}

    def judge(rows: Rows) -> Judgement:
        return Judgement("not met", f"{len(rows)} values")

    def charts(rows: Rows) -> dict[str, Any]:
        return {"Records by k": lines("Records by k", rows, ("k", "k"), "records")}

    claim = Claim("Nobody 1999", "there are none", judge)
    return Experiment("counting", "Counting", "How many?", points, measure, charts, (claim,))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.v2.dat"
    path.write_text("1 2 3\n1 2\n2 3\n4\n")
    return path


def test_a_stopped_run_keeps_what_is_finished_and_goes_on_from_there(tmp_path: Path, file: Path) -> None:
    first: list[Setting] = []
    second: list[Setting] = []
    with pytest.raises(KeyboardInterrupt):
        run_experiment(counting(first, stop_at=4), tmp_path / "out", data=[file])
    rows = run_experiment(counting(second), tmp_path / "out", data=[file])
    assert ([s["k"] for s in first], [s["k"] for s in second]) == ([2, 3], [4, 5])
    assert [(row["k"], row["value"]) for row in rows if row["measure"] == "records by k"] == [
        (k, 4 / k) for k in (2, 3, 4, 5)
    ]


def test_a_fresh_run_and_other_data_of_the_same_name_are_measured_again(tmp_path: Path, file: Path) -> None:
    for fresh, change in ((False, ""), (True, ""), (False, "5\n")):
        file.write_text(file.read_text() + change)
        measured: list[Setting] = []
        run_experiment(counting(measured), tmp_path / "out", data=[file], quick=True, fresh=fresh)
        assert len(measured) == 2


def test_a_point_that_was_half_written_is_measured_again(tmp_path: Path, file: Path) -> None:
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    for point in (tmp_path / "out" / "points").iterdir():
        point.write_text(point.read_text()[:40])
    measured: list[Setting] = []
    run_experiment(counting(measured), tmp_path / "out", data=[file], quick=True)
    assert len(measured) == 2


def test_tables_facts_charts_and_page_say_the_same(tmp_path: Path, file: Path) -> None:
    rows = run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    assert pq.read_table(tmp_path / "out" / "results.parquet").to_pylist() == rows
    assert csv.read_csv(tmp_path / "out" / "results.csv")["value"].to_pylist() == [row["value"] for row in rows]
    facts, again = read_results(tmp_path / "out")
    assert again == rows
    assert facts["machine"] == machine_in_words()
    page = (tmp_path / "out" / "README.md").read_text()
    assert "| Nobody 1999 | there are none | 4 values | **not met** |" in page
    assert "| mine | 2 | 2.000 | - |" in page
    assert "quick settings" in page
    assert "](records-by-k.svg)" in page
    ElementTree.parse(tmp_path / "out" / "records-by-k.svg")


def test_progress_counts_the_points(tmp_path: Path, file: Path) -> None:
    told: list[tuple[int, int]] = []
    run_experiment(
        counting([]),
        tmp_path / "out",
        data=[file],
        progress=lambda stage, done, total, note="": told.append((done, total)),
    )
    assert told == [(done, 4) for done in range(5)]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, file: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    with pytest.raises(OutputExists, match="has other files"):
        run_experiment(counting([]), tmp_path / "thesis", data=[file], fresh=True)
    assert [entry.name for entry in (tmp_path / "thesis").iterdir()] == ["chapter1.tex"]


def test_a_page_of_somebody_else_is_not_overwritten_by_results(tmp_path: Path, file: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("years of work")
    with pytest.raises(OutputExists, match="has other files"):
        run_experiment(counting([]), tmp_path / "project", data=[file], quick=True)
    assert (tmp_path / "project" / "README.md").read_text() == "years of work"


def test_results_that_somebody_has_changed_are_not_overwritten(tmp_path: Path, file: Path) -> None:
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    (tmp_path / "out" / "README.md").write_text("my conclusions")
    with pytest.raises(OutputExists, match=r"'README\.md' in it has changed since .* Move 'README\.md' away"):
        run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    (tmp_path / "out" / "README.md").rename(tmp_path / "mine.md")
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)


def test_what_somebody_changes_during_a_run_is_not_overwritten(tmp_path: Path, file: Path) -> None:
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    page = tmp_path / "out" / "README.md"

    def meanwhile(*_: object) -> None:
        page.write_text("my conclusions")

    with pytest.raises(OutputExists, match=r"README\.md"):
        run_experiment(counting([]), tmp_path / "out", data=[file], quick=True, fresh=True, progress=meanwhile)
    assert page.read_text() == "my conclusions"


def test_remarks_beside_the_results_stay(tmp_path: Path, file: Path) -> None:
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    (tmp_path / "out" / "remarks.md").write_text("It was a cold day.")
    run_experiment(counting([]), tmp_path / "out", data=[file], fresh=True)
    assert (tmp_path / "out" / "remarks.md").read_text() == "It was a cold day."


def test_a_fresh_run_removes_points_only(tmp_path: Path, file: Path) -> None:
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True)
    (tmp_path / "out" / "points" / "thesis.tex").write_text("years of work")
    run_experiment(counting([]), tmp_path / "out", data=[file], quick=True, fresh=True)
    assert (tmp_path / "out" / "points" / "thesis.tex").read_text() == "years of work"


def test_points_that_are_a_link_are_refused(tmp_path: Path, file: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "points").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputExists, match="has other files"):
        run_experiment(counting([]), tmp_path / "out", data=[file], fresh=True)


def test_data_that_are_not_there_are_an_error_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="found none"):
        file_sources([tmp_path / "absent.dat"])
    assert not list(tmp_path.iterdir())


def test_an_experiment_that_makes_its_data_takes_none(tmp_path: Path, file: Path) -> None:
    with pytest.raises(InvalidParameter, match="generates its own data"):
        run_experiment(TIME, tmp_path / "out", data=[file])


def test_data_have_the_name_of_a_paper_only_with_its_size() -> None:
    small = Transactions.from_sets([{"a"}, {"b"}])
    assert known_as(small) is None
    wv1 = Transactions.from_sets([{str(number % 497)} for number in range(59_602)])
    assert known_as(wv1) == "WV1"


@pytest.mark.usefixtures("part_of_the_data")
def test_all_results_go_on_one_page_with_a_chart_per_source_and_csv_files(tmp_path: Path) -> None:
    assert run(["experiment", "time", "--quick", "-q", "-o", str(tmp_path / "results")]) == 0
    (tmp_path / "results" / "time" / "remarks.md").write_text("It was a busy day.\n")
    assert write_results_page(tmp_path / "results", tmp_path / "page.md") == ["time"]
    page = (tmp_path / "page.md").read_text()
    assert "[time](page/time.csv)|time is linear in the number of records" in page
    assert "* `time`: It was a busy day.\n" in page
    assert "no figure here is about it" in page
    assert [file.name for file in sorted((tmp_path / "page").iterdir())] == [
        "experiments.csv",
        "time-time-against-k.svg",
        "time.csv",
    ]
    assert "](page/time-time-against-k.svg)" in page
    assert "time,Time," in (tmp_path / "page" / "experiments.csv").read_text()
    table = csv.read_csv(tmp_path / "page" / "time.csv")
    assert table["value"].to_pylist() == [row["value"] for row in read_results(tmp_path / "results" / "time")[1]]
    with pytest.raises(UnreadableInput, match="found none"):
        write_results_page(tmp_path / "page", tmp_path / "other.md")


def test_settings_that_are_the_same_everywhere_are_named_once() -> None:
    rows = [{"data": "d", "records": 9, "terms": 3, "k": k, "m": 2, "measure": "x", "value": k} for k in (2, 3)]
    facts = {"quick": False, "date": "2026-01-01", "machine": "1 core", "version": "0"}
    page = section_of(counting([]), rows, facts, {})
    assert "m = 2:" in page
    assert "| data | k | x |" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "there is no experiment 'nonsense'. There are: "),
        ([], "name an experiment, or see which there are with --list"),
        (["time", "--data", "absent.dat"], "generates its own data"),
        (["refine", "--data", "absent.dat"], "expected a file of records"),
        (["time", "--page", "x.md"], "Leave 'time' out"),
        (["refine", "--hierarchies", "trees"], "uses neither tables"),
        (["tables-by-quasi", "--hierarchies", "trees"], "Give data, or leave both out"),
        (["tables-by-quasi", "--data", "absent.csv"], "Give the folder of their hierarchies"),
        (["tables-by-quasi", "--data", "absent.csv", "--hierarchies", "trees"], "found none"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["experiment", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_list_has_every_experiment_with_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["experiment", "--list"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(EXPERIMENTS)
    for line, name in zip(said, EXPERIMENTS, strict=True):
        assert line.split() == [name, *experiment_named(name).question.split()]
        assert experiment_named(name).name == name


def test_charts_draw_the_same_for_equal_rows_and_leave_out_what_was_not_measured() -> None:
    rows: Rows = [{"k": 2, "data": "a", "value": 1.0}, {"k": 3, "data": "a", "value": None}]
    for chart in (
        lines("T", rows, ("k", "k"), "y"),
        lines("T", rows, ("k", "k"), "y", log_values=True),
        bars("T", rows, "k", "y", "data"),
    ):
        assert len(chart.rows) == 1


def test_a_logarithmic_scale_spans_powers_of_ten_and_leaves_out_zero() -> None:
    rows: Rows = [{"k": k, "data": "a", "value": value} for k, value in enumerate((0.0, 0.03, 200.0))]
    chart = lines("T", rows, ("k", "k"), "y", log_values=True)
    assert chart.rows == (("1", "0.03"), ("2", "200"))
    assert [mark for mark in ("0.001", "0.01", "1,000", "10k") if f">{mark}<" in chart.body] == ["0.01", "1,000"]
