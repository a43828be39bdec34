"""The clustering `bounded`: agreement with its slow twin, the guarantee of m + 1, and nothing shown of m + 1 terms."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from disjoin.advise import publisher_of
from disjoin.engine import Local
from disjoin.measure.disclosure import exposed_share
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.bounded import PRICES, PRICES_AT_M, bounded_clusters, stays_in_leaf
from disjoin.methods.disassociation.choices import MOST_KNOWN
from disjoin.methods.disassociation.clustering import Task
from disjoin.methods.disassociation.horpart import Partition, Records
from disjoin.methods.disassociation.packing import cut_into_chunks
from disjoin.methods.disassociation.run import disassociate
from disjoin.model import KmAnonymity, Transactions
from disjoin.progress import silent
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, baskets
from oracle.bounded import bounded_leaves, grown_chunks, large_leaf

shares = st.sampled_from([0, 0, 0.1, 0.3])
ks, ms, prices = st.integers(2, 4), st.integers(1, 3), st.sampled_from(PRICES)


def task_of(records, k, m, hidden=(), **settings):
    """The task of publishing with chunks that are tested for m + 1 terms."""
    data = Transactions.from_sets(records).with_sensitive(hidden)
    method = Disassociation(k=k, m=m + 1, clustering="bounded", **settings)
    return Task(method, data, Local(1), silent)


def crowd(seed):
    """Records of few kinds with some noise, so that there are a core, a large leaf and leaves to weigh; k and m."""
    random = Random(seed)
    k, m = random.choice([2, 2, 3, 4]), random.choice([1, 2, 2, 3])
    letters = "abcdefghij"[: random.randint(3, 10)]
    kinds = [random.sample(letters, random.randint(1, min(5, len(letters)))) for _ in range(random.randint(2, 9))]
    records = []
    for _ in range(random.randint(2 * k, 45)):
        record = set(random.choice(kinds)) ^ {letter for letter in letters if random.random() < 0.06}
        records.append(sorted(record or {letters[0]}))
    return records, k, m


@given(st.integers(0, 2**32 - 1), shares)
@examples(90)
def test_chunks_grow_as_those_of_the_twin(seed, share):
    records, k, m = crowd(seed)
    share = 0 if m > MOST_KNOWN or m + 1 > max(map(len, records)) else share
    task = task_of(records, k, m)
    everyone = Partition(np.arange(len(records), dtype=np.int32), np.array([len(records)]))
    leaf = cut_into_chunks(task, everyone, share=share)
    names = task.data.vocabulary.to_pylist()
    at = leaf.item_offsets[leaf.subrecord_offsets]
    found = {frozenset(names[i] for i in leaf.items[a:b]) for a, b in pairwise(at)}
    wanted = [frozenset(chunk) for chunk in grown_chunks(records, k, m + 1, share=share)]
    if set(wanted) != found:  # Lemma 2 took the least frequent term out of its chunk, as no other was rare
        assert len(leaf.term_items) == 1
        last = names[leaf.term_items[0]]
        assert {chunk - {last} for chunk in wanted} - {frozenset()} == found


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.15, 1.0]))
@examples(60)
def test_the_records_of_the_large_leaf_are_those_of_the_twin(seed, price):
    records, k, m = crowd(seed)
    data = Transactions.from_sets(records)
    everyone = np.arange(len(records), dtype=np.int32)
    rows, hidden = Records(data.offsets, data.items, everyone, everyone), np.zeros(data.n_terms, np.bool_)
    stays = stays_in_leaf(rows, (k, m + 1, data.records.longest), hidden, price)
    assert set(np.flatnonzero(stays).tolist()) == large_leaf(records, k, m + 1, price)


@given(st.integers(0, 2**32 - 1), prices, shares)
@examples(90)
def test_leaves_are_those_of_the_twin(seed, price, share):
    records, k, m = crowd(seed)
    share = 0 if m > MOST_KNOWN or m + 1 > max(map(len, records)) else share
    task = task_of(records, k, m)
    clustered = bounded_clusters(task, price, share)
    found = np.split(clustered.partition.records, clustered.partition.ends[1:-1])
    leaves, core = bounded_leaves(records, k, m, price, share=share)
    assert clustered.core == core
    assert sorted(sorted(leaf.tolist()) for leaf in found) == sorted(sorted(leaf) for leaf in leaves)


@given(st.integers(0, 2**32 - 1))
@examples(30)
def test_the_leaves_of_pruned_are_those_of_the_twin_for_m_by_the_price_that_it_took(seed):
    records, k, m = crowd(seed)  # the twin is asked for one term less, as it tests one more
    found = publisher_of(Disassociation(k=k, m=m + 1, clustering="pruned"))(Transactions.from_sets(records), Local(1))
    names = [f"pruned with a large leaf ({price:g})" for price in PRICES_AT_M]
    assert list(found.private["pair_scores"]) == names
    leaves, _ = bounded_leaves(records, k, m, PRICES_AT_M[names.index(found.private["clustering"])])
    where = {frozenset(np.flatnonzero(found.part_of_record == leaf).tolist()) for leaf in set(found.part_of_record)}
    assert where == {frozenset(leaf) for leaf in leaves}


@given(st.integers(0, 2**32 - 1), prices, st.booleans())
@examples(60)
def test_every_candidate_keeps_the_guarantee_of_one_more_term_and_shows_nothing_of_sets_that_large(seed, price, exact):
    records, k, m = crowd(seed)
    records = records[: 3 * k + 3] if exact else records
    task = task_of(records, k, m)
    draft = disassociate(task, bounded_clusters(task, price))
    verdict = check(
        draft.published,
        KmAnonymity(k, m + 1),
        original=task.data,
        part_of_record=draft.part_of_record,
        exact=exact,
    )
    assert verdict.holds, verdict.violations
    assert exposed_share(draft.published, k, m) == 0


@given(baskets(least_records=4), ks, ms, st.sets(st.sampled_from(NAMES[:4]), max_size=2), st.randoms())
@examples(30)
def test_a_release_is_the_same_for_any_order_and_number_of_threads_and_what_is_claimed_holds(
    records, k, m, hidden, random
):
    assume(len(records) >= k)
    method = Disassociation(k=k, m=m, clustering="bounded", sensitive=tuple(hidden), allow_missing_sensitive=True)
    data = method.prepared(Transactions.from_sets(records))
    draft = publisher_of(method)(data, Local(1))
    shuffled = [random.sample(record, len(record)) for record in random.sample(records, len(records))]
    again = publisher_of(method)(method.prepared(Transactions.from_sets(shuffled)), Local(3))
    assert (again.published, again.private, again.parameters) == (draft.published, draft.private, draft.parameters)
    claimed = method.claim(draft)
    assert claimed.m == (m if draft.private["clustering"] == "horpart" else m + 1)
    verdict = check(draft.published, claimed, original=data, part_of_record=draft.part_of_record)
    assert verdict.holds, verdict.violations


@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.sampled_from(["0.05", "0.2", "1/2"]), st.booleans())
@examples(60)
def test_where_some_records_may_be_exposed_the_guarantee_is_the_one_that_was_asked_for(seed, m, share, exact):
    records, k, _ = crowd(seed)
    records = records[: 3 * k + 3] if exact else records
    method = Disassociation(k=k, m=m, clustering="bounded", max_exposed=share)
    data = Transactions.from_sets(records)
    draft = publisher_of(method)(data, Local(1))
    assert method.claim(draft) == KmAnonymity(k, m)
    verdict = check(draft.published, KmAnonymity(k, m), original=data, part_of_record=draft.part_of_record, exact=exact)
    assert verdict.holds, verdict.violations


@given(st.integers(0, 2**32 - 1), st.integers(1, 2), shares)
@examples(60)
def test_no_more_records_of_a_leaf_are_exposed_than_may_be(seed, m, share):
    records, k, _ = crowd(seed)
    chunks = grown_chunks(records, k, m + 1, share=share)
    rows = [set(record) for record in records]
    rare = [{r for r, row in enumerate(rows) if shown_rarely(row & set(chunk), rows, k, m + 1)} for chunk in chunks]
    assert len(set().union(*rare)) <= share * len(records)


def shown_rarely(terms, rows, k, size):
    return any(sum(set(some) <= row for row in rows) < k for some in combinations(sorted(terms), size))
