"""Noise source: opendp for releases, seeded noise for experiments and tests only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from disjoin.errors import MissingExtra
from disjoin.model.parameters import require_integer

if TYPE_CHECKING:
    from disjoin.model.ragged import Ints64


class Noisy(NamedTuple):
    """Counts with noise, their cost, and the standard deviation: the unit of thresholds."""

    counts: Ints64
    epsilon: Fraction
    deviation: float


# Takes the exact counts of disjoint sets of records, and the budget for all of them together.
Source = Callable[["Ints64", Fraction], Noisy]


class Noise(Protocol):
    """A kind of noise; only results with opendp's may become releases."""

    kind: ClassVar[str]

    def source(self) -> Source:
        """Return the noise from the start of its sequence."""


@dataclass(frozen=True, slots=True)
class SeededNoise:
    """The distribution of the real noise from a seed: for experiments, because a seed is not secret."""

    kind: ClassVar[str] = "seeded"

    seed: int

    def __post_init__(self) -> None:
        require_integer("seed", self.seed, 0, "a seed determines the noise.")

    def source(self) -> Source:
        import numpy as np  # imported late, with the data

        random = np.random.default_rng(self.seed)

        def add(counts: Ints64, epsilon: Fraction) -> Noisy:
            chance = -math.expm1(-float(epsilon))
            # The difference of two geometric numbers has a discrete Laplace distribution.
            noise = random.geometric(chance, counts.size) - random.geometric(chance, counts.size)
            return Noisy(counts + noise, epsilon, math.sqrt(2) / float(epsilon))

        return add


@dataclass(frozen=True, slots=True)
class NoNoise:
    """Exact counts, and thresholds in records: for tests, because it protects no record."""

    kind: ClassVar[str] = "off"

    def source(self) -> Source:
        return lambda counts, epsilon: Noisy(counts, epsilon, 1.0)


KIND = "opendp"
_STEPS = 64  # floats to try; one or two are enough, as opendp rounds by less than that


def opendp_source() -> Source:
    """Return noise from opendp, which uses the randomness of the operating system; raises MissingExtra without it."""
    import numpy as np

    try:
        import opendp.measurements  # noqa: F401 - to see whether it is there, before any work
    except ImportError as absent:
        raise MissingExtra(
            "DiffPart uses opendp for its noise, which is not installed. Install it: pip install 'disjoin[dp]'"
        ) from absent
    mechanism = lru_cache(maxsize=1024)(_within)

    def add(counts: Ints64, epsilon: Fraction) -> Noisy:
        laplace, spent, scale = mechanism(epsilon)
        return Noisy(np.array(laplace(counts.tolist()), dtype=np.int64), spent, math.sqrt(2) * scale)

    return add


def _within(epsilon: Fraction) -> tuple[Any, Fraction, float]:
    """Return a mechanism that spends at most `epsilon` by its own accounting, its exact cost, and its scale. opendp
    rounds costs up, so 1 / epsilon may cost more; then the scale is raised to the next float."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    scale = float(1 / epsilon)
    for _ in range(_STEPS):
        with _contributions():
            laplace: Any = make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)
        spent = Fraction(laplace.map(1))  # adding or removing a record changes one count by one
        if spent <= epsilon:
            return laplace, spent, scale
        scale = math.nextafter(scale, math.inf)
    raise AssertionError(f"opendp spends {float(spent):g} for a scale of {scale:g}, more than {float(epsilon):g}")


@contextmanager
def _contributions() -> Iterator[None]:
    """Allow opendp's contrib functions, and restore its settings, which are global to the process."""
    from opendp.mod import OpenDPException, assert_features, disable_features, enable_features

    try:
        assert_features("contrib")
    except OpenDPException:
        enable_features("contrib")
        try:
            yield
        finally:
            disable_features("contrib")
    else:
        yield
