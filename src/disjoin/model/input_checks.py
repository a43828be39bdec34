"""Checks for unsuitable input: terms that name people or are free text, and cells that are lists of values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model.ragged import Ints64
from disjoin.model.value_shapes import CHECKED, DIRECT, OF_ANYTHING, WORDS, has_no_digit, share, words_of

_FEW = 5  # a name that more people have as a term is a title, a brand or a celebrity
_SAMPLE = 20_000
_READ = 10_000  # characters of a term

# Patterns begin with a fixed number of letters, or at a border, because otherwise a long term takes quadratic time.
_EMAIL = re.compile(r"[\w.+-]@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.I)
_PHONE = re.compile(
    r"(?<![\w.])(?:\+[1-9]\d{0,2}[ ()/.-]{0,2}|00[1-9]\d{0,2}[ /(]{1,2})\d[\d ()/.-]{5,14}\d(?!\w)"
    r"|\(\d{3}\) ?\d{3}-\d{4}"
)
_NATIONAL_PHONE = re.compile(  # except codes of drugs (0071-0155-23) and numbers of goods
    r"(?<![\w./-])(?:0\d{1,4}[ /-]\d{5,9}|0\d([ .-])\d\d(?:\1\d\d){3}|\d{3}([-.])\d{3}\2\d{4}|0\d{2,4} \d{3,4} \d{3,4}"
    r"|[4-9]\d\d \d{3} \d{3}|00[1-9]\d{9,11})(?![\w./-]*\d)"
)
_TITLE = re.compile(
    r"\b(?:(?:mrs?|miss|dra?|prof|frau|herrn?|herra|mme|mlle|madame|monsieur|señora?|senhora?|doña|dona|signora?|sig\.ra"
    r"|dott\.ssa|mevr|mevrouw|meneer|pani|paní|fru|fröken|rouva|neiti|sayın|κα|κος|г-ж[аеиу]|г-н[ау]?|السيدة?)\.?"  # noqa: RUF001
    r"|(?:ms|sra?|sig|dott|avv|fr|hr|frk|fam|dhr|mw|κ)\.) (?!tab|cap\b|caps|oral)([^\W\d_]{2,})"
    r"|[^\W\d_]{2} (?:hanım|úr)\b|(?:女士|小姐|先生|さん|様)$",  # noqa: RUF001
    re.I,
)
_STREET = re.compile(
    r"\b\d{1,5}[a-z]?,? (?:[^\W\d_]+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd)\b"
    r"|\b\d{1,4}(?: bis)?,? (?:rue|avenue|boulevard|chemin|place|impasse|quai|route) [^\W\d_]{2,}"
    r"|\b(?:via|viale|piazza|corso|calle|avenida|plaza|paseo|rua|travessa|praça|ulica|ul\.|al\.|os\.|av\.|avda\.|c/)"
    r" [^\d,]{2,40},? \d{1,4}\b"
    r"|\b[^\W\d_]{3,}(?: allee| straße| strasse|straße|strasse|str\.?|gasse|allee|weg|straat|gracht|laan|plein|katu"
    r"|intie|kuja|gatan|vägen|gade) ?\d{1,4}[a-z]?\b",
    re.I,
)


def _plain(word: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(sign))


_NAMES = frozenset(map(_plain, (*WORDS["first_names"], *WORDS["more_first_names"])))
_PARTICLES, _FOR, _LITTLE_WORDS = (WORDS[each] for each in ("name_particles", "before_names", "little_words"))


def looks_personal(terms: Sequence[str], counts: Sequence[int]) -> str | None:
    """Return why a vocabulary may name people, as the end of a sentence without terms; None if it probably does not.

    `counts` are people per term. One e-mail address or telephone number is enough; of names and postal addresses, 1 %
    of the terms if at most five people have each, or three in ten terms of any frequency.

    >>> looks_personal(["bread", "tea", "mail to anna@example.org"], [40, 30, 1])
    'contains e-mail addresses'
    >>> looks_personal(["E11.9", "I10"], [40, 30]) is None
    True
    """
    if len(terms) != len(counts):
        raise InvalidParameter(f"every term needs a count: found {len(terms):,} terms and {len(counts):,} counts.")
    read = [str(term)[:_READ].strip() for term in terms]
    given = [(term, int(count)) for term, count in zip(read, counts, strict=True) if term]
    step = max(1, len(given) // _SAMPLE)
    every, sample = [term for term, _ in given], given[::step]
    if any("@" in term and _EMAIL.search(term) for term in every):
        return "contains e-mail addresses"
    if any(_PHONE.search(term) for term in every):
        return "contains telephone numbers"
    return _identify(every[::step]) or _name(sample) or _are_sentences(sample)


def _identify(terms: Sequence[str]) -> str | None:
    few = terms[:: max(1, len(terms) // 500)]
    for what, pattern in DIRECT.items():
        if what not in OF_ANYTHING and what != "telephone numbers" and share(few, pattern.fullmatch) >= 0.5:
            return f"contains {what}"
    if len(few) < 10 or share(few, str.isalpha) > 0.5:
        return None
    found = next((what for what, test in CHECKED.items() if share(few, test) >= 0.95), None)
    return f"contains {found}" if found else None


def _name(sample: Sequence[tuple[str, int]]) -> str | None:
    """Return a reason if enough terms are names or addresses, rare ones before frequent ones."""
    for what, test in _LOOKS:
        found = [count for term, count in sample if test(term)]
        rare = sum(count <= _FEW for count in found)
        if rare >= max(1 if len(sample) < 50 else 2, 0.01 * len(sample)) or len(found) >= max(3, 0.3 * len(sample)):
            return f"contains values that look like {what}"
    return None


def names_somebody(term: str, count: int) -> bool:
    """Return whether one term, of `count` people, is a reason for `looks_personal`.

    >>> names_somebody("mail to anna@example.org", 40), names_somebody("anna weber", 1), names_somebody("anna weber", 6)
    (True, True, False)
    """
    if ("@" in term and _EMAIL.search(term)) or _PHONE.search(term):
        return True
    return count <= _FEW and any(test(term) for _, test in _LOOKS)


def is_name(text: str) -> bool:
    """Return whether a term names a person: a title before a word, or a frequent first name next to another word.

    >>> is_name("gift for Mrs Weber"), is_name("anna weber"), is_name("Weber, Anna"), is_name("white bread")
    (True, True, True, False)
    >>> is_name("Jan de Boer"), is_name("Мария Иванова"), is_name("I miss you"), is_name("Gliclazide MR tablets")
    (True, True, False, False)
    """
    title = _TITLE.search(text)
    if title is not None and ((title[1] or "").lower() in _PARTICLES or (title[1] or "").lower() not in _LITTLE_WORDS):
        return True
    words = [_plain(word) for word in words_of(text)]
    if not has_no_digit(text) or not 2 <= len(words) <= 6:
        return False
    if any(before in _FOR and name in _NAMES for before, name in pairwise(words)):
        return True
    if len(words) > 4:
        return False
    family, comma, given = text.partition(",")  # a first name after a family name and a comma, or before it
    if comma:
        return bool(family.strip()) and any(_plain(word) in _NAMES for word in words_of(given)[:1])
    if words[0] not in _NAMES:
        return False
    if len(words) <= 3 and words[1] not in _PARTICLES:
        return words[1] not in _LITTLE_WORDS
    return len(words) >= 3 and (words[1] in _NAMES or words[1] in _PARTICLES)  # a second name, or van, de, von


def is_phone(text: str) -> bool:
    """Return whether a term contains a telephone number in a national format.

    >>> is_phone("call 030 1234567"), is_phone("06 12 34 56 78"), is_phone("0071-0155-23"), is_phone("0012000001291")
    (True, True, False, False)
    """
    found = _NATIONAL_PHONE.search(text)
    if found is None or not found[0].isdecimal():
        return found is not None
    digits = zip(reversed(found[0]), (1, 3) * 7, strict=False)
    return sum(int(sign) * by for sign, by in digits) % 10 != 0  # otherwise it has the check digit of a barcode


def is_address(text: str) -> bool:
    """Return whether a term contains a street and a house number.

    >>> is_address("12 High Street"), is_address("Hauptstraße 5"), is_address("via Roma 3"), is_address("12 eggs")
    (True, True, True, False)
    """
    return any(sign.isdigit() for sign in text) and _STREET.search(text) is not None


_LOOKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("names", is_name),
    ("postal addresses", is_address),
    ("telephone numbers", is_phone),
)


def _are_sentences(sample: Sequence[tuple[str, int]]) -> str | None:
    """Return a reason if a fifth of the terms are sentences, and most terms occur once."""
    alone = sum(count == 1 for _, count in sample)
    if not sample or alone < 0.5 * len(sample):
        return None
    words = [[word.lower() for word in words_of(term)] for term, _ in sample]
    phrased = sum(len(each) >= 5 and len({*each} & _LITTLE_WORDS) >= 2 for each in words)
    long = sum(map(len, words)) >= 6 * len(words) and alone >= 0.8 * len(sample)
    return "looks like free text" if phrased >= 0.2 * len(sample) or long else None


_STRONG = (";", "|", "\n", "\t")  # rarely part of a name
_WEAK = (",",)  # often part of a name: "bag, red"
_LEAST_SHARE = 0.05  # of the cells
_FEWEST_CELLS = 2
_BLANKS = " \t\r\n"
_CODE = r"^[A-Za-z0-9._:-]*[0-9][A-Za-z0-9._:-]*$"  # such as E11.9: one word with a digit in it


class ListedCells(NamedTuple):
    """The separator, the share of cells that are lists, and the most frequent list's form, which shows no data."""

    separator: str
    share: float
    form: str


