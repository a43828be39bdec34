"""Shapes of values: dates, numbers, direct identifiers, check digits, names."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from itertools import pairwise
from typing import TypeVar

from disjoin.text import USUAL_BLANKS

_Value = TypeVar("_Value")
_TEXTS = tomllib.loads(files("disjoin.model").joinpath("words.toml").read_text(encoding="utf-8"))
_HEADERS: dict[str, str] = _TEXTS.pop("headers")
WORDS: dict[str, frozenset[str]] = {name: frozenset(text.split()) for name, text in _TEXTS.items()}
BLANKS = frozenset({"", *(blank.lower() for blank in USUAL_BLANKS), *WORDS["blanks"]})
LIST_MARKS = (";", "|", ",", " / ")

_CLOCK = r"(?:[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?(?:Z|[+-]\d\d:?\d\d)?)"
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
    r"|(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
)
_DATE = re.compile(rf"{_DAY}{_CLOCK}?", re.I)
_TIMESTAMP = re.compile(rf"{_DAY}{_CLOCK}", re.I)
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d{5})")
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_DECIMAL = re.compile(
    r"[+-]?(?:\d+|\d{1,3}(?:[.,' ]\d{3})+)[.,]\d+(?:[eE][+-]?\d+)?"
    r"|[+-]?\d+(?:[.,]\d+)? ?(?:€|\$|£|%|EUR|USD|zł|kg|cm)|[€$£] ?\d+(?:[.,]\d+)*"
)
_COORDINATE = re.compile(r"[+-]?\d{1,3}\.\d{4,}")
_ICD = re.compile(r"[A-TV-Z]\d[0-9A-B](?:\.?[0-9A-Z]{1,4})?[+*!]?")
_CODE = re.compile(r"(?=.*\d)\S+(?: \S+){0,2}")
_PLAIN_DECIMAL = re.compile(r"-?[0-9]+[.,][0-9]+")

_HEX4 = "[0-9a-f]{4}"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_PHONE = (
    r"(?:\+|00)\d[\d ()/.-]{6,17}\d|\(?0\d{1,4}\)?[ /.-]\d[\d .-]{4,10}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4}"
    r"|(?=(?:\D*\d){7,15}\D*$)(?=.*\d[ ()/.-])[+(]?\d[\d ()/.-]{6,18}\d|0\d{8,11}"
)
_DIRECT = {
    "e-mail addresses": r"(?:mailto:)?[^@\s]+@[^@\s]+\.[a-z]{2,}",
    "UUIDs": rf".*[0-9a-f]{{8}}-{_HEX4}-{_HEX4}-{_HEX4}-[0-9a-f]{{12}}.*",
    "hashes": r"(?:0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,128}",
    "IP addresses": rf"(?:{_BYTE}\.){{3}}{_BYTE}|(?:[0-9a-f]{{1,4}}:){{4,7}}[0-9a-f]{{1,4}}",
    "MAC addresses": r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}",
    "US social security numbers": r"\d{3}-\d{2}-\d{4}",
    "telephone numbers": _PHONE,
    "Italian tax codes": r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]",
    "user names": r"@[a-z0-9_.]{3,30}",
}
_BAND = re.compile(r"(\d{1,9}) ?(?:[-,\u2013]|\.\.|to) ?(\d{1,9})")
DIRECT = {what: re.compile(pattern, re.I) for what, pattern in _DIRECT.items()}
OF_ANYTHING = frozenset({"UUIDs", "hashes"})  # identifiers of visits and things as often as of people


is_date = _DATE.fullmatch  # a calendar date, with or without a time of day
is_timestamp = _TIMESTAMP.fullmatch  # a date with a time of day
is_integer = _INTEGER.fullmatch  # a whole number of up to 18 digits
is_icd = _ICD.fullmatch  # written as ICD-10 codes are
is_code = _CODE.fullmatch  # up to three words, at least one digit


def year_in(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found.group(1)) if found else None


def are_bands(texts: Sequence[str]) -> bool:
    """Return whether values are bands of numbers that follow each other, such as groups of ages.

    >>> are_bands(["0-4", "5-9", "10-14"]), are_bands(["12-4711", "12-4712", "13-0815"])
    (True, False)
    """
    found = [(int(match[1]), int(match[2])) for match in map(_BAND.fullmatch, texts) if match]
    if len(found) < max(3, 0.9 * len(texts)):
        return False
    gaps = [after[0] - before[1] for before, after in pairwise(sorted(found))]
    return all(low <= high for low, high in found) and share(gaps, lambda gap: 0 <= gap <= 1) >= 0.8


def is_prefix(text: str) -> bool:
    """Return whether a value is the beginning of a code, with asterisks in place of the rest."""
    return text[0] != "*" and text[-1] == "*"


def is_whole_float(text: str) -> bool:
    """Return whether a value is a whole number written as a float, such as numbers next to blanks."""
    return text.endswith(".0") and is_integer(text[:-2]) is not None


def is_number(text: str) -> bool:
    """Return whether a value is a number: whole, with a decimal point or comma, or with a unit of money or measure."""
    return bool(is_integer(text) or _DECIMAL.fullmatch(text))


def is_coordinate(text: str) -> bool:
    """Return whether a value can be a latitude or longitude: at most 180 degrees, four or more decimals."""
    return _COORDINATE.fullmatch(text) is not None and abs(float(text)) <= 180


def is_mixed_case_code(text: str) -> bool:
    """Return whether a value is one word that mixes capital and small letters as base64 does, so that case counts."""
    return " " not in text and re.search(r"[a-z]\S*[A-Z]", text) is not None and len(text) >= 4


def template(text: str) -> str:
    """Return the pattern of a code: letters in a row become A, digits in a row become 9.

    >>> template("AB-123"), template("2024/0001/C")
    ('A-9', '9/9/A')
    """
    return re.sub(r"9+", "9", re.sub(r"[^\W\d_]+", "A", re.sub(r"\d", "9", text)))


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdecimal()]


def _divides(weights: Sequence[int], modulus: int, text: str) -> bool:
    """Return whether there is a digit for every weight, and the weighted sum is a multiple of the modulus."""
    digits = _digits(text)
    if len(digits) != len(weights):
        return False
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True)) % modulus == 0


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _is_payment_card(text: str) -> bool:
    digits = _digits(text)
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(doubled) % 10 == 0


def _is_dni(text: str) -> bool:
    found = re.fullmatch(r"([0-9]{8})-?([A-Z])", text.upper())
    return found is not None and "TRWAGMYFPDXBNJZSQVHLCKE"[int(found[1]) % 23] == found[2]


def _is_hetu(text: str) -> bool:
    found = re.fullmatch(r"([0-9]{6})[-+A-FU-Y]([0-9]{3})([0-9A-Y])", text.upper())
    return found is not None and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(found[1] + found[2]) % 31] == found[3]


def _is_german_tax_number(text: str) -> bool:
    digits, product = _digits(text), 10
    for digit in digits[:-1]:
        product = 2 * ((digit + product) % 10 or 10) % 11
    return len(digits) == 11 and (11 - product) % 10 == digits[-1]


def _is_ahv(text: str) -> bool:
    return text.startswith("756") and _divides((1, 3) * 6 + (1,), 10, text)


def _is_nir(text: str) -> bool:
    digits = "".join(map(str, _digits(text)))
    return len(digits) == 15 and 97 - int(digits[:13]) % 97 == int(digits[13:])


def _is_nif(text: str) -> bool:
    digits = _digits(text)
    rest = sum(digit * weight for digit, weight in zip(digits, range(9, 1, -1), strict=False)) % 11
    return len(digits) == 9 and digits[8] == (0 if rest < 2 else 11 - rest)


CHECKED: dict[str, Callable[[str], bool]] = {  # numbers with check digits
    "bank account numbers": _is_iban,
    "payment card numbers": _is_payment_card,
    "Polish personal numbers": partial(_divides, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10),
    "Spanish identity numbers": _is_dni,
    "Finnish personal codes": _is_hetu,
    "Dutch citizen numbers": partial(_divides, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11),
    "German tax numbers": _is_german_tax_number,
    "Swiss social security numbers": _is_ahv,
    "French social security numbers": _is_nir,
    "NHS numbers": partial(_divides, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11),
    "Portuguese tax numbers": _is_nif,
}


def share(texts: Sequence[_Value], test: Callable[[_Value], object]) -> float:
    """Return the share of the texts that pass a test.

    >>> share(["1", "a"], is_integer)
    0.5
    """
    return sum(bool(test(text)) for text in texts) / max(1, len(texts))


def direct_identifier(texts: Sequence[str]) -> str:
    """Return the kind of identifier if values identify people by their form alone, else an empty text.

    Patterns need 85 % of the values. Check digits need 95 % of 10 or more, because 3 to 10 % pass by chance. They come
    before hashes: a German bank account number is also a hexadecimal one.

    >>> direct_identifier(["a@b.de", "c@d.org"]), direct_identifier(["+49 30 1234567"]), direct_identifier(["12.50"])
    ('e-mail addresses', 'telephone numbers', '')
    >>> direct_identifier([f"{number:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}" for number in range(10)])
    'Spanish identity numbers'
    """

    def of(pattern: re.Pattern[str]) -> float:
        return share(texts, lambda text: pattern.fullmatch(text) and not _PLAIN_DECIMAL.fullmatch(text))

    found = next((what for what, pattern in DIRECT.items() if of(pattern) >= 0.85), "")
    if len(texts) < 10 or (found and found not in OF_ANYTHING):
        return found
    return next((what for what, test in CHECKED.items() if share(texts, test) >= 0.95), found)


_APART = re.compile(r"[\s,]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text, without punctuation.

    >>> words_of("Virtanen, Aino M.")
    ['Virtanen', 'Aino', 'M']
    """
    return [word for word in (part.strip(".,;:()\"'") for part in _APART.split(text)) if word]


