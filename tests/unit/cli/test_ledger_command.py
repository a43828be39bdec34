"""disjoin ledger, and what the commands that publish do with a ledger beside the data."""

import json
import shutil
import sqlite3
import subprocess
import sys

import pytest

from disjoin.cli.main import run
from disjoin.generate.baskets import write_baskets
from disjoin.generate.census import write_census
from disjoin.ledger.ledger import LEDGER


@pytest.fixture
def here(tmp_path, monkeypatch):
    write_baskets(60, 1, tmp_path / "baskets.csv")
    write_baskets(60, 2, tmp_path / "others.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ledger(here):
    assert run(["ledger", "start"]) == 0
    return here / LEDGER


def told(capfd, *arguments):
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def bytes_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def published(capfd, source, output, *more):
    return told(capfd, "disassociate", source, "-k", 3, "-o", output, "--quiet", *more)


def test_start_says_where_it_is_and_how_to_keep_it(here, capfd):
    (here / "data").mkdir()
    code, out, err = told(capfd, "ledger", "start", "data")
    assert (code, out) == (0, "")
    assert "never publish it" in err
    assert (here / "data" / LEDGER).is_file()
    assert told(capfd, "ledger", "start", "data")[0] == 2


def test_the_summary_and_the_json_name_the_release(capfd, ledger):
    code, out, err = told(capfd, "disassociate", "baskets.csv", "-k", 3, "-o", "one")
    assert (code, err) == (0, "")
    assert f"Recorded as release 1 in the ledger {ledger}." in out
    code, out, _ = told(capfd, "disassociate", "others.csv", "-k", 3, "-o", "two", "--json")
    assert json.loads(out)["ledger"] == {"file": str(ledger), "release": 2, "again": False}


def test_without_a_ledger_nothing_is_said_and_nothing_made(capfd, here):
    code, out, _ = told(capfd, "disassociate", "baskets.csv", "-k", 3, "-o", "one", "--json")
    assert code == 0
    assert "ledger" not in out
    assert sorted(file.name for file in here.iterdir()) == ["baskets.csv", "one", "others.csv"]
    assert published(capfd, "baskets.csv", "two") == (0, "", "")


@pytest.mark.parametrize("more", [[], ["-m", "1"], ["--clustering", "core"]])
def test_a_second_release_of_the_same_records_stops(capfd, ledger, here, more):
    assert published(capfd, "baskets.csv", "one") == (0, "", "")
    lines = (here / "baskets.csv").read_text().splitlines(keepends=True)
    (here / "shuffled.csv").write_text("".join(reversed(lines)))
    code, out, err = published(capfd, "shuffled.csv", "two", *more)
    assert (code, out) == (2, "")
    assert not (here / "two").exists()
    assert "Release 1 (" in err
    assert "disassociation, k = 3, m = 2, in one): all 60 records are in it, and no others." in err
    assert "No guarantee covers that." in err
    assert "`disjoin attack` shows some of what two such releases reveal together." in err
    assert f"disjoin ledger forget 1, in {here}" in err
    assert ("The settings are the same" in err) is not more


def test_what_a_ledger_says_stands_in_lines(capfd, ledger):
    published(capfd, "baskets.csv", "one")
    _, _, err = published(capfd, "baskets.csv", "two")
    assert "\\n" not in err
    assert [line.split()[0] for line in err.splitlines()][:2] == ["Error:", "Release"]


def test_an_update_stops_and_is_called_one(capfd, ledger, here):
    assert published(capfd, "baskets.csv", "one")[0] == 0
    (here / "later.csv").write_text((here / "baskets.csv").read_text() + "tea,beer,a very rare article\n")
    code, _, err = published(capfd, "later.csv", "two")
    assert code == 2
    assert "60 of 61 records have the same content" in err
    assert "subtract one from the other" in err


def test_new_people_only_may_be_published(capfd, ledger):
    assert published(capfd, "baskets.csv", "one") == (0, "", "")
    assert published(capfd, "others.csv", "two") == (0, "", "")


def test_again_publishes_all_the_same_and_is_remembered(capfd, ledger):
    assert published(capfd, "baskets.csv", "one")[0] == 0
    code, out, err = published(capfd, "baskets.csv", "two", "--again")
    assert (code, out) == (0, "")
    assert err.startswith("Warning: Release 1 (")
    releases = json.loads(told(capfd, "ledger", "show", "--json")[1])["releases"]
    assert [release["again"] for release in releases] == [False, True]
    assert releases[1]["in_common"][0] | {"records_by_chance": 0} == {
        "with": 1, "kind": "same", "ids": None, "records": 60, "records_by_chance": 0,
    }  # fmt: skip


def test_no_ledger_neither_asks_nor_tells(capfd, ledger):
    assert published(capfd, "baskets.csv", "one")[0] == 0
    assert published(capfd, "baskets.csv", "two", "--no-ledger") == (0, "", "")
    assert len(json.loads(told(capfd, "ledger", "show", "--json")[1])["releases"]) == 1


def test_a_ledger_elsewhere_is_named(capfd, here):
    (here / "office").mkdir()
    assert run(["ledger", "start", "office"]) == 0
    assert published(capfd, "baskets.csv", "one", "--ledger", "office") == (0, "", "")
    code, _, err = published(capfd, "baskets.csv", "two", "--ledger", f"office/{LEDGER}")
    assert code == 2
    assert f"in {here / 'one'}" in err
    assert published(capfd, "baskets.csv", "two") == (0, "", "")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--no-ledger", "--ledger", "x"], "--ledger needs a ledger"),
        (["--no-ledger", "--again"], "--again needs a ledger"),
        (["--again"], "--again needs a ledger, and there is none next to 'baskets.csv'"),
        (["--ledger", "nowhere"], "expected a ledger, found none"),
    ],
)
def test_words_about_the_ledger_that_do_not_fit_are_refused(capfd, here, more, words):
    code, _, err = published(capfd, "baskets.csv", "one", *more)
    assert code == 2
    assert words in err
    assert not (here / "one").exists()