class _Parts(NamedTuple):
    """The parts of the cells that have a separator, without blank and repeated ones."""

    owners: Ints64  # (parts,), the cell of each
    codes: Ints64  # (parts,)
    is_first: NDArray[np.bool_]  # (parts,), whether it is the first in its cell
    names: pa.StringArray  # (distinct parts,)


def lists_in(cells: pa.StringArray, counts: Ints64) -> ListedCells | None:
    """Return how distinct cells, with their counts, look like lists; None if fewer than one in twenty does.

    A known part also occurs alone, or is first in one cell and later in another; in a name such as "bag, red" parts
    have fixed places. In a list all parts are known; half of them suffice for rare separators or if all are codes.

    >>> codes = pa.array(["I10;E11.9", "E11.9;J45", "J45", "I10"])
    >>> lists_in(codes, np.array([4, 2, 1, 1]))
    ListedCells(separator=';', share=0.75, form='A99;A99.9')
    >>> lists_in(pa.array(["bag, red", "bag, blue", "box, red"]), np.array([4, 2, 1])) is None
    True
    """
    total = int(counts.sum())
    found = [_lists(cells, counts, separator, total) for separator in (*_STRONG, *_WEAK)]
    return max((one for one in found if one is not None), key=lambda one: one.share, default=None)


