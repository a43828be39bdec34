"""Spelling: texts that differ only in case, blanks, Unicode form or invisible characters, and equal numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from disjoin.model.intervals import plain_number
from disjoin.text import USUAL_BLANKS

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.model.ragged import Ints32, Ints64

BLANK_TERM = "(blank)"
LONGEST_TERM = 1 << 20  # bytes
_BLANK_BRAILLE = 0x2800
_IGNORABLE = (  # Unicode's Default_Ignorable_Code_Point, first and last of every range
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
_CONTROL = ((0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F))  # other control characters are blanks
_UNSEEN: dict[int, str | None] = {_BLANK_BRAILLE: " "} | {
    point: None for first, last in (*_IGNORABLE, *_CONTROL) for point in range(first, last + 1)
}
# ASCII without control characters, and without two blanks in a row except at the ends: only case and ends change.
_PLAIN = r"^ *([!-~]+( [!-~]+)*)? *$"


def folded(text: str) -> str:
    """Return the text in the form for comparing spellings: texts with equal results are spellings of one text.

    Invisible characters are dropped, a run of blanks counts as one, and blanks at the ends are dropped.

    >>> folded("B20"), folded(" b20 "), folded("Ｂ２０"), folded("b20" + chr(0x200B)), folded("B20" + chr(0xFE0F))
    ('b20', 'b20', 'b20', 'b20', 'b20')
    """
    seen = text.translate(_UNSEEN)
    if seen.isascii():
        return " ".join(seen.lower().split())
    visible = "".join(letter for letter in seen if unicodedata.category(letter) != "Cf")
    cased = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return " ".join(cased.split())


def in_quotes(text: str) -> str:
    r"""Return the text in quotes, for a message, with its invisible characters written out.

    >>> print(in_quotes("B20" + chr(0xFE0F)), in_quotes("B20" + chr(0x7F)))
    'B20\ufe0f' 'B20\x7f'
    """
    return "".join(ascii(letter)[1:-1] if ord(letter) in _UNSEEN else letter for letter in repr(text))


def folded_value(text: str) -> str:
    """Return a value of a column in the form for comparing spellings; without visible characters it is `?`.

    >>> folded_value("01"), folded_value("1.0"), folded_value("+1"), folded_value("-0.50"), folded_value("A01")
    ('1', '1', '1', '-0.5', 'a01')
    """
    form = folded(text)
    return plain_number(form) or form or "?"


def alike(texts: Iterable[str], form: Callable[[str], str] = folded) -> list[tuple[str, ...]]:
    """Return the groups of distinct texts that differ only in spelling, each sorted, in sorted order.

    >>> alike(["B20", "b20 ", "I10", "i10", "J45"])
    [('B20', 'b20 '), ('I10', 'i10')]
    """
    groups: dict[str, list[str]] = {}
    for text in set(texts):
        groups.setdefault(form(text), []).append(text)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def first_alike(terms: Iterable[str], form: Callable[[str], str] = folded) -> Ints32:
    """Return for every term the position of the first one that differs only in spelling.

    >>> first_alike(["B20", "I10", "b20 "]).tolist(), first_alike(["1", "2", "1.0"], folded_value).tolist()
    ([0, 1, 0], [0, 1, 0])
    """
    import numpy as np  # late: settings are read without arrays

    first: dict[str, int] = {}
    return np.array([first.setdefault(form(term), place) for place, term in enumerate(terms)], dtype=np.int32)


def folded_column(texts: pa.StringArray) -> pa.StringArray:
    """Return `folded` of every text; fast for plain ASCII.

    >>> import pyarrow as pa
    >>> folded_column(pa.array(["B20", " b20 ", "Ｂ２０"])).to_pylist()
    ['b20', 'b20', 'b20']
    """
    import pyarrow as pa  # late: slow to import
    import pyarrow.compute as pc

    is_plain = pc.match_substring_regex(texts, _PLAIN)
    plain = pc.ascii_lower(pc.utf8_trim(texts, " "))
    if pc.all(is_plain).as_py():
        return plain
    others = [folded(text) for text in texts.filter(pc.invert(is_plain)).to_pylist()]
    return pc.replace_with_mask(plain, pc.invert(is_plain), pa.array(others, pa.string()))


def alike_in(texts: pa.StringArray) -> list[tuple[str, ...]]:
    """Return the result of `alike` for the distinct texts of a column; fast if few or no groups exist.

    >>> import pyarrow as pa
    >>> alike_in(pa.array(["B20", "b20 ", "I10"]))
    [('B20', 'b20 ')]
    """
    import pyarrow.compute as pc

    if pc.all(pc.match_substring_regex(texts, _PLAIN)).as_py():  # then case and ends decide
        trimmed = pc.ascii_trim(texts, " ")
        if pc.ascii_lower(trimmed).equals(texts) or pc.ascii_upper(trimmed).equals(texts):
            return []
    forms = folded_column(texts)
    counts = forms.value_counts()
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    return alike(texts.filter(pc.is_in(forms, value_set=repeated)).to_pylist())


def are_blank(texts: pa.StringArray, words: Iterable[str] = ()) -> pa.BooleanArray:
    """Return for every text whether it is empty, has blanks only, or is one of these words in any spelling.

    >>> import pyarrow as pa
    >>> are_blank(pa.array(["tea", "", "  ", " null"]), ["NULL"]).to_pylist()
    [False, True, True, True]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = {"", *(folded(word) for word in words)}
    return pc.is_in(folded_column(texts), value_set=pa.array(sorted(wanted), pa.string()))


def possible_blanks(texts: pa.StringArray, counts: Ints64) -> list[tuple[str, int]]:
    """Return the texts that may mean a blank, each with its count, the most frequent first.

    >>> import numpy as np, pyarrow as pa
    >>> possible_blanks(pa.array(["NA", "na", "tea", "-"]), np.array([3, 1, 9, 4]))
    [('-', 4), ('NA', 3), ('na', 1)]
    """
    import pyarrow.compute as pc

    places = pc.indices_nonzero(are_blank(texts, USUAL_BLANKS)).to_pylist()
    found = [(texts[place].as_py(), int(counts[place])) for place in places if counts[place]]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def objection_to_length(terms: pa.Array, what: str = "terms", most: int = LONGEST_TERM) -> str | None:
    """Return an error message if a term is too long, else None; nothing is copied.

    >>> import pyarrow as pa
    >>> objection_to_length(pa.array(["tea", "x" * 2_000_000]))
    'expected terms of at most 1,048,576 bytes, found one of 2,000,000.'
    """
    import pyarrow.compute as pc

    longest = pc.max(pc.binary_length(terms)).as_py() or 0
    return None if longest <= most else f"expected {what} of at most {most:,} bytes, found one of {longest:,}."
