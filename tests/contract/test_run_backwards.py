"""An attacker who knows the algorithm may find fewer candidates (minimality attack); every release states this."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import log2
from pathlib import Path

import pytest

import disjoin
from disjoin.methods.disassociation.choices import candidates
from disjoin.model import KmAnonymity, PrivacyDegree
from helpers.releases import figure_3, sealed
from oracle import inverse
from oracle.disassociation import publish

ROOT = Path(__file__).parent.parent.parent
TINY = (("a",), ("a", "b"), ("b",), ("t",))
LARGER = (("a",), ("a", "b"), ("a", "b"), ("b",), ("t",))


def by_twin(dataset: inverse.Dataset, k: int, clustering: str):
    assert clustering == "horpart"
    return publish([list(record) for record in dataset], k, 2, 30, "remaining")


def by_program(dataset: inverse.Dataset, k: int, clustering: str):
    return disjoin.disassociate([set(record) for record in dataset], k, 2, clustering=clustering).published.to_nested()


@pytest.mark.parametrize(
    ("run", "original", "k", "clustering"),
    [
        (by_twin, TINY, 2, "horpart"),
        (by_twin, LARGER, 3, "horpart"),
        (by_program, TINY, 2, "horpart"),
        (by_program, TINY, 2, "core"),
    ],
)
def test_whoever_runs_the_program_backwards_finds_fewer_than_k_candidates(run, original, k, clustering):
    trees = run(original, k, clustering)
    possible = inverse.reconstructions(trees)
    origins = inverse.origins(trees, lambda dataset: run(dataset, k, clustering))
    assert original in origins < possible
    assert not inverse.too_few(original, possible, k, 2)  # the promise: by the published data alone there are k
    assert inverse.too_few(original, origins, k, 2)  # and this is whom it does not cover


def test_what_the_choice_of_auto_tells_is_no_more_than_the_entropy_of_the_choice():
    """All originals of five records over two terms: which are left with the rule of `auto`, and without it?"""
    universe = list(combinations_with_replacement([("a",), ("a", "b"), ("b",)], 5))
    auto = {original: published_by(original, "auto") for original in universe}
    ways = {clustering for clustering, _ in auto.values()}
    assert len(ways) > 1, "there is a choice"
    by_way = {way: {original: published_by(original, way)[1] for original in universe} for way in ways}
    told = 0.0
    for original, (way, trees) in auto.items():
        asked_for = {other for other in universe if by_way[way][other] == trees}
        chosen = {other for other in asked_for if auto[other][0] == way}
        assert original in chosen <= asked_for <= inverse.reconstructions(trees)
        told += log2(len(asked_for) / len(chosen)) / len(universe)
    wins = Counter(way for way, _ in auto.values())
    entropy = sum(won / len(universe) * log2(len(universe) / won) for won in wins.values())
    assert 0 < told <= entropy <= log2(1 + len(candidates()))


def published_by(original: inverse.Dataset, clustering: str):
    """Return the clustering that a release names, and its trees."""
    release = disjoin.disassociate([set(record) for record in original], 2, 2, clustering=clustering)
    return release.parameters.get("clustering", "horpart"), release.published.to_nested()


GUARANTEES = (ROOT / "docs/explanation/guarantees.md").read_text(encoding="utf-8")


def test_the_page_of_guarantees_states_the_limit_once_with_the_measured_shares():
    [section] = [
        part for part in GUARANTEES.split("\n### ") if part.startswith("An attacker who knows the algorithm\n")
    ]
    for share in ("72 %", "93 %", "0.1 %", "0.3 %"):
        assert share in section
    assert "minimality attack" in section


@pytest.mark.parametrize("guarantee", [KmAnonymity(5, 2), KmAnonymity(5, 2, proven=False)])
def test_the_sentence_of_a_guarantee_names_what_the_attacker_knows(guarantee):
    assert "n attacker who knows up to 2 terms of a record" in guarantee.sentence().split(". ")[0]


def test_the_sentence_of_groups_leaves_out_correlation_and_whoever_knows_the_algorithm():
    """Finding P5: the sentence once stated a chance of at most 1 in p, which the deFinetti attack exceeds."""
    sentence = PrivacyDegree(10).sentence()
    assert "at most 1 in 10 records has the same sensitive item" in sentence
    assert "Correlation with ordinary items is not hidden" in sentence
    assert "knows the algorithm" in sentence
    assert "chance of at most" not in sentence
    section = GUARANTEES.split("### Groups (CAHD)\n", 1)[1].split("\n### ")[0]
    assert "Correlation with ordinary items is not hidden" in section
    assert "](attacks.md#definetti-attack)" in section


def test_a_release_names_the_minimality_attack_among_its_limits(tmp_path):
    release = sealed(figure_3())
    release.write(tmp_path / "release")
    readme, report = (
        (tmp_path / "release" / name).read_text(encoding="utf-8") for name in ("README.md", "report.html")
    )
    assert "minimality attack" in readme.split("## Limits\n\n")[1].split("\n## ")[0]
    for text in (readme, report):
        assert "An attacker who knows the algorithm (minimality attack)" in text
        assert "72% to 93%" in text
