"""Random numbers that are the same on every machine. A `state` is an int64 array (6,) that every draw changes. Only
comparisons and the four operations are used, which IEEE arithmetic rounds identically everywhere."""

from __future__ import annotations

import numpy as np

from disjoin.jit.kernel import kernel, overflowing

# L'Ecuyer's combined generator MRG32k3a (Operations Research 47(1), 1999). All products stay below 2^63, so nothing
# overflows, compiled or not.
FIRST_MODULUS = 4294967087
SECOND_MODULUS = 4294944443
_SCALE = 1.0 / (FIRST_MODULUS + 1)


def seeded(seed: int, *branch: int):
    """Return a fresh state (6,) for a seed of any size; every `branch` of a seed has its own state."""
    words = np.random.SeedSequence(seed, spawn_key=branch).generate_state(6, np.uint32).astype(np.int64)
    return 1 + words % (SECOND_MODULUS - 1)  # neither half may be all zero


@kernel
@overflowing
def draw(state):
    """Draw one of 1..FIRST_MODULUS."""
    first = (1403580 * state[1] - 810728 * state[0]) % FIRST_MODULUS
    second = (527612 * state[5] - 1370589 * state[3]) % SECOND_MODULUS
    state[0] = state[1]
    state[1] = state[2]
    state[2] = first
    state[3] = state[4]
    state[4] = state[5]
    state[5] = second
    difference = first - second
    if difference <= 0:
        difference += FIRST_MODULUS
    return difference


@kernel
def uniform(state):
    """Draw from (0, 1), both ends excluded."""
    return draw(state) * _SCALE


@kernel
def below(state, bound):
    """Draw one of 0..bound-1, all equally likely."""
    return int(uniform(state) * bound)


@kernel
def fair_below(state, bound):
    """Draw one of 0..bound-1 (bound up to 2^31), all exactly equally likely, by rejection."""
    number = draw(state) - 1
    while number >= FIRST_MODULUS - FIRST_MODULUS % bound:
        number = draw(state) - 1
    return number % bound


@kernel
def fine_uniform(state):
    """Draw from (0, 1) in steps of 2^-53 instead of 2^-32."""
    return (draw(state) + uniform(state) - 1.0) * (1.0 / FIRST_MODULUS)


@kernel
def exponential(state):
    """Draw from the exponential distribution of mean 1. Von Neumann's comparison method: the length of a falling run of
    uniforms that starts at x is odd with probability e^-x, so a run of odd length accepts x; a refusal adds 1."""
    whole = 0.0
    while True:
        start = uniform(state)
        last = start
        is_odd = True
        following = uniform(state)
        while following < last:
            last = following
            is_odd = not is_odd
            following = uniform(state)
        if is_odd:
            return whole + start
        whole += 1.0


@kernel
def poisson(state, mean):
    arrivals = 0
    clock = exponential(state)
    while clock <= mean:
        arrivals += 1
        clock += exponential(state)
    return arrivals


@kernel
def normal(state):
    """Draw from the standard normal distribution: an exponential x, accepted with probability e^(-(x-1)²/2)."""
    while True:
        size = exponential(state)
        if 2.0 * exponential(state) >= (size - 1.0) * (size - 1.0):
            return size if uniform(state) < 0.5 else -size


@kernel
def weighted(state, cumulative):
    """Draw a position with a probability proportional to its weight; `cumulative` are running sums of weights."""
    target = uniform(state) * cumulative[cumulative.size - 1]
    low = 0
    high = cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def shuffle_front(state, values, size, front):
    for position in range(front):
        other = position + below(state, size - position)
        kept = values[position]
        values[position] = values[other]
        values[other] = kept
