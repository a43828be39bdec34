"""Local recoding: the kernels do what their slow twins do, and classes are as demanded whatever the data."""

import random

from hypothesis import given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.methods.generalization.choices import ALGORITHM_NAMES
from helpers import recodings
from helpers.hypothesis_profile import examples
from oracle import generalization as twin


@given(recodings.problems(), st.booleans())
@examples(80)
def test_kaca_merges_as_its_twin_does(problem, stub):
    assert recodings.classes_of(problem, "kaca", stub=stub) == twin.kaca(problem, stub=stub)


@given(recodings.problems())
@examples(80)
def test_top_down_splits_as_its_twin_does(problem):
    assert recodings.classes_of(problem, "top-down") == twin.top_down(problem)


@given(recodings.problems(), st.integers(0, 3), st.booleans())
@examples(50)
def test_top_down_kaca_does_as_its_twin(problem, more, stub):
    size = problem.k + more
    found = recodings.classes_of(problem, "top-down-kaca", partition_size=size, stub=stub)
    assert found == twin.top_down_kaca(problem, size, stub=stub)


@given(recodings.problems())
@examples(100)
def test_two_level_clusters_as_its_twin_does(problem):
    assert recodings.classes_of(problem, "two-level") == twin.two_level(problem)


@given(recodings.problems(most_rows=40), st.sampled_from(ALGORITHM_NAMES))
@examples(60)
def test_every_class_is_as_demanded_and_stands_above_its_rows(problem, algorithm):
    found = recodings.classes_of(problem, algorithm)
    assert sorted(row for _, rows in found for row in rows) == list(range(len(problem.rows)))
    for vector, rows in found:
        assert twin.satisfies(problem, rows)
        for row in rows:
            for a, node in enumerate(vector):
                assert twin.above(problem, a, (0, problem.rows[row][a]), node[0]) == node


@given(recodings.problems(most_rows=30), st.sampled_from(ALGORITHM_NAMES), st.integers(0, 2**32))
@examples(50)
def test_the_order_of_the_rows_does_not_matter(problem, algorithm, seed):
    order = list(range(len(problem.rows)))
    random.Random(seed).shuffle(order)
    method = recodings.settings_of(problem, algorithm)
    one, other = (method.publish(recodings.table_of(problem, rows), Local()) for rows in (None, order))
    assert one.published == other.published
    table = recodings.table_of(problem, order)
    for name in ("s0", "q0"):
        before, after = table.column(name).to_pylist(), other.published.table.column(name).to_pylist()
        for row, place in enumerate(other.part_of_record.tolist()):
            path = problem.trees[0].get(before[row], ()) if name == "q0" else (before[row],)
            assert after[place] in path
