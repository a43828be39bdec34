"""Texts that are the same but for their spelling: case, blanks around them, Unicode form, width, invisible letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import numpy as np

from disjoin.model.arrays import Ints32


def folded(text: str) -> str:
    """Return the text as all its spellings are compared: two texts with the same result are alike.

    >>> folded("B20"), folded(" b20 "), folded("Ｂ２０"), folded("b20" + chr(0x200B))
    ('b20', 'b20', 'b20', 'b20')
    """
    if text.isascii():
        return text.strip().lower()
    visible = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    cased = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return cased.strip()


def alike(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the groups of different texts that are the same but for their spelling, each sorted, in sorted order.

    >>> alike(["B20", "b20 ", "I10", "i10", "J45"])
    [('B20', 'b20 '), ('I10', 'i10')]
    """
    groups: dict[str, list[str]] = {}
    for text in set(texts):
        groups.setdefault(folded(text), []).append(text)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def first_alike(terms: Iterable[str]) -> Ints32:
    """Return for every term the position of the first that is the same but for its spelling: these count as one.

    >>> first_alike(["B20", "I10", "b20 "]).tolist()
    [0, 1, 0]
    """
    first: dict[str, int] = {}
    return np.array([first.setdefault(folded(term), place) for place, term in enumerate(terms)], dtype=np.int32)
