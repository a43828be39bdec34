"""How wide a legible text is on a terminal, and how it is cut and filled up."""

from __future__ import annotations

import unicodedata

TIMES = "\N{MULTIPLICATION SIGN}"  # stands before a count


def cells(text: str) -> int:
    """Return how many terminal columns a legible text takes.

    >>> cells("tea"), cells("茶")
    (3, 2)
    """
    return sum(_cells(c) for c in text)


def shorten(text: str, width: int) -> str:
    """Cut a legible text to `width` cells, with … where something is missing.

    >>> shorten("digital camera", 8), shorten("tea", 8)
    ('digital…', 'tea')
    """
    if cells(text) <= width:
        return text
    kept, room = "", width - 1
    for c in text:
        room -= _cells(c)
        if room < 0:
            break
        kept += c
    return (kept.rstrip() + "…")[: max(width, 0)]


def padded(text: str, width: int) -> str:
    """Fill a legible text with blanks up to `width` cells."""
    return text + " " * max(0, width - cells(text))


def _cells(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1
