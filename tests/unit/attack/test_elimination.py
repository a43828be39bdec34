"""Known whole records: planted leaves that fail for each reason, and one that does not."""

from __future__ import annotations

import pytest

import disjoin
from disjoin.attack.elimination import elimination
from disjoin.model import Clusters


def leaf(size, *chunks, rare=("hiv",)):
    bags = [{"subrecords": [[sorted(terms), count] for terms, count in chunk]} for chunk in chunks]
    return {"size": size, "record_chunks": bags, "term_chunk": list(rare)}


SAFE = leaf(6, [("ab", 3), ("a", 3)])


def test_a_leaf_with_room_to_spare_keeps_its_promise():
    found = elimination(Clusters.from_nested([SAFE]), k=2, m=2)
    assert (found.failing, found.at_least, found.records) == (0, 0, 6)
    assert "breaks the guarantee in no cluster" in found.sentence()


def test_a_pair_that_just_k_records_have_fails_and_its_records_are_counted():
    found = elimination(Clusters.from_nested([SAFE, leaf(6, [("ab", 2), ("a", 3), ("b", 1)])]), k=2, m=2)
    assert (found.failing, found.rare_sets, found.too_small, found.at_least) == (1, 1, 0, 2)
    assert "1 of 2 clusters (50.0%), for at least 16.7% of the records" in found.sentence()


def test_a_pair_is_not_looked_at_if_nobody_knows_two_terms():
    assert elimination(Clusters.from_nested([leaf(6, [("ab", 2), ("a", 3), ("b", 1)])]), k=2, m=1).failing == 0


def test_a_leaf_of_k_records_fails_with_all_its_records():
    found = elimination(Clusters.from_nested([leaf(3, [("a", 3)])]), k=3, m=2)
    assert (found.failing, found.too_small, found.at_least) == (1, 1, 3)


def test_a_leaf_that_has_no_subrecord_to_spare_fails():
    found = elimination(Clusters.from_nested([leaf(6, [("a", 4)], [("b", 4)], rare=())]), k=2, m=2)
    assert (found.failing, found.too_few_parts, found.rare_sets) == (1, 1, 0)


def test_more_known_records_break_more():
    clusters = Clusters.from_nested([SAFE])
    assert [elimination(clusters, j, k=2, m=2).failing for j in (1, 2, 5)] == [0, 1, 1]


def test_facts_are_plain():
    facts = elimination(Clusters.from_nested([SAFE]), k=2, m=2).to_json()
    assert facts == {
        "known": 1, "leaves": 1, "failing": 0, "too_small": 0, "rare_sets": 0, "too_few_parts": 0,
        "records": 6, "at_least": 0, "share": 0.0,
    }  # fmt: skip


def test_bare_clusters_need_k_and_m_and_somebody_knows_something():
    with pytest.raises(disjoin.InvalidParameter, match="state no k and m"):
        elimination(Clusters.from_nested([SAFE]))
    with pytest.raises(disjoin.InvalidParameter, match="known must be"):
        elimination(Clusters.from_nested([SAFE]), 0, k=2, m=2)