def _lists(cells: pa.StringArray, counts: Ints64, separator: str, total: int) -> ListedCells | None:
    has_separator = np.asarray(pc.match_substring(cells, separator))
    weights = counts[has_separator]
    if not _are_many(int(weights.sum()), total):
        return None
    listed = cells.filter(pa.array(has_separator))
    parts = _parts(listed, separator)
    n_parts = np.bincount(parts.owners, minlength=len(listed))
    is_code = np.asarray(pc.match_substring_regex(parts.names, _CODE))
    known, codes = (
        np.bincount(parts.owners, each[parts.codes], len(listed)) for each in (_known(parts, cells), is_code)
    )
    is_easy = (codes == n_parts) | (separator not in _WEAK)
    is_list = (n_parts > 1) & (known >= np.where(is_easy, n_parts / 2, n_parts))
    if separator == "," and not np.any(is_list & (n_parts > 2)):  # a list of three is not a number such as 3,5
        is_list &= ~np.asarray(pc.match_substring_regex(listed, r"^\s*[+-]?[0-9]+,[0-9]+\s*$"))
    occurrences = int(weights[is_list].sum())
    if not _are_many(occurrences, total):
        return None
    example = listed[int(np.argmax(np.where(is_list, weights, -1)))].as_py()
    forms = {"Lu": "A", "Ll": "a", "Nd": "9"}
    form = (forms.get(unicodedata.category(c), c if c.isascii() else "a") for c in example[:60])
    return ListedCells(separator, occurrences / total, "".join(form))


def _are_many(occurrences: int, total: int) -> bool:
    return occurrences >= max(_FEWEST_CELLS, _LEAST_SHARE * total)


def _parts(listed: pa.StringArray, separator: str) -> _Parts:
    split = pc.split_pattern(listed, separator)
    texts = pc.utf8_trim(split.flatten(), _BLANKS)
    kept = np.asarray(pc.not_equal(texts, ""))
    owners = np.asarray(pc.list_parent_indices(split), np.int64)[kept]
    coded = texts.filter(pa.array(kept)).dictionary_encode()
    codes = np.asarray(coded.indices, np.int64)
    _, once = np.unique(owners * max(1, len(coded.dictionary)) + codes, return_index=True)  # each part once per cell
    once.sort()
    owners, codes = owners[once], codes[once]
    is_first = np.ones(owners.size, np.bool_)
    is_first[1:] = owners[1:] != owners[:-1]
    return _Parts(owners, codes, is_first, coded.dictionary)


def _known(parts: _Parts, cells: pa.StringArray) -> NDArray[np.bool_]:
    """Return for every distinct part whether it occurs alone, or is first in one cell and later in another."""
    alone = np.asarray(pc.is_in(parts.names, value_set=pc.utf8_trim(cells, _BLANKS)))
    begins, follows = np.zeros(alone.size, np.bool_), np.zeros(alone.size, np.bool_)
    begins[parts.codes[parts.is_first]] = True
    follows[parts.codes[~parts.is_first]] = True
    known: NDArray[np.bool_] = alone | (begins & follows)
    return known
