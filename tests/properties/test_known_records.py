"""Known whole records, against all possible originals of tiny leaves and every choice of known records."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from disjoin.attack.elimination import elimination
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions
from oracle.burglar import breaks_by_known_records, worlds_of

RECORDS = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=2, max_size=6)


@settings(deadline=None)
@given(RECORDS, st.integers(1, 2), st.integers(1, 2))
def test_a_leaf_that_does_not_fail_keeps_its_promise_whoever_is_known(records, m, known):
    method = Disassociation(k=2, m=m, max_cluster_size=len(records) + 1, refine=False)
    clusters = method.publish(as_transactions(records), Local()).published
    assert isinstance(clusters, Clusters)
    for tree in clusters.to_nested():
        found = elimination(Clusters.from_nested([tree]), min(known, tree["size"]), k=2, m=m)
        [worlds] = worlds_of([tree])
        is_broken = breaks_by_known_records(worlds, 2, m, found.known)
        if not found.failing:
            assert not is_broken
        if found.rare_sets and tree["size"] - found.known >= 2:
            assert is_broken
