"""Terms that look like free text, or like names, addresses and numbers of people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from disjoin.errors import InvalidParameter
from disjoin.model.value_shapes import (
    CHECKED,
    DIRECT,
    FIRST_NAMES,
    OF_ANYTHING,
    has_no_digit,
    has_words_of_a_name,
    share,
    words_of,
)

_FEW = 5  # a name that more people have searched for or bought is a title, a brand or a celebrity
_SAMPLE = 20_000

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.I)
_PHONE = re.compile(r"(?<![\w.])(?:\+|00)[1-9]\d{0,2}[ ()/.-]{0,2}\d[\d ()/.-]{5,14}\d(?!\w)|\(\d{3}\) ?\d{3}-\d{4}")
_TITLE = re.compile(
    r"\b(?:mrs|mr|ms|miss|dr|prof|herrn?|frau|mme|mlle|señora?|sra|signora?|mevr|pani)\.? [^\W\d_]{2,}", re.I
)
_STREET = re.compile(
    r"\b\d{1,5}[a-z]?,? (?:[^\W\d_]+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd)\b"
    r"|\b\d{1,4},? (?:rue|avenue|boulevard|chemin) [^\W\d_]{2,}"
    r"|\b(?:via|viale|calle|avenida|rua|ulica|ul\.) [^\d,]{2,40},? \d{1,4}\b"
    r"|\b[^\W\d_]{3,}(?:straße|strasse|str\.|gasse|allee|weg|straat|gracht|laan|katu) ?\d{1,4}[a-z]?\b",
    re.I,
)
_LITTLE_WORDS_TEXT = """
    a about after and are as at because been but by can did do for from had has have he her his i in is it me my no
    not of on or our please she since so that the they this to was we were what when who will with you your
    aber auf aus bei bin das dem den der die ein eine er es für hat ich im in ist kein mit nicht noch seit sie und von
    war wegen wird zu zum avec dans de des du elle est et il je la le les ne pas pour que qui sur un une con de del el
    en es la las los no para por que se su un una y che di e ha il non per si um uma com não na no o os para em een het
    ik is met niet van voor w z na nie i do od się jest po dla ja on ei että hän joka mutta oli on se"""
_LITTLE_WORDS = frozenset(_LITTLE_WORDS_TEXT.split())


def looks_personal(terms: Sequence[str], counts: Sequence[int]) -> str | None:
    """Return why a vocabulary may name people, as the end of a sentence about the column; none if nothing looks so.

    `counts` are the people (records) of each term. The reason contains no term. One e-mail address or telephone number
    is enough. Names and postal addresses count among terms of at most five people, from 1 % of the terms on; or if
    three in ten terms of any frequency look like them.

    >>> looks_personal(["bread", "tea", "mail to anna@example.org"], [40, 30, 1])
    'contains e-mail addresses'
    >>> looks_personal(["E11.9", "I10"], [40, 30]) is None
    True
    """
    if len(terms) != len(counts):
        raise InvalidParameter(f"every term needs a count: found {len(terms):,} terms and {len(counts):,} counts.")
    given = [(str(term).strip(), int(count)) for term, count in zip(terms, counts, strict=True) if str(term).strip()]
    step = max(1, len(given) // _SAMPLE)
    every, sample = [term for term, _ in given], given[::step]
    return _reach_somebody(every) or _identify(every[::step]) or _name(sample) or _are_sentences(sample)


def _reach_somebody(terms: Sequence[str]) -> str | None:
    if any("@" in term and _EMAIL.search(term) for term in terms):
        return "contains e-mail addresses"
    if any(_PHONE.search(term) for term in terms):
        return "contains telephone numbers"
    return None


def _identify(terms: Sequence[str]) -> str | None:
    """Return which identifiers of people half of the terms are, if they are."""
    few = terms[:: max(1, len(terms) // 500)]
    for what, pattern in DIRECT.items():
        if what not in OF_ANYTHING and what != "telephone numbers" and share(few, pattern.fullmatch) >= 0.5:
            return f"contains {what}"
    if len(few) < 10 or share(few, str.isalpha) > 0.5:
        return None
    found = next((what for what, test in CHECKED.items() if share(few, test) >= 0.95), None)
    return f"contains {found}" if found else None


def _name(sample: Sequence[tuple[str, int]]) -> str | None:
    """Return whether enough terms are names or addresses, rare ones before frequent ones."""
    looks: tuple[tuple[str, Callable[[str], bool]], ...] = (("names", is_name), ("postal addresses", is_address))
    for what, test in looks:
        found = [count for term, count in sample if test(term)]
        rare = sum(count <= _FEW for count in found)
        if rare >= max(1 if len(sample) < 50 else 2, 0.01 * len(sample)) or len(found) >= max(3, 0.3 * len(sample)):
            return f"contains values that look like {what}"
    return None


def names_somebody(term: str, count: int) -> bool:
    """Tell whether one term, of `count` people, is a reason for `looks_personal`.

    >>> names_somebody("mail to anna@example.org", 40), names_somebody("anna weber", 1), names_somebody("anna weber", 6)
    (True, True, False)
    """
    if ("@" in term and _EMAIL.search(term)) or _PHONE.search(term):
        return True
    return count <= _FEW and (is_name(term) or is_address(term))


def is_name(text: str) -> bool:
    """Tell whether a term names a person: a title before a word, or a frequent first name next to another word.

    >>> is_name("gift for Mrs Weber"), is_name("anna weber"), is_name("Weber, Anna"), is_name("white bread")
    (True, True, True, False)
    """
    if _TITLE.search(text):
        return True
    if not has_no_digit(text) or not has_words_of_a_name(text):
        return False
    words = [word.lower() for word in words_of(text)]
    is_reversed = "," in text and len(words) == 2 and words[1] in FIRST_NAMES
    return is_reversed or (len(words) <= 3 and words[0] in FIRST_NAMES and words[1] not in _LITTLE_WORDS)


def is_address(text: str) -> bool:
    """Tell whether a term contains a street and a house number.

    >>> is_address("12 High Street"), is_address("Hauptstraße 5"), is_address("via Roma 3"), is_address("12 eggs")
    (True, True, True, False)
    """
    return any(sign.isdigit() for sign in text) and _STREET.search(text) is not None


def _are_sentences(sample: Sequence[tuple[str, int]]) -> str | None:
    """Return whether a fifth of the terms are sentences, and most terms occur once."""
    alone = sum(count == 1 for _, count in sample)
    if not sample or alone < 0.5 * len(sample):
        return None
    words = [[word.lower() for word in words_of(term)] for term, _ in sample]
    phrased = sum(len(each) >= 5 and len({*each} & _LITTLE_WORDS) >= 2 for each in words)
    long = sum(map(len, words)) >= 6 * len(words) and alone >= 0.8 * len(sample)
    return "looks like free text" if phrased >= 0.2 * len(sample) or long else None
