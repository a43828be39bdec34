"""disjoin advise: from a file to a recommendation, whole or not at all."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from disjoin.advise import survey as surveying
from disjoin.advise import trial
from disjoin.advise.trial import COLUMNS, Grid, SettingPoint, tried
from disjoin.cli.advise import whole_command
from disjoin.cli.main import run
from disjoin.engine import Local
from disjoin.generate.baskets import write_baskets
from disjoin.model import Transactions
from disjoin.pipeline import publish
from disjoin.readers.databases import Query

pytestmark = pytest.mark.slow  # without the compiler


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.csv"
    write_baskets(30, 1, path)
    return path


def test_advice_is_a_table_a_chart_and_words(baskets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "advice"
    assert run(["advise", str(baskets), "-k", "3,6", "-o", str(out)]) == 0
    screen = capsys.readouterr().out
    facts = json.loads((out / "advice.json").read_text())
    page = (out / "advice.md").read_text()
    assert "Do not publish them" in screen
    assert "not to be published" in page
    for sentence in facts["advice"]:
        assert sentence in screen
        assert sentence in page
    with (out / "advice.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["clustering"], row["k"], row["m"]) for row in rows] == [
        (name, k, "2") for name in ("horpart", "core", "core-horpart") for k in ("3", "6")
    ]
    assert [[float(row[name]) for name in COLUMNS] for row in rows] == [
        [row[name] for name in COLUMNS] for row in facts["rows"]
    ]
    [best] = [row for row in facts["rows"] if row["recommended"]]
    assert f"Recommended: {best['clustering']} at k = {best['k']}." in screen
    ElementTree.parse(out / "chart.svg")
    assert "](chart.svg)" in page


def test_without_a_folder_nothing_is_written(baskets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advise", str(baskets), "-k", "3", "--clusterings", "core", "--records", "15", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["data"] == {"name": "baskets.csv", "records": 15, "of_records": 30, "terms": facts["data"]["terms"]}
    assert any("15 of 30 records" in note for note in facts["notes"])
    assert list(baskets.parent.iterdir()) == [baskets]


def test_exposure_is_what_counting_by_hand_finds() -> None:
    sets = [{"a", "b", "c"}] + [{"a", "b"}, {"b", "c"}, {"a", "c"}] * 3
    data, grid = Transactions.from_sets(sets), Grid(("core",), (3,))
    [point] = grid.points
    published: Any = publish(data, grid.method(point), Local(1)).release.published
    [chunk] = published.chunks_of(0)
    rows = [frozenset(terms) for terms, count in chunk for _ in range(count)]
    below: dict[int, int] = {3: 0, 2: 0}
    for row in rows:
        supports = [sum(set(triple) <= other for other in rows) for triple in combinations(row, 3)]
        for limit in below:
            below[limit] += any(support < limit for support in supports)
    found = tried(point, grid, data, 1)
    assert below == {3: 1, 2: 1}
    assert (found["exposed"], found["singled_out"]) == (0.1, 0.1)
    assert found["pair_mass"] == 1
    assert found["weighted_pair_error"] == 0


def test_a_setting_that_cannot_be_reached_gets_a_line_and_the_others_go_on(
    baskets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["advise", str(baskets), "-k", "3,500", "--clusterings", "horpart", "--json"]) == 0
    few, many = json.loads(capsys.readouterr().out)["rows"]
    assert few["failure"] is None
    assert "cannot form a cluster of at least 500" in many["failure"]
    assert many["exposed"] is None
    assert not many["on_frontier"]


def test_if_none_can_be_reached_nothing_is_written(
    baskets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["advise", str(baskets), "-k", "500", "-o", str(tmp_path / "advice")]) == 4
    assert "no setting can publish these data. 30 records" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [baskets]


def test_sensitive_terms_hold_for_all_settings(baskets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-k", "3", "--clusterings", "core", "--sensitive", "caviar", "--json"]
    assert run(["advise", str(baskets), *arguments]) == 2
    assert "nothing is found for the term 'caviar'" in capsys.readouterr().err
    assert run(["advise", str(baskets), *arguments, "--allow-missing-sensitive"]) == 0
    said = capsys.readouterr()
    assert "ignored: the sensitive term 'caviar'" in said.err
    assert json.loads(said.out)["grid"]["sensitive"] == ["caviar"]


def test_an_interrupt_leaves_what_was_there(
    baskets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "advice"
    arguments = ["advise", str(baskets), "-k", "3", "--clusterings", "horpart", "-o", str(out)]
    assert run(arguments) == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    monkeypatch.setattr(trial, "tried", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run([*arguments, "--overwrite"]) == 130
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert sorted(tmp_path.iterdir()) == [out, baskets]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-k", "5,x"], "expected whole numbers such as 5,10,20"),
        (["-k", "1"], "k must be"),
        (["--clusterings", "auto"], "no clustering 'auto' to try"),
        (["-o", "baskets.csv"], "it is not a folder"),
        (["-o", "photos", "--overwrite"], "it is not a folder of advice from disjoin"),
    ],
)
def test_mistakes_are_told_before_any_work(
    baskets: Path,
    arguments: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(baskets.parent)
    Path("photos").mkdir()
    Path("photos/cat.svg").write_text("meow")
    monkeypatch.setattr(trial, "tried", lambda *_: pytest.fail("nothing is to be tried"))
    assert run(["advise", "baskets.csv", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_the_same_advice_for_any_order_of_records_and_number_of_threads() -> None:
    sets = [{str(number % 5), str(number % 7), str(number % 3)} for number in range(90)]
    grid = Grid(ks=(3,))
    found = [
        surveying.survey(Transactions.from_sets(records), grid, threads=threads)
        for records, threads in ((sets, 1), (sets[::-1], 2))
    ]
    figures = [[{**entry.values, "seconds": 0} for entry in one.entries] for one in found]
    assert figures[0] == figures[1]
    assert [entry.point for entry in found[0].entries] == [SettingPoint(name, 3, 2) for name in grid.clusterings]


@pytest.mark.parametrize(
    ("source", "settings", "reading", "command"),
    [
        ("a.csv", {"k": 5}, {"per_record": True}, "disjoin disassociate a.csv --per-record -k 5 -o release"),
        (
            "a.csv",
            {"k": 5, "sensitive": ("hiv", "B20*"), "sensitive_match": "exact", "l": 3},
            {},
            "disjoin disassociate a.csv -k 5 --sensitive 'hiv,B20*' -l 3 -o release",
        ),
        (
            Query("env:CLINIC", "select 1"),
            {"k": 5},
            {},
            "disjoin disassociate --db env:CLINIC --sql 'select 1' -k 5 -o release",
        ),
        (
            Query("postgresql://me:s3cr3t@host/x", "select 1"),
            {"k": 5, "l": None},
            {},
            "disjoin disassociate --db env:NAME --sql 'select 1' -k 5 -o release",
        ),
    ],
)
def test_the_advice_ends_with_a_whole_command(source, settings, reading, command):
    assert whole_command(source, settings, reading) == command
