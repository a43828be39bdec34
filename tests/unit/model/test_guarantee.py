from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.model import Guarantee, KmAnonymity

sensitive_terms = st.lists(st.text(min_size=1, max_size=3), max_size=4).map(tuple)


@st.composite
def guarantees(draw: st.DrawFn) -> KmAnonymity:
    terms = draw(sensitive_terms)
    diversity = draw(st.integers(1, 50)) if terms else 1
    return KmAnonymity(draw(st.integers(2, 99)), draw(st.integers(1, 9)), diversity, terms, draw(st.booleans()))


@given(guarantees())
def test_a_promise_survives_being_written_down(guarantee: KmAnonymity) -> None:
    assert KmAnonymity.from_json(json.loads(json.dumps(guarantee.to_json()))) == guarantee


@given(guarantees())
def test_a_promise_is_a_guarantee_that_says_its_numbers(guarantee: KmAnonymity) -> None:
    assert isinstance(guarantee, Guarantee)
    assert f"at least {guarantee.k} candidates" in guarantee.sentence()
    assert str(guarantee.m) in guarantee.sentence()
    assert (f"one record in {guarantee.l}" in guarantee.sentence()) == (guarantee.l > 1)


@given(guarantees())
def test_the_smallest_cluster_has_k_records_and_l(guarantee: KmAnonymity) -> None:
    assert guarantee.least_size == max(guarantee.k, guarantee.l)


@given(sensitive_terms)
def test_sensitive_terms_are_a_set_whatever_their_order(terms: tuple[str, ...]) -> None:
    guarantee = KmAnonymity(2, 1, 2, terms)
    assert guarantee == KmAnonymity(2, 1, 2, (*reversed(terms), *terms))
    assert hash(guarantee) == hash(KmAnonymity(2, 1, 2, (*reversed(terms), *terms)))
    assert guarantee.sensitive == tuple(sorted(set(terms)))


@pytest.mark.parametrize("k", [1, 0, -3, 2.0, "5", True, None])
def test_k_is_a_whole_number_from_2(k: Any) -> None:
    with pytest.raises(InvalidParameter, match="k must be a whole number of at least 2, got"):
        KmAnonymity(k, 1)


@pytest.mark.parametrize("m", [0, -1, 1.5, True])
def test_m_is_a_whole_number_from_1(m: Any) -> None:
    with pytest.raises(InvalidParameter, match="m must be a whole number of at least 1, got"):
        KmAnonymity(2, m)


@pytest.mark.parametrize("diversity", [0, 1.5, True])
def test_l_is_a_whole_number_from_1(diversity: Any) -> None:
    with pytest.raises(InvalidParameter, match="l must be a whole number of at least 1, got"):
        KmAnonymity(2, 1, diversity, ("a",))


@given(guarantees())
def test_whether_it_is_proven_is_the_first_thing_a_promise_says(guarantee: KmAnonymity) -> None:
    assert guarantee.sentence().startswith("Not proven: ") is not guarantee.proven
    assert guarantee.to_json().get("proven", True) is guarantee.proven
    assert ("proven" in guarantee.to_json()) is not guarantee.proven


@pytest.mark.parametrize("proven", [None, 0, 1, "false", "no"])
def test_proven_is_true_or_false(proven: Any) -> None:
    with pytest.raises(InvalidParameter, match="proven must be true or false"):
        KmAnonymity(2, 1, proven=proven)
    with pytest.raises(InvalidParameter, match="proven must be true or false"):
        KmAnonymity.from_json({"type": "km-anonymity", "k": 2, "m": 1, "proven": proven})


def test_one_known_term_is_said_in_the_singular() -> None:
    assert KmAnonymity(3, 1).sentence() == ("An attacker who knows 1 term of a record finds at least 3 candidates.")


@pytest.mark.parametrize("facts", [{}, {"type": "k-anonymity", "k": 5, "m": 2}])
def test_another_type_of_promise_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match="type km-anonymity"):
        KmAnonymity.from_json(facts)


@pytest.mark.parametrize("missing", ["k", "m"])
def test_a_promise_without_its_numbers_is_refused(missing: str) -> None:
    facts = KmAnonymity(5, 2).to_json()
    del facts[missing]
    with pytest.raises(InvalidParameter, match=f"{missing} must be"):
        KmAnonymity.from_json(facts)


def test_a_promise_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        KmAnonymity(5, 2).k = 2  # type: ignore[misc]
