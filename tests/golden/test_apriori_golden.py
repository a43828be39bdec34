"""Apriori generalisation on the worked example of section E.2, in the twin and in the method."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from disjoin.engine import Local
from disjoin.methods.apriori import ALGORITHMS, Apriori
from disjoin.model import Hierarchy, Transactions
from oracle import apriori as twin

GOLDEN = json.loads((Path(__file__).parent / "aa.json").read_text(encoding="utf-8"))
RECORDS, K, M = GOLDEN["transactions"], GOLDEN["k"], GOLDEN["m"]
TREE = twin.tree_of(GOLDEN["hierarchy"])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_twin_finds_the_cut_of_the_example(algorithm):
    cut = twin.anonymised(RECORDS, TREE, K, M, algorithm)
    assert cut == GOLDEN["cut"]
    assert [sorted(record) for record in twin.generalised(RECORDS, cut)] == GOLDEN["result"]
    assert twin.ncp(RECORDS, TREE, cut) == Fraction(5, 22)


def test_the_twin_sees_the_rare_pairs_of_the_example():
    assert twin.rare_itemsets([*map(set, RECORDS)], K, [1, 2]) == [("a1", "b1"), ("a1", "a2")]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_method_publishes_the_records_of_the_example(algorithm):
    method = Apriori(k=K, m=M, hierarchy=Hierarchy.from_rows(GOLDEN["hierarchy"]), algorithm=algorithm)
    draft = method.publish(Transactions.from_sets(RECORDS), Local(1))
    assert draft.published.mapping == GOLDEN["cut"]
    assert draft.published.records.rows() == sorted(Counter(map(tuple, GOLDEN["result"])).items())
    assert draft.private == {"ncp": GOLDEN["ncp"], "generalized_terms": 2}
