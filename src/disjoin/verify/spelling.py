"""What a reader takes for the same word: the inspector's own reading of case, blanks, Unicode form and width."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category, normalize

import numpy as np

from disjoin.model.arrays import Ints64


def as_read(text: str) -> str:
    """Return a word as it is read, whatever its spelling; invisible letters are not.

    >>> as_read("B20 ") == as_read("b20"), as_read("B20") == as_read("B21")
    (True, False)
    """
    seen = "".join(filter(lambda letter: category(letter) != "Cf", text))
    return normalize("NFKC", normalize("NFKC", seen).casefold()).strip()


def words_of(texts: Iterable[str]) -> Ints64:
    """Return the number of the word that each text is a spelling of: its first spelling here.

    >>> words_of(["B20", "I10", "b20"]).tolist()
    [0, 1, 0]
    """
    first: dict[str, int] = {}
    return np.array([first.setdefault(as_read(text), place) for place, text in enumerate(texts)], dtype=np.int64)