@pytest.mark.parametrize("content", ["", "no ledger at all" * 99])
def test_a_damaged_ledger_stops_before_the_data_are_read(capfd, ledger, here, content):
    ledger.write_text(content)
    code, _, err = published(capfd, "nothing-to-read.csv", "one")
    assert code == 2
    assert err.startswith(f"Error: {ledger}: expected a")
    assert err.count("\n") == 1
    assert not (here / "one").exists()


def test_people_of_long_tables_are_counted_by_their_ids(capfd, ledger, here):
    rows = [f"{n},{what}\n" for n in range(60) for what in (f"d{n % 4}", f"e{n % 5}")]
    (here / "visits.csv").write_text("patient,diagnosis\n" + "".join(rows))
    (here / "next.csv").write_text("patient,diagnosis\n" + "".join(f"{n},f{n % 3}\n" for n in range(40, 90)))
    assert published(capfd, "visits.csv", "one") == (0, "", "")
    code, _, err = published(capfd, "next.csv", "two")
    assert code == 2
    assert "20 of 50 ids are in it, 0 of 50 records with the same content as there." in err
    assert "If every file numbers its records anew" in err


def test_rows_of_tables_are_known_too(capfd, ledger, here):
    write_census(200, 1, here / "census.csv")
    common = ["generalize", "census.csv", "--quasi", "age", "--drop-unassigned", "--quiet"]
    assert told(capfd, *common, "-k", 3, "-o", "one")[0] == 0
    code, _, err = told(capfd, *common, "-k", 5, "-o", "two")
    assert code == 2
    assert "generalization, k = 3" in err
    assert "all 200 records are in it" in err


def test_people_of_tables_are_known_by_their_identifiers_though_every_row_is_new(capfd, ledger, here):
    for name, first in (("one", 0), ("two", 25)):
        rows = "".join(f"n{n},{20 + (n * n + first) % 60}\n" for n in range(first, first + 30))
        (here / f"{name}.csv").write_text("name,age\n" + rows)
    common = ["--quasi", "age", "--identifiers", "name", "-k", 3, "--quiet"]
    assert told(capfd, "generalize", "one.csv", *common, "-o", "first")[0] == 0
    code, _, err = told(capfd, "generalize", "two.csv", *common, "-o", "second")
    assert code == 2
    assert "in first): 5 of 30 ids are in it" in err
    assert b"n25" not in ledger.read_bytes()


