"""`disjoin attack` and the dossier on groups: how often correlation names an owner of a sensitive item (P5)."""

import json

import pytest

import disjoin
from disjoin.cli.main import run

RECORDS = ([["herbs", "salt", "pills"]] + [["salt", "soap"]] * 4) * 12 + [["bread", "soap"]] * 60


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text("\n".join(",".join(terms) for terms in RECORDS) + "\n")
    disjoin.cahd(disjoin.read("baskets.csv"), p=4, sensitive=["pills"]).write("groups")
    return tmp_path


def facts(capsys, *arguments):
    capsys.readouterr()
    assert run(["attack", "groups", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)["definetti"]


def test_without_the_original_the_attacker_has_a_confidence_and_with_it_right_guesses(place, capsys):
    alone, counted = facts(capsys), facts(capsys, "--original", "baskets.csv")
    assert alone["right"] is None
    assert alone["expected"] > alone["random"]
    assert {**counted, "right": None, "right_surest": None} == alone
    assert counted["right"] == 1.0
    assert counted["random"] <= 0.25


def test_in_words_the_screen_is_private_only_with_the_original(place, capsys):
    capsys.readouterr()
    assert run(["attack", "groups"]) == 0
    alone = " ".join(capsys.readouterr().out.split())
    assert alone.startswith("DeFinetti attack: An attacker who learns from the release")
    assert run(["attack", "groups", "--original", "baskets.csv"]) == 0
    counted = " ".join(capsys.readouterr().out.split())
    assert counted.startswith("Private: ")
    assert "names an owner correctly in 100.0% of the groups" in counted


def test_other_data_and_options_for_clusters_are_told_in_one_sentence(place, capsys):
    (place / "other.csv").write_text("salt,soap\nherbs\n")
    assert run(["attack", "groups", "--original", "other.csv"]) == 0
    assert "not computed: the original's records have other ordinary items" in " ".join(capsys.readouterr().out.split())
    assert run(["attack", "groups", "--records", "2"]) == 2
    assert "are for clusters, and this release has groups" in " ".join(capsys.readouterr().err.split())


def test_known_items_report_the_share_of_a_group_and_no_bound_on_the_chance(place, capsys):
    """The share is what is guaranteed; the deFinetti attack exceeds it."""
    assert run(["attack", "groups", "--known", "herbs"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "of a group's records (guaranteed: at most 1 in 4). Chances assume that all records of a group are" in said
    assert "correlation with ordinary items is not hidden" in said
    assert "chance of at most" not in said


def test_terms_of_too_few_people_that_are_left_out_do_not_stop_the_attack(place, capsys):
    (place / "more.csv").write_text(
        "\n".join(",".join(terms) for terms in [*RECORDS[1:], [*RECORDS[0], "rare"]]) + "\n"
    )
    disjoin.cahd(disjoin.read("more.csv"), p=4, sensitive=["pills"], min_people=3).write("fewer")
    capsys.readouterr()
    assert run(["attack", "fewer", "--original", "more.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["definetti"]["right"] == 1.0


def test_the_dossier_of_groups_has_the_figures(place):
    assert run(["dossier", "groups", "--original", "baskets.csv", "-o", "dossier.html", "-q"]) == 0
    page = (place / "dossier.html").read_text(encoding="utf-8")
    assert "What remains learnable?" in page
    assert "names an owner correctly in 100.0% of the groups" in page
