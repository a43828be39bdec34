"""The make-believe census is reproducible, hangs together, and fits its hierarchies."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.generate import census
from disjoin.generate.census import (
    COLUMNS,
    DIAGNOSIS,
    EDUCATION,
    MARITAL,
    OCCUPATION,
    STAGES,
    census_blocks,
    census_hierarchies,
    write_census,
    write_hierarchies,
)
from disjoin.model import Hierarchy

Person = dict[str, str]


def people(records: int, seed: int) -> list[Person]:
    found = []
    for block in census_blocks(records, seed):
        columns = [[COLUMNS[name][code] for code in codes] for name, codes in block.items()]
        found += [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]
    return found


@pytest.fixture(scope="module")
def crowd() -> list[Person]:
    return people(20_000, 1)


def share(crowd: list[Person], of: Callable[[Person], bool], among: Callable[[Person], bool] = lambda p: True) -> float:
    chosen = [of(person) for person in crowd if among(person)]
    return sum(chosen) / len(chosen)


def aged(least: int, most: int) -> Callable[[Person], bool]:
    return lambda person: least <= int(person["age"]) <= most


def test_the_same_seed_gives_the_same_people_and_another_seed_others() -> None:
    assert people(50, 4) == people(50, 4)
    assert people(50, 4) != people(50, 5)


def test_a_longer_census_begins_with_the_shorter_one_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = people(300, 2)
    assert whole[:100] == people(100, 2)
    monkeypatch.setattr(census, "BLOCK", 7)
    assert people(300, 2) == whole


def test_the_people_of_a_seed_stay_what_they_are() -> None:
    first = ["49", "male", "14147", "master", "married", "analyst", "38", "70k and more", "no finding"]
    assert list(people(1, 1)[0].values()) == first


def test_most_of_the_young_are_single_and_most_of_the_middle_aged_married(crowd: list[Person]) -> None:
    assert share(crowd, lambda p: p["marital_status"] == "single", aged(16, 24)) > 0.85
    assert share(crowd, lambda p: MARITAL[p["marital_status"]] == "in a couple", aged(35, 65)) > 0.5
    widowed = [share(crowd, lambda p: p["marital_status"] == "widowed", aged(a, a + 15)) for a in (30, 50, 66, 80)]
    assert widowed == sorted(widowed)
    assert widowed[-1] > 0.4


def test_learning_leads_to_professions_and_to_income(crowd: list[Person]) -> None:
    def works(person: Person) -> bool:
        return OCCUPATION[person["occupation"]] != "not employed"

    for group, least, most in (("basic", 0, 0.1), ("secondary", 0.05, 0.25), ("tertiary", 0.4, 1)):
        professional = share(
            crowd,
            lambda p: OCCUPATION[p["occupation"]] == "professional",
            lambda p, group=group: works(p) and EDUCATION[p["education"]] == group,  # type: ignore[misc]
        )
        assert least <= professional <= most, group
    ranks = np.array([list(EDUCATION).index(p["education"]) for p in crowd if works(p)])
    incomes = np.array([COLUMNS["income"].index(p["income"]) for p in crowd if works(p)])
    assert np.corrcoef(ranks, incomes)[0, 1] > 0.4


def test_nobody_is_what_nobody_can_be(crowd: list[Person]) -> None:
    assert not [p for p in crowd if int(p["age"]) < STAGES[2] and p["education"] in ("master", "doctorate")]
    assert not [p for p in crowd if p["occupation"] == "physician" and p["education"] not in ("master", "doctorate")]
    assert not [p for p in crowd if p["sex"] == "female" and p["diagnosis"] == "prostate cancer"]
    assert not [p for p in crowd if p["diagnosis"] == "pregnancy" and (p["sex"] == "male" or int(p["age"]) >= 50)]
    for person in crowd:
        assert (person["hours"] == "0") == (OCCUPATION[person["occupation"]] == "not employed")


def test_illness_comes_with_age_and_the_rare_ones_are_rare(crowd: list[Person]) -> None:
    healthy = [share(crowd, lambda p: p["diagnosis"] == "no finding", aged(a, a + 14)) for a in (16, 31, 46, 61, 76)]
    assert healthy == sorted(healthy, reverse=True)
    assert 0 < share(crowd, lambda p: DIAGNOSIS[p["diagnosis"]] == "infectious") < 0.02


def test_every_value_occurs_and_places_differ_in_size() -> None:
    codes = next(iter(census_blocks(60_000, 3)))
    for name, values in COLUMNS.items():
        counts = np.bincount(codes[name], minlength=len(values))
        assert counts.size == len(values)
        assert counts.min() > 0, name
    places = np.bincount(codes["postcode"])
    assert places.max() > 10 * places.min()


@pytest.mark.parametrize("name", list(COLUMNS))
def test_every_column_has_a_hierarchy_over_exactly_its_values(name: str) -> None:
    tree = Hierarchy.from_rows(census_hierarchies()[name])
    assert sorted(tree.names.slice(0, tree.n_leaves).to_pylist()) == sorted(COLUMNS[name])
    assert tree.names[tree.root].as_py() == "*"


def test_the_command_writes_the_people_and_what_they_generalise_to(tmp_path: Path) -> None:
    path, folder = tmp_path / "census.csv", tmp_path / "hierarchies"
    assert run(["generate", "census", "-n", "40", "--seed", "3", "-o", str(path), "--hierarchies", str(folder)]) == 0
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.DictReader(file)) == people(40, 3)
    assert sorted(file.stem for file in folder.iterdir()) == sorted(COLUMNS)
    for file_ in folder.iterdir():
        rows = [tuple(line.split(";")) for line in file_.read_text(encoding="utf-8").splitlines()]
        assert rows == census_hierarchies()[file_.stem]


def test_an_option_of_another_generator_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "x")
    assert run(["generate", "census", "--length", "4", "-o", out]) == 2
    assert "--length is for `generate quest`, not for census" in capsys.readouterr().err
    assert run(["generate", "quest", "--hierarchies", out, "-o", out]) == 2
    assert not list(tmp_path.iterdir())


def test_quest_data_can_be_made_to_measure(tmp_path: Path) -> None:
    settings = ["--terms", "40", "--length", "3", "--pattern-length", "2", "--patterns", "30"]
    assert run(["generate", "quest", "-n", "500", *settings, "-o", str(tmp_path / "q.dat")]) == 0
    records = [line.split() for line in (tmp_path / "q.dat").read_text().splitlines()]
    assert max(int(term) for record in records for term in record) <= 40
    assert 2 < np.mean([len(record) for record in records]) < 4.5


def test_nothing_that_is_there_is_replaced_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_hierarchies(tmp_path / "trees")
    (tmp_path / "file").write_text("mine")
    command = ["generate", "census", "-n", "5", "-o", str(tmp_path / "c.csv"), "--hierarchies"]
    assert run([*command, str(tmp_path / "trees")]) == 2
    assert run([*command, str(tmp_path / "file"), "--overwrite"]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err
    assert run([*command, str(tmp_path / "trees"), "--overwrite"]) == 0


@pytest.mark.parametrize(("records", "seed"), [(-1, 1), (1, -1)])
def test_negative_numbers_are_refused(records: int, seed: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="at least 0"):
        write_census(records, seed, tmp_path / "census.csv")
