"""Records, chunks and records with their ancestors become rows in which nothing is lost or made up."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.analyst.top_itemsets import chunk_rows, extended, extended_names, rows_of, top_itemsets
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, Hierarchy, Transactions
from helpers.releases import figure_3
from helpers.synthetic import baskets
from oracle.top_itemsets import best, every_itemset
from unit.analyst.trees import deep_forest
from unit.verify.forests import seeded

TREE = Hierarchy.from_rows(
    [
        ["cat", "pet", "animal", "*"],
        ["dog", "pet", "animal", "*"],
        ["cow", "farm", "animal", "*"],
        ["oak", "plant", "*"],  # repeated upwards, so that all leaves are at one level
        ["air", "*"],
    ]
)
ABOVE = {"cat": "pet", "dog": "pet", "cow": "farm", "pet": "animal", "farm": "animal", "oak": "plant"}


def as_sets(rows, names):
    return [{names[item] for item in rows.items[a:b]} for a, b in pairwise(rows.offsets)]


def with_ancestors(terms):
    found = set(terms)
    while more := {ABOVE[term] for term in found if term in ABOVE} - found:
        found |= more
    return found - {"*"}


@given(baskets())
def test_rows_of_records_are_the_records(records):
    data = Transactions.from_sets(records)
    rows = rows_of(data)
    assert as_sets(rows, data.vocabulary.to_pylist()) == [set(record) for record in records]
    assert rows.weights.tolist() == [1] * len(records)


@given(seeded(deep_forest))
def test_rows_of_chunks_are_their_subrecords(trees):
    published = Clusters.from_nested(trees)
    rows = chunk_rows(published)
    chunks = [chunk for node in range(len(published)) for chunk in published.chunks_of(node)]
    assert as_sets(rows, published.vocabulary.to_pylist()) == [set(terms) for chunk in chunks for terms, _ in chunk]
    assert rows.weights.tolist() == [count for chunk in chunks for _, count in chunk]


def test_subrecords_are_put_in_order():
    leaf = {"size": 2, "record_chunks": [{"subrecords": [[["b", "a", "b"], 2]]}], "term_chunk": []}
    rows = chunk_rows(Clusters.from_nested([leaf]))
    assert (rows.offsets.tolist(), rows.items.tolist()) == ([0, 2], [0, 1])


def test_terms_of_term_chunks_are_not_counted():
    published = figure_3()
    names = published.vocabulary.to_pylist()
    found = top_itemsets(chunk_rows(published), 10**6)
    counted = {name for itemset in found.named(names) for name in itemset}
    assert counted == {names[item] for item in published.items}


nodes = st.sampled_from(["cat", "dog", "cow", "oak", "air", "pet", "farm", "plant", "animal", "*"])


@given(st.lists(st.sets(nodes, min_size=1), min_size=1, max_size=20))
def test_records_get_the_ancestors_of_their_terms_but_not_the_root(records):
    data = Transactions.from_sets(records)
    names = extended_names(TREE).to_pylist()
    rows, parents = extended(rows_of(data), TREE, data.vocabulary)
    assert as_sets(rows, names) == [with_ancestors(record) for record in records]
    assert {names[i]: names[p] for i, p in enumerate(parents) if p >= 0} == ABOVE
    assert names == sorted(names)


@given(st.lists(st.sets(nodes, min_size=1), min_size=1, max_size=20), st.integers(1, 40))
def test_itemsets_of_extended_records_have_no_term_with_its_ancestor(records, top):
    data = Transactions.from_sets(records)
    rows, parents = extended(rows_of(data), TREE, data.vocabulary)
    number = {name: item for item, name in enumerate(extended_names(TREE).to_pylist())}
    bags = [(frozenset(number[name] for name in with_ancestors(record)), 1) for record in records]
    found = top_itemsets(rows, top, related=parents)
    expected = best(every_itemset(bags, dict(enumerate(parents.tolist()))), top)
    assert [(found.itemset(i), int(found.supports[i])) for i in range(len(found))] == expected


def test_terms_without_a_place_in_the_hierarchy_are_counted():
    data = Transactions.from_sets([{"cat", "unicorn"}])
    with pytest.raises(InvalidParameter, match="1 of 2 have none"):
        extended(rows_of(data), TREE, data.vocabulary)
