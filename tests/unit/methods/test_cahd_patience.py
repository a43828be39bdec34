"""The order aat compares records with one another; what will take long is told before the work."""

from __future__ import annotations

import numpy as np
import pytest

from disjoin.methods.cahd import Cahd
from disjoin.methods.cahd.cuthill_mckee import MOST_MEETINGS, slow_note
from disjoin.model import Transactions

BASKETS = Transactions.from_sets([["bread", "milk"]] * 9 + [["bread", "pills"]])


@pytest.mark.parametrize(("order", "is_told"), [("aat", True), ("bipartite", False)])
def test_only_the_order_that_compares_records_is_said_to_take_long(
    order: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disjoin.methods.cahd.cuthill_mckee.PATIENCE", 0)
    notes = Cahd(p=2, sensitive=("pills",), order=order).warnings(BASKETS)
    pairs = 10**2 + 9**2  # of records with bread, and with milk; nobody meets in what is sensitive
    assert any(f"visits {pairs} pairs" in note for note in notes) is is_told


def test_nobody_is_told_of_what_takes_seconds_or_is_refused() -> None:
    assert not slow_note(np.array([10_000]))
    assert not slow_note(np.array([int(MOST_MEETINGS**0.5) + 1]))
    assert "about 50 seconds" in slow_note(np.array([int(MOST_MEETINGS**0.5)]))
