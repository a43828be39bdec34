"""Noise of known kinds for tests: it protects no record."""

from dataclasses import dataclass, field

import numpy as np

from disjoin.methods.diffpart.noise import Noisy


@dataclass(frozen=True)
class Fixed:
    """The noise of a subset follows from its number and epsilon: the same for every program, in any order."""

    kind = "fixed"
    reach: int = 2
    salt: int = 0

    def of(self, number, epsilon):
        mixed = (number * 2654435761 + epsilon.numerator * 97 + epsilon.denominator * 31 + self.salt) % 1009
        return mixed % (2 * self.reach + 1) - self.reach

    def source(self):
        def add(counts, epsilon):
            noise = [self.of(number, epsilon) for number in range(1, counts.size + 1)]
            return Noisy(counts + np.array(noise, dtype=np.int64), epsilon, 1.0)

        return add


@dataclass(frozen=True)
class Deaf:
    """Noisy counts that do not listen to the exact ones, and a list of what was asked."""

    kind = "deaf"
    share: int = 3
    salt: int = 0
    asked: list = field(default_factory=list)

    def source(self):
        def answer(counts, epsilon):
            self.asked.append((counts.copy(), epsilon))
            random = np.random.default_rng([self.salt, len(self.asked)])
            passing = random.integers(0, self.share, counts.size) == 0
            return Noisy(np.where(passing & (len(self.asked) < 60), 1000, -1000), epsilon, 1.0)

        return answer


@dataclass(frozen=True)
class Raised:
    """Every count passes every threshold."""

    kind = "raised"

    def source(self):
        return lambda counts, epsilon: Noisy(counts + 1000, epsilon, 1.0)
