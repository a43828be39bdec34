"""What two releases tell together, against all originals that are possible for both, on tiny data."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import assume, given
from hypothesis import strategies as st

from disjoin.attack.composition import together, whole_records
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions
from helpers.hypothesis_profile import examples
from oracle.burglar import sure
from oracle.inverse import candidates, reconstructions

RECORDS = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=3, max_size=6)


def published(records, **settings):
    clusters = Disassociation(m=2, refine=False, **settings).publish(as_transactions(records), Local()).published
    assert isinstance(clusters, Clusters)
    return clusters


@examples(60)
@given(RECORDS)
def test_candidates_and_sure_terms_hold_for_every_original_of_both(records):
    assume(len(records) >= 3)
    first, second = published(records, k=2, max_cluster_size=4), published(records, k=3, max_cluster_size=9)
    worlds = reconstructions(first.to_nested()) & reconstructions(second.to_nested())
    assert tuple(sorted(tuple(sorted(record)) for record in records)) in worlds
    for each in (first, second):
        assert all(whole_records(each) <= Counter(dataset) for dataset in worlds)
    for n in (1, 2):
        for known in map(frozenset, combinations("abcd", n)):
            found = together(first, second, known)
            assert candidates(worlds, known) <= found.possible
            if candidates(worlds, known):
                assert frozenset(found.sure) <= sure([worlds], known)
