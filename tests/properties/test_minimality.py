"""What rules tell, against the program run backwards on all possible originals of tiny data."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from disjoin.attack.minimality import leaf_bounds, minimality
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions
from helpers.hypothesis_profile import examples
from oracle.inverse import candidates, origins
from oracle.reconstruction import count_with

RECORDS = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=3, max_size=5)


def clusters_of(records, k, m, size):
    method = Disassociation(k=k, m=m, max_cluster_size=size, refine=False)
    clusters = method.publish(as_transactions(records), Local()).published
    assert isinstance(clusters, Clusters)
    return clusters


@examples(25)
@given(RECORDS, st.integers(2, 3), st.integers(1, 3), st.sampled_from([4, 8]))
def test_whatever_rules_tell_is_so_in_every_original_that_gives_this_release(records, k, m, size):
    clusters = clusters_of(records, k, m, max(size, k + 1))
    publish = lambda dataset: clusters_of(dataset, k, m, max(size, k + 1)).to_nested()  # noqa: E731
    possible = origins(clusters.to_nested(), publish)
    original = tuple(sorted(tuple(sorted(record)) for record in records))
    assert original in possible
    found = minimality(clusters, as_transactions(records), k=k, m=m)
    pairs = [frozenset(pair) for pair in combinations(clusters.vocabulary.to_pylist(), 2)]
    below = [pair for pair in pairs if 0 < candidates(possible, pair) < k]
    surely = [pair for pair in below if all(count_with(dataset, pair) for dataset in possible)]
    with_one = [sum(any(pair <= set(record) for pair in surely) for record in dataset) for dataset in possible]
    assert found.pairs <= len(surely)
    assert found.at_least <= min(with_one)
    assert found.occurring == sum(count_with(original, pair) > 0 for pair in pairs)
    assert found.told <= sum(count_with(original, pair) > 0 for pair in below)
    assert found.concerned <= sum(any(pair <= set(record) for pair in below) for record in original)


@settings(deadline=None)
@given(RECORDS, st.integers(2, 3))
def test_witness_pairs_of_a_leaf_are_in_one_to_k_less_one_records(records, k):
    if len(records) < k:
        return
    clusters = clusters_of(records, k, 2, 9)
    nobody = np.zeros(len(clusters.vocabulary), np.bool_)
    bounds, _ = leaf_bounds(clusters, k, 2, nobody)
    names = clusters.vocabulary.to_pylist()
    for entry, (first, last) in enumerate(zip(bounds.partner_offsets[:-1], bounds.partner_offsets[1:], strict=True)):
        for partner in bounds.partners[first:last]:
            pair = {names[bounds.terms[entry]], names[bounds.terms[partner]]}
            assert 1 <= sum(pair <= set(record) for record in records) <= k - 1
