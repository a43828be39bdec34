"""How even the values of a class are: entropy, compared exactly where floating point cannot tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints64
from disjoin.verify.table.classes import Tally

CLOSE = 1e-8  # entropies nearer to one another than this are compared in whole numbers
PLACES = 10_000  # an entropy's l is told in ten-thousandths


def entropies(tally: Tally) -> NDArray[np.float64]:
    """Return the entropy of every class, in nats, up to rounding."""
    offsets = tally.offsets
    sizes = np.add.reduceat(tally.counts, offsets[:-1])
    shares = tally.counts / np.repeat(sizes, np.diff(offsets))
    result: NDArray[np.float64] = -np.add.reduceat(shares * np.log(shares), offsets[:-1])
    return result


def is_even_as(counts: Sequence[int], values: Fraction) -> bool:
    """Tell, exactly, whether the entropy of these counts is at least the logarithm of `values`.

    With n rows, -sum(p ln p) >= ln l says n^n >= l^n * product(c^c). Counts with a common divisor g have it taken out
    first: both sides are g-th powers then.

    >>> is_even_as([50, 50], Fraction(2)), is_even_as([51, 49], Fraction(2))
    (True, False)
    """
    divisor = math.gcd(*counts)
    reduced = [count // divisor for count in counts]
    rows = sum(reduced)
    needed: int = values.numerator**rows * math.prod(count**count for count in reduced)
    return bool((rows * values.denominator) ** rows >= needed)


def uneven(tally: Tally, values: Fraction) -> Ints64:
    """Return the classes whose entropy is below the logarithm of `values`, ascending."""
    found = entropies(tally)
    bound = math.log(values.numerator) - math.log(values.denominator)
    close = np.flatnonzero(np.abs(found - bound) < CLOSE)
    below = found < bound
    decided: dict[tuple[int, ...], bool] = {}
    for number, counts in zip(close.tolist(), _counts(tally, close), strict=True):
        if counts not in decided:
            decided[counts] = is_even_as(counts, values)
        below[number] = not decided[counts]
    return np.flatnonzero(below)


def largest_even(tally: Tally) -> int:
    """Return how many ten-thousandths the largest l has that every class is as even as, rounded down.

    >>> from disjoin.verify.table.classes import Classes
    >>> one = Classes((), np.zeros(3, np.int64), np.array([3]), np.array([0]))
    >>> largest_even(Tally.of(one, np.array([0, 0, 1], np.int32), 2))
    18898
    """
    found = entropies(tally)
    least = float(found.min())
    near = math.exp(least) * PLACES
    whole = round(near)
    if abs(near - whole) > whole * CLOSE * 10:
        return math.floor(near)
    close = np.flatnonzero(found < least + CLOSE)
    reaches = all(is_even_as(counts, Fraction(whole, PLACES)) for counts in set(_counts(tally, close)))
    return whole if reaches else whole - 1


def _counts(tally: Tally, classes: Ints64) -> list[tuple[int, ...]]:
    offsets = tally.offsets
    return [tuple(tally.counts[offsets[number] : offsets[number + 1]].tolist()) for number in classes]
