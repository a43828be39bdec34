"""Chunks put together by how related terms are: a planted leaf, a table, chance, and brute force over placements."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.attack.semantic import LeafPuzzle, best_places, right_links, semantic
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions


def leaf(size, *chunks, rare=()):
    bags = [{"subrecords": [[list(terms), count] for terms, count in chunk]} for chunk in chunks]
    return {"size": size, "record_chunks": bags, "term_chunk": list(rare)}


CUT = leaf(20, [("a", 10), ("b", 10)], [("x", 10), ("y", 10)])
TELLING = leaf(8, [("ax", 4), ("by", 4)])
ORIGINAL = as_transactions([{"a", "x"}] * 14 + [{"b", "y"}] * 14)


def test_what_stands_together_elsewhere_puts_a_leaf_together():
    found = semantic(Clusters.from_nested([TELLING, CUT]), ORIGINAL)
    assert (found.leaves, found.of_leaves, found.links, found.right) == (1, 1, 20, 20)
    assert found.lift > 1.3
    assert "links 100.0% of the terms to the right record" in found.sentence()


def test_a_table_of_the_users_does_the_same_where_the_release_says_nothing():
    table = {("a", "x"): 1.0, ("y", "b"): 0.5, ("nothing", "b"): 9.0}
    found = semantic(Clusters.from_nested([CUT]), ORIGINAL, table)
    assert found.right == 20
    assert found.to_json()["relatedness"] == "table"


def test_without_knowledge_nothing_but_chance_is_right():
    rights = [semantic(Clusters.from_nested([CUT]), ORIGINAL, seed=seed).right for seed in range(20)]
    assert 8 < np.mean(rights) < 12


def test_terms_of_the_term_chunk_go_where_they_fit_best():
    release = Clusters.from_nested([leaf(6, [("a", 3), ("b", 3)], rare="x"), leaf(4, [("ax", 4)])])
    found = semantic(release, as_transactions([{"a", "x"}] * 7 + [{"b"}] * 3))
    assert (found.links, found.right) == (1, 1)


def test_where_all_is_in_one_chunk_there_is_nothing_to_put_together():
    found = semantic(Clusters.from_nested([TELLING]), ORIGINAL)
    assert (found.links, found.lift) == (0, 1.0)
    assert "nothing to link" in found.sentence()


def test_large_leaves_are_left_out_and_that_is_told():
    large = leaf(600, [("a", 300)], [("b", 300)], rare="c")
    found = semantic(Clusters.from_nested([large]), ORIGINAL)
    assert (found.leaves, found.too_large) == (0, 1)
    assert "take too long" in found.sentence()


def test_others_than_clusters_are_refused():
    with pytest.raises(disjoin.InvalidParameter, match="groups"):
        semantic(disjoin.cahd([["a", "x"], ["a", "b"], ["b"], ["a"]], ["x"], 2), ORIGINAL)


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=4))
def test_places_are_the_best_of_all(rows):
    weights = np.array(rows, float)
    best = max(sum(weights[i, p] for i, p in enumerate(order)) for order in permutations(range(4), len(rows)))
    places = best_places(weights)
    assert len(set(places)) == len(rows)
    assert sum(weights[i, p] for i, p in enumerate(places)) == best


PARTS = st.frozensets(st.integers(0, 3), max_size=3)


@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(PARTS, min_size=1, max_size=4))
def test_right_links_are_those_of_the_best_of_all_matches(slots, records):
    laid_out = frozenset([0])
    padded = [*records, *[None] * len(slots)]

    def right(slot, record):
        return len((slot & record) - laid_out) if record is not None and slot & laid_out == record & laid_out else 0

    best = max(
        sum(right(slot, record) for slot, record in zip(slots, order, strict=True))
        for order in permutations(padded, len(slots))
    )
    assert right_links(slots, records, laid_out) == best


def test_records_that_cannot_be_of_a_leaf_are_not_looked_at():
    puzzle = LeafPuzzle(Clusters.from_nested([leaf(4, [("ab", 2), ("a", 2)], rare="c")]), 0)
    a, b, c = 0, 1, 2
    records = [frozenset(each) for each in ([a, b], [a, c], [b], [a, 9])]
    assert puzzle.fitting(records) == records[:2]
    assert puzzle.domains == [frozenset([a, b])]
    assert puzzle.rare == [c]
