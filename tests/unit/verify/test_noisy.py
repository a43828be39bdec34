"""Noisy records: their form is judged, and nobody pretends that more was seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disjoin import pipeline
from disjoin.cli.verify import tell
from disjoin.errors import InvalidParameter
from disjoin.model import Bag, DifferentialPrivacy, KmAnonymity, NoisyRecords, Transactions, Violation
from disjoin.text import BY_CONSTRUCTION
from disjoin.verify import certify, check
from disjoin.verify.noisy import unseen
from oracle.item_inspection import Items
from unit.verify.generalised_items import bag_of

PROMISE = DifferentialPrivacy(1)
SOUND = NoisyRecords(Bag.from_rows([(["milk"], 3), (["milk", "tea"], 12)]))


def listed(*rows: tuple[list[str], int], **others: Any) -> NoisyRecords:
    return NoisyRecords(bag_of(Items(list(rows), [], {}, **others)))


PLANTED = {
    # a name and what happened: the broken records, and the only invariant that may complain
    "N1 a row that stands for none": (listed((["milk"], 0)), {"N1"}),
    "N1 an empty row": (listed(([], 2), (["milk"], 1)), {"N1"}),
    "N1 a row listed twice": (listed((["milk"], 2), (["milk"], 1)), {"N1"}),
    "N1 a term twice in a row": (listed((["milk", "milk"], 2)), {"N1"}),
    "N1 a term without a name": (listed((["", "milk"], 2)), {"N1"}),
    "N1 offsets that do not fit": (NoisyRecords(Bag(["milk"], [0, 9], [0], [1])), {"N1"}),
    "N2 terms of a row": (listed((["tea", "milk"], 2)), {"N2"}),
    "N2 rows": (listed((["tea"], 2), (["milk"], 2)), {"N2"}),
    "N2 the vocabulary": (listed((["milk", "tea"][::-1], 2), is_vocabulary_reversed=True), {"N2"}),
    "N2 a term that no row has": (listed((["milk"], 2), extra=["tea"]), {"N2"}),
}


@pytest.mark.parametrize(("noisy", "expected"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_violation_is_refused_by_its_name(noisy: NoisyRecords, expected: set[str]) -> None:
    violations = check(noisy, PROMISE).violations
    assert {violation.invariant for violation in violations} == expected
    assert all(violation.message.endswith(".") for violation in violations)


def test_records_that_cannot_be_read_are_not_said_to_be_checked_further() -> None:
    assert check(NoisyRecords(Bag(["milk"], [0, 9], [0], [1])), PROMISE).checked == ("N1",)
    assert check(SOUND, PROMISE).checked == ("N1", "N2", "N3", "N4")


def test_an_exact_number_about_the_original_is_refused() -> None:
    assert {violation.invariant for violation in check(SOUND, PROMISE, suppressed_records=5).violations} == {"N3"}


def test_no_record_at_all_may_be_chance() -> None:
    assert check(NoisyRecords(Bag.from_rows([])), PROMISE).holds


def test_what_a_reader_saw_is_in_the_verdict() -> None:
    odd = Violation("N1", "records.parquet", "it has a column more.")
    assert check(replace(SOUND, anomalies=(odd,)), PROMISE).violations == (odd,)


def test_nothing_is_compared_with_the_original_and_the_verdict_says_so() -> None:
    verdict = check(SOUND, PROMISE, original=Transactions.from_sets([{"rye"}]))
    assert verdict.holds
    assert verdict.checked == ("N1", "N2", "N3", "N4")
    assert verdict.facts == {"by_construction": True, "compared": False}
    assert verdict == pipeline.verify(SOUND, original=[{"rye"}], guarantee=PROMISE)


def test_that_only_the_form_was_inspected_is_part_of_a_release_and_that_somebody_had_the_original_is_not() -> None:
    data = Transactions.from_sets([{"rye"}])
    release = certify(SOUND, PROMISE, method="by hand", parameters={}, original=data)
    assert release.verdict.facts == {"by_construction": True}


def test_a_release_that_states_less_than_what_is_asked_for_is_refused() -> None:
    seen, given = DifferentialPrivacy(1, "seen"), DifferentialPrivacy(1)
    [violation] = check(SOUND, given, stated=seen).violations
    assert (violation.invariant, "taken from the data" in violation.message) == ("N4", True)
    [violation] = check(SOUND, DifferentialPrivacy("1/2"), stated=given).violations
    assert str(violation) == "N4 at the release: it states an epsilon of 1, but at most 1/2 is wanted."
    assert check(SOUND, DifferentialPrivacy(2), stated=given).holds
    assert check(SOUND, given, stated=given).holds


def test_terms_seen_are_accepted_for_what_they_claim_and_asked_for_the_proof_by_whoever_verifies() -> None:
    seen = DifferentialPrivacy(1, "seen")
    release = certify(SOUND, seen, method="by hand", parameters={})
    assert release.verdict.facts == {"by_construction": True, "unproven": {"N4": 1}}
    verdict = pipeline.verify(release)
    assert {violation.invariant for violation in verdict.violations} == {"N4"}
    assert verdict.facts["stated"] == seen.to_json()
    assert pipeline.verify(release, guarantee=seen).holds


def test_what_is_asked_must_make_sense_of_noise() -> None:
    data: Any = Transactions.from_sets([{"rye"}])
    with pytest.raises(InvalidParameter, match="cannot show"):
        check(SOUND, PROMISE, original=data, exact=True)
    with pytest.raises(InvalidParameter, match="leave part_of_record out"):
        check(SOUND, PROMISE, original=data, part_of_record=np.array([0]))
    with pytest.raises(InvalidParameter, match="a release of noisy needs a DifferentialPrivacy"):
        check(SOUND, KmAnonymity(2, 2))


def test_the_screen_does_not_say_that_the_promise_holds(capsys: pytest.CaptureFixture[str]) -> None:
    tell(check(SOUND, PROMISE, original=Transactions.from_sets([{"rye"}])))
    said = capsys.readouterr().out
    assert said.startswith("Its form is right. Guaranteed by construction: Whether any one record")
    assert "guarantee holds" not in said
    assert BY_CONSTRUCTION in said
    assert "Not compared with the original" in said


def test_the_screen_says_that_the_form_is_broken_and_not_the_promise(capsys: pytest.CaptureFixture[str]) -> None:
    tell(check(listed((["tea"], 2), (["milk"], 2)), PROMISE))
    said = capsys.readouterr().out
    assert said.startswith("Its form is not right.")
    assert "does not hold" not in said


def test_what_was_not_looked_at_is_told_and_nothing_else() -> None:
    compared = check(SOUND, PROMISE, original=Transactions.from_sets(["a"]))
    assert unseen(check(SOUND, PROMISE)) == [BY_CONSTRUCTION]
    assert [words[:12] for words in unseen(compared)] == [BY_CONSTRUCTION[:12], "Not compared"]
    less = check(SOUND, PROMISE, stated=DifferentialPrivacy(2))
    assert unseen(less) == []
    assert unseen(replace(compared, facts={})) == []
