"""Texts and pictures as a terminal shows them: shortened, aligned, coloured."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text


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


def coloured(drawing: str) -> Text:
    """Return a drawing for rich: frames and counts step back, terms stand out; markup in terms has no effect."""
    from rich.text import Text

    text = Text(drawing, no_wrap=True, overflow="crop")
    text.highlight_regex(r"[╭╮╰╯│─┬┴├┆]+", "dim")
    text.highlight_regex(TIMES + r"[\d,]+(?= )", "cyan")
    text.highlight_regex(r"(?m)^ *((joint )?cluster|group|class|category|term|row) \d+: .*$", "bold")
    text.highlight_regex(r"\(nothing\)|… and [\d,]+ more[a-z ]*", "dim italic")
    return text
