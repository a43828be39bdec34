"""disjoin hierarchy: build and check, from the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from disjoin.cli.hierarchy import hierarchy_command as command
from disjoin.cli.main import run
from disjoin.readers.hierarchies import read_hierarchy

CENSUS = "age,zip,job\n37,4350,nurse\n23,4351,baker\n?,43,nurse\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "census.csv").write_text(CENSUS)
    (tmp_path / "groups.csv").write_text("nurse;health\nbaker;food\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build(*arguments: str) -> int:
    return run(["hierarchy", "build", "census.csv", *arguments])


@pytest.mark.parametrize(
    ("how", "leaf", "height"),
    [
        (["--column", "age", "--intervals", "5,10,20"], "21", 4),
        (["--column", "zip", "--mask"], "4350", 4),
        (["--column", "job", "--groups", "groups.csv"], "nurse", 2),
    ],
)
def test_a_hierarchy_is_built_and_found_good(here, how, leaf, height, capsys):
    assert build(*how, "-o", "new/tree.csv") == 0
    tree = read_hierarchy(here / "new" / "tree.csv")
    assert (tree.height, leaf in tree.names.to_pylist()) == (height, True)
    assert f"height {height}" in capsys.readouterr().err
    assert run(["hierarchy", "check", "new/tree.csv", "--data", "census.csv", "--column", how[1]]) == 0
    assert "Every value of the column has a leaf." in capsys.readouterr().out


def test_the_column_is_guessed_from_the_name_of_the_file(here, capsys):
    assert build("--column", "zip", "--mask", "-o", "adult_hierarchy_zip.csv") == 0
    assert run(["hierarchy", "check", "adult_hierarchy_zip.csv", "--data", "census.csv"]) == 0
    assert "3 leaves, height 4, root '****'." in capsys.readouterr().out


def test_values_without_a_leaf_are_named_and_fail(here, capsys):
    assert build("--column", "zip", "--mask", "-o", "zip.csv") == 0
    assert run(["hierarchy", "check", "zip.csv", "--data", "census.csv", "--column", "job"]) == 2
    assert "2 of 2 different values have no leaf: 'baker', 'nurse'." in capsys.readouterr().out


def test_nothing_is_overwritten_unasked(here, capsys):
    (here / "zip.csv").write_text("mine")
    assert build("--column", "zip", "--mask", "-o", "zip.csv") == 2
    assert (here / "zip.csv").read_text() == "mine"
    assert "--overwrite" in capsys.readouterr().err
    assert build("--column", "zip", "--mask", "-o", "zip.csv", "--overwrite") == 0
    assert build("--column", "zip", "--mask", "-o", ".", "--overwrite") == 2


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (["--column", "zip"], "use one of --intervals, --bands, --dates, --mask, --groups and --above"),
        (["--column", "zip", "--mask", "--intervals", "5"], "use one of"),
        (["--column", "shoe", "--mask"], "there is no column 'shoe'"),
        (
            ["--column", "job", "--intervals", "5"],
            "column 'job': intervals are for numbers, but 2 of 2 different",
        ),
        (["--column", "age", "--intervals", "5,7"], "multiple of the previous one, but"),
        (["--column", "zip", "--groups", "groups.csv"], "3 of 3 different values have none"),
        (["--column", "zip", "--groups", "nowhere.csv"], "no such file"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_nothing(here, how, words, capsys):
    assert build(*how, "-o", "new/tree.csv") == 2
    assert words in capsys.readouterr().err
    assert not (here / "new").exists()


def test_what_is_no_hierarchy_is_refused_by_line(here, capsys):
    (here / "bad.csv").write_text("a;b;*\na;c;*\n")
    assert run(["hierarchy", "check", "bad.csv"]) == 2
    assert "bad.csv, line 2: the rows 1 and 2 have the same leaf" in capsys.readouterr().err
    assert run(["hierarchy", "check", "bad.csv", "--column", "x"]) == 2
    assert "--data" in capsys.readouterr().err


def test_help_loads_nothing_heavy():
    program = "import sys; from disjoin.cli import hierarchy; print({'numba', 'pyarrow'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
    assert set(command.commands) == {"build", "check"}


def test_a_catalogue_of_items_becomes_a_hierarchy(here):
    (here / "items.csv").write_text("name;category;part\ntea;drinks;food\ncoffee;coffee;food\nsoap;;house\n")
    arguments = ["items.csv", "--column", "name", "--above", "category,part", "-o", "tree.csv"]
    assert run(["hierarchy", "build", *arguments]) == 0
    assert set(read_hierarchy(here / "tree.csv").rows()) == {
        ("coffee", "coffee (category)", "food", "*"),
        ("tea", "drinks", "food", "*"),
        ("soap", "soap", "house", "*"),
    }


def test_an_item_of_two_categories_is_refused(here, capsys):
    (here / "items.csv").write_text("name;category\ntea;drinks\ntea;leaves\n")
    assert run(["hierarchy", "build", "items.csv", "--column", "name", "--above", "category", "-o", "tree.csv"]) == 2
    assert "an item belongs to different categories" in capsys.readouterr().err
    assert not (here / "tree.csv").exists()
