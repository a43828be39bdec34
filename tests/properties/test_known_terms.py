"""What known terms tell, against all possible originals of tiny releases."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import disjoin
from disjoin.attack.known_terms import candidates
from disjoin.attack.sure_inference import sure_inference
from disjoin.engines.local import Local
from disjoin.files.from_memory import as_transactions
from disjoin.methods import Disassociation
from disjoin.model import Clusters
from oracle.burglar import fewest_and_most, records_of, sure, surely_told, worlds_of

RECORDS = st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=2, max_size=6)


def published(records: list[set[str]], m: int, size: int, mode: str) -> Clusters:
    """Publish with small clusters, so that there are several, and joint ones."""
    method = Disassociation(k=2, m=m, max_cluster_size=size, refine_mode=mode)
    clusters = method.publish(as_transactions(records), Local()).published
    assert isinstance(clusters, Clusters)
    return clusters


@settings(deadline=None)
@given(RECORDS, st.integers(1, 2), st.integers(3, 5))
def test_candidates_and_sure_terms_are_those_of_all_possible_originals(records, m, size):
    clusters = published(records, m, size, "safe")
    worlds = worlds_of(clusters.to_nested())
    seen = records_of(worlds)
    for n in (1, 2, 3):
        for known in map(frozenset, combinations(clusters.vocabulary.to_pylist(), n)):
            found = candidates(clusters, known)
            assert (found.at_least, found.at_most) == fewest_and_most(worlds, known, seen)
            assert frozenset(found.sure) == sure(worlds, known, seen)


@settings(deadline=None)
@given(RECORDS, st.integers(1, 2), st.integers(3, 5))
def test_in_unproven_releases_bounds_hold_and_what_is_called_sure_is(records, m, size):
    clusters = published(records, m, size, "paper")
    worlds = worlds_of(clusters.to_nested())
    seen = records_of(worlds)
    for n in (1, 2):
        for known in map(frozenset, combinations(clusters.vocabulary.to_pylist(), n)):
            found = candidates(clusters, known)
            fewest, most = fewest_and_most(worlds, known, seen)
            assert found.at_least <= fewest <= most <= found.at_most
            assert not most or frozenset(found.sure) <= sure(worlds, known, seen)


@settings(deadline=None)
@given(RECORDS, st.integers(1, 2), st.integers(3, 5))
def test_records_with_sure_inferences_are_counted_and_bounded(records, m, size):
    clusters = published(records, m, size, "safe")
    worlds = worlds_of(clusters.to_nested())
    exact = sure_inference(clusters, as_transactions(records), known=m)
    alone = sure_inference(clusters, known=m)
    assert exact.concerned == surely_told(worlds, map(frozenset, records), m)
    assert alone.at_least <= exact.concerned
    assert exact.records == alone.records == len(records)


def test_nobody_is_found_by_a_term_that_is_not_published():
    clusters = published([{"a"}, {"a"}, {"b"}], 1, 3, "safe")
    found = candidates(clusters, ["a", "z"])
    assert (found.at_least, found.at_most, found.clusters, found.sure) == (0, 0, (), ())


def test_an_attacker_knows_something():
    with pytest.raises(disjoin.InvalidParameter, match="at least one known term"):
        candidates(published([{"a"}, {"a"}], 1, 3, "safe"), [])
