"""Terms as they can be shown: no control character reaches a terminal or a page, and widths are counted in cells."""

from __future__ import annotations

import unicodedata

TIMES = "\N{MULTIPLICATION SIGN}"  # stands before a count
_JOINERS = "\u200c\u200d"  # they belong to the spelling of words and emoji
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(term: str) -> str:
    r"""Return the term with every character that could move the cursor or the reading direction written out.

    >>> visible("two\nlines \x1b[31m")
    'two\\nlines \\x1b[31m'
    """
    return "".join(_written_out(c) if _is_hidden(c) else c for c in term)


def cells(text: str) -> int:
    """Return how many terminal columns a visible text takes.

    >>> cells("tea"), cells("茶")
    (3, 2)
    """
    return sum(_cells(c) for c in text)


def shorten(text: str, width: int) -> str:
    """Cut a visible text to `width` cells, with … where something is missing.

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
    """Fill a visible text with blanks up to `width` cells."""
    return text + " " * max(0, width - cells(text))


def _is_hidden(c: str) -> bool:
    return unicodedata.category(c) in _HIDDEN and c not in _JOINERS


def _written_out(c: str) -> str:
    return c.encode("unicode_escape", "surrogatepass").decode("ascii")


def _cells(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1
