"""The nouns of the methods that disassociation is compared with."""

from __future__ import annotations

from fractions import Fraction

import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Bag, DifferentialPrivacy, GeneralizedItems, Hierarchy, NoisyRecords

TREE = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])


def test_a_bag_counts_terms_by_record() -> None:
    bag = Bag.from_rows([(["tea", "milk"], 2), (["tea"], 3)])
    assert dict(zip(bag.vocabulary.to_pylist(), bag.supports().tolist(), strict=True)) == {"milk": 2, "tea": 5}


def test_the_order_in_which_rows_are_given_is_forgotten() -> None:
    rows = [(["tea", "milk"], 2), (["tea"], 3)]
    assert Bag.from_rows(rows) == Bag.from_rows(rows[::-1])
    assert Bag.from_rows(rows) != Bag.from_rows(rows[:1])


def test_an_empty_bag_has_no_records() -> None:
    assert Bag.from_rows([]).n_records == 0


def test_generalised_items_know_what_stands_for_what() -> None:
    mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    items = GeneralizedItems.from_mapping([(["drink", "rye"], 2)], mapping, TREE)
    assert items.mapping == mapping
    assert items == GeneralizedItems.from_mapping([(["rye", "drink"], 2)], mapping, TREE)
    assert items != GeneralizedItems.from_mapping([(["rye"], 2)], mapping, TREE)
    assert items.extent == {"records": 2, "terms": 2}


def test_noisy_records_are_their_bag() -> None:
    bag = Bag.from_rows([(["tea"], 3)])
    assert NoisyRecords(bag) == NoisyRecords(bag)
    assert (len(NoisyRecords(bag)), NoisyRecords(bag).n_records) == (1, 3)


@pytest.mark.parametrize("terms", ["given", "seen"])
def test_differential_privacy_is_the_same_after_json(terms: str) -> None:
    guarantee = DifferentialPrivacy(0.1, terms)
    assert guarantee.epsilon == Fraction(1, 10), "not the nearest float"
    assert DifferentialPrivacy.from_json(guarantee.to_json()) == guarantee


@pytest.mark.parametrize("terms", ["given", "seen"])
def test_that_nothing_is_proven_of_terms_seen_is_the_first_thing_a_promise_says(terms: str) -> None:
    guarantee = DifferentialPrivacy(1, terms)
    assert "2.72" in guarantee.sentence()
    assert guarantee.proven is (terms == "given")
    assert guarantee.sentence().startswith("Not proven: ") is not guarantee.proven
    assert guarantee.to_json().get("proven", True) is guarantee.proven
    assert guarantee.with_proof() == DifferentialPrivacy(1, "given")


def test_a_promise_is_read_as_proven_only_if_it_says_that_the_terms_were_given() -> None:
    facts = DifferentialPrivacy(1).to_json()
    assert not DifferentialPrivacy.from_json({name: facts[name] for name in ("type", "epsilon")}).proven
    assert not DifferentialPrivacy.from_json(facts | {"terms": "seen"}).proven  # as releases said it before
    for contradiction in ({"terms": "seen", "proven": True}, {"proven": False}, {"proven": 1}, {"proven": None}):
        with pytest.raises(InvalidParameter, match="proven must be"):
            DifferentialPrivacy.from_json(facts | contradiction)


@pytest.mark.parametrize("epsilon", [0, -1, "1e-9", 101, "1e400", "much", True])
def test_an_epsilon_that_promises_nothing_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidParameter, match="epsilon must be"):
        DifferentialPrivacy(epsilon)
