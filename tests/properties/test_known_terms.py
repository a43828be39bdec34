"""What known terms tell, against all possible originals of tiny releases."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.analyst.index import desk_of
from disjoin.attack.known_terms import CandidateSearch, candidates
from disjoin.attack.sure_inference import LARGEST, MOST_KNOWN, choose, choose_next, sets_of, sure_inference
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions
from helpers.hypothesis_profile import examples
from oracle.burglar import chance_of_being_told, fewest_and_most, records_of, sure, surely_told, worlds_of
from oracle.whereabouts import CandidateSearch as SlowWhereabouts

RECORDS = st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=2, max_size=6)
MODES = st.sampled_from(["safe", "paper"])


def published(records: list[set[str]], m: int, size: int, mode: str) -> Clusters:
    """Publish with small clusters, so that there are several, and joint ones."""
    method = Disassociation(k=2, m=m, max_cluster_size=size, refine_mode=mode)
    clusters = method.publish(as_transactions(records), Local()).published
    assert isinstance(clusters, Clusters)
    return clusters


@examples(60)
@given(RECORDS, st.integers(1, 2), st.integers(3, 5))
def test_candidates_and_sure_terms_are_those_of_all_possible_originals(records, m, size):
    clusters = published(records, m, size, "safe")
    worlds = worlds_of(clusters.to_nested())
    seen = records_of(worlds)
    for n in (1, 2, 3):
        for known in map(frozenset, combinations(clusters.vocabulary.to_pylist(), n)):
            found = candidates(clusters, known)
            assert (found.certain, found.possible) == fewest_and_most(worlds, known, seen)
            assert frozenset(found.sure) == sure(worlds, known, seen)


@examples(60)
@given(RECORDS, st.integers(1, 2), st.integers(3, 5))
def test_in_unproven_releases_bounds_hold_and_what_is_called_sure_is(records, m, size):
    clusters = published(records, m, size, "paper")
    worlds = worlds_of(clusters.to_nested())
    seen = records_of(worlds)
    for n in (1, 2):
        for known in map(frozenset, combinations(clusters.vocabulary.to_pylist(), n)):
            found = candidates(clusters, known)
            fewest, most = fewest_and_most(worlds, known, seen)
            assert found.certain <= fewest <= most <= found.possible
            assert not most or frozenset(found.sure) <= sure(worlds, known, seen)


@examples(60)
@given(RECORDS, st.integers(1, 3), st.integers(3, 5), st.integers(1, MOST_KNOWN))
def test_records_with_sure_inferences_are_counted_and_bounded(records, m, size, n):
    clusters = published(records, m, size, "safe")
    worlds = worlds_of(clusters.to_nested())
    assume(sum(map(len, worlds)) <= 200)  # each possible record is held against all of them
    exact = sure_inference(clusters, as_transactions(records), known=n)
    alone = sure_inference(clusters, known=n)
    assert exact.known == n
    assert exact.concerned == surely_told(worlds, map(frozenset, records), n)
    assert alone.at_least <= exact.concerned
    assert exact.records == alone.records == len(records)
    assert alone.weighed == pytest.approx(float(chance_of_being_told(clusters.to_nested(), n)), abs=1e-12)
    assert bool(alone.weighed) == bool(surely_told(worlds, map(frozenset, records_of(worlds)), n))


def test_four_known_terms_tell_what_three_do_not():
    records = [set("abcde")] * 2 + [set(each) for each in combinations("abcde", 3)] * 2
    clusters = published(records, 3, 100, "safe")
    assert sorted(map(len, clusters.subrecords.to_lists())) == [3] * 10 + [5]
    three, four = (sure_inference(clusters, as_transactions(records), known=n) for n in (3, 4))
    assert (three.concerned, four.concerned) == (0, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_sets_are_chosen_by_their_rank_as_if_they_were_listed(n):
    for length in range(n, 9):
        sets, chosen = list(combinations(range(length), n)), np.zeros(n, np.int64)
        assert sets_of(length, n) == len(sets)
        for rank, expected in enumerate(sets):
            choose(rank, length, n, chosen)
            assert tuple(chosen) == expected
            if rank + 1 < len(sets):
                choose_next(length, n, chosen)
                assert tuple(chosen) == sets[rank + 1]


def test_the_sets_of_long_records_are_counted_as_far_as_numbers_go():
    assert sets_of(50_000, 4) == comb(50_000, 4)
    assert sets_of(10**6, 4) == LARGEST < comb(10**6, 4)


def test_nobody_is_found_by_a_term_that_is_not_published():
    clusters = published([{"a"}, {"a"}, {"b"}], 1, 3, "safe")
    found = candidates(clusters, ["a", "z"])
    assert (found.certain, found.possible, found.parts, found.sure) == (0, 0, (), ())


def test_an_attacker_knows_something():
    with pytest.raises(disjoin.InvalidParameter, match="at least one known term"):
        candidates(published([{"a"}, {"a"}], 1, 3, "safe"), [])


@examples(60)
@given(st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), min_size=2, max_size=14), st.integers(3, 6), MODES)
def test_all_leaves_at_once_say_what_a_loop_over_them_says(records, size, mode):
    desk = desk_of(published(records, 1, size, mode))
    fast, slow = CandidateSearch(desk), SlowWhereabouts(desk)
    for n in (1, 2, 3):
        for known in combinations(range(desk.n_terms), n):
            found = fast.clusters_with(list(known))
            rows = zip(*(column.tolist() for column in found[:4]), map(set, found.shared.to_lists()), strict=True)
            assert list(rows) == slow.clusters_with(list(known))


def test_more_known_terms_than_a_number_has_bits_are_looked_up_too():
    records = [{f"t{n:02}" for n in range(70)}] * 3 + [{"t00", "t69"}] * 3
    found = candidates(published(records, 1, 3, "safe"), [f"t{n:02}" for n in range(70)])
    assert found.possible == 3


def test_the_clusters_with_the_most_candidates_are_named_if_only_some_are():
    clusters = published([{"a"}, {"a", "b"}] * 6 + [{"a", "c"}] * 3, 1, 4, "safe")
    everything, some = candidates(clusters, ["a"]), candidates(clusters, ["a"], most=1)
    assert some.in_parts == everything.in_parts == len(everything.parts) > len(some.parts) == 1
    assert some.to_json()["in_parts"] == some.in_parts
    assert some.parts[0].possible == max(each.possible for each in everything.parts)
    assert (some.certain, some.possible, some.sure) == (everything.certain, everything.possible, everything.sure)


def test_an_evaluation_tells_what_one_more_known_term_would_tell():
    records = [{"a", "b", "c"}] * 3 + [{"a"}, {"b"}, {"c"}] * 3
    evaluation = disjoin.evaluate(disjoin.disassociate(records, k=3, m=1), records)
    [row] = [row for row in evaluation.rows if row.name == "sure_inference"]
    assert row.value <= row.details["with_one_more"]
    assert any(note.startswith("With one more known term: ") for note in row.notes)
