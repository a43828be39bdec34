"""disjoin attack: known terms, sure inference and attacks that are played through, on the screen and as facts."""

from __future__ import annotations

import json

import pytest

import disjoin
from disjoin.attack import sure_inference
from disjoin.attack.sure_inference import SureInference
from disjoin.cli.main import run
from disjoin.model import KmAnonymity

RECORDS = ["flu I10 tea", "flu I10", "flu jam", "flu jam tea"] * 3


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "original.dat").write_text("\n".join(RECORDS) + "\n", encoding="utf-8")
    command = ["disassociate", str(folder / "original.dat"), "-k", "3", "-m", "2", "-o", str(folder / "release")]
    assert run([*command, "--quiet"]) == 0
    return folder


def facts(capsys, *arguments):
    assert run(["attack", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_known_terms_as_facts(release, capsys):
    found = facts(capsys, release / "release", "--known", "I10")
    names = "known possible certain guaranteed is_kept within_guarantee in_parts sentence verdict parts sure learned"
    assert list(found) == names.split()
    assert found["known"] == ["I10"]
    assert found["within_guarantee"] is True
    assert found["certain"] == found["possible"] == sum(each["possible"] for each in found["parts"]) == 6
    assert set(found["parts"][0]) == {"cluster", "size", "certain", "possible", "shared"}
    assert found["sure"] == ["flu"]


def test_more_terms_than_promised_are_outside_the_promise(tmp_path, capsys):
    (tmp_path / "original.dat").write_text("a b c\n" + "a b\na c\nb c\n" * 3, encoding="utf-8")
    command = ["disassociate", str(tmp_path / "original.dat"), "-k", "3", "-m", "2", "-o", str(tmp_path / "release")]
    assert run([*command, "--quiet"]) == 0
    assert facts(capsys, tmp_path / "release", "--known", "a,b")["within_guarantee"] is True
    assert facts(capsys, tmp_path / "release", "--known", "a,b,c")["within_guarantee"] is False


def test_what_the_same_tables_also_hold_for_is_promised_too(tmp_path, capsys):
    (tmp_path / "original.dat").write_text("a b c\n" * 6 + "d e f g\n" * 3, encoding="utf-8")
    command = ["disassociate", str(tmp_path / "original.dat"), "-k", "3", "-m", "1", "-o", str(tmp_path / "release")]
    assert run(command) == 0
    assert "The same tables hold for up to 10 terms" in " ".join(capsys.readouterr().out.split())
    found = facts(capsys, tmp_path / "release", "--known", "d,e,f")
    assert (found["possible"], found["within_guarantee"]) == (3, True)


def test_known_terms_in_words(release, capsys):
    assert run(["attack", str(release / "release"), "--known", "I10"]) == 0
    said = capsys.readouterr().out
    assert "6 records could be this person (guaranteed: at least 3). For all of them it is certain" in said
    assert "Certain of this person: flu." in said
    assert "The guarantee holds." in said


def test_the_possible_records_are_compared_with_the_guarantee_not_the_certain_ones(tmp_path, capsys):
    """U7: "finds 0 to 8 candidates" next to "at least 5 candidates: the promise is kept"."""
    (tmp_path / "original.dat").write_text("a\na b\nb\n" * 4 + "a c\nb d\n" * 3, encoding="utf-8")
    command = ["disassociate", str(tmp_path / "original.dat"), "-k", "4", "-m", "2", "-o", str(tmp_path / "release")]
    assert run([*command, "--quiet"]) == 0
    found = facts(capsys, tmp_path / "release", "--known", "a,c")
    assert found["certain"] < 4 <= found["possible"]
    assert f"{found['possible']} records could be this person (guaranteed: at least 4)." in found["sentence"]
    assert (found["is_kept"], found["verdict"]) == (True, "The guarantee holds.")


def test_known_terms_with_the_original_say_how_many_there_really_are(release, capsys):
    original = ["--original", str(release / "original.dat")]
    assert facts(capsys, release / "release", "--known", "flu,tea", *original)["in_original"] == 6
    assert "in_original" not in facts(capsys, release / "release", "--known", "flu,tea")
    assert run(["attack", str(release / "release"), "--known", "flu,gin", *original]) == 0
    said = capsys.readouterr().out
    assert "Private: " in said
    assert "In the original no records have all of them." in said


def test_a_term_that_is_not_there_finds_nobody(release, capsys):
    assert run(["attack", str(release / "release"), "--known", "gin"]) == 0
    assert "Known: gin. No record of this release can have it." in capsys.readouterr().out


def test_sure_inference_alone_and_with_the_original(release, capsys):
    alone = facts(capsys, release / "release")["sure_inference"]
    exact = facts(capsys, release / "release", "--original", release / "original.dat")["sure_inference"]
    assert (alone["exact"], exact["exact"]) == (False, True)
    assert alone["at_least"] <= exact["concerned"] == 12


def test_the_report_and_the_attack_say_the_same_of_sure_inference(release, capsys):
    attacked = facts(capsys, release / "release")["sure_inference"]
    report = json.loads((release / "release" / "report.json").read_text(encoding="utf-8"))
    reported = report["measures"]["sure_inference"]
    assert reported["value"] == round(attacked["share"], 4)
    assert reported["sample"] is None
    assert attacked["weighed"]
    assert not attacked["sampled"]


def test_where_terms_are_many_some_possible_records_are_drawn_and_both_say_how_many(release, capsys, monkeypatch):
    monkeypatch.setattr(sure_inference, "MOST_SETS_OF_KNOWN", 5)
    found = sure_inference.sure_inference(disjoin.load(release / "release"))
    assert found.is_sampled
    assert found.looked_at == len(RECORDS)
    assert f"{len(RECORDS)} possible records drawn by chance" in found.sentence()
    share = sure_inference.expected_share(disjoin.load(release / "release").published, KmAnonymity(3, 2))
    assert (share.looked_at, share.found, share) == (found.looked_at, found.found, found.share)


def test_all_possible_records_are_weighed_where_that_can_be_done():
    weighed = SureInference(1000, 0, 0, 4, 2, False, None, 0.0831)
    assert weighed.sentence() == (
        "For about 8.3% of the records, 2 known terms reveal a further term with certainty (over all possible records, "
        "by their chances). The release alone proves it for 0.4% of the records."
    )
    nothing = SureInference(1000, 0, 0, 0, 2, False, None, 0.0)
    assert nothing.sentence() == "In no possible record, 2 known terms can reveal a further term with certainty."


def test_where_nothing_was_found_it_does_not_say_zero():
    found = SureInference(1000, 300, 0, 0, 2, False, None)
    assert found.sentence() == (
        "No record was found for which 2 known terms reveal a further term with certainty (at most 1.3%; 300 possible "
        "records drawn by chance). The release alone proves it for none."
    )


def test_attacks_are_played_through(release, capsys):
    found = facts(
        capsys, release / "release", "--original", release / "original.dat", "--simulate", 50, "--known-terms", 2
    )
    assert (found["draws"], found["terms"], found["k"]) == (50, 2, 3)
    assert found["interval"][0] <= found["share"] <= found["interval"][1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--simulate", "5"], "add --original FILE"),
        (["--known-terms", "5"], "add --simulate N"),
        (["--simulate", "5", "--known", "tea", "--original", "x"], "choose one of"),
        (["--simulate", "5", "--with", "y", "--original", "x"], "choose one of"),
        (["--relatedness", "x.csv"], "add --original FILE"),
        (["--known", "tea", "--records", "2"], "leave the other options out"),
        (["--records", "0"], "records must be a whole number of at least 1"),
    ],
)
def test_what_does_not_go_together_is_refused(release, capsys, arguments, message):
    assert run(["attack", str(release / "release"), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_all_attackers_who_need_nothing_more_try(release, capsys):
    found = facts(capsys, release / "release")
    assert list(found) == ["sure_inference", "elimination", "minimality"]
    assert found["elimination"]["known"] == 1
    assert run(["attack", str(release / "release"), "--records", "2"]) == 0
    said = capsys.readouterr().out
    assert "Certain inference: For about" in said
    assert "Knowledge of whole records: " in said
    assert "Knowledge of the algorithm (minimality): " in said


def test_with_the_original_all_attackers_try(release, capsys, tmp_path):
    table = tmp_path / "related.csv"
    table.write_text("term,other,weight\nI10,tea,1\n", encoding="utf-8")
    command = [release / "release", "--original", release / "original.dat"]
    found = facts(capsys, *command, "--relatedness", table)
    assert list(found) == ["sure_inference", "elimination", "minimality", "semantic", "simulated"]
    assert found["semantic"]["relatedness"] == "table"
    assert run(["attack", *map(str, command)]) == 0
    assert capsys.readouterr().out.startswith("Private: ")


def test_an_attacker_who_is_not_defined_is_told_and_has_no_facts(release, capsys):
    command = ["disassociate", str(release / "original.dat"), "-k", "3", "--clustering", "core"]
    assert run([*command, "-o", str(release / "core"), "--quiet"]) == 0
    assert facts(capsys, release / "core")["minimality"] is None
    assert run(["attack", str(release / "core")]) == 0
    assert "Knowledge of the algorithm (minimality): not computed: this attack is defined" in capsys.readouterr().out


def test_two_releases_are_read_together(release, capsys):
    command = ["disassociate", str(release / "original.dat"), "-k", "6", "-m", "2", "-o", str(release / "second")]
    assert run([*command, "--quiet"]) == 0
    both = [release / "release", "--with", release / "second"]
    assert set(facts(capsys, *both)["composition"]) >= {"told", "whole", "below", "more"}
    assert facts(capsys, *both, "--known", "I10")["sure"] == ["flu"]
    assert run(["attack", *map(str, both), "--known", "I10"]) == 0
    assert "of a person who is in both releases" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["a,b", "a,b,many", "a,b,-1", "a,b,c,1"])
def test_a_table_of_relatedness_has_two_terms_and_a_number(release, capsys, tmp_path, line):
    table = tmp_path / "related.csv"
    table.write_text(f"a,b,1\n{line}\n", encoding="utf-8")
    command = [release / "release", "--original", release / "original.dat", "--relatedness", table]
    assert run(["attack", *map(str, command)]) == 2
    assert "line 2: expected two terms and a number of at least 0" in capsys.readouterr().err
