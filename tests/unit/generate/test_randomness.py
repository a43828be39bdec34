from __future__ import annotations

import numpy as np
import pytest

from disjoin.arrays import randomness
from disjoin.arrays.randomness import seeded

# Python calls none of these when they are compiled, only other loops do: here they run as they are written.
below, exponential, normal, poisson = (
    loop.plain for loop in (randomness.below, randomness.exponential, randomness.normal, randomness.poisson)
)
shuffle_front, uniform, weighted = (
    loop.plain for loop in (randomness.shuffle_front, randomness.uniform, randomness.weighted)
)

DRAWS = 20_000


def test_the_stream_is_the_published_one() -> None:
    # the first numbers that L'Ecuyer's own program prints for its default state
    state = np.full(6, 12345, dtype=np.int64)
    drawn = [uniform(state) for _ in range(3)]
    assert drawn == pytest.approx([0.1270111220465770, 0.3185275653967945, 0.3091860155832701], abs=1e-15)


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**100])
def test_any_seed_gives_a_valid_state(seed: int) -> None:
    state = seeded(seed)
    assert state.dtype == np.int64
    assert ((state > 0) & (state < 4294944443)).all()
    assert all(0 < uniform(state) < 1 for _ in range(1000))


def test_exponentials_have_mean_1_and_the_right_tail() -> None:
    state = seeded(1)
    drawn = np.array([exponential(state) for _ in range(DRAWS)])
    assert abs(drawn.mean() - 1) < 5 / np.sqrt(DRAWS)
    for point in (0.1, 1.0, 3.0):
        share = np.exp(-point)
        assert abs((drawn > point).mean() - share) < 5 * np.sqrt(share * (1 - share) / DRAWS)


@pytest.mark.parametrize("mean", [0.0, 0.5, pytest.param(9.0, marks=pytest.mark.slow)])
def test_poisson_numbers_have_their_mean_as_variance(mean: float) -> None:
    state = seeded(2)
    drawn = np.array([poisson(state, mean) for _ in range(DRAWS)])
    assert abs(drawn.mean() - mean) <= 5 * np.sqrt(mean / DRAWS)
    assert abs(drawn.var() - mean) <= 8 * (mean + 0.5) / np.sqrt(DRAWS)


def test_normal_numbers_are_centred_with_deviation_1_and_normal_tails() -> None:
    state = seeded(3)
    drawn = np.array([normal(state) for _ in range(DRAWS)])
    assert abs(drawn.mean()) < 5 / np.sqrt(DRAWS)
    assert abs(drawn.var() - 1) < 5 * np.sqrt(2 / DRAWS)
    assert abs((np.abs(drawn) < 1).mean() - 0.6827) < 5 * np.sqrt(0.22 / DRAWS)


def test_weighted_draws_follow_the_weights() -> None:
    state = seeded(4)
    cumulative = np.cumsum([1.0, 0.0, 3.0, 6.0])
    shares = np.bincount([weighted(state, cumulative) for _ in range(DRAWS)], minlength=4) / DRAWS
    assert shares[1] == 0
    assert np.abs(shares - [0.1, 0.0, 0.3, 0.6]).max() < 5 * 0.5 / np.sqrt(DRAWS)


def test_draws_below_a_bound_cover_it_evenly() -> None:
    state = seeded(5)
    shares = np.bincount([below(state, 7) for _ in range(DRAWS)], minlength=7) / DRAWS
    assert shares.size == 7
    assert np.abs(shares - 1 / 7).max() < 5 * 0.35 / np.sqrt(DRAWS)


def test_the_front_of_a_shuffle_is_any_choice_with_equal_chance() -> None:
    state = seeded(6)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(DRAWS):
        values = np.arange(4)
        shuffle_front(state, values, 4, 2)
        assert sorted(values.tolist()) == [0, 1, 2, 3]
        front = tuple(values[:2].tolist())
        seen[front] = seen.get(front, 0) + 1
    assert len(seen) == 12
    assert max(abs(count / DRAWS - 1 / 12) for count in seen.values()) < 5 * 0.28 / np.sqrt(DRAWS)
