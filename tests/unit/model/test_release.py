from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from disjoin.model import Clusters, KmAnonymity, Release, Verdict, Violation
from disjoin.model.release import SEAL

PROMISE = KmAnonymity(2, 1)
PUBLISHED = Clusters.from_nested(
    [{"size": 3, "record_chunks": [{"subrecords": [["a"], ["a"]]}], "term_chunk": ["b", "c"]}]
)
HOLDS = Verdict(PROMISE, (), ("V1",))
FAILS = Verdict(PROMISE, (Violation("V1", "cluster 0", "too small", ("a",)),), ("V1",))


def sealed() -> Release:
    return Release(PUBLISHED, PROMISE, HOLDS, "disassociation", {"k": 2}, suppressed_records=1, seal=SEAL)


@pytest.mark.parametrize("seal", [None, True, object(), "SEAL"])
def test_a_release_cannot_be_made_without_the_seal(seal: object) -> None:
    with pytest.raises(TypeError, match="certify only"):
        Release(PUBLISHED, PROMISE, HOLDS, "disassociation", seal=seal)


def test_the_seal_is_refused_for_a_verdict_that_does_not_hold() -> None:
    with pytest.raises(TypeError, match="refused"):
        Release(PUBLISHED, PROMISE, FAILS, "disassociation", seal=SEAL)


def test_a_verdict_holds_exactly_when_nothing_is_violated() -> None:
    assert HOLDS.holds
    assert not FAILS.holds
    assert FAILS.to_json() == {
        "holds": False,
        "guarantee": {"type": "km-anonymity", "k": 2, "m": 1},
        "violations": [{"invariant": "V1", "place": "cluster 0", "message": "too small", "example": ["a"]}],
        "checked": ["V1"],
        "facts": {},
    }
    assert str(FAILS.violations[0]) == "V1 at cluster 0: too small (a)"


def test_other_data_cannot_slip_in_under_an_old_seal() -> None:
    with pytest.raises(TypeError, match="certify only"):
        replace(sealed(), published=Clusters.from_nested([]))


def test_the_counts_are_those_of_the_published_data() -> None:
    assert sealed().counts == {"records": 3, "suppressed_records": 1, "terms": 3}


def test_a_release_cannot_be_changed_and_does_not_show_its_seal() -> None:
    release = sealed()
    with pytest.raises(FrozenInstanceError):
        release.published = PUBLISHED  # type: ignore[misc]
    assert "seal" not in repr(release)
