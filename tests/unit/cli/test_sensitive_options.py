"""Sensitive terms on the command line and in plans: misspelt ones stop every road to a release."""

import json

import pytest

import disjoin
from disjoin.cli.main import run


@pytest.fixture
def visits(tmp_path):
    rows = [["tea", "milk"] if n % 2 else ["tea", "bread"] for n in range(40)]
    rows[0].append("B20")
    rows[1].append("b20")
    rows[2].append("B20.1")
    path = tmp_path / "visits.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def told(capfd, *arguments):
    code = run([str(argument) for argument in arguments])
    return code, *capfd.readouterr()


@pytest.mark.parametrize("command", ["disassociate", "cahd", "advise"])
def test_every_command_refuses_other_spellings(capfd, visits, tmp_path, command):
    where = ["-o", tmp_path / "r", "-q"]
    code, out, err = told(capfd, command, visits, "--sensitive", "B20", *where)
    assert (code, out) == (2, "")
    assert "Error: sensitive terms must have one spelling, but the data have others: 'b20' (1 record)." in err
    assert not (tmp_path / "r").exists()
    assert told(capfd, command, visits, "--sensitive", "B20", "--sensitive-match", "loose", *where)[0] == 0


@pytest.mark.parametrize("command", ["disassociate", "cahd", "advise"])
def test_every_command_refuses_missing_terms(capfd, visits, tmp_path, command):
    where = ["-o", tmp_path / "r", "-q"]
    code, _, err = told(capfd, command, visits, "--sensitive", "milk,X1,Y*", *where)
    assert code == 2
    assert "nothing is found for the terms 'X1', 'Y*'." in err
    if command == "cahd":
        return  # milk is in too many records
    assert told(capfd, command, visits, "--sensitive", "milk,X1", "--allow-missing-sensitive", *where)[0] == 0


def test_a_file_may_have_prefixes(capfd, visits, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("B20*\nb20\n")
    assert told(capfd, "cahd", visits, "--sensitive", names, "-o", tmp_path / "r", "-q")[0] == 0
    assert disjoin.load(tmp_path / "r").published.sensitive_terms() == ("B20", "B20.1", "b20")


def test_a_star_alone_is_refused_before_anything_is_read(capfd, tmp_path):
    code, _, err = told(capfd, "cahd", tmp_path / "absent.csv", "--sensitive", "*", "-o", tmp_path / "r")
    assert code == 2
    assert "'*' would mean all terms" in err


def test_plans_have_the_same_settings(capfd, visits, tmp_path):
    plan = tmp_path / "plan.toml"
    text = f'[input]\npath = "{visits.name}"\n[method]\nk = 3\nsensitive = ["B20", "X1"]\n%s\n[output]\npath = "r"\n'
    plan.write_text(text % "allow_missing_sensitive = true")
    code, _, err = told(capfd, "run", plan, "-q")
    assert code == 2
    assert "'b20' (1 record)" in err
    plan.write_text(text % 'allow_missing_sensitive = true\nsensitive_match = "loose"')
    assert told(capfd, "run", plan, "-q")[0] == 0
    assert disjoin.load(tmp_path / "r").guarantee.sensitive == ("B20", "b20")


def test_advice_on_a_part_may_miss_terms_of_the_whole(capfd, visits):
    arguments = ["--sensitive", "B20*", "--sensitive-match", "loose", "-k", "3", "--records", "12", "-q"]
    assert told(capfd, "advise", visits, *arguments)[0] == 0
    code, _, err = told(capfd, "advise", visits, *arguments, "--sensitive", "X1")
    assert code == 2
    assert "'X1'" in err


def test_verify_requires_spellings_and_prefixes_too(capfd, visits, tmp_path):
    assert told(capfd, "disassociate", visits, "-k", 3, "-o", tmp_path / "r", "-q")[0] == 0
    for wanted in ("MILK", "mil*", "Mi*"):
        code, out, _ = told(capfd, "verify", tmp_path / "r", "--sensitive", wanted)
        assert code == 3
        assert "sensitive terms, in any spelling, must be in term chunks only" in out
    assert told(capfd, "verify", tmp_path / "r", "--sensitive", "X*", "-q")[0] == 0
    assert told(capfd, "verify", tmp_path / "r", "--sensitive", "*", "-q")[0] == 2


def test_generalize_refuses_or_joins_spellings_of_values(capfd, tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("age,disease\n" + "".join(f"{n},{'Flu' if n % 2 else 'flu'}\n{n},gout\n" for n in range(20, 26)))
    command = ("generalize", table, "-k", 2, "--quasi", "age", "--sensitive", "disease", "-l", 2, "-o", tmp_path / "r")
    code, _, err = told(capfd, *command, "-q")
    assert code == 2
    assert "2 texts are spellings of 1 value, such as those of rows 1 and 3" in err and "flu" not in err
    assert told(capfd, *command, "-q", "--sensitive-match", "loose")[0] == 0
