"""advise and compare on tables: settings side by side, and a command that can be typed as it stands."""

from __future__ import annotations

import json
import shlex

import pytest

from disjoin.advise.table_trials import CERTAIN, OTHERS, TriedTable, recommended, why
from disjoin.cli.main import run
from helpers.hospital_rows import hospital_rows, write_hospital

PEOPLE = "name,age,sex,ill,ward\n" + "".join(
    f"p{n},{20 + n % 11},{'mf'[n % 2]},{'abc'[n % 3]},{'xy'[n % 2]}\n" for n in range(24)
)


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
    limits = [(None, None, None), (2, None, None), (None, "0.2", None), (None, None, "0.8")]  # l, t, alpha
    assert [tuple(row[name] for name in ("k", "l", "t", "alpha", "suppress")) for row in found["rows"]] == [
        (k, *limit, share) for k in (2, 4, 40) for limit in limits for share in (None, "0.01")
    ]
    assert all(row["granularity"] <= row["others_keep"] for row in found["rows"] if row["k"] < 40)
    assert all("cannot form a class" in row["failure"] for row in found["rows"] if row["k"] == 40)
    page = (people / "advice" / "advice.md").read_text()
    assert "Not to be published" in page and found["command"] in page
    assert "![Detail that settings lose" in page
    assert (people / "advice" / "chart.svg").read_text().startswith("<svg xmlns=")
    command = shlex.split(found["command"])
    assert command[:2] == ["disjoin", "generalize"]
    assert run([*command[1:-1], str(people / "release"), "--quiet"]) == 0, "it can be typed as it stands"


@pytest.mark.parametrize("command", [["advise"], ["compare", "-o", "results"]])
def test_several_rows_of_a_person_are_not_taken_for_people(tmp_path, monkeypatch, capsys, command):
    """There is no --person here, so the message may not ask for it."""
    monkeypatch.chdir(tmp_path)
    write_hospital(tmp_path / "visits.csv", hospital_rows(400, 100))
    assert run([*command, "visits.csv", "--quasi", "age,sex", "--sensitive", "diagnosis"]) == 2
    assert "found 100 people ('patient_id') with 400 rows" in capsys.readouterr().err


def test_algorithms_are_compared_on_a_table(people, capsys):
    assert run(["compare", *asked(people, "-k", "3", "-o", str(people / "results"))]) == 0
    told = capsys.readouterr().out
    assert "Private: " in told and "Publish it with: disjoin generalize" in told
    assert all(name in told for name in ("local-search", "two-level", "kaca", "top-down"))
    assert (people / "results" / "comparison.csv").read_text().count("\n") == 1 + 5 * 4, "algorithms and limits"
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


ILL_BY_AGE = "age,ill\n" + "".join(f"{20 + n},{'abc'[n // 8]}\n" for n in range(24))
MOSTLY_WELL = "age,ill\n" + "".join(f"{20 + n},{'yes' if n == 7 else 'no'}\n" for n in range(24))


def tried(command, text, folder, capsys, *more):
    (folder / "rows.csv").write_text(text)
    asked = [command, str(folder / "rows.csv"), "--quasi", "age", "--sensitive", "ill", "-o", str(folder / "results")]
    assert run([*asked, *more]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["advise", "compare"])
def test_a_setting_that_leaves_a_sensitive_value_certain_is_not_recommended(command, tmp_path, capsys):
    """P16: k alone makes classes of one illness; the advice is a setting in which no illness has more than 80 %."""
    found = json.loads(tried(command, ILL_BY_AGE, tmp_path, capsys, "-k", "4", "--json"))
    plain = next(row for row in found["rows"] if not (row["l"] or row["t"] or row["alpha"]))
    best = next(row for row in found["rows"] if found["recommended"].items() <= row.items())
    assert plain["worst_alpha"] == 1 and plain["others_keep"] > best["others_keep"]
    assert best["worst_alpha"] <= 0.8 and found["warning"] is None
    published = shlex.split(found["command"])
    assert run([*published[1:-1], str(tmp_path / "release"), "--quiet"]) == 0
    assert run(["verify", str(tmp_path / "release")]) == 0


@pytest.mark.parametrize("command", ["advise", "compare"])
def test_a_value_that_stays_certain_is_the_first_thing_that_is_reported(command, tmp_path, capsys):
    """P16: if 23 of 24 people have one value, no setting hides it, and the warning comes before the recommendation."""
    shown = tried(command, MOSTLY_WELL, tmp_path, capsys, "-k", "4")
    warned = next(line for line in shown.splitlines() if "Recommended: " in line)
    assert warned.startswith("Warning: in some classes ") and "of the rows share a value of ill" in warned
    assert "No setting that was tried avoids this. Recommended: k = 4, " in warned and "t = 0.2" in warned
    name = "advice" if command == "advise" else "comparison"
    assert warned in (tmp_path / "results" / f"{name}.md").read_text()
    assert json.loads((tmp_path / "results" / f"{name}.json").read_text())["warning"] == warned.split(" Rec")[0]


def test_without_sensitive_columns_there_are_no_limits_to_try(tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("age\n" + "".join(f"{20 + n}\n" for n in range(24)))
    asked = ["advise", str(tmp_path / "rows.csv"), "--quasi", "age", "-k", "4"]
    assert run([*asked, "--json", "--suppress", "0.01,1/10"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["suppress"] for row in found["rows"]] == [None, "0.01", "1/10"] and found["warning"] is None
    assert run(asked) == 0
    assert "Of the settings tried, it has the largest k" in capsys.readouterr().out


def test_the_command_repeats_how_the_file_is_read(tmp_path, capsys):
    found = json.loads(tried("advise", ILL_BY_AGE.replace(",", "|"), tmp_path, capsys, "--separator", "|", "--json"))
    assert "--separator '|'" in found["command"]
    assert run([*shlex.split(found["command"])[1:-1], str(tmp_path / "release"), "--quiet"]) == 0


def test_a_share_of_exactly_eighty_percent_may_be_recommended():
    at, above = (TriedTable({"k": 5}, {OTHERS: 0.9, CERTAIN: share}, sensitive="ill") for share in (0.8, 0.81))
    assert recommended([above, at]) is at
    assert why(at).startswith("Recommended: k = 5. No sensitive value has more than 80% of a class.")
    assert why(above).startswith("Warning: ")


def test_with_sensitive_columns_a_setting_that_limits_them_is_recommended():
    """P16: a release by k alone guarantees nothing of a sensitive column, even if its classes happen to be mixed."""
    limits = ({}, {"l": 2}, {"t": "0.2"}, {"alpha": "0.8"})
    fine = [TriedTable({"k": 5, **limit}, {OTHERS: 0.9, CERTAIN: 0.5}, sensitive="ill") for limit in limits]
    assert recommended(fine).settings == {"k": 5, "alpha": "0.8"}
    assert recommended(fine[:2]).settings == {"k": 5, "l": 2}
    assert recommended(fine[:1]).settings == {"k": 5}
    assert "Of the settings with l, t or alpha of which this is true" in why(recommended(fine))
    assert "Of the settings of which this is true" in why(recommended(fine[:1]))


def test_settings_that_cannot_be_reached_are_counted_and_the_first_is_explained(people, capsys):
    assert run(["advise", *asked(people, "-k", "4,40")]) == 0
    shown = capsys.readouterr().out
    assert "Settings that cannot be reached: 8. The first: k = 40." in shown
    assert shown.count("cannot form a class") == 1
