"""--min-people on the command line, in plans and in Python; terms that look as if they name people stop publishing."""

import json

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.model import MixedRecords
from disjoin.pipeline import publish

BASKETS = ["bread,milk", "bread,honey", "bread,milk,tea", "milk,tea"] * 6
RARE = ["bread,gift for Mrs Weber", "cola", "lemonade"]  # the last two in one category
TREE = "cola;drink;*\nlemonade;drink;*\nbread;food;*\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text("\n".join([*BASKETS, *RARE]) + "\n")
    (tmp_path / "clean.csv").write_text("\n".join([*BASKETS, *RARE[1:]]) + "\n")
    (tmp_path / "tree.csv").write_text(TREE)
    return tmp_path


def vocabulary(folder="release"):
    return disjoin.load(folder).published.vocabulary.to_pylist()


COMMANDS = (["disassociate", "-k", "3"], ["cahd", "-p", "2", "--sensitive", "honey"], ["generalize-items", "-k", "3"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_terms_that_name_people_stop_publishing_until_rare_ones_go(here, capsys, command):
    """Point 7 of the issue: disassociation published "gift for Mrs X"."""
    name, *rest = command
    assert run([name, "baskets.csv", *rest, "-o", "release"]) == 2
    error = capsys.readouterr().err
    assert "looks like" in error or "look like names" in error
    assert "--min-people N" in error and "--leave-out" in error and "Weber" not in error
    assert not (here / "release").exists()
    assert run([name, "baskets.csv", *rest, "--min-people", "3", "-o", "release"]) == 0
    assert run([name, "baskets.csv", *rest, "--leave-out", "gift for Mrs Weber", "-o", "other"]) == 0
    texts = [file.read_bytes() for file in (here / "release").iterdir() if file.suffix in (".md", ".json", ".html")]
    assert texts and not any(b"Weber" in text or b"lemonade" in text for text in texts)
    assert run(["verify", "release", "--original", "baskets.csv"]) == 0
    assert ", H1, H2" in capsys.readouterr().out


def test_another_left_out_term_does_not_end_the_stop(here):
    assert run(["disassociate", "baskets.csv", "-k", "3", "--leave-out", "cola", "-o", "release"]) == 2


def test_people_with_terms_are_stopped_and_trials_are_not():
    has = [frozenset(line.split(",")) for line in [*BASKETS, RARE[0]]]
    people = MixedRecords.from_people({"sex": ["fm"[n % 2] for n in range(len(has))]}, has)
    with pytest.raises(disjoin.InvalidParameter, match=r"Use min_people=N \(publish only terms of N people\)\.$"):
        disjoin.mixed(people, 3, 2, quasi=["sex"])
    assert "gift" not in str(disjoin.mixed(people, 3, 2, quasi=["sex"], min_people=3).published.vocabulary)
    data, method = disjoin.read(has), disjoin.Disassociation(k=3)
    with pytest.raises(disjoin.InvalidParameter, match="column of terms contains"):
        publish(data, method)
    assert publish(data, method, is_trial=True).release.verdict.holds
    assert disjoin.advise(data, k=[3], clusterings=["horpart"]).rows


def test_a_domain_that_is_known_apart_from_the_data_is_not_stopped():
    pytest.importorskip("opendp")
    has = [line.split(",") for line in [*BASKETS, RARE[0]]]
    disjoin.diffpart(has, 100, domain=["bread", "milk", "tea"])
    with pytest.raises(disjoin.InvalidParameter, match="Use leave_out=TERMS"), pytest.warns(UserWarning):
        disjoin.diffpart(has, 100, domain="seen")


def test_rare_terms_become_categories_and_the_verifier_needs_them(here, capsys):
    asked = ["--min-people", "2", "--rare", "category", "--hierarchy", "tree.csv"]
    assert run(["disassociate", "clean.csv", "-k", "2", *asked, "-o", "release"]) == 0
    assert "Replaced: 2 rare terms, 2 occurrences" in " ".join(capsys.readouterr().out.split())
    assert vocabulary() == ["bread", "drink", "honey", "milk", "tea"]
    assert run(["verify", "release", "--original", "clean.csv"]) == 2
    assert "--hierarchy FILE" in capsys.readouterr().err
    assert run(["verify", "release", "--original", "clean.csv", "--hierarchy", "tree.csv"]) == 0
    (here / "flat.csv").write_text("cola;sweet;*\nlemonade;sweet;*\n")
    assert run(["verify", "release", "--original", "clean.csv", "--hierarchy", "flat.csv"]) == 3
    assert "H2" in capsys.readouterr().out


def test_a_plan_has_the_threshold(here):
    plan = '[input]\npath = "baskets.csv"\n[method]\nname = "disassociation"\nk = 3\nmin_people = 2\nrare = "other"\n'
    (here / "plan.toml").write_text(plan + '[output]\npath = "release"\n')
    assert run(["run", "plan.toml"]) == 0
    assert "other" in vocabulary()  # 3 people have one of the rare terms
    stated = json.loads((here / "release" / "datapackage.json").read_text())["disjoin"]["guarantee"]
    assert (stated["min_people"], stated["rare"]) == (2, "other")


def test_a_release_without_threshold_can_be_held_against_one(here, capsys):
    assert run(["disassociate", "clean.csv", "-k", "3", "-o", "release"]) == 0
    assert run(["verify", "release", "--min-people", "2"]) == 0  # listed without counts
    assert run(["verify", "release", "--min-people", "2", "--original", "clean.csv"]) == 3
    assert "2 published terms belong to fewer than 2 people of the original" in " ".join(
        capsys.readouterr().out.split()
    )
    assert run(["verify", "--published", "clean.csv", "--quasi", "a", "--min-people", "2"]) == 2


def test_inspect_lists_what_each_threshold_costs(here, capsys):
    assert run(["inspect", "baskets.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["min_people"][0] == {"people": 5, "terms": 3, "occurrences": 3}
    assert facts["min_people"][-1] == {"people": 50, "terms": 7, "occurrences": 58}
    assert facts["personal_terms"]
    assert run(["inspect", "baskets.csv"]) == 0
    shown = capsys.readouterr().out
    assert "  N =  5           3 of 7 terms, 5.17% of the occurrences" in shown
    assert "it is not published without min_people or leave_out" in " ".join(shown.split())


def test_a_table_counts_people_and_its_rare_values_become_stars(here, capsys):
    rows = [(f"p{n}", str(30 + n % 2), "xy"[n % 2]) for n in range(12)] + [("p1", "30", "rare")] * 5
    (here / "t.csv").write_text("who,age,job\n" + "".join(",".join(row) + "\n" for row in rows))
    asked = ["-k", "2", "--quasi", "age", "--others", "job", "--person", "who", "--min-people", "3"]
    assert run(["generalize", "t.csv", *asked, "-o", "release"]) == 0
    assert "Replaced: 1 rare value in 5 cells." in " ".join(capsys.readouterr().out.split())
    assert set(disjoin.load("release").published.table.column("job").to_pylist()) == {"x", "y", "*"}
    assert run(["verify", "release", "--original", "t.csv", "--identifiers", "who"]) == 0


def test_spark_refuses_a_threshold():
    from disjoin.spark.settings import require_possible

    with pytest.raises(disjoin.InvalidParameter, match="min_people is for one machine"):
        require_possible(disjoin.Disassociation(k=3, min_people=5))


def test_one_person_is_no_threshold(here, capsys):
    assert run(["disassociate", "clean.csv", "-k", "3", "--min-people", "1", "-o", "release"]) == 2
    assert "at least 2, got 1: with 1, nothing is left out." in capsys.readouterr().err


WAYS = (  # the publishing command, and what evaluate needs besides
    (["disassociate", "clean.csv", "-k", "3", "--min-people", "3"], []),
    (["disassociate", "clean.csv", "-k", "2", "--min-people", "2", "--rare", "other"], []),
    (["disassociate", "clean.csv", "-k", "2", "--min-people", "2", "--rare", "category"], ["--hierarchy", "tree.csv"]),
    (["cahd", "clean.csv", "-p", "2", "--sensitive", "honey", "--min-people", "3"], []),
    (["cahd", "clean.csv", "-p", "2", "--sensitive", "honey", "--min-people", "2", "--rare", "other"], []),
    (["generalize-items", "clean.csv", "-k", "3", "--min-people", "3"], []),
    (["generalize-items", "clean.csv", "-k", "2", "--min-people", "2", "--rare", "other"], []),
)


@pytest.mark.parametrize(("publish", "more"), WAYS, ids=lambda words: "-".join(words[:1] + words[-1:]))
def test_a_release_with_a_threshold_is_compared_with_its_original(here, capsys, publish, more):
    """`evaluate` refused these releases: it said that they do not belong to their original."""
    assert run([*publish, *more, "-o", "release"]) == 0
    capsys.readouterr()
    assert run(["evaluate", "release", "--original", "clean.csv", "--json", *more]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert any("left out or replaced 2 of 6 terms, 2 of 56 occurrences" in note for note in facts["notes"])
    assert run(["dossier", "release", "--original", "clean.csv", *more, "-o", "dossier.html"]) == 0


def test_records_of_rare_terms_only_are_counted_with_their_reason(here, capsys):
    """`evaluate` gave at_least = 4 for 1 suppressed record with 1 term, and blamed the strategy."""
    (here / "few.csv").write_text("a,b\n" * 3 + "a,b,x\na,b,y,z\nw\n")
    assert run(["disassociate", "few.csv", "-k", "2", "--min-people", "2", "-o", "release"]) == 0
    capsys.readouterr()
    assert run(["evaluate", "release", "--original", "few.csv", "--measure", "suppressed*", "--json"]) == 0
    records, occurrences = json.loads(capsys.readouterr().out)["measures"]
    assert (records["value"], records["notes"]) == (1, ["They have no term that enough people have."])
    assert occurrences["details"] == {"at_least": 0, "at_most": 0}


def test_a_table_with_a_threshold_is_compared_with_its_original(here, capsys):
    rows = [(f"p{n}", str(30 + n % 2), "xy"[n % 2] if n > 1 else "ab"[n]) for n in range(12)]
    (here / "t.csv").write_text("who,age,job\n" + "".join(",".join(row) + "\n" for row in rows))
    (here / "trees").mkdir()
    (here / "trees" / "job.csv").write_text("a;c;*\nb;c;*\nx;d;*\ny;d;*\n")
    asked = ["-k", "2", "--quasi", "age", "--others", "job", "--person", "who", "--min-people", "2"]
    trees = ["--hierarchies", "trees"]
    assert run(["generalize", "t.csv", *asked, "--rare", "category", *trees, "-o", "release"]) == 0
    assert set(disjoin.load("release").published.table.column("job").to_pylist()) == {"x", "y", "c"}
    assert run(["evaluate", "release", "--original", "t.csv"]) == 2
    assert "--hierarchies FOLDER" in capsys.readouterr().err
    assert run(["evaluate", "release", "--original", "t.csv", *trees]) == 0
    assert "threshold of 2 people: rarer values are replaced in both" in " ".join(capsys.readouterr().out.split())
    assert run(["dossier", "release", "--original", "t.csv", *trees, "-o", "dossier.html"]) == 0


def test_risk_is_shown_for_terms_that_stop_publishing(here):
    """`risk` writes no release, so terms that name people do not stop it."""
    assert run(["risk", "baskets.csv", "-k", "3"]) == 0
