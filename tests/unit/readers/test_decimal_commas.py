"""Numbers with decimal commas, as in files from German spreadsheets, are numbers."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import disjoin
from disjoin.cli.main import run

WEIGHTS = [f"{50 + n}.{n % 10}" for n in range(39)] + ["88.8"]
GERMAN = "Gewicht;Ort;Diagnose\n" + "".join(
    f"{weight.replace('.', ',')};{'Köln' if n % 2 else 'Bonn'};{'Grippe' if n % 3 else 'Asthma'}\n"
    for n, weight in enumerate(WEIGHTS)
)


def column(text: str, **options: object) -> list[str]:
    return disjoin.read_table(io.BytesIO(text.encode()), **options).column("x").to_pylist()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x;y\n12,5;a\n7;b\n-0,25;c\n", ["12.5", "7", "-0.25"]),
        ('x,y\n"12,5",a\n" 7,25",b\n', ["12.5", "7.25"]),
        ("x;y\n12,5;a\n;b\n?;c\n", ["12.5", "?", "?"]),
        ("x;y\n0,125;a\n1,250;b\n", ["0.125", "1.250"]),
        ("x;y\n1,250;a\n1250;b\n", ["1.250", "1250"]),
    ],
)
def test_a_column_of_decimal_commas_is_a_column_of_numbers(text: str, wanted: list[str]) -> None:
    assert column(text) == wanted


@pytest.mark.parametrize(
    "values",
    [
        ["52,000", "7"],  # may be thousands
        ["1,2,3", "4,5"],  # a list
        ["12,5", "heavy"],
        ["12,5", "12.5"],
        ["a,b", "c"],
    ],
)
def test_other_values_with_commas_stay_as_written(values: list[str]) -> None:
    assert column("x;y\n" + "".join(f"{value};a\n" for value in values)) == values


def test_blank_words_may_be_among_them() -> None:
    assert column("x;y\n12,5;a\nk.A.;b\n", blank_words=["k.A."]) == ["12.5", "?"]
    assert column("x;y\n12,5;a\nk.A.;b\n") == ["12,5", "k.A."]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "patienten.csv").write_text(GERMAN, encoding="utf-8")
    (tmp_path / "english.csv").write_text(
        "".join(line.replace(",", ".") + "\n" for line in GERMAN.splitlines()), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_german_file_is_published_as_intervals_and_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    about = ["-k", "4", "--quasi", "Gewicht", "--others", "Ort,Diagnose", "--json"]
    found = {}
    for name in ("patienten", "english"):
        assert run(["generalize", f"{name}.csv", *about, "-o", name]) == 0
        capsys.readouterr()
        assert run(["verify", name, "--original", "patienten.csv", "-q"]) == 0
        assert run(["evaluate", name, "--original", "patienten.csv", "--json"]) == 0
        found[name] = json.loads(capsys.readouterr().out)
    assert found["patienten"]["measures"] == found["english"]["measures"]
    cells = disjoin.load("patienten").published.table.column("Gewicht").to_pylist()
    assert all(cell.startswith("[") and "." in cell for cell in cells)


def test_hierarchies_of_such_a_column_may_have_commas_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "trees").mkdir()
    leaves = [weight.replace(".", ",") for weight in WEIGHTS[:-1]]  # the last two are equal
    rows = "".join(f"{leaf};{'leicht' if n < 20 else 'schwer'};*\n" for n, leaf in enumerate(leaves))
    (folder / "trees" / "Gewicht.csv").write_text(rows)
    about = ["-k", "4", "--quasi", "Gewicht", "--others", "Ort,Diagnose", "--hierarchies", "trees", "-q"]
    assert run(["generalize", "patienten.csv", *about, "-o", "release"]) == 0
    assert run(["verify", "release", "--original", "patienten.csv", "-q"]) == 0
    assert {*disjoin.load("release").published.table.column("Gewicht").to_pylist()} == {"leicht", "schwer"}
    assert disjoin.hierarchy.check("trees/Gewicht.csv", "patienten.csv", "Gewicht").is_complete

    lines = GERMAN.splitlines()
    ranges = ["leicht"] * 20 + ["schwer"] * 18 + ["88,8"] * 2
    rows = "".join(f"{cell}{line[line.index(';') :]}\n" for cell, line in zip(ranges, lines[1:], strict=True))
    (folder / "foreign.csv").write_text(f"{lines[0]}\n{rows}", encoding="utf-8")
    judged = ["--published", "foreign.csv", "--quasi", "Gewicht", "--original", "patienten.csv", "--hierarchies"]
    for command in (["verify", *judged, "trees", "-k", "2", "-q"], ["evaluate", *judged, "trees", "--json"]):
        assert run(command) == 0
    assert json.loads(capsys.readouterr().out)["measures"]


def test_kept_columns_may_have_decimal_commas() -> None:
    text = "patient;code;weight\n1;I10;61,5\n2;E11;7,25\n"
    data = disjoin.read(
        io.BytesIO(text.encode()), format="long", id="patient", terms="code", separator=";", keep="weight"
    )
    assert data.to_sets() == [{"I10", "weight=60..69"}, {"E11", "weight=0..9"}]
