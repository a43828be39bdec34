"""advise and compare on tables: settings side by side, and a command that can be typed as it stands."""

from __future__ import annotations

import json
import shlex

import pytest

from disjoin.cli.run import run
from disjoin.trials.tables import OTHERS, TriedTable, recommended

PEOPLE = "name,age,sex,ill\n" + "".join(f"p{n},{20 + n % 11},{'mf'[n % 2]},{'abc'[n % 3]}\n" for n in range(24))


@pytest.fixture
def people(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "sex.csv").write_text("m;*\nf;*\n")
    return tmp_path


def asked(people, *more):
    columns = ["--quasi", "age,sex", "--identifiers", "name", "--sensitive", "ill"]
    return [str(people / "people.csv"), *columns, "--hierarchies", str(people / "trees"), *more]


def test_advice_on_a_table_ends_with_the_command_that_publishes(people, capsys):
    assert run(["advise", *asked(people, "-k", "2,4,40", "--json", "-o", str(people / "advice"))]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["k"], row["suppress"]) for row in found["rows"]] == [
        (k, share) for k in (2, 4, 40) for share in (None, "0.01")
    ]
    assert all(row["granularity"] <= row["others_keep"] for row in found["rows"] if row["k"] < 40)
    assert all("cannot hide" in row["failure"] for row in found["rows"] if row["k"] == 40)
    page = (people / "advice" / "advice.md").read_text()
    assert "Not to be published" in page and found["command"] in page
    assert "![Granularity that settings lose" in page
    assert (people / "advice" / "chart.svg").read_text().startswith("<svg xmlns=")
    command = shlex.split(found["command"])
    assert command[:2] == ["disjoin", "generalize"]
    assert run([*command[1:-1], str(people / "release"), "--quiet"]) == 0, "it can be typed as it stands"


def test_algorithms_are_compared_on_a_table(people, capsys):
    assert run(["compare", *asked(people, "-k", "3", "-o", str(people / "results"))]) == 0
    told = capsys.readouterr().out
    assert "For your eyes only" in told and "Publish it with: disjoin generalize" in told
    assert all(name in told for name in ("local-search", "two-level", "kaca", "top-down"))
    assert (people / "results" / "comparison.csv").read_text().count("\n") == 6
    assert run(["compare", *asked(people, "-k", "3", "--methods", "core", "-o", str(people / "more"))]) == 2
    assert "expected algorithms of tables" in capsys.readouterr().err


def test_nothing_is_written_if_no_setting_can_be_reached(people, capsys):
    assert run(["advise", *asked(people, "-k", "40", "-o", str(people / "advice"))]) == 4
    assert "no setting can be reached" in capsys.readouterr().err
    assert not (people / "advice").exists()


def test_the_largest_k_that_keeps_nearly_as_much_is_recommended():
    tried = [TriedTable({"k": k}, {OTHERS: kept}) for k, kept in ((5, 0.9), (10, 0.86), (20, 0.7))]
    assert recommended(tried).settings == {"k": 10}
    assert (
        recommended([*tried, TriedTable({"k": 10, "suppress": "0.01"}, {OTHERS: 0.87})]).settings["suppress"] == "0.01"
    )
