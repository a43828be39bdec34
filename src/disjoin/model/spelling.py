"""Texts that are the same but for their spelling: case, blanks around them, Unicode form, width, invisible letters.

Also texts that are blank in any spelling.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from disjoin.words import USUAL_BLANKS

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.model.ragged import Ints32, Ints64

BLANK_TERM = "(blank)"
_ASCII_BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f "  # what `str.strip` takes away


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
    import numpy as np  # here, as settings are read before there is any array

    first: dict[str, int] = {}
    return np.array([first.setdefault(folded(term), place) for place, term in enumerate(terms)], dtype=np.int32)


def folded_column(texts: pa.StringArray) -> pa.StringArray:
    """Return `folded` of every text; quickly, if they are ASCII as most are.

    >>> import pyarrow as pa
    >>> folded_column(pa.array(["B20", " b20 ", "Ｂ２０"])).to_pylist()
    ['b20', 'b20', 'b20']
    """
    import pyarrow as pa  # here, as they are slow to import
    import pyarrow.compute as pc

    is_ascii = pc.string_is_ascii(texts)
    if pc.all(is_ascii).as_py():
        return pc.ascii_lower(pc.ascii_trim(texts, _ASCII_BLANKS))
    plain = pc.utf8_lower(pc.utf8_trim(texts, _ASCII_BLANKS))
    others = [folded(text) for text in texts.filter(pc.invert(is_ascii)).to_pylist()]
    return pc.replace_with_mask(plain, pc.invert(is_ascii), pa.array(others, pa.string()))


def alike_in(texts: pa.StringArray) -> list[tuple[str, ...]]:
    """Return what `alike` returns, of the distinct texts of a column; quickly, if few or none are alike.

    >>> import pyarrow as pa
    >>> alike_in(pa.array(["B20", "b20 ", "I10"]))
    [('B20', 'b20 ')]
    """
    import pyarrow.compute as pc

    if not _may_be_alike(texts):
        return []
    forms = folded_column(texts)
    counts = forms.value_counts()
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    return alike(texts.filter(pc.is_in(forms, value_set=repeated)).to_pylist())


def _may_be_alike(texts: pa.StringArray) -> bool:
    """Tell whether distinct texts could be alike: not if they are ASCII in one case, without blanks around them."""
    import pyarrow.compute as pc

    if not pc.all(pc.string_is_ascii(texts)).as_py():
        return True
    trimmed = pc.ascii_trim(texts, _ASCII_BLANKS)
    return not (pc.ascii_lower(trimmed).equals(texts) or pc.ascii_upper(trimmed).equals(texts))


def are_blank(texts: pa.StringArray, words: Iterable[str] = ()) -> pa.BooleanArray:
    """Tell of every text whether it is empty, has blanks only, or is one of these words in any spelling.

    >>> import pyarrow as pa
    >>> are_blank(pa.array(["tea", "", "  ", " null"]), ["NULL"]).to_pylist()
    [False, True, True, True]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = {"", *(folded(word) for word in words)}
    return pc.is_in(folded_column(texts), value_set=pa.array(sorted(wanted), pa.string()))


def possible_blanks(texts: pa.StringArray, counts: Ints64) -> list[tuple[str, int]]:
    """Return the texts that may stand for a blank, each with its count, the most frequent first.

    >>> import numpy as np, pyarrow as pa
    >>> possible_blanks(pa.array(["NA", "na", "tea", "-"]), np.array([3, 1, 9, 4]))
    [('-', 4), ('NA', 3), ('na', 1)]
    """
    import pyarrow.compute as pc

    places = pc.indices_nonzero(are_blank(texts, USUAL_BLANKS)).to_pylist()
    found = [(texts[place].as_py(), int(counts[place])) for place in places if counts[place]]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
