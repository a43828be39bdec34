"""The measures of section E on its own example of Apriori generalisation (k = m = 2), as exact fractions."""

from fractions import Fraction

from disjoin.measure import EVALUATIONS, ItemEvidence
from disjoin.measure.pair_counts import Ranks
from disjoin.measure.pairs import relative_error
from disjoin.model import GeneralizedItems, Hierarchy, Transactions

RECORDS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
TREE = Hierarchy.from_rows([("a1", "A", "*"), ("a2", "A", "*"), ("b1", "B", "*"), ("b2", "B", "*")])
CUT = {"a1": "A", "a2": "A", "b1": "b1", "b2": "b2"}
PUBLISHED = GeneralizedItems.from_mapping([(["A", "b1", "b2"], 2), (["A", "b1"], 1), (["A", "b2"], 1)], CUT, TREE)
FOUR = Ranks(1, 4)


def evidence(**more):
    return ItemEvidence(Transactions.from_sets(RECORDS), PUBLISHED, 2, **more)


def test_the_certainty_penalty_is_that_of_the_specification():
    found = EVALUATIONS["ncp_items"].compute(evidence())
    assert found.value == 5 * Fraction(1, 2) / 11
    assert float(found.value) == 0.22727272727272727
    assert (found.details["generalised_occurrences"], found.details["generalised_terms"]) == (5, 2)


def test_the_terms_that_are_generalised_are_lost():
    assert EVALUATIONS["tlost"].compute(evidence()).value == Fraction(1, 2)  # a1 in 2 records, a2, b1 and b2 in 3
    assert EVALUATIONS["tlost_more_than_k"].compute(evidence()).value == Fraction(1, 3)


def test_supports_of_pairs_are_spread_over_the_leaves():
    # a1 a2: 1, found 4/4. a1 b1: 1, found 3/2. a1 b2, a2 b1, a2 b2: 2, found 3/2. b1 b2: 2, found 2.
    expected = (0 + Fraction(2, 5) + 3 * Fraction(2, 7) + 0) / 6
    assert relative_error(evidence(ranges=(FOUR,)), FOUR).value == expected


def test_of_the_original_itemsets_those_of_b_are_found():
    # The original has 13 itemsets: 4 terms, 6 pairs and 3 triples. b1, b2 and {b1, b2} have neither a1 nor a2.
    found = EVALUATIONS["tkd"].compute(evidence())
    assert (found.details["itemsets"], found.value) == (13, Fraction(10, 13))