def has_first_name(text: str) -> bool:
    return any(part in WORDS["first_names"] for word in words_of(text.lower()) for part in word.split("-"))


def has_no_digit(text: str) -> bool:
    return not any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)


def is_capitalised(text: str) -> bool:
    """Return whether every word begins with a capital, or with a letter of a script without capitals."""
    return all(not word[0].islower() for word in re.split(r"[\s,-]+", text) if word)


def has_words_of_a_name(text: str) -> bool:
    """Return whether a text has two to four words, or, in Chinese or Japanese writing, two to five signs."""
    return 2 <= len(words_of(text)) <= 4 or (2 <= len(text) <= 5 and all("\u3040" <= sign <= "\u9fff" for sign in text))


_HINTS = {hint: re.compile(rf"(?:^|_)(?:{'|'.join(words.split())})") for hint, words in _HEADERS.items()}


def header_hints(header: str) -> frozenset[str]:
    """Return what words in a column's name hint at: person, event, place, thing, money, birth, sensitive.

    >>> sorted(header_hints("Patienten-ID")), sorted(header_hints("code_postal")), sorted(header_hints("c1"))
    (['person'], ['place'], [])
    """
    decomposed = unicodedata.normalize("NFKD", header)
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain).lower())
    return frozenset(hint for hint, pattern in _HINTS.items() if pattern.search(plain))


def are_sensitive(values: Iterable[str]) -> bool:
    """Return whether three in ten values are religions, diseases or income classes.

    >>> are_sensitive(["Catholic", "Muslim", "none"]), are_sensitive(["bread", "milk"])
    (True, False)
    """
    return share([value.lower() for value in values], WORDS["sensitive_values"].__contains__) >= 0.3
