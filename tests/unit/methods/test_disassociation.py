"""Disassociation as a whole: parameters born valid, sensitive terms, nothing of the input's order."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.disassociation import Disassociation, default_cluster_size
from disjoin.methods.disassociation import packing as vertical
from disjoin.methods.disassociation.choices import REFINE_BUILDERS
from disjoin.model import Transactions
from helpers.synthetic import cases, expanded
from oracle import disassociation as oracle
from oracle import refinement as oracle_refinement


def method_of(case, **more):
    return Disassociation(k=case["k"], m=case["m"], max_cluster_size=case["limit"], strategy=case["strategy"], **more)


def draft_of(case, threads=1, **more):
    method = method_of(case, sensitive=case["sensitive"], allow_missing_sensitive=True, **more)
    return method.publish(Transactions.from_sets(case["records"], keep_order=True), Local(threads))


@given(cases(), st.sampled_from([None, "safe", "paper"]))
def test_what_is_published_is_what_the_slow_twin_publishes(case, mode):
    sensitive = set(case["sensitive"])
    facts = (case["records"], case["k"], case["m"], case["limit"], case["strategy"], "lex", sensitive)
    options = {"refine": False} if mode is None else {"refine_mode": mode, "refine_builder": "pairs"}
    expected = oracle.publish(*facts) if mode is None else oracle_refinement.publish(*facts, mode=mode)
    if not expected:
        with pytest.raises(GuaranteeUnreachable):
            draft_of(case, **options)
        return
    assert expanded(draft_of(case, **options).published.to_nested()) == expected


@given(cases(), st.randoms(use_true_random=False), st.sampled_from(REFINE_BUILDERS))
def test_the_order_of_records_and_of_terms_does_not_matter(case, shuffler, builder):
    shuffled = [shuffler.sample(record, len(record)) for record in case["records"]]
    shuffler.shuffle(shuffled)
    try:
        expected = draft_of(case, refine_builder=builder).published
    except GuaranteeUnreachable:
        return
    assert draft_of(case | {"records": shuffled}, refine_builder=builder).published == expected


@given(cases(("abandon", "adding", "remaining")))
def test_the_number_of_threads_and_the_cut_into_shards_do_not_matter(case):
    expected = draft_of(case).published
    before, vertical.SHARD_OCCURRENCES = vertical.SHARD_OCCURRENCES, 5
    try:
        assert draft_of(case, threads=3).published == expected
    finally:
        vertical.SHARD_OCCURRENCES = before


@given(cases())
def test_the_map_of_records_fits_the_sizes(case):
    try:
        draft = draft_of(case)
    except GuaranteeUnreachable:
        return
    found = np.bincount(draft.part_of_record[draft.part_of_record >= 0], minlength=len(draft.published))
    assert found.tolist() == np.where(draft.published.is_joint, 0, draft.published.sizes).tolist()
    assert draft.suppressed_records == len(case["records"]) - draft.published.n_records
    if case["strategy"] != "suppression":
        assert draft.suppressed_records == 0


@given(cases(("abandon", "adding", "remaining", "cardiff")), st.integers(2, 4))
def test_no_leaf_has_a_sensitive_term_in_more_than_one_record_in_l(case, l):  # noqa: E741
    case["limit"] = max(case["limit"], l + 1)
    try:
        draft = draft_of(case, l=l) if case["sensitive"] else None
    except GuaranteeUnreachable as refusal:
        n = len(case["records"])
        supports = [sum(t in r for r in case["records"]) for t in case["sensitive"]]
        assert max(supports) * l > n or n < l, refusal
        return
    if draft is None:
        return
    for leaf, size in enumerate(draft.published.sizes):
        inside = [r for r, place in zip(case["records"], draft.part_of_record, strict=True) if place == leaf]
        assert size >= l
        for term in case["sensitive"]:
            assert sum(term in r for r in inside) * l <= size
    for node in range(len(draft.published)):
        chunked = {t for chunk in draft.published.chunks_of(node) for terms, _ in chunk for t in terms}
        assert not chunked & set(case["sensitive"])


def test_the_impossible_l_is_refused_with_the_worst_term_and_the_largest_l_that_works():
    records = [["hiv", "a"]] * 3 + [["a"]] * 4
    with pytest.raises(GuaranteeUnreachable, match=r"'hiv' is in 3 of 7 records.*Lower l to 2"):
        Disassociation(k=2, m=2, sensitive=("hiv",), l=3).publish(Transactions.from_sets(records), Local(1))


def test_merging_uses_clusters_before_the_last_one_when_the_last_cannot_be_mended():
    records = [["a", f"x{i}"] for i in range(8)] + [["b", "hiv", f"y{i}"] for i in range(3)]
    method = Disassociation(k=2, m=2, max_cluster_size=4, strategy="abandon", sensitive=("hiv",), l=3)
    draft = method.publish(Transactions.from_sets(records), Local(1))
    assert draft.private["true_association"][0] * 3 <= draft.private["true_association"][1]


def test_a_suppressed_record_leaves_no_name_behind():
    records = [["a", "b"]] * 6 + [["once", "a"]]
    method = Disassociation(k=3, m=2, max_cluster_size=4, strategy="suppression")
    draft = method.publish(Transactions.from_sets(records), Local(1))
    assert draft.suppressed_records == 1
    assert draft.published.vocabulary.to_pylist() == ["a", "b"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2, got 1"),
        ({"k": "5"}, "k must be"),
        ({"k": True}, "k must be"),
        ({"m": 0}, "m must be a whole number of at least 1, got 0"),
        ({"k": 5, "max_cluster_size": 5}, "max_cluster_size must be greater than 5"),
        ({"k": 2, "l": 9, "sensitive": ("x",), "max_cluster_size": 9}, "max_cluster_size must be greater than 9"),
        ({"l": 3}, "l needs sensitive terms"),
        ({"l": 1, "sensitive": ("x",)}, "l must be"),
        ({"strategy": "hope"}, "strategy must be one of abandon, .*, got 'hope'"),
        ({"ties": "coin"}, "ties must be one of lex, first, got 'coin'"),
        ({"refine": "yes"}, "refine must be true or false, got 'yes'"),
        ({"refine_mode": "fast"}, "refine_mode must be one of safe, paper, got 'fast'"),
        ({"refine_builder": "triples"}, "refine_builder must be one of levels, pairs, got 'triples'"),
        ({"refine_passes": 0}, "refine_passes must be a whole number of at least 1, got 0: to join nothing"),
        ({"k": 5, "max_joint_size": 9}, "max_joint_size must be a whole number of at least 10, got 9"),
    ],
)
def test_a_wrong_parameter_is_refused_at_birth(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        Disassociation(**parameters)


def test_fewer_records_than_k_cannot_be_published():
    with pytest.raises(GuaranteeUnreachable, match="4 records cannot form a cluster of at least 5"):
        Disassociation(k=5).publish(Transactions.from_sets([["a"]] * 4), Local(1))


def test_ties_first_needs_the_written_order():
    with pytest.raises(InvalidParameter, match="keep_order"):
        Disassociation(k=2, ties="first").publish(Transactions.from_sets([["a"]] * 4), Local(1))


def test_the_warnings_say_what_to_know():
    data = Transactions.from_sets([["a"]] * 9)
    method = Disassociation(k=2, max_cluster_size=3, sensitive=("hiv", "a"), allow_missing_sensitive=True, ties="first")
    notes = method.warnings(data)
    words = ("twice the smallest", "ignored: the sensitive term 'hiv'.", "Give l", "order of the input")
    assert len(notes) == len(words)
    for word, note in zip(words, notes, strict=True):
        assert word in note


def test_the_default_cluster_size_grows_with_the_least_size():
    assert [default_cluster_size(k) for k in (2, 5, 25)] == [40, 100, 500]
    assert Disassociation(k=5).size_limit == 100
    assert Disassociation(k=5, sensitive=("x",), l=7).size_limit == 140


@pytest.mark.parametrize("strategy", oracle.STRATEGIES)
@pytest.mark.parametrize(
    "records",
    [
        [["a"]] * 3,
        [["a", "b", "c"]] * 7,
        [[f"t{i}"] for i in range(9)],
        [["a"], ["b"], ["a", "b", "c", "d"]],
        [["a", "b"], ["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"]],
    ],
    ids=["n = k", "all equal", "all disjoint, all rare", "one record is the domain", "pairs only in short records"],
)
@pytest.mark.parametrize("m", [1, 2, 3, 9])
def test_edge_cases_are_those_of_the_twin(strategy, records, m):
    limit = 4
    expected = oracle.publish(records, 3, m, limit, strategy)
    method = Disassociation(k=3, m=m, max_cluster_size=limit, strategy=strategy)
    if not expected:
        with pytest.raises(GuaranteeUnreachable):
            method.publish(Transactions.from_sets(records), Local(1))
        return
    assert expanded(method.publish(Transactions.from_sets(records), Local(1)).published.to_nested()) == expected


@pytest.mark.slow  # without the compiler
def test_larger_data_is_published_as_by_the_twin():
    rng = random.Random(5)
    names = [f"t{i:03d}" for i in range(60)]
    records = [rng.sample(names[: rng.choice([8, 30, 60])], rng.randint(1, 8)) for _ in range(700)]
    for strategy in ("adding", "remaining", "abandon-next"):
        for m in (2, 3):
            method = Disassociation(k=3, m=m, max_cluster_size=20, strategy=strategy, refine_builder="pairs")
            made = method.publish(Transactions.from_sets(records), Local(2))
            assert expanded(made.published.to_nested()) == oracle_refinement.publish(records, 3, m, 20, strategy)


def test_lemma_2_counts_with_the_stated_m_even_where_no_record_is_that_long():
    # Capping m at the longest record changes h in Lemma 2, and the inspector (V7) refuses the outcome.
    records = [["a", "b"], ["b", "c"], ["c", "a"]]
    made = Disassociation(k=2, m=3, max_cluster_size=3, strategy="abandon").publish(
        Transactions.from_sets(records), Local(1)
    )
    assert expanded(made.published.to_nested()) == oracle.publish(records, 2, 3, 3, "abandon")
    assert made.published.term_chunk_of(0) == ("c",)
