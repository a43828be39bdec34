"""O7 takes a limited time, says how far it came, and none of that reaches a release."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

import pytest

from disjoin.cli.verify import tell
from disjoin.model import Clusters, KmAnonymity, Transactions, Verdict
from disjoin.report.documents import documents_of
from disjoin.verify import checking, judge
from disjoin.verify.clusters import support_bounds
from disjoin.verify.clusters.inspection import INSPECTION, inspect_clusters, unseen
from disjoin.verify.inspection import Known
from oracle.inspection import canonical
from unit.verify.forests import leaf

PROMISE = KmAnonymity(2, 2)
TERMS = "abcdefghij"
RECORDS = [list(TERMS), list(TERMS)]
RELEASE = Clusters.from_nested(canonical([leaf(2, [{TERMS: 2}], "")]))
ALL_SETS = 10 + 45 + 120  # of one, two and three of ten terms


def slow(seconds: float) -> Callable[[], float]:
    """Return a clock on which that many seconds pass between two looks."""
    return partial(next, count(0.0, seconds))


def inspected(clock: Callable[[], float], release: Clusters = RELEASE) -> Verdict:
    return inspect_clusters(release, PROMISE, Known(Transactions.from_sets(RECORDS), clock=clock))


def test_with_time_enough_all_itemsets_are_tried() -> None:
    verdict = inspected(slow(0.0))
    assert verdict.facts["O7"] == {"itemsets": ALL_SETS, "of": ALL_SETS}
    assert unseen(verdict) == []


def test_when_time_is_up_no_more_itemsets_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_bounds, "BLOCK", 5)
    verdict = inspected(slow(support_bounds.SECONDS / 2))
    assert verdict.facts["O7"] == {"itemsets": 2 * 3 * 5, "of": ALL_SETS, "stopped_after": support_bounds.SECONDS}
    assert "O7" in verdict.checked


def test_even_without_any_time_a_few_of_each_size_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_bounds, "BLOCK", 2)
    assert inspected(slow(1e9)).facts["O7"]["itemsets"] == 3 * 2


def test_what_was_not_looked_at_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(support_bounds, "BLOCK", 2)
    monkeypatch.setattr(support_bounds, "SECONDS", 0.5)
    verdict = inspected(slow(1e9))
    said = "O7 checked 6 of 175 sets of up to three terms, stopped after 0.5 seconds; the others were not checked."
    assert unseen(verdict) == [said]
    tell(verdict)
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_sample_that_was_tried_to_its_end_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_bounds, "MOST_ITEMSETS", 20)
    verdict = inspected(slow(0.0))
    tried = verdict.facts["O7"]["itemsets"]
    assert 10 < tried < ALL_SETS
    assert unseen(verdict) == [f"O7 checked {tried} of 175 sets of up to three terms; the others were not checked."]


def test_what_is_wrong_is_found_among_the_first_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_bounds, "BLOCK", 1)
    halves = Clusters.from_nested(canonical([leaf(2, [{"abcde": 2}, {"fghij": 1}], "")]))
    assert {violation.invariant for violation in inspected(slow(1e9), halves).violations} >= {"O7"}


def test_how_far_it_came_is_no_part_of_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that depends on the machine may shape a release."""
    monkeypatch.setattr(support_bounds, "BLOCK", 1)
    releases = []
    for clock in (slow(0.0), slow(1e9)):
        monkeypatch.setattr(checking, "Known", partial(Known, clock=clock))
        verdict, release = judge(RELEASE, PROMISE, method="x", parameters={}, original=Transactions.from_sets(RECORDS))
        assert ("stopped_after" in verdict.facts["O7"]) == (clock() > 1e9)
        assert release is not None
        releases.append(release)
    one, other = releases
    assert documents_of(one) == documents_of(other)
    assert "O7" not in one.verdict.facts and "O7" not in INSPECTION.public_facts
