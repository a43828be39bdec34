"""However records are clustered, the promise holds: by its invariants, and on tiny data by trying all originals."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disjoin.advise import publisher_of
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.clustering import Task
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.km_core import core_leaf
from disjoin.methods.disassociation.packing import cut_into_chunks
from disjoin.model import Transactions
from disjoin.progress import silent
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, baskets
from oracle.core import core_by_peeling

for_each_clustering = pytest.mark.parametrize("clustering", ["core", "core-horpart", "auto", "bounded", "pruned"])


def tiny(seed):
    """Few records over few terms, some of them several times, so that there is a core and a rest; k and m."""
    random = Random(seed)
    k, m = random.choice([2, 2, 3]), random.choice([1, 2, 2, 3])
    letters = "abcdef"[: random.randint(2, 6)]
    kinds = [random.sample(letters, random.randint(1, min(3, len(letters)))) for _ in range(random.randint(2, 6))]
    records = [random.choice(kinds) for _ in range(random.randint(k, 9))]
    return [*records, random.sample(letters, random.randint(1, len(letters)))], k, m


def published(records, method, engine=None):
    data = method.prepared(Transactions.from_sets(records))
    draft = publisher_of(method)(data, engine or Local(1))
    return data, draft


def verdict_on(records, method, exact):
    data, draft = published(records, method)
    return check(
        draft.published,
        method.claim(draft),
        original=data,
        part_of_record=draft.part_of_record,
        suppressed_records=draft.suppressed_records,
        exact=exact,
    )


@for_each_clustering
@given(st.integers(0, 2**32 - 1), st.booleans())
@examples(40)
def test_the_guarantee_itself_never_fails(clustering, seed, small):
    records, k, m = tiny(seed)
    size = {"max_cluster_size": k + 2} if small and clustering not in ("core", "bounded", "pruned") else {}
    verdict = verdict_on(records, Disassociation(k=k, m=m, clustering=clustering, **size), exact=True)
    assert verdict.holds, verdict.violations
    assert "G1" in verdict.checked


@for_each_clustering
@given(baskets(), st.integers(1, 4), st.sets(st.sampled_from(NAMES[:4]), max_size=2), st.sampled_from([None, 2, 3]))
@examples(30)
def test_sensitive_terms_stay_in_term_chunks_and_clusters_are_diverse(clustering, records, m, hidden, one_in):
    assume(len(records) >= 3)
    method = Disassociation(
        k=2,
        m=m,
        clustering=clustering,
        sensitive=tuple(hidden),
        l=one_in if hidden else None,
        allow_missing_sensitive=True,
    )
    try:
        verdict = verdict_on(records, method, exact=False)
    except GuaranteeUnreachable:
        assert one_in is not None
        return
    assert verdict.holds, verdict.violations


@given(baskets(least_records=3), st.integers(2, 3), st.integers(1, 4))
@examples(40)
def test_the_core_is_published_whole_and_the_rest_is_one_cluster(records, k, m):
    assume(len(records) >= k)
    inside = core_by_peeling(records, k, m)
    _, draft = published(records, Disassociation(k=k, m=m, clustering="core"))
    assert draft.part_of_record is not None
    if 0 < len(records) - len(inside) < k or not inside:
        assert set(draft.part_of_record.tolist()) == {0}
        return
    [leaf] = set(draft.part_of_record[sorted(inside)].tolist())
    assert {r for r, where in enumerate(draft.part_of_record.tolist()) if where == leaf} == inside
    [chunk] = draft.published.chunks_of(leaf)
    assert sorted(terms for terms, n in chunk for _ in range(n)) == sorted(tuple(sorted(records[r])) for r in inside)
    assert draft.published.term_chunk_of(leaf) == ()
    assert len(set(draft.part_of_record.tolist())) <= 2


@given(baskets(), st.integers(2, 3), st.integers(1, 4), st.sets(st.sampled_from(NAMES), max_size=3))
@examples(40)
def test_cutting_the_core_into_chunks_would_give_the_same_leaf(records, k, m, hidden):
    data = Transactions.from_sets(records).with_sensitive(hidden)
    inside = sorted(core_by_peeling([set(record) - hidden for record in records], k, m))
    assume(len(inside) >= k)
    core = np.array(inside, np.int32)
    task = Task(Disassociation(k=k, m=m), data, Local(1), silent)
    cut = cut_into_chunks(task, Partition(core, np.array([core.size])))
    for name, one, other in zip(cut._fields, cut, core_leaf(data, core), strict=True):
        assert one.tolist() == other.tolist(), name


@for_each_clustering
@given(baskets(least_records=4), st.randoms(use_true_random=False))
@examples(15)
def test_neither_the_order_of_the_records_nor_the_threads_matter(clustering, records, random):
    method = Disassociation(k=2, m=2, clustering=clustering)
    _, draft = published(records, method)
    shuffled = [random.sample(record, len(record)) for record in random.sample(records, len(records))]
    _, again = published(shuffled, method, Local(3))
    assert again.published == draft.published
    assert again.private == draft.private
    assert again.parameters == draft.parameters
