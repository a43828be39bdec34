"""Numbers in tables: exact, as text, and intervals that stand for several of them."""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)"
_INTERVAL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]", re.ASCII)
_ALONE = re.compile(_NUMBER, re.ASCII)


def number_from(text: str) -> Fraction | None:
    """Return the number that a text is, exactly; None if it is none.

    >>> number_from("0.50"), number_from("forty")
    (Fraction(1, 2), None)
    """
    return Fraction(text) if _ALONE.fullmatch(text) else None


def interval_text(low: str, high: str) -> str:
    """Return what stands for all numbers from `low` to `high`, both included.

    >>> interval_text("20", "29"), interval_text("20", "20")
    ('[20, 29]', '20')
    """
    return low if low == high else f"[{low}, {high}]"


def interval_from(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the ends of an interval, or a number twice; None if the text is neither.

    >>> interval_from("[20, 29]"), interval_from("7"), interval_from("[3, 2]")
    ((Fraction(20, 1), Fraction(29, 1)), (Fraction(7, 1), Fraction(7, 1)), None)
    """
    alone = number_from(text)
    if alone is not None:
        return alone, alone
    found = _INTERVAL.fullmatch(text)
    if found is None:
        return None
    low, high = Fraction(found[1]), Fraction(found[2])
    return (low, high) if low < high else None
