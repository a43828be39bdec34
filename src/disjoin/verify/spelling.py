"""What a reader takes for the same word: the inspector's own reading of case, blanks, Unicode form and width."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category, normalize

import numpy as np
import pyarrow as pa

from disjoin.model.arrays import Flags, Ints64


def as_read(text: str) -> str:
    """Return a word as it is read, whatever its spelling; invisible letters are not.

    >>> as_read("B20 ") == as_read("b20"), as_read("B20") == as_read("B21")
    (True, False)
    """
    seen = "".join(filter(lambda letter: category(letter) != "Cf", text))
    return normalize("NFKC", normalize("NFKC", seen).casefold()).strip()


def is_among(names: pa.StringArray, wanted: tuple[str, ...]) -> Flags:
    """Tell for every name whether it is a spelling of one that is wanted."""
    words = {as_read(name) for name in wanted}
    if not words:
        return np.zeros(len(names), dtype=np.bool_)
    return np.fromiter((as_read(name) in words for name in names.to_pylist()), np.bool_, len(names))


def words_of(texts: Iterable[str]) -> Ints64:
    """Return the number of the word that each text is a spelling of: its first spelling here.

    >>> words_of(["B20", "I10", "b20"]).tolist()
    [0, 1, 0]
    """
    first: dict[str, int] = {}
    return np.array([first.setdefault(as_read(text), place) for place, text in enumerate(texts)], dtype=np.int64)
