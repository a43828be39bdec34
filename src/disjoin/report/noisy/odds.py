"""What epsilon means, in numbers that people can imagine."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from disjoin.model.differential_privacy import readable


def epsilon_of(guarantee: dict[str, Any]) -> Fraction:
    """Return the epsilon of a promise, as it is stored."""
    return Fraction(guarantee["epsilon"])


def factor(epsilon: Fraction, records: int = 1) -> str:
    """Return by how much the chance of an outcome changes at most, with so many records more or less.

    >>> factor(Fraction(1)), factor(Fraction(1), 3), factor(Fraction(1, 10)), factor(Fraction(12))
    ('2.72', '20.1', '1.11', '163,000')
    """
    return readable(math.exp(epsilon * records)) if epsilon * records <= 700 else "more than 10^300"


def surely(epsilon: Fraction) -> str:
    """Return how surely something can be concluded at most that was as likely as not before.

    >>> surely(Fraction(1)), surely(Fraction(1, 10)), surely(Fraction(8)), surely(Fraction(20))
    ('73.1%', '52.5%', '99.97%', 'all but 100%')
    """
    chance = 1 / (1 + math.exp(-epsilon))
    if chance >= 0.9999:
        return "all but 100%"
    return f"{chance:.1%}" if chance < 0.995 else f"{chance:.2%}"
