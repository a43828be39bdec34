"""A promise about large sets of terms takes no more steps than stated: then it is neither kept nor broken."""

from __future__ import annotations

import numpy as np
import pytest

import disjoin
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity
from disjoin.verify import check
from disjoin.verify.counting import itemsets

PROMISE = KmAnonymity(2, 5)


def dense(rows: int = 200, terms: int = 12, share: float = 0.9) -> Clusters:
    """Return one cluster with one chunk of random rows, each of which has most of the terms."""
    drawn = np.random.default_rng(1).random((rows, terms)) < share
    subrecords = sorted([f"t{term:02}" for term in np.flatnonzero(row)] for row in drawn)
    return Clusters.from_nested([{"size": rows, "record_chunks": [{"subrecords": subrecords}], "term_chunk": ["z"]}])


def limited(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    search = itemsets.search
    monkeypatch.setattr(itemsets, "search", lambda *given, **more: search(*given[:5], most, **more))


def test_what_takes_too_many_steps_is_undecided_and_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(dense(), PROMISE).holds
    limited(monkeypatch, 100)
    with pytest.raises(InvalidParameter, match=r"cannot be decided .* up to 5 terms .* Use a smaller m") as refused:
        check(dense(), PROMISE)
    assert refused.value.exit_code == 2
    assert check(dense(), KmAnonymity(2, 1)).holds


def test_a_breach_that_was_met_before_is_a_breach(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 5_000)
    assert "V5" in {violation.invariant for violation in check(dense(), KmAnonymity(190, 5)).violations}


def test_generalised_items_are_undecided_too(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"], ["b", "c", "d"]] * 3
    release = disjoin.disassociate(records, k=2, m=2)
    assert release.verdict.holds
    limited(monkeypatch, 0)
    with pytest.raises(InvalidParameter, match="cannot be decided"):
        disjoin.generalize_items(records, k=2, m=2)


def test_the_search_comes_back_to_python_between_steps_and_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, calls, look = check(dense(), KmAnonymity(120, 5)), [], itemsets.rare_itemsets

    def counted(*given: object) -> None:
        look(*given)  # type: ignore[arg-type]
        calls.append(given)

    monkeypatch.setattr(itemsets, "rare_itemsets", counted)
    monkeypatch.setattr(itemsets, "BREATH", 500)
    assert check(dense(), KmAnonymity(120, 5)).violations == whole.violations
    assert len(calls) > 10
