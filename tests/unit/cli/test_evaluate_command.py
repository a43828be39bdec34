"""`disjoin evaluate`: what is printed, what is refused, and that the release is left alone."""

import json

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.measure import EVALUATIONS

RECORDS = [["tea", "milk"], ["tea", "jam"], ["milk", "jam"], ["tea", "milk", "rum"], ["tea"], ["milk", "gin"]] * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    lines = "".join(",".join(record) + "\n" for record in RECORDS)
    (folder / "baskets.csv").write_text(lines, encoding="utf-8")
    (folder / "fewer.csv").write_text("".join(lines.splitlines(keepends=True)[1:]), encoding="utf-8")
    kinds = {"tea": "drinks", "milk": "drinks", "rum": "drinks", "gin": "drinks", "jam": "food"}
    (folder / "items.csv").write_text("".join(f"{t};{kind};*\n" for t, kind in kinds.items()), encoding="utf-8")
    disjoin.disassociate(RECORDS, k=3).write(folder / "release")
    return folder


def told(capfd, folder, *arguments, original="baskets.csv"):
    code = run(["evaluate", str(folder / "release"), "--original", str(folder / original), *arguments])
    out, err = capfd.readouterr()
    return code, out, err


def test_every_measure_is_printed_and_the_steward_is_warned(capfd, folder):
    code, out, err = told(capfd, folder)
    assert (code, err) == (0, "")
    assert "of the item pairs stay visible together.\nPrivate: " in out
    flat = " ".join(out.split())
    for comparison in EVALUATIONS.values():
        if comparison.unit != "error" and "clusters" in comparison.forms:
            assert comparison.name in flat
    for ranks in ("1-20", "100-120", "200-220", "300-320", "400-420"):
        assert f"(for {ranks}) " in flat
    assert "There are too few terms for some ranks" in flat
    assert "tkd_ml2: Needs a hierarchy" in flat


def test_json_has_what_python_gives(capfd, folder):
    _, out, _ = told(capfd, folder, "--json", "--seed", "7", "--top", "9", "--reconstructions", "5")
    expected = disjoin.evaluate(folder / "release", folder / "baskets.csv", top=9, seed=7, reconstructions=5)
    assert json.loads(out) == expected.to_json()


def test_a_hierarchy_is_read_from_its_file(capfd, folder):
    code, out, _ = told(
        capfd, folder, "--hierarchy", str(folder / "items.csv"), "--measure", "tkd_ml2", "--top", "7", "--json"
    )
    assert code == 0
    facts = json.loads(out)
    assert [row["name"] for row in facts["measures"]] == ["tkd_ml2"]
    assert facts["settings"]["hierarchy"] is True
    assert facts["measures"][0]["details"]["itemsets"] == 7


@pytest.mark.parametrize("flag", ["-k", "--k"])
def test_how_frequent_a_term_must_be_can_be_asked_for(capfd, folder, flag):
    code, out, _ = told(capfd, folder, flag, "12", "--measure", "tlost", "--json")
    facts = json.loads(out)
    assert (code, facts["settings"]["k"]) == (0, 12)
    assert facts["measures"][0]["details"]["frequent"] == "support >= 12"


def test_some_measures_are_chosen(capfd, folder):
    code, out, _ = told(capfd, folder, "--measure", "tlost", "--measure", "re_a*")
    assert code == 0
    assert "tlost" in out
    assert "chunks alone" in out
    assert "tkd" not in out


def test_nothing_is_written_into_the_release(capfd, folder):
    before = {path.name: path.read_bytes() for path in (folder / "release").iterdir()}
    assert told(capfd, folder)[0] == 0
    assert {path.name: path.read_bytes() for path in (folder / "release").iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "tkdd"], "there is no measure 'tkdd'"),
        (["--top", "0"], "top must be"),
        (["-k", "0"], "k must be a whole number of at least 1"),
        (["--reconstructions", "11"], "reconstructions must be 10 or less"),
        (["--hierarchy", "nowhere.csv"], "nowhere.csv: there is no such file"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(capfd, folder, arguments, message):
    code, out, err = told(capfd, folder, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_release_and_another_original_are_refused(capfd, folder):
    code, out, err = told(capfd, folder, original="fewer.csv")
    assert (code, out) == (2, "")
    assert "the release has 24 records, the original has 23: they do not belong together" in err


def test_the_original_is_required(capfd, folder):
    assert run(["evaluate", str(folder / "release")]) == 2
    assert "--original" in capfd.readouterr().err
