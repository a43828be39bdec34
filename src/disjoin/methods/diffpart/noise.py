"""Where the noise comes from: opendp for what is published, anything else for experiments and tests only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from disjoin.errors import InvalidParameter, described
from disjoin.model.arrays import Ints64
from disjoin.model.guarantee import require_integer


class Noisy(NamedTuple):
    """Counts with noise, what they have cost, and the standard deviation that thresholds are measured in."""

    counts: Ints64
    epsilon: Fraction
    deviation: float


# Takes the exact counts of disjoint sets of records, and what may be spent on all of them together.
Source = Callable[[Ints64, Fraction], Noisy]


class Noise(Protocol):
    """A kind of noise; what is made with one of these never becomes a release."""

    kind: ClassVar[str]

    def source(self) -> Source:
        """Return the noise from its beginning."""


@dataclass(frozen=True, slots=True)
class SeededNoise:
    """The law of the real noise, drawn so that it can be drawn again: for experiments, as a seed is no secret."""

    kind: ClassVar[str] = "seeded"

    seed: int

    def __post_init__(self) -> None:
        require_integer("seed", self.seed, 0, "the same seed draws the same noise.")

    def source(self) -> Source:
        """Return the noise from its beginning."""
        random = np.random.default_rng(self.seed)

        def add(counts: Ints64, epsilon: Fraction) -> Noisy:
            chance = -math.expm1(-float(epsilon))
            # The difference of two geometric numbers is a discrete Laplace one.
            noise = random.geometric(chance, counts.size) - random.geometric(chance, counts.size)
            return Noisy(counts + noise, epsilon, math.sqrt(2) / float(epsilon))

        return add


@dataclass(frozen=True, slots=True)
class NoNoise:
    """Exact counts, and thresholds in records: for tests, as it protects nobody."""

    kind: ClassVar[str] = "off"

    def source(self) -> Source:
        """Return what adds nothing."""
        return lambda counts, epsilon: Noisy(counts, epsilon, 1.0)


def require_noise(noise: object) -> None:
    """Check that it can be asked for noise."""
    if noise is not None and (isinstance(noise, type) or not hasattr(noise, "source") or not hasattr(noise, "kind")):
        raise InvalidParameter(
            f"noise must be left out, or SeededNoise or NoNoise for experiments, got {described(noise)}."
        )
