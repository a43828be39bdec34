"""A method with a form of its own is one folder (tests/toy) and two lines; everything else works on it."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.engine import Local
from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.forms.registry import FORMS
from disjoin.methods import METHODS
from disjoin.model import Draft, KmAnonymity, Transactions
from disjoin.pipeline import publish
from toy import FORM, METHOD, LengthsOnly
from toy.noun import Lengths

RECORDS = [["tea"], ["milk"], ["tea", "milk"], ["tea", "jam"], ["milk", "jam"], ["tea", "milk", "jam", "rye"]]
BASKETS = "".join(",".join(record) + "\n" for record in RECORDS)
PLAN = """
[input]
path = "baskets.csv"
format = "basket"
separator = ","

[method]
name = "lengths"
k = 2

[output]
path = "release"
"""


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """The two lines."""
    monkeypatch.setitem(FORMS, FORM.name, FORM)
    monkeypatch.setitem(METHODS.listed, METHOD.name, METHOD)


@pytest.fixture
def release():
    return publish(Transactions.from_sets(RECORDS), LengthsOnly(k=2), Local()).release


@pytest.fixture
def folder(release, tmp_path):
    return release.write(tmp_path / "release")


@pytest.fixture
def original(tmp_path):
    (tmp_path / "baskets.csv").write_text(BASKETS, encoding="utf-8")
    return tmp_path / "baskets.csv"


def said(capfd, *arguments):
    """What a command prints, and its exit code."""
    code = run([str(argument) for argument in arguments])
    captured = capfd.readouterr()
    return code, captured.out + captured.err


def test_it_is_published_under_the_verdict_of_its_own_inspection(release):
    assert isinstance(release.published, Lengths)
    assert release.published.counts.tolist() == [2, 4]
    assert set(release.verdict.checked) == {"L1", "L2", "M1"}
    assert release.counts == {"records": 6, "suppressed_records": 0, "spans": 2}


def test_what_its_inspection_refuses_is_no_release(monkeypatch):
    one_each = Lengths(np.array([1]), np.array([4]), np.array([1]))
    monkeypatch.setattr(LengthsOnly, "publish", lambda *_: Draft(one_each, part_of_record=None))
    with pytest.raises(NotAnonymous, match="L2 at span 0: 1 records, but at least 2 are needed"):
        publish(Transactions.from_sets(RECORDS), LengthsOnly(k=2), Local())


def test_its_folder_is_written_and_read_back(release, folder):
    assert {file.name for file in folder.iterdir()} == {
        *("lengths.parquet", "datapackage.json", "README.md", "report.html", "report.json")
    }
    again = disjoin.load(folder)
    assert again.published.counts.tolist() == release.published.counts.tolist()
    assert (again.method, again.guarantee) == ("lengths", KmAnonymity(2, 1))


def test_a_release_of_it_written_again_has_the_same_bytes(folder, tmp_path):
    again = disjoin.load(folder).write(tmp_path / "again")
    for file in folder.iterdir():
        assert file.read_bytes() == (again / file.name).read_bytes()


def test_it_is_verified_in_python(folder):
    verdict = disjoin.verify(folder, original=RECORDS)
    assert verdict.holds and set(verdict.checked) == {"L1", "L2", "M1"}
    assert not disjoin.verify(folder, guarantee=KmAnonymity(3, 1)).holds


def test_it_is_verified_on_the_command_line(capfd, folder, original):
    assert said(capfd, "verify", folder)[0] == 0
    code, words = said(capfd, "verify", folder, "--original", original, "--format", "basket", "--separator", ",")
    assert (code, "M1" in words) == (0, True)
    assert said(capfd, "verify", folder, "-k", 3)[0] == 3


def test_another_original_does_not_fit(capfd, folder, original):
    original.write_text(BASKETS + "a,b,c\n", encoding="utf-8")
    code, words = said(capfd, "verify", folder, "--original", original, "--format", "basket", "--separator", ",")
    assert code == 3
    assert words.startswith("The release does not fit the original.")


def test_a_table_that_somebody_has_changed_is_found_out(folder):
    file = folder / "lengths.parquet"
    table = pq.read_table(file)
    pq.write_table(table.set_column(2, "count", [[1, 5]]), file)
    found = {violation.invariant for violation in disjoin.verify(folder).violations}
    assert {"L2", "F1"} <= found


def test_its_texts_say_what_was_checked_and_how_to_read_it(folder):
    readme, page = ((folder / name).read_text(encoding="utf-8") for name in ("README.md", "report.html"))
    for text in (readme, page):
        assert not re.search(r"\bM1\b", text)  # what needs the original stays with whoever has it
        assert "lengths.parquet" in text
    assert "Every span of lengths has at least 2 records." in page
    assert "2 invariants, listed in `report.html`" in readme
    assert "Within a span nothing tells the lengths apart." in readme
    assert "span 0: 2 records of 1 to 1 terms" in page
    facts = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert (facts["form"], facts["verdict"]["checked"]) == ("lengths", ["L1", "L2"])


def test_it_is_shown(capfd, folder):
    code, words = said(capfd, "show", folder)
    assert (code, words) == (0, "span 0: 2 records of 1 to 1 terms\nspan 1: 4 records of 2 to 4 terms\n")
    assert said(capfd, "show", folder, "--span", 1) == (0, "span 1: 4 records of 2 to 4 terms\n")
    assert said(capfd, "show", folder, "--span", 7)[1].endswith("there is no span 7.\n")
    assert said(capfd, "show", folder, "--cluster", 0)[1].endswith("has spans and no clusters: use --span N.\n")
    assert json.loads(said(capfd, "show", folder, "--span", 0, "--json")[1])["spans"][0]["counts"] == 2
    assert disjoin.show(folder, part=1) == "span 1: 4 records of 2 to 4 terms"


def test_without_the_two_lines_nobody_knows_its_part(capfd, folder, monkeypatch):
    monkeypatch.delitem(FORMS, FORM.name)
    code, words = said(capfd, "show", folder, "--span", 1)
    assert code == 2
    assert "No such option" in words


def test_evaluate_says_that_it_has_no_measures(capfd, folder, original):
    sentence = "no measure compares lengths of records with their original yet."
    with pytest.raises(InvalidParameter, match=sentence):
        disjoin.evaluate(folder, RECORDS)
    code, words = said(capfd, "evaluate", folder, "--original", original)
    assert code == 2
    assert sentence in words


@pytest.mark.parametrize("command", ["support", "mine", "reconstruct"])
def test_the_receivers_desk_says_that_it_is_not_sets(capfd, folder, tmp_path, command):
    more = {"support": ["tea"], "mine": [], "reconstruct": ["-o", tmp_path / "worlds"]}
    code, words = said(capfd, command, folder, *more[command])
    assert code == 2
    assert "is about sets of items, and this release has lengths of records. Its README.md shows how" in words


def test_a_plan_runs_it(capfd, original, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    code, words = said(capfd, "run", tmp_path / "plan.toml")
    assert code == 0
    assert words.startswith("Verified: ")
    assert "2 to 4 records" in words
    assert disjoin.verify(tmp_path / "release", original=RECORDS).holds


def test_it_has_a_command_with_its_settings(capfd, original, tmp_path):
    asked = ("tell-lengths", original, "--format", "basket", "--separator", ",", "-o", tmp_path / "release")
    code, words = said(capfd, *asked, "-k", 2)
    assert code == 0
    assert words.startswith("Verified: ")
    assert disjoin.load(tmp_path / "release").guarantee == KmAnonymity(2, 1)
    assert said(capfd, *asked, "-k", 1, "--overwrite")[0] == 2


def test_its_command_is_in_the_help_and_has_help_of_its_own(capfd):
    code, words = said(capfd, "--help")
    assert (code, "tell-lengths      Publish how long records are." in words) == (0, True)
    code, words = said(capfd, "tell-lengths", "--help")
    assert code == 0
    assert "Publish how long the records of FILE are." in words
    assert "Every span of lengths has at least K records." in " ".join(words.split())
    assert "--id" in words
    assert "--threads" not in words, "nothing is done shard by shard"


def test_a_plan_that_it_refuses_is_one_sentence(capfd, original, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.replace("k = 2", "k = 1"), encoding="utf-8")
    code, words = said(capfd, "run", tmp_path / "plan.toml")
    assert code == 2
    assert "k must be a whole number of at least 2, got 1" in words
