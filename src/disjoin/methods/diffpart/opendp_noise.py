"""Noise that keeps its promise to the last bit: the discrete Laplace mechanism of opendp."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from disjoin.errors import MissingExtra
from disjoin.methods.diffpart.noise import Noisy, Source
from disjoin.model.arrays import Ints64

KIND = "opendp"
_STEPS = 64  # floats to try; one or two are enough, as opendp rounds by less than that


def opendp_source() -> Source:
    """Return noise from opendp, whose randomness is the operating system's; raises MissingExtra without opendp."""
    _require_opendp()

    @lru_cache(maxsize=1024)
    def mechanism(epsilon: Fraction) -> tuple[Any, Fraction, float]:
        return _within(epsilon)

    def add(counts: Ints64, epsilon: Fraction) -> Noisy:
        laplace, spent, scale = mechanism(epsilon)
        return Noisy(np.array(laplace(counts.tolist()), dtype=np.int64), spent, math.sqrt(2) * scale)

    return add


def _require_opendp() -> None:
    try:
        import opendp.measurements  # noqa: F401 - to see whether it is there, before any work
    except ImportError as absent:
        raise MissingExtra(
            "DiffPart takes its noise from opendp, which is not installed: pip install 'disjoin[dp]'"
        ) from absent


def _within(epsilon: Fraction) -> tuple[Any, Fraction, float]:
    """Return a mechanism that spends at most `epsilon` by its own account, what it spends exactly, and its scale.

    opendp says what a scale costs as a float that is rounded up, so the nearest float to 1 / epsilon may cost a little
    more than epsilon; then the scale is raised, float by float, until it does not.
    """
    scale = float(1 / epsilon)
    for _ in range(_STEPS):
        laplace = _laplace(scale)
        spent = Fraction(laplace.map(1))  # one record more or less changes one of the counts, by one
        if spent <= epsilon:
            return laplace, spent, scale
        scale = math.nextafter(scale, math.inf)
    raise AssertionError(f"opendp asks {float(spent):g} for a scale of {scale:g}, more than {float(epsilon):g}")


def _laplace(scale: float) -> Any:
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    with _contributions():
        return make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)


@contextmanager
def _contributions() -> Iterator[None]:
    """Let opendp use what it calls contrib, and leave its settings as they were found: they are the whole process's."""
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
