"""The core is the largest k^m-anonymous part of the records, however the work is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.methods.disassociation import km_core
from disjoin.methods.disassociation.km_core import core_of
from disjoin.model import Transactions
from helpers.hypothesis_profile import examples
from oracle.core import core_by_peeling, is_anonymous, union_of_anonymous_parts

small = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=8)
larger = st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=1, max_size=40)


def core(records, k, m, secret=()):
    data = Transactions.from_sets(records)
    wanted = np.array([name not in secret for name in data.vocabulary.to_pylist()])
    return set(np.flatnonzero(core_of(data.offsets, data.items, wanted, k, m)).tolist())


@examples(40)
@given(small, st.integers(2, 3), st.integers(1, 4))
def test_the_core_is_the_union_of_all_anonymous_parts_and_one_of_them(records, k, m):
    found = core(records, k, m)
    assert found == union_of_anonymous_parts(records, k, m)
    assert is_anonymous([records[r] for r in found], k, m)


@examples(60)
@given(larger, st.integers(2, 5), st.integers(1, 5), st.sampled_from([1, 40, 10**9]), st.sampled_from([0, 2, 10**9]))
def test_the_core_is_what_peeling_by_hand_leaves_however_the_work_is_cut(records, k, m, shard, few):
    before = km_core.SHARD_FOLLOWERS, km_core.FEW
    km_core.SHARD_FOLLOWERS, km_core.FEW = shard, few
    try:
        assert core(records, k, m) == core_by_peeling(records, k, m)
    finally:
        km_core.SHARD_FOLLOWERS, km_core.FEW = before


@examples(20)
@given(larger, st.integers(2, 3), st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_core_does_not_depend_on_the_order_of_the_records(records, k, m, random):
    order = list(range(len(records)))
    random.shuffle(order)
    found = core([records[r] for r in order], k, m)
    assert {order[r] for r in found} == core(records, k, m)


@examples(20)
@given(larger, st.sets(st.sampled_from("abcdefgh")))
def test_terms_that_are_not_wanted_do_not_count(records, secret):
    assert core(records, 2, 2, secret) == core_by_peeling([record - secret for record in records], 2, 2)


def test_records_of_unwanted_terms_only_are_in_the_core():
    assert core([{"x"}, {"a", "x"}, {"b"}], 2, 2, secret="x") == {0}


def torus(side):
    """The triangles of a closed surface: each edge belongs to two of them, each corner to six."""
    corner = [[f"{i},{j}" for j in range(side)] for i in range(side)]
    near, far = range(side), [*range(1, side), 0]
    lower = [{corner[i][j], corner[far[i]][j], corner[far[i]][far[j]]} for i in near for j in near]
    upper = [{corner[i][j], corner[i][far[j]], corner[far[i]][far[j]]} for i in near for j in near]
    return lower + upper


@pytest.mark.parametrize("side", [3, 10])
def test_a_closed_surface_stays_and_one_with_a_hole_falls_from_there_to_the_last_triangle(side):
    triangles = torus(side)
    assert core(triangles, 2, 2) == set(range(len(triangles)))
    assert core(triangles[1:], 2, 2) == set()
    assert core(triangles, 2, 3) == set(), "each triangle is there once"
    assert core(triangles * 2, 2, 3) == set(range(2 * len(triangles)))
    assert core(triangles[1:], 2, 1) == set(range(len(triangles) - 1))