def test_plans_and_every_other_method_ask_too(capfd, ledger, here):
    assert published(capfd, "baskets.csv", "one")[0] == 0
    (here / "plan.toml").write_text('[input]\npath = "baskets.csv"\n[output]\npath = "two"\n')
    for arguments in (
        ["run", "plan.toml"],
        ["cahd", "baskets.csv", "--random-sensitive", "2", "-p", "3", "-o", "two"],
        ["generalize-items", "baskets.csv", "-o", "two"],
        ["diffpart", "baskets.csv", "--domain", "seen", "-o", "two"],
    ):
        code, _, err = told(capfd, *arguments)
        assert (code, (here / "two").exists()) == (2, False), arguments
        assert "all 60 records are in it" in err
    assert told(capfd, "run", "plan.toml", "--again", "--quiet")[0] == 0


def test_a_release_has_the_same_bytes_with_and_without_a_ledger(capfd, here):
    assert published(capfd, "baskets.csv", "without") == (0, "", "")
    assert run(["ledger", "start"]) == 0
    assert published(capfd, "baskets.csv", "with") == (0, "", "")
    assert published(capfd, "baskets.csv", "again", "--again")[0] == 0
    assert bytes_of(here / "with") == bytes_of(here / "without") == bytes_of(here / "again")


def test_what_cannot_be_published_is_not_in_the_ledger(capfd, ledger, here):
    assert told(capfd, "disassociate", "baskets.csv", "-k", 999, "-o", "one")[0] == 4
    assert told(capfd, "ledger", "show")[1] == f"0 releases in {ledger}\n"


def test_a_process_that_is_killed_behind_the_release_is_told_next_time(capfd, ledger, here):
    code = (
        "import os, sys\nfrom disjoin.ledger.ledger import Publishing\n"
        "Publishing.finish = lambda *told: os._exit(9)\nfrom disjoin.cli.main import run\n"
        "run(['disassociate', 'baskets.csv', '-k', '3', '-o', 'one', '-q'])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert (here / "one").is_dir()
    code, _, err = published(capfd, "baskets.csv", "two")
    assert code == 2
    assert "Unfinished run 1 (" in err
    assert "check whether it wrote a release" in err


def test_show_lists_the_releases_and_forget_takes_one_out(capfd, ledger, here):
    assert published(capfd, "baskets.csv", "one")[0] == 0
    assert published(capfd, "baskets.csv", "two", "-m", 1, "--again")[0] == 0
    shutil.rmtree(here / "one")
    code, out, _ = told(capfd, "ledger", "show")
    assert code == 0
    assert "disassociation, k = 3, m = 2, in one)\n  60 records. The folder no longer exists.\n" in out
    assert "In common with 1: all 60 records are in it, and no others." in out
    assert "(--again)" in out
    assert told(capfd, "ledger", "forget", 1)[0] == 0
    code, out, _ = told(capfd, "ledger", "show", here)
    assert "1 release in" in out
    assert "In common" not in out
    code, _, err = told(capfd, "ledger", "forget", 1)
    assert code == 2
    assert "has no release 1; known are 2." in err


def test_show_without_a_ledger_says_how_to_start_one(capfd, here):
    code, _, err = told(capfd, "ledger", "show")
    assert code == 2
    assert "Start one with disjoin ledger start" in err


def test_neither_key_nor_hashes_come_out(capfd, ledger, here):
    assert published(capfd, "baskets.csv", "one")[0] == 0
    with sqlite3.connect(ledger) as file:
        [(key,)] = file.execute("SELECT key FROM secret").fetchall()
        [(contents,)] = file.execute("SELECT contents FROM release").fetchall()
    said = [
        told(capfd, "ledger", "show", "--json"),
        told(capfd, "ledger", "show"),
        published(capfd, "baskets.csv", "two"),
    ]
    first = int.from_bytes(contents[:8], "little")
    for secret in (key.hex(), contents[:8].hex(), str(first)):
        assert secret not in str(said)
    everything = b"".join(file.read_bytes() for file in (here / "one").iterdir())
    assert key not in everything
    assert contents[:8] not in everything
