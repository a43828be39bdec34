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
    """Counts with noise, what they have cost, and the standard deviation that thresholds are measured in."""

    counts: Ints64
    epsilon: Fraction
    deviation: float


# Takes the exact counts of disjoint sets of records, and what may be spent on all of them together.
Source = Callable[["Ints64", Fraction], Noisy]


class Noise(Protocol):
    """A kind of noise; only opendp's becomes a release."""

    kind: ClassVar[str]

    def source(self) -> Source:
        """Return the noise from its beginning."""


@dataclass(frozen=True, slots=True)
class SeededNoise:
    """The distribution of the real noise from a seed: for experiments, because a seed is no secret."""

    kind: ClassVar[str] = "seeded"

    seed: int

    def __post_init__(self) -> None:
        require_integer("seed", self.seed, 0, "the same seed draws the same noise.")

    def source(self) -> Source:
        import numpy as np  # here, as it is loaded with the data

        random = np.random.default_rng(self.seed)

        def add(counts: Ints64, epsilon: Fraction) -> Noisy:
            chance = -math.expm1(-float(epsilon))
            # The difference of two geometric numbers is a discrete Laplace one.
            noise = random.geometric(chance, counts.size) - random.geometric(chance, counts.size)
            return Noisy(counts + noise, epsilon, math.sqrt(2) / float(epsilon))

        return add


@dataclass(frozen=True, slots=True)
class NoNoise:
    """Exact counts, and thresholds in records: for tests, because it protects nobody."""

    kind: ClassVar[str] = "off"

    def source(self) -> Source:
        return lambda counts, epsilon: Noisy(counts, epsilon, 1.0)


KIND = "opendp"
_STEPS = 64  # floats to try; one or two are enough, as opendp rounds by less than that


def opendp_source() -> Source:
    """Return noise from opendp, whose randomness is the operating system's; raises MissingExtra without opendp."""
    import numpy as np

    try:
        import opendp.measurements  # noqa: F401 - to see whether it is there, before any work
    except ImportError as absent:
        raise MissingExtra(
            "DiffPart takes its noise from opendp, which is not installed: pip install 'disjoin[dp]'"
        ) from absent
    mechanism = lru_cache(maxsize=1024)(_within)

    def add(counts: Ints64, epsilon: Fraction) -> Noisy:
        laplace, spent, scale = mechanism(epsilon)
        return Noisy(np.array(laplace(counts.tolist()), dtype=np.int64), spent, math.sqrt(2) * scale)

    return add


def _within(epsilon: Fraction) -> tuple[Any, Fraction, float]:
    """Return a mechanism that spends at most `epsilon` by its own account, what it spends exactly, and its scale.
    opendp rounds costs up, so 1 / epsilon may cost more; then the scale is raised, float by float."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    scale = float(1 / epsilon)
    for _ in range(_STEPS):
        with _contributions():
            laplace: Any = make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)
        spent = Fraction(laplace.map(1))  # one record more or less changes one of the counts, by one
        if spent <= epsilon:
            return laplace, spent, scale
        scale = math.nextafter(scale, math.inf)
    raise AssertionError(f"opendp asks {float(spent):g} for a scale of {scale:g}, more than {float(epsilon):g}")


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
