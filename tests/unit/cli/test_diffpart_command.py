"""disjoin diffpart: the ways to give a domain, what comes of a seen one, and data without a record."""

import json

import pytest

from disjoin.cli.main import run

pytest.importorskip("opendp", reason="the extra dp is not installed")


def told(capfd, *arguments):
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.fixture
def baskets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text("tea,milk\ntea\nbread,milk\n" * 200)
    return tmp_path / "baskets.csv"


def guarantee(folder):
    return json.loads((folder / "datapackage.json").read_text())["disjoin"]["guarantee"]


def test_without_a_domain_nothing_is_written_and_both_ways_out_are_told(capfd, baskets, tmp_path):
    code, _, err = told(capfd, "diffpart", baskets, "-o", "release", "-q")
    assert code == 2
    assert "--domain items.txt" in err
    assert "--domain seen" in err
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [("items.txt", "tea\nmilk\nbread\n"), ("items.csv", "tea;drinks;*\nmilk;drinks;*\nbread;*\n"), ("seen", "tea\n")],
    ids=["one term per line", "a hierarchy", "a file that is called seen"],
)
def test_a_domain_that_is_given_proves_something(capfd, baskets, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    code, out, _ = told(capfd, "diffpart", baskets, "--domain", f"./{name}", "-o", "release")
    assert code == 0
    assert out.startswith("Guaranteed by construction: ")
    assert guarantee(tmp_path / "release") == {"type": "differential-privacy", "epsilon": "1", "terms": "given"}
    assert told(capfd, "verify", "release")[0] == 0


def test_a_domain_that_was_seen_proves_nothing_and_everybody_says_so(capfd, baskets, tmp_path):
    code, out, err = told(capfd, "diffpart", baskets, "--domain", "seen", "-o", "release")
    assert code == 0
    assert out.startswith("Not proven: ")
    assert "Verified" not in out and "by construction" not in out and "do not publish it" in out
    assert "not differentially private" in err
    assert guarantee(tmp_path / "release")["terms"] == "seen"
    code, out, _ = told(capfd, "verify", "release")
    assert code == 3
    assert out.startswith("The guarantee is not proven.\n")
    assert "N4 at the release: the domain was taken from the data" in out
    assert "The release itself states that its guarantee is not proven." in out
    assert "proven on paper" not in out
    assert not json.loads(told(capfd, "verify", "release", "--json")[1])["holds"]
    assert "not proven" in told(capfd, "show", "release")[1]


@pytest.mark.parametrize("given", [("seen", "tea"), ("tea,milk", "seen"), ("seen", "seen")])
def test_a_domain_is_given_or_seen_and_not_both(capfd, baskets, given):
    options = [part for value in given for part in ("--domain", value)]
    code, _, err = told(capfd, "diffpart", baskets, *options, "-o", "release")
    assert code == 2
    assert "either seen in the data or given, not both" in err


@pytest.mark.parametrize("text", ["", "\n\n", "tea\n"], ids=["empty", "blank", "outside the domain"])
def test_data_without_a_record_give_a_release_as_data_with_one_do(capfd, baskets, tmp_path, text):
    """Otherwise whether there is a release tells whether there is a record."""
    (tmp_path / "few.csv").write_text(text)
    assert told(capfd, "diffpart", "few.csv", "--domain", "rye,wheat", "--keep", 1000, "-o", "release")[0] == 0
    assert told(capfd, "verify", "release")[0] == 0
    code, out, _ = told(capfd, "diffpart", "few.csv", "--domain", "rye", "-o", "release", "--overwrite", "--json")
    assert code == 0
    assert json.loads(out)["input"]["records"] == (text == "tea\n")


def test_what_the_records_themselves_decide_about_reading_is_warned_about(capfd, baskets):
    """A comma in one more record would make baskets of all the numbers between blanks."""
    assert (
        "Give format = basket and separator to avoid that"
        in told(capfd, "diffpart", baskets, "--domain", "tea", "-o", "a")[2]
    )
    given = ("--domain", "tea", "--format", "basket")
    _, _, err = told(capfd, "diffpart", baskets, *given, "-o", "b")
    assert "Give separator to avoid that." in err
    assert "detected" not in told(capfd, "diffpart", baskets, *given, "--separator", ",", "-o", "c")[2]
    assert "detected" not in told(capfd, "disassociate", baskets, "-k", 2, "-o", "d")[2]


def test_other_methods_still_refuse_a_file_without_records(capfd, tmp_path):
    (tmp_path / "none.csv").write_text("\n")
    code, _, err = told(capfd, "disassociate", tmp_path / "none.csv", "-o", tmp_path / "release", "-q")
    assert code == 2
    assert "expected records, found none" in err


@pytest.mark.parametrize(
    ("domain", "terms"),
    [
        ('"items.txt"', "given"),
        ('"tree.csv"', "given"),
        ('["tea", "milk"]', "given"),
        ('"tea, milk"', "given"),
        ('["seen"]', "given"),
        ('"seen"', "seen"),
    ],
)
def test_a_plan_gives_a_domain_in_the_same_ways(capfd, baskets, tmp_path, domain, terms):
    (tmp_path / "items.txt").write_text("tea\n")
    (tmp_path / "tree.csv").write_text("tea;*\nmilk;*\n")
    plan = (
        f'[input]\npath = "baskets.csv"\n[method]\nname = "diffpart"\ndomain = {domain}\n[output]\npath = "release"\n'
    )
    (tmp_path / "plan.toml").write_text(plan)
    assert told(capfd, "run", "plan.toml", "-q")[0] == 0
    assert guarantee(tmp_path / "release")["terms"] == terms


def test_a_plan_without_a_domain_is_refused(capfd, baskets, tmp_path):
    plan = '[input]\npath = "baskets.csv"\n[method]\nname = "diffpart"\n[output]\npath = "release"\n'
    (tmp_path / "plan.toml").write_text(plan)
    code, _, err = told(capfd, "run", "plan.toml", "-q")
    assert code == 2
    assert "domain must list all possible terms" in err
