"""Numbers in tables: exact, as text, and as intervals."""

from __future__ import annotations

import math
import re
from fractions import Fraction

_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)"
_INTERVAL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]", re.ASCII)
_ALONE = re.compile(_NUMBER, re.ASCII)
LONGEST = 300  # characters of a number: it fits into a float, and arithmetic is fast


def number_from(text: str) -> Fraction | None:
    """Return the number that a text means, exactly; None if none. A text of more than 300 characters is a word.

    >>> number_from("0.50"), number_from("forty"), number_from("9" * 5000)
    (Fraction(1, 2), None, None)
    """
    return Fraction(text) if _is_number(text) else None


def plain_number(text: str) -> str:
    """Return a number in its shortest form, the same for all texts of an equal number; "" if it is not a number.

    >>> plain_number("007.50"), plain_number("-0.0"), plain_number(".5"), plain_number("seven")
    ('7.5', '0', '0.5', '')
    """
    if not _is_number(text):
        return ""
    whole, _, part = text.lstrip("+-").partition(".")
    digits = ".".join(filter(None, (whole.lstrip("0") or "0", part.rstrip("0"))))
    return f"-{digits}" if text.startswith("-") and digits != "0" else digits


def _is_number(text: str) -> bool:
    return len(text) <= LONGEST and _ALONE.fullmatch(text) is not None


def in_order(number: Fraction) -> tuple[float, Fraction]:
    """Return a key that sorts numbers exactly, and much faster than comparing fractions.

    >>> sorted([Fraction(1, 2), Fraction(10**400), Fraction(1, 3)], key=in_order)[:2]
    [Fraction(1, 3), Fraction(1, 2)]
    """
    try:
        return float(number), number
    except OverflowError:
        return (math.inf if number > 0 else -math.inf), number


def interval_text(low: str, high: str) -> str:
    """Return the text of the interval from `low` to `high`, both included.

    >>> interval_text("20", "29"), interval_text("20", "20")
    ('[20, 29]', '20')
    """
    return low if low == high else f"[{low}, {high}]"


def ends_from(text: str) -> tuple[str, str] | None:
    """Return the ends of an interval as written, or a number twice; None if the text is neither.

    >>> ends_from("[20, 29.5]"), ends_from("7"), ends_from("forty")
    (('20', '29.5'), ('7', '7'), None)
    """
    if _is_number(text):
        return text, text
    found = _INTERVAL.fullmatch(text)
    return None if found is None or max(len(found[1]), len(found[2])) > LONGEST else (found[1], found[2])


def interval_from(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the ends of an interval, or a number twice; None if the text is neither.

    >>> interval_from("[20, 29]"), interval_from("7"), interval_from("[3, 2]")
    ((Fraction(20, 1), Fraction(29, 1)), (Fraction(7, 1), Fraction(7, 1)), None)
    """
    ends = ends_from(text)
    if ends is None:
        return None
    low = Fraction(ends[0])
    high = low if ends[1] == ends[0] else Fraction(ends[1])
    return (low, high) if low < high or not text.startswith("[") else None
