"""Apriori generalisation: its settings, what it refuses and what it says."""

import numpy as np
import pytest

import disjoin
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.apriori import ALGORITHMS, Apriori
from disjoin.methods.apriori.tree import ItemTree
from disjoin.methods.settings import LazyEntry
from disjoin.model import Hierarchy, KmAnonymity, PrivacyDegree, Transactions

DRINKS = Hierarchy.from_rows(
    [["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "bread", "*"], ["bun", "bread", "*"]]
)
BASKETS = Transactions.from_sets([["tea", "rye"], ["milk", "rye"], ["tea", "rye"], ["rye"]])


def published(data, **settings):
    return Apriori(**settings).publish(data, Local(1)).published


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2, got 1"),
        ({"m": 0}, "m must be a whole number of at least 1, got 0"),
        ({"algorithm": "greedy"}, "algorithm must be one of apriori, direct, got 'greedy'"),
        ({"fan_out": 1}, "fan_out must be a whole number of at least 2, got 1"),
        ({"fan_out": 3, "hierarchy": DRINKS}, "a hierarchy, or a fan-out to build one with, not both"),
        ({"hierarchy": "items.csv"}, "hierarchy must be a Hierarchy, got str"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings, message):
    with pytest.raises(InvalidParameter, match=message):
        Apriori(**settings)


def test_the_least_costly_terms_go_up_and_whole_subtrees_with_them():
    items = published(BASKETS, k=2, m=2, hierarchy=DRINKS)
    assert items.mapping == {"tea": "drink", "milk": "drink", "rye": "rye", "bun": "bun"}
    assert items.records.rows() == [(("drink", "rye"), 3), (("rye",), 1)]
    assert items.hierarchy == DRINKS


def test_terms_without_a_leaf_are_counted_and_a_record_is_named():
    data = Transactions.from_sets([["tea", "jam", "egg", "fig"]] * 5)
    for ask in (Apriori(hierarchy=DRINKS).warnings, lambda d: published(d, hierarchy=DRINKS)):
        with pytest.raises(InvalidParameter, match=r"3 terms have none, for example in record 0 .*Add a row for each"):
            ask(data)
    with pytest.raises(InvalidParameter, match=r"1 term has none, in record 0 \(from 0\)\. Add"):
        published(Transactions.from_sets([["egg"]] * 5), hierarchy=DRINKS)


def test_a_term_that_no_record_has_needs_no_leaf():
    data = Transactions(np.array([0, 1, 2]), np.array([1, 1]), ["egg", "tea"])
    assert published(data, k=2, hierarchy=DRINKS).records.rows() == [(("tea",), 2)]
    assert published(data, k=2).mapping == {"tea": "tea"}


@pytest.mark.parametrize(
    ("records", "message"), [(3, "3 records .* lower k to 3 or less"), (1, "1 record cannot have .* Add rec")]
)
def test_fewer_records_than_k_cannot_be_published(records, message):
    with pytest.raises(GuaranteeUnreachable, match=message):
        published(Transactions.from_sets([["tea"]] * records), k=5, hierarchy=DRINKS)


def test_without_records_it_says_so_before_it_asks_for_terms():
    with pytest.raises(GuaranteeUnreachable, match="0 records"):
        Apriori(k=5).warnings(Transactions.from_sets([]))


def test_exactly_k_records_can_always_be_published_under_the_root():
    data = Transactions.from_sets([["tea"], ["milk"], ["rye"]])
    assert published(data, k=3, hierarchy=DRINKS).records.rows() == [(("*",), 3)]


def test_without_a_hierarchy_terms_are_grouped_by_name_and_a_note_says_so():
    data = Transactions.from_sets([["a"], ["b"], ["c"], ["d"]])
    assert set(published(data, k=2, fan_out=2).mapping.values()) == {"a..b", "c..d"}
    assert set(published(data, k=2).mapping.values()) == {"*"}
    assert "by their names only" in Apriori(k=2).warnings(data)[0]
    assert Apriori(k=2, hierarchy=DRINKS).warnings(BASKETS) == []


def test_a_note_says_that_sensitive_terms_are_not_treated_apart():
    [note] = Apriori(k=2, hierarchy=DRINKS).warnings(BASKETS.with_sensitive(["tea"]))
    assert "sensitive" in note


def test_a_hierarchy_with_two_nodes_of_one_name_is_refused():
    twice = Hierarchy(["a", "b", "g", "g", "*"], [2, 3, 4, 4, -1])
    with pytest.raises(InvalidParameter, match="two nodes of the hierarchy are called 'g'"):
        ItemTree.of(twice)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_progress_rises_to_its_end(algorithm):
    told = []
    method = Apriori(k=2, m=3, hierarchy=DRINKS, algorithm=algorithm)
    method.publish(BASKETS, Local(1), lambda stage, done, total, note="": told.append((stage, done / total)))
    assert {stage for stage, _ in told} == {"generalising"}
    assert told == sorted(told)
    assert told[-1][1] == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_search_can_be_interrupted_at_every_report(algorithm):
    def impatient(stage, done, total, note=""):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Apriori(k=2, hierarchy=DRINKS, algorithm=algorithm).publish(BASKETS, Local(1), impatient)


def test_what_is_stored_contradicts_nothing():
    method = Apriori(k=3, m=2, fan_out=4)
    assert method.parameters() == {"k": 3, "m": 2, "algorithm": "apriori"}
    assert method.claim(None) == KmAnonymity(3, 2)
    assert Apriori.contradictions(KmAnonymity(3, 2), method.parameters(), 0) == []


@pytest.mark.parametrize(
    ("guarantee", "stated", "suppressed", "message"),
    [
        (PrivacyDegree(3), {}, 0, "guarantees km-anonymity, but privacy-degree is stated"),
        (KmAnonymity(4, 2), {}, 0, "the parameter k is 3, but 4 is guaranteed"),
        (KmAnonymity(3, 1), {}, 0, "the parameter m is 2, but 1 is guaranteed"),
        (KmAnonymity(3, 2), {"algorithm": "greedy"}, 0, "the method does not accept the parameters"),
        (KmAnonymity(3, 2), {"seed": 1}, 0, "the method has no parameters of these names"),
        (KmAnonymity(3, 2), {"fan_out": 10}, 0, "not written as the method writes them"),
        (KmAnonymity(3, 2, 2, ("tea",)), {}, 0, "sensitive terms"),
        (KmAnonymity(3, 2), {}, 4, "4 records are suppressed"),
    ],
)
def test_what_contradicts_the_promise_is_said(guarantee, stated, suppressed, message):
    stored = {"k": 3, "m": 2, "algorithm": "apriori"} | stated
    [found] = Apriori.contradictions(guarantee, stored, suppressed)
    assert message in found


def test_an_algorithm_is_a_function_and_one_record(monkeypatch):
    rounds = LazyEntry("twice", "all sizes, and once more", lambda m: [range(1, m + 1)] * 2)
    monkeypatch.setitem(ALGORITHMS, rounds.name, rounds)
    with pytest.warns(UserWarning, match="no hierarchy is given"):
        release = disjoin.generalize_items([["tea", "jam"]] * 3 + [["milk"]], k=2, m=2, algorithm="twice")
    assert release.parameters["algorithm"] == "twice"
