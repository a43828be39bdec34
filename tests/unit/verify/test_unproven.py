"""A guarantee that says it is not proven: what is then forgiven, what is not, and that a reader still gets a no."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import NotAnonymous
from disjoin.model import Clusters, KmAnonymity, Release, Transactions, Verdict
from disjoin.report.facts import facts_of
from disjoin.verify import certify, check
from disjoin.verify.clusters import reconstructions
from helpers.hypothesis_profile import examples
from helpers.tampering import compared
from oracle.inspection import canonical, violated
from oracle.refinement import refine_and_trace
from unit.verify.forests import any_forest, joint, leaf, seeded, strong_forest

PAPERS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent.parent / "golden" / "papers.json").read_text(encoding="utf-8")
)
CE2, CE3 = PAPERS["refine_filler_counterexample"], PAPERS["refine_property1_counterexample"]
UNPROVEN = KmAnonymity(2, 2, proven=False)
SETTINGS: dict[str, Any] = {"method": "disassociation", "parameters": {"k": 2, "m": 2, "refine_mode": "paper"}}
SOUND = Clusters.from_nested([leaf(3, [{"a": 3}], "t")])


def refined(case: dict[str, Any]) -> tuple[Clusters, Transactions, np.ndarray[Any, Any]]:
    trees, leaves = refine_and_trace(case["clusters"], 2, 2, mode="paper")
    records = Transactions.from_sets(record for cluster in case["clusters"] for record in cluster)
    return Clusters.from_nested(trees), records, np.array(leaves)


def found(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def a_release(case: dict[str, Any]) -> Release:
    return certify(refined(case)[0], UNPROVEN, **SETTINGS)


@examples(150)
@given(seeded(any_forest) | seeded(lambda random: strong_forest(random, 2, daring=True)), st.integers(1, 3))
def test_only_v7_and_v9_are_forgiven_and_they_are_counted(trees: Any, m: int) -> None:
    published = Clusters.from_nested(trees)
    strict, lenient = check(published, KmAnonymity(2, m)), check(published, KmAnonymity(2, m, proven=False))
    assert [v for v in strict.violations if v.invariant not in ("V7", "V9")] == list(lenient.violations)
    assert lenient.checked == strict.checked
    assert "unproven" not in strict.facts
    missing = lenient.facts["unproven"]
    for name in ("V7", "V9"):
        assert missing[name] == sum(v.invariant == name for v in strict.violations)
        assert (missing[name] > 0) == (name in violated(trees, 2, m))
    assert missing["V10"] == 0


@pytest.mark.parametrize(("case", "broken"), [(CE2, {"V7": 2, "V9": 0, "V10": 0}), (CE3, {"V7": 0, "V9": 1, "V10": 0})])
def test_what_the_papers_refine_makes_becomes_a_release_that_says_it_is_not_proven(case: Any, broken: Any) -> None:
    release = a_release(case)
    assert release.guarantee == UNPROVEN
    assert release.verdict.facts["unproven"] == broken
    assert release.guarantee.sentence().startswith("Not proven: ")


@pytest.mark.parametrize("case", [CE2, CE3])
def test_on_tiny_data_the_guarantee_itself_is_tried_and_what_fails_is_refused(case: Any) -> None:
    published, records, leaves = refined(case)
    with pytest.raises(NotAnonymous, match="G1") as caught:
        certify(published, UNPROVEN, **SETTINGS, original=records, part_of_record=leaves)
    assert found(caught.value.verdict) == {"G1"}
    shown = {v.example for v in caught.value.verdict.violations}
    assert tuple(case["violating_itemset"]) in shown


def test_agreement_with_the_original_is_still_asked_for() -> None:
    published, records, leaves = refined(CE2)
    others = Transactions.from_sets([*records.to_sets()[:-1], {"d", "t"}])
    verdict = check(published, UNPROVEN, original=others, part_of_record=leaves, exact=False)
    assert {"O3"} <= found(verdict) <= {"O1", "O2", "O3", "O4", "O5", "O6"}


def test_without_the_map_the_bound_for_any_mode_is_used() -> None:
    published, records, _ = refined(CE3)
    verdict = check(published, UNPROVEN, original=records, exact=False)
    assert "O7" in verdict.checked
    assert verdict.holds


def test_a_broken_table_is_not_said_to_miss_nothing() -> None:
    damaged = replace(SOUND, parents=np.array([7]))
    verdict = check(damaged, UNPROVEN)
    assert found(verdict) == {"V1"}
    assert "unproven" not in verdict.facts


def test_trees_that_are_too_large_to_decide_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconstructions, "MOST_LINKS", 0)
    release = a_release(CE3)
    assert "V10" not in release.verdict.checked
    assert release.verdict.facts["unproven"]["V10"] == 1
    assert "V10" not in facts_of(release).verdict["checked"]


def test_a_release_that_cannot_be_put_together_is_refused() -> None:
    tree = joint([leaf(2, [{"a": 2}]), leaf(2, [{"a": 2}])], [{"a": 2}])
    with pytest.raises(NotAnonymous, match="V10"):
        certify(Clusters.from_nested(canonical([tree])), UNPROVEN, **SETTINGS)


# ------------------------------------------------------------------ the folder


@pytest.mark.parametrize(("case", "missing"), [(CE2, {"V7"}), (CE3, {"V9"})])
def test_a_reader_asks_for_the_proof_whatever_the_release_states(case: Any, missing: set[str], tmp_path: Path) -> None:
    release = a_release(case)
    path = release.write(tmp_path / "release")
    for thing in (release, path):
        verdict = disjoin.verify(thing)
        assert found(verdict) == missing
        assert verdict.guarantee == KmAnonymity(2, 2)
        assert verdict.facts["stated"] == {"type": "km-anonymity", "k": 2, "m": 2, "proven": False}
        assert disjoin.verify(thing, guarantee=UNPROVEN).holds
    assert compared(path).violations == ()


def test_a_loaded_release_is_as_unproven_as_it_was_and_tells_the_same_facts(tmp_path: Path) -> None:
    release = a_release(CE3)
    again = disjoin.load(release.write(tmp_path / "release"))
    assert again.guarantee == UNPROVEN
    assert again.verdict.facts == release.verdict.facts
    assert facts_of(again) == facts_of(release)


def test_a_release_that_claims_less_than_it_keeps_holds_for_the_reader(tmp_path: Path) -> None:
    path = certify(SOUND, UNPROVEN, **SETTINGS).write(tmp_path / "release")
    verdict = disjoin.verify(path)
    assert verdict.holds
    assert verdict.facts["stated"]["proven"] is False
    assert not disjoin.load(path).guarantee.proven  # type: ignore[attr-defined]


def test_a_folder_that_claims_a_proof_it_does_not_have_is_refused(tmp_path: Path) -> None:
    path = a_release(CE2).write(tmp_path / "release")
    package = path / "datapackage.json"
    stated = json.loads(package.read_text(encoding="utf-8"))
    del stated["disjoin"]["guarantee"]["proven"]
    package.write_text(json.dumps(stated), encoding="utf-8")
    with pytest.raises(NotAnonymous, match="V7"):
        disjoin.load(path)
    assert "V7" in found(disjoin.verify(path))
