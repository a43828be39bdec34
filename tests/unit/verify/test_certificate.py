"""A release is what the inspector has accepted, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.verify import certify, check, with_stronger_guarantees
from disjoin.verify.clusters import reconstructions
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf

SOUND = Clusters.from_nested([leaf(3, [{"a": 3}], "t")])
ROTTEN = Clusters.from_nested([leaf(1, [{"a": 1, "b": 1}], "t") for _ in range(2)])


def test_what_holds_becomes_a_release() -> None:
    release = certify(SOUND, KmAnonymity(2, 2), method="by hand", parameters={"k": 2}, suppressed_records=4)
    assert release.published is SOUND
    assert release.verdict.holds
    assert (release.method, release.parameters, release.suppressed_records) == ("by hand", {"k": 2}, 4)


def test_what_does_not_hold_becomes_an_error_that_carries_the_verdict() -> None:
    with pytest.raises(NotAnonymous, match=r"V2 at cluster 0, chunk 0.*and \d+ more") as caught:
        certify(ROTTEN, KmAnonymity(2, 2), method="by hand", parameters={})
    assert caught.value.verdict.violations == check(ROTTEN, KmAnonymity(2, 2)).violations


def test_a_single_violation_is_not_spoken_of_as_many() -> None:
    with pytest.raises(NotAnonymous, match=r"found 1 violation, so nothing is released: V6"):
        certify(Clusters.from_nested([leaf(2, [], "t")]), KmAnonymity(3, 2), method="by hand", parameters={})


def test_the_original_is_compared_when_it_is_given() -> None:
    data = Transactions.from_sets(["a", "a", "at"])
    leaves = np.zeros(3, dtype=np.int64)
    facts: Any = {"method": "by hand", "parameters": {}, "original": data}
    assert "O5" in certify(SOUND, KmAnonymity(2, 2), part_of_record=leaves, **facts).verdict.checked
    with pytest.raises(NotAnonymous, match="O1"):
        certify(SOUND, KmAnonymity(2, 2), part_of_record=leaves, suppressed_records=1, **facts)


def test_there_is_no_other_way_to_a_release() -> None:
    verdict = check(SOUND, KmAnonymity(2, 2))
    with pytest.raises(TypeError, match="certify only"):
        Release(SOUND, KmAnonymity(2, 2), verdict, "by hand")


def test_the_exact_check_refuses_what_is_not_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconstructions, "MOST_VARIABLES", 5)
    tree = joint([leaf(2, [{"a": 2}], "t"), leaf(2, [{"b": 2}], "t")], [{"s": 2}])
    data = Transactions.from_sets(["as", "at", "bs", "bt"])
    with pytest.raises(InvalidParameter, match="tiny data"):
        check(Clusters.from_nested(canonical([tree])), KmAnonymity(2, 2), original=data, exact=True)


def test_the_exact_check_must_know_who_was_suppressed() -> None:
    data = Transactions.from_sets(["a", "a", "at", "b"])
    with pytest.raises(InvalidParameter, match="the suppressed records"):
        check(SOUND, KmAnonymity(2, 2), original=data, suppressed_records=1, exact=True)
    leaves = np.array([0, 0, 0, -1])
    assert check(SOUND, KmAnonymity(2, 2), original=data, part_of_record=leaves, suppressed_records=1, exact=True).holds


@pytest.mark.slow  # without the compiler
def test_the_exact_check_refuses_too_many_combinations() -> None:
    terms = [f"t{number:02d}" for number in range(40)]
    wide = Clusters.from_nested([{"size": 2, "record_chunks": [{"subrecords": [[terms, 2]]}], "term_chunk": []}])
    data = Transactions.from_sets([terms, terms])
    with pytest.raises(InvalidParameter, match="tiny data"):
        check(wide, KmAnonymity(2, 9), original=data, exact=True)
    assert check(wide, KmAnonymity(2, 9), original=data).holds


def test_a_verdict_is_plain_json() -> None:
    data, leaves = Transactions.from_sets(["a", "a", "at"]), np.zeros(3, dtype=np.int32)
    guarantee = KmAnonymity(2, 2, 2, ("t",))
    for verdict in (
        check(SOUND, guarantee, original=data, part_of_record=leaves, exact=True),
        check(SOUND, guarantee, original=data),
        check(ROTTEN, guarantee),
    ):
        assert json.loads(json.dumps(verdict.to_json()))["holds"] is verdict.holds


@pytest.mark.parametrize(("broken", "words"), [(3, r"cluster 2[^;]*$"), (4, r"cluster 2[^;]*; and 1 more$")])
def test_an_error_shows_three_violations_and_counts_the_others(broken: int, words: str) -> None:
    published = Clusters.from_nested([leaf(2, [], term) for term in "abcd"[:broken]])
    with pytest.raises(NotAnonymous, match=f"found {broken} violations.*{words}"):
        certify(published, KmAnonymity(3, 2), method="by hand", parameters={})


def test_clusters_are_asked_for_what_they_keep_besides() -> None:
    guarantee = KmAnonymity(2, 1)
    assert with_stronger_guarantees(SOUND, guarantee).also == ((2, 10), (3, 1))
    assert with_stronger_guarantees("no clusters", guarantee) == guarantee  # type: ignore[type-var]


def test_whether_the_check_is_exact_is_yes_or_no() -> None:
    with pytest.raises(InvalidParameter, match="published data, such as Clusters"):
        check("no clusters", KmAnonymity(2, 2))  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="exact must be true or false"):
        check(SOUND, KmAnonymity(2, 2), exact="yes")  # type: ignore[arg-type]
