"""The experiment on tables takes anybody's table with its hierarchies, and judges by the rows, both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from disjoin.advise.results import Rows
from disjoin.errors import InvalidParameter
from disjoin.generate.census import write_census, write_hierarchies
from disjoin.lab import experiment_named
from disjoin.lab.cost import Measured
from disjoin.lab.experiment import Experiment, Point, Setting
from disjoin.lab.running import run_experiment
from disjoin.lab.sources import OF_ADULT, ROWS_OF_ADULT, ExperimentSource, known_as, quasi_of, table_sources
from disjoin.lab.tables_by_quasi import LOSSES, NUMBER, OURS, SECONDS
from disjoin.methods.generalization import ALGORITHM_NAMES
from disjoin.model import Hierarchy, Table

EXPERIMENT = experiment_named("tables-by-quasi")
FASTER_THAN_KACA, FASTER_THAN_PARTS, LESS_FOR_FEW, MORE_FOR_TEN, KEEPS_MOST, DISTORTS_LEAST = range(6)


def rows_of(
    measure: str, value_of: dict[str, float], known: str | None = "Adult", ks: Sequence[int] = (2, 5, 10)
) -> Rows:
    """Made-up rows: an algorithm has its value everywhere, 1 if none is given."""
    about = {"data": "adult", "known_as": known, "records": 9, "measure": measure}
    return [
        {**about, "k": k, NUMBER: number, "algorithm": algorithm, "value": value_of.get(algorithm, 1.0)}
        for k in ks
        for number in (2, 3)
        for algorithm in ALGORITHM_NAMES
    ]


def verdict(claim: int, rows: Rows) -> str:
    return EXPERIMENT.claims[claim].judge(rows).verdict


@pytest.mark.parametrize(
    ("kaca", "parts", "expected"),
    [(2.0, 9.0, ("met", "met")), (9.0, 1.9, ("met", "not met")), (1.0, 2.0, ("not met", "met"))],
)
def test_half_the_time_is_asked_of_each_of_the_two(kaca: float, parts: float, expected: tuple[str, str]) -> None:
    rows = rows_of(SECONDS, {"kaca": kaca, "top-down-kaca": parts})
    assert (verdict(FASTER_THAN_KACA, rows), verdict(FASTER_THAN_PARTS, rows)) == expected


def test_one_k_at_which_it_is_slower_is_enough_to_fail() -> None:
    rows = rows_of(SECONDS, {"kaca": 9.0}, ks=(2, 5)) + rows_of(SECONDS, {"kaca": 1.0}, ks=(10,))
    judgement = EXPERIMENT.claims[FASTER_THAN_KACA].judge(rows)
    assert judgement.verdict == "not met"
    assert "at most half at 4 of 6 settings" in judgement.ours


@pytest.mark.parametrize(
    ("two_level", "few", "ten"),
    [(0.9, "met", "not met"), (1.0, "not met", "not met"), (1.1, "not met", "met"), (1.3, "not met", "not met")],
)
def test_distortion_is_to_be_less_for_small_k_and_slightly_more_for_ten(two_level: float, few: str, ten: str) -> None:
    rows = rows_of("distortion", {"two-level": two_level})
    assert (verdict(LESS_FOR_FEW, rows), verdict(MORE_FOR_TEN, rows)) == (few, ten)


@pytest.mark.parametrize(("ours", "granularity", "distortion"), [(0.9, "not met", "met"), (1.1, "met", "not met")])
def test_ours_is_held_against_the_best_of_the_others(ours: float, granularity: str, distortion: str) -> None:
    assert verdict(KEEPS_MOST, rows_of("granularity", {OURS: ours, "kaca": 0.5}, None)) == granularity
    assert verdict(DISTORTS_LEAST, rows_of("distortion", {OURS: ours, "kaca": 5.0}, None)) == distortion


def test_the_paper_is_judged_on_its_dataset_only() -> None:
    rows = [row for measure in (SECONDS, *LOSSES) for row in rows_of(measure, {}, None)]
    assert [verdict(claim, rows) for claim in range(4)] == ["not comparable"] * 4


def test_adult_is_told_by_its_rows_and_columns() -> None:
    def table(rows: int, names: Sequence[str]) -> Table:
        return Table.from_columns({name: pa.repeat("a", rows) for name in names})

    assert known_as(table(ROWS_OF_ADULT, OF_ADULT)) == "Adult"
    assert known_as(table(ROWS_OF_ADULT - 1, OF_ADULT)) is None
    assert known_as(table(ROWS_OF_ADULT, OF_ADULT[1:])) is None


@pytest.mark.parametrize(("names", "expected"), [((*reversed(OF_ADULT), "more"), OF_ADULT), (("b", "a"), ("b", "a"))])
def test_columns_are_taken_in_the_order_of_adult_or_else_of_the_table(
    names: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    table = Table.from_columns({"without": ["a"], **{name: ["a"] for name in names}})
    trees = dict.fromkeys(names, Hierarchy.from_rows([["a", "*"]]))
    assert quasi_of(table.with_hierarchies(trees)) == expected


@pytest.fixture
def census(tmp_path: Path) -> tuple[Path, Path]:
    write_census(60, 1, tmp_path / "people.csv")
    write_hierarchies(tmp_path / "trees")
    return tmp_path / "people.csv", tmp_path / "trees"


def at_two_points(measured: list[Setting]) -> Experiment:
    """The experiment with k = 5 and one algorithm only, noting what it measures."""

    def points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
        return [point for point in EXPERIMENT.points(sources, quick) if point.setting["k"] == 5][
            :: len(ALGORITHM_NAMES)
        ]

    def measure(table: Table, setting: Setting) -> Measured | Rows:
        measured.append(setting)
        return EXPERIMENT.measure(table, setting)

    def charts(rows: Rows) -> dict[str, Any]:
        return {}

    return replace(EXPERIMENT, points=points, measure=measure, charts=charts, claims=())


def test_a_changed_hierarchy_is_measured_again(tmp_path: Path, census: tuple[Path, Path]) -> None:
    data, trees = census
    counts = []
    for change in ("", "", "unheard of;*\n"):
        (trees / "sex.csv").write_text((trees / "sex.csv").read_text() + change)
        measured: list[Setting] = []
        run_experiment(at_two_points(measured), tmp_path / "out", data=[data], hierarchies=trees, quick=True)
        counts.append(len(measured))
    assert counts == [2, 0, 2]


def test_nothing_is_measured_beyond_the_columns_that_have_hierarchies(
    tmp_path: Path, census: tuple[Path, Path]
) -> None:
    data, trees = census
    for path in trees.iterdir():
        if path.stem not in ("age", "sex", "education"):
            path.unlink()
    rows = run_experiment(at_two_points([]), tmp_path / "out", data=[data], hierarchies=trees, quick=True)
    values = {(row[NUMBER], row["measure"]): row["value"] for row in rows}
    assert values[2, "distortion"] > 0
    assert values[2, "discernibility"] >= 60 * 5  # every row is in a class of at least 5
    assert [values[4, name] for name in (SECONDS, *LOSSES)] == [None] * 4


def test_a_table_without_hierarchies_is_told(tmp_path: Path, census: tuple[Path, Path]) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidParameter, match="found those of 0"):
        run_experiment(EXPERIMENT, tmp_path / "out", data=[census[0]], hierarchies=tmp_path / "empty", quick=True)


def test_without_data_there_is_a_census_with_hierarchies() -> None:
    (source,) = table_sources([], None, quick=True)
    table = source.load()
    assert isinstance(table, Table)
    assert quasi_of(table)[:7] == ("age", "sex", "postcode", "education", "marital_status", "occupation", "hours")
