"""Leaves that are packed keep the promise, with and without REFINE; the method of the paper is never packed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.generate.baskets import baskets as make_baskets
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation import packing as vertical
from disjoin.methods.disassociation.clustering import Task
from disjoin.methods.disassociation.horpart import Partition
from disjoin.model import Transactions
from disjoin.progress import silent
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, baskets

for_each_packed_clustering = pytest.mark.parametrize("clustering", ["core", "core-horpart"])


@pytest.fixture(scope="module", autouse=True)
def every_leaf_is_large():
    """Pack leaves of any size: random data is small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vertical, "LARGE_LEAF", 1)
        yield


@for_each_packed_clustering
@given(baskets(least_records=4), st.integers(2, 3), st.integers(1, 4), st.sets(st.sampled_from(NAMES), max_size=2))
@examples(40)
def test_the_inspector_accepts_packed_leaves(clustering, records, k, m, hidden):
    assume(len(records) >= k)
    size = {"max_cluster_size": 2 * k + 2} if clustering == "core-horpart" else {}
    method = Disassociation(
        k=k, m=m, clustering=clustering, sensitive=tuple(hidden), allow_missing_sensitive=True, **size
    )
    data = Transactions.from_sets(records)
    draft = method.publish(data, Local(1))
    # The guarantee itself is tried over all originals where they are few.
    places = {"original": data, "part_of_record": draft.part_of_record}
    verdict = check(draft.published, method.claim(draft), **places, exact=len(records) < 9)
    assert verdict.holds, verdict.violations


@given(baskets(least_records=6), st.randoms(use_true_random=False))
@examples(15)
def test_neither_the_order_of_the_records_nor_the_threads_matter_to_packing(records, random):
    method = Disassociation(k=2, m=3, clustering="core-horpart", max_cluster_size=8)
    draft = method.publish(Transactions.from_sets(records), Local(1))
    again = method.publish(Transactions.from_sets(random.sample(records, len(records))), Local(3))
    assert again.published == draft.published


def test_large_leaves_are_packed_one_by_one_among_the_others(monkeypatch):
    monkeypatch.setattr(vertical, "LARGE_LEAF", 50)
    data = Transactions.from_sets(make_baskets(300, 5))
    partition = Partition(np.arange(300, dtype=np.int32), np.array([20, 60, 30, 50, 49, 91]))

    task = Task(Disassociation(k=3, m=2), data, Local(2), silent)

    def leaves(partition, *, packs):
        return vertical.cut_into_chunks(task, partition, packs=packs)

    together = leaves(partition, packs=True)
    assert together.sizes.tolist() == partition.sizes.tolist()
    differ = []
    for leaf, (start, end) in enumerate(zip(partition.ends[:-1], partition.ends[1:], strict=True)):
        alone = Partition(partition.records[start:end], partition.sizes[leaf : leaf + 1])
        one, cut = leaves(alone, packs=True), leaves(alone, packs=False)
        differ.append(one.items.tolist() != cut.items.tolist())
        begin, finish = (together.subrecord_offsets[together.chunk_offsets[leaf + i]] for i in (0, 1))
        assert together.counts[begin:finish].tolist() == one.counts.tolist()
        first, last = together.item_offsets[[begin, finish]]
        assert together.items[first:last].tolist() == one.items.tolist()
    assert any(differ)
    assert not (differ[0] or differ[2] or differ[4]), "small leaves are those of VERPART"


@pytest.mark.parametrize("settings", [{}, {"max_cluster_size": 200}])
def test_the_method_of_the_paper_is_never_packed(settings, monkeypatch):
    data = Transactions.from_sets(make_baskets(400, 3))
    packed = Disassociation(k=3, clustering="core").publish(data, Local(1)).published
    method = Disassociation(k=3, **settings)
    published = method.publish(data, Local(1)).published
    monkeypatch.setattr(vertical, "LARGE_LEAF", 10**9)
    assert method.publish(data, Local(1)).published == published
    assert Disassociation(k=3, clustering="core").publish(data, Local(1)).published != packed, "others are"
