"""What rules tell: planted witness pairs, rare terms, and where nothing is sure."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

import disjoin
from disjoin.attack.minimality import is_defined, minimality
from disjoin.generate.baskets import baskets
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions


def leaf(size, *chunks, rare=()):
    bags = [{"subrecords": [[list(terms), count] for terms, count in chunk]} for chunk in chunks]
    return {"size": size, "record_chunks": bags, "term_chunk": list(rare)}


def told(*leaves, k=2, m=2, original=None):
    return minimality(Clusters.from_nested(leaves), original, k=k, m=m)


def test_the_example_of_the_specification_is_told_completely():
    """`ab, a, b, t` with k = m = 2 publishes a a | b b | t: a refused b, so they are together in one record."""
    found = told(leaf(4, [("a", 2)], [("b", 2)], rare="t"), original=as_transactions([{"a", "b"}, {"a"}, {"b"}, {"t"}]))
    assert (found.witness_pairs, found.rare_terms, found.pairs, found.at_least) == (1, 0, 1, 1)
    assert (found.occurring, found.told, found.concerned) == (1, 1, 1)
    assert found.example_in_words() == "For example, one record has both a and b."
    assert "for 100.0% of the pairs of terms that occur; 25.0% of the records have one" in found.sentence()


def test_a_chunk_with_two_earlier_terms_does_not_say_which_one_refused():
    found = told(leaf(9, [("ab", 3), ("a", 1), ("b", 1)], [("c", 3)], rare=("t", "u")), k=3)
    assert (found.witness_pairs, found.pairs) == (0, 0)


def test_a_term_that_came_before_the_second_of_a_chunk_was_refused_by_the_first():
    """The order is b (4), c (3), a (2): c came when b was alone."""
    found = told(leaf(6, [("b", 2), ("ab", 2)], [("c", 3)], rare=("t", "u")))
    assert found.witness_pairs == 1


def test_nobody_who_knows_one_term_was_guarded_against_so_no_pair_was_refused():
    assert told(leaf(4, [("a", 2)], [("b", 2)], rare=("t", "u")), m=1).witness_pairs == 0


def test_the_only_term_of_a_term_chunk_may_have_been_moved_there():
    assert told(leaf(4, [("a", 2)], [("b", 2)], rare=("t",)), k=3).rare_terms == 0
    assert told(leaf(4, [("a", 2)], [("b", 2)], rare=("t", "u")), k=3).rare_terms == 2


def test_a_rare_term_beside_one_that_all_have_is_a_pair_that_surely_occurs():
    found = told(leaf(5, [("a", 5)], rare=("t", "u")), k=3)
    assert (found.pairs, found.at_least) == (2, 1)
    assert "for 2 pairs of terms that certainly occur; at least 1 records have one" in found.sentence()


def test_what_other_leaves_may_have_counts_too():
    rare = leaf(5, [("a", 5)], rare=("t", "u"))
    assert told(rare, rare, k=3).pairs == 0


def test_nothing_is_told_where_everything_is_in_one_chunk():
    found = told(leaf(6, [("ab", 6)]), k=3)
    assert (found.witness_pairs, found.rare_terms, found.pairs, found.at_least) == (0, 0, 0, 0)
    assert found.to_json()["example"] is None


def test_no_pair_that_k_records_have_is_ever_told():
    """The release has many clusters, also joint ones; the pairs that are asked for stand for the original."""
    records = baskets(1500, 1)
    release = disjoin.disassociate(records, k=5, max_cluster_size=30, clustering="horpart", threads=1)
    counts = Counter(pair for record in records for pair in combinations(sorted(record), 2))
    frequent = minimality(release, as_transactions([pair for pair, count in counts.items() if count >= 5]))
    rare = minimality(release, as_transactions([pair for pair, count in counts.items() if count < 5]))
    assert release.published.is_joint.any()
    assert (frequent.told, frequent.concerned) == (0, 0)
    assert 0 < rare.told == rare.concerned < rare.occurring


def test_it_is_defined_where_verpart_has_cut_the_leaves():
    records = [["a", "b"], ["a"], ["b"], ["c"]] * 5
    papers = disjoin.disassociate(records, k=2, clustering="horpart")
    core = disjoin.disassociate(records, k=2, clustering="core")
    assert (is_defined(papers), is_defined(core)) == (True, False)
    assert minimality(papers).k == 2
    with pytest.raises(disjoin.InvalidParameter, match="by frequent terms"):
        minimality(core)
