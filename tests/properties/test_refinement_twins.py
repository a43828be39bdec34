"""The fast REFINE and its slow twins publish the same forest, for both builders and both modes."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import refine_runs
from helpers.hypothesis_profile import examples
from oracle import refinement as twin
from properties.test_refinement_safety import random_case

BUILDERS = {
    "pairs": (refine_runs.refine_and_trace, twin.refine_and_trace),
    "levels": (refine_runs.refine_in_levels_and_trace, twin.refine_in_levels_and_trace),
}


def larger_case(random):
    """Up to 14 clusters with rare terms that recur, so that joints nest and terms meet chunks below."""
    k, m = random.choice([2, 3]), random.choice([1, 2, 3])
    letters = [chr(ord("a") + i) for i in range(random.randint(6, 16))]
    weights = [1 / (1 + place) for place in range(len(letters))]
    clusters = []
    for _ in range(random.randint(4, 14)):
        common = random.choice(letters)
        clusters.append(
            [
                sorted({common, *random.choices(letters, weights, k=random.randint(1, 4))})
                for _ in range(random.randint(k, 2 * k + 1))
            ]
        )
    return clusters, k, m


cases = st.integers(0, 2**32 - 1).map(
    lambda seed: (random_case if seed % 3 == 0 else larger_case)(Random(seed)),
)


def places(trees, leaves):
    """What can be compared: equal leaves are interchangeable, so a record's place is what its leaf looks like."""
    nodes = twin.in_preorder(trees)
    return [str(nodes[leaf]) for leaf in leaves]


@pytest.mark.parametrize("builder", BUILDERS)
@given(
    case=cases,
    mode=st.sampled_from(["safe", "safe", "paper"]),
    hidden=st.sets(st.sampled_from("abcdefgh"), max_size=2),
    passes=st.none() | st.integers(0, 3),
    largest=st.none() | st.integers(4, 40),
)
@examples(150)
def test_the_forest_is_that_of_the_slow_twin(builder, case, mode, hidden, passes, largest):
    clusters, k, m = case
    fast, slow = BUILDERS[builder]
    options = {"mode": mode, "sensitive": tuple(sorted(hidden)), "passes": passes, "largest": largest}
    (made, leaves), (expected, expected_leaves) = (refine(clusters, k, m, **options) for refine in (fast, slow))
    assert made == expected
    assert places(made, leaves) == places(expected, expected_leaves)
