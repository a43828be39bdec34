"""Shapes of values: dates, numbers, direct identifiers, check digits, names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import TypeVar

from disjoin.text import USUAL_BLANKS

_Value = TypeVar("_Value")
BLANKS = frozenset(
    (
        *(blank.lower() for blank in USUAL_BLANKS),
        *(
            "",
            ".",
            "?",
            "-",
            "--",
            "n/a",
            "na",
            "nan",
            "null",
            "none",
            "nil",
            "unknown",
            "missing",
            "#n/a",
            "nd",
            "s/d",
        ),
        *("unbekannt", "k.a.", "inconnu", "desconocido", "sconosciuto", "onbekend", "brak", "nieznany", "tuntematon"),
    )
)
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
OF_ANYTHING = frozenset({"UUIDs", "hashes"})  # direct identifiers that number visits and things as often as people


def is_date(text: str) -> bool:
    """Tell whether a value is a calendar date, with or without a time of day.

    >>> [is_date(text) for text in ("2024-05-31", "31.5.2024", "20240531", "2024-05-31T08:15:00Z", "31.5")]
    [True, True, True, True, False]
    """
    return _DATE.fullmatch(text) is not None


def is_timestamp(text: str) -> bool:
    """Tell whether a value is a date with a time of day.

    >>> is_timestamp("2024-05-31 08:15"), is_timestamp("2024-05-31")
    (True, False)
    """
    return _TIMESTAMP.fullmatch(text) is not None


def year_in(text: str) -> int | None:
    """Return the year of a date, if it is written with four digits.

    >>> year_in("31.12.1958"), year_in("31.12.58")
    (1958, None)
    """
    found = _YEAR.search(text)
    return int(found.group(1)) if found else None


def is_integer(text: str) -> bool:
    """Tell whether a value is a whole number of up to 18 digits.

    >>> is_integer("-42"), is_integer("007"), is_integer("4.2")
    (True, True, False)
    """
    return _INTEGER.fullmatch(text) is not None


def are_bands(texts: Sequence[str]) -> bool:
    """Tell whether values are bands of numbers that follow each other, such as groups of ages.

    >>> are_bands(["0-4", "5-9", "10-14"]), are_bands(["12-4711", "12-4712", "13-0815"])
    (True, False)
    """
    found = [(int(match[1]), int(match[2])) for match in map(_BAND.fullmatch, texts) if match]
    if len(found) < max(3, 0.9 * len(texts)):
        return False
    gaps = [after[0] - before[1] for before, after in pairwise(sorted(found))]
    return all(low <= high for low, high in found) and share(gaps, lambda gap: 0 <= gap <= 1) >= 0.8


def is_prefix(text: str) -> bool:
    """Tell whether a value is the beginning of a code, with asterisks in place of the rest.

    >>> is_prefix("10***"), is_prefix("**** 4711"), is_prefix("*")
    (True, False, False)
    """
    return text[0] != "*" and text[-1] == "*"


def is_whole_float(text: str) -> bool:
    """Tell whether a value is a whole number that a program wrote as a float, as numbers next to blanks often are.

    >>> is_whole_float("10482.0"), is_whole_float("10482"), is_whole_float("104.50")
    (True, False, False)
    """
    return text.endswith(".0") and is_integer(text[:-2])


def is_number(text: str) -> bool:
    """Tell whether a value is a number: whole, with a decimal point or comma, or with a unit of money or measure.

    >>> [is_number(text) for text in ("12", "1.5", "1.234,50", "12 kg", "$3", "A12")]
    [True, True, True, True, True, False]
    """
    return is_integer(text) or _DECIMAL.fullmatch(text) is not None


def is_coordinate(text: str) -> bool:
    """Tell whether a value can be a latitude or longitude: at most 180 degrees, four or more decimals.

    >>> is_coordinate("52.5200"), is_coordinate("-122.33210"), is_coordinate("52.52"), is_coordinate("452.52001")
    (True, True, False, False)
    """
    return _COORDINATE.fullmatch(text) is not None and abs(float(text)) <= 180


def is_icd(text: str) -> bool:
    """Tell whether a value is written as ICD-10 codes are.

    >>> is_icd("E11.9"), is_icd("I10"), is_icd("P00123"), is_icd("10")
    (True, True, True, False)
    """
    return _ICD.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Tell whether a value is a code: up to three words, at least one digit.

    >>> is_code("P00123"), is_code("B AB 1234"), is_code("ward")
    (True, True, False)
    """
    return _CODE.fullmatch(text) is not None


def is_mixed_case_code(text: str) -> bool:
    """Tell whether a value is one word in which capital and small letters mix as in base64, so that case counts.

    >>> is_mixed_case_code("aB3dEf"), is_mixed_case_code("Berlin"), is_mixed_case_code("AB12")
    (True, False, False)
    """
    return " " not in text and re.search(r"[a-z]\S*[A-Z]", text) is not None and len(text) >= 4


def template(text: str) -> str:
    """Return the pattern of a code: letters in a row become A, digits in a row become 9.

    >>> template("AB-123"), template("2024/0001/C")
    ('A-9', '9/9/A')
    """
    return re.sub(r"9+", "9", re.sub(r"[^\W\d_]+", "A", re.sub(r"\d", "9", text)))


def _digits(text: str) -> list[int]:
    return [int(sign) for sign in text if sign.isdecimal()]


def _weighted_sum(text: str, weights: Sequence[int]) -> int | None:
    """Return the sum of the digits times weights; none if there are more or fewer digits."""
    digits = _digits(text)
    if len(digits) != len(weights):
        return None
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True))


def _divides(text: str, weights: Sequence[int], modulus: int) -> bool:
    total = _weighted_sum(text, weights)
    return total is not None and total % modulus == 0


def is_iban(text: str) -> bool:
    """Tell whether a value is an international bank account number: remainder 1 modulo 97.

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE89 3704 0044 0532 0130 01")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_payment_card(text: str) -> bool:
    """Tell whether a value has 13 to 19 digits and passes the Luhn check.

    >>> is_payment_card("4111 1111 1111 1111"), is_payment_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = _digits(text)
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(doubled) % 10 == 0


def is_pesel(text: str) -> bool:
    """Tell whether a value is a Polish PESEL.

    >>> is_pesel("44051401359"), is_pesel("44051401358")
    (True, False)
    """
    return _divides(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)


def is_dni(text: str) -> bool:
    """Tell whether a value is a Spanish DNI: eight digits and a check letter.

    >>> is_dni("12345678Z"), is_dni("12345678A")
    (True, False)
    """
    found = re.fullmatch(r"([0-9]{8})-?([A-Z])", text.upper())
    return found is not None and "TRWAGMYFPDXBNJZSQVHLCKE"[int(found[1]) % 23] == found[2]


def is_hetu(text: str) -> bool:
    """Tell whether a value is a Finnish personal identity code.

    >>> is_hetu("131052-308T"), is_hetu("131052-308U")
    (True, False)
    """
    found = re.fullmatch(r"([0-9]{6})[-+A-FU-Y]([0-9]{3})([0-9A-Y])", text.upper())
    return found is not None and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(found[1] + found[2]) % 31] == found[3]


def is_bsn(text: str) -> bool:
    """Tell whether a value is a Dutch citizen service number.

    >>> is_bsn("111222333"), is_bsn("111222334")
    (True, False)
    """
    return _divides(text, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11)


def is_german_tax_number(text: str) -> bool:
    """Tell whether a value is a German tax identification number.

    >>> is_german_tax_number("86095742719"), is_german_tax_number("86095742718")
    (True, False)
    """
    digits, product = _digits(text), 10
    for digit in digits[:-1]:
        product = 2 * ((digit + product) % 10 or 10) % 11
    return len(digits) == 11 and (11 - product) % 10 == digits[-1]


def is_ahv(text: str) -> bool:
    """Tell whether a value is a Swiss social security number.

    >>> is_ahv("756.9217.0769.85"), is_ahv("756.9217.0769.84")
    (True, False)
    """
    return text.startswith("756") and _divides(text, (1, 3) * 6 + (1,), 10)


def is_nir(text: str) -> bool:
    """Tell whether a value is a French social security number.

    >>> is_nir("1 85 05 78 006 084 91"), is_nir("1 85 05 78 006 084 92")
    (True, False)
    """
    digits = "".join(map(str, _digits(text)))
    return len(digits) == 15 and 97 - int(digits[:13]) % 97 == int(digits[13:])


def is_nhs_number(text: str) -> bool:
    """Tell whether a value is a British NHS number.

    >>> is_nhs_number("943 476 5919"), is_nhs_number("943 476 5918")
    (True, False)
    """
    return _divides(text, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11)


def is_nif(text: str) -> bool:
    """Tell whether a value is a Portuguese tax number.

    >>> is_nif("123456789"), is_nif("123456788")
    (True, False)
    """
    digits = _digits(text)
    rest = sum(digit * weight for digit, weight in zip(digits, range(9, 1, -1), strict=False)) % 11
    return len(digits) == 9 and digits[8] == (0 if rest < 2 else 11 - rest)


CHECKED: dict[str, Callable[[str], bool]] = {
    "bank account numbers": is_iban,
    "payment card numbers": is_payment_card,
    "Polish personal numbers": is_pesel,
    "Spanish identity numbers": is_dni,
    "Finnish personal codes": is_hetu,
    "Dutch citizen numbers": is_bsn,
    "German tax numbers": is_german_tax_number,
    "Swiss social security numbers": is_ahv,
    "French social security numbers": is_nir,
    "NHS numbers": is_nhs_number,
    "Portuguese tax numbers": is_nif,
}


def share(texts: Sequence[_Value], test: Callable[[_Value], object]) -> float:
    """Return the share of the texts that pass a test.

    >>> share(["1", "a"], is_integer)
    0.5
    """
    return sum(bool(test(text)) for text in texts) / max(1, len(texts))


def direct_identifier(texts: Sequence[str]) -> str:
    """Return what values are if they identify somebody by their form alone, else an empty text.

    Patterns need 85 % of the values. Check digits need 95 % of 10 or more, because 3 to 10 % pass by chance. They come
    before hashes: a German bank account number is also a hexadecimal one.

    >>> direct_identifier(["a@b.de", "c@d.org"]), direct_identifier(["+49 30 1234567"]), direct_identifier(["12.50"])
    ('e-mail addresses', 'telephone numbers', '')
    >>> direct_identifier([f"{number:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}" for number in range(10)])
    'Spanish identity numbers'
    """
    found = next((what for what, pattern in DIRECT.items() if share(texts, partial(_matches, pattern)) >= 0.85), "")
    if len(texts) < 10 or (found and found not in OF_ANYTHING):
        return found
    return next((what for what, test in CHECKED.items() if share(texts, test) >= 0.95), found)


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None and not _PLAIN_DECIMAL.fullmatch(text)


_FIRST_NAMES_TEXT = """
    aino alain ana andrea andreas andrew andrzej agnieszka alessandro alexander ali anita anna anne anneli antonio
    barbara beata bernd birgit brian camille carlos carmen catherine charles chiara christian christine christopher
    claudia daniel david dieter edward elena elizabeth emma erik eva ewa fatima francesca francisco françois frank
    gabriele george giovanni giulia giuseppe hans heike heinz helga hendrik henk ines ingrid isabel isabelle ivan
    jacek jakub james jan javier jean jennifer jessica joanna joao joão johannes john jorge jose josé joseph juan juha
    julia jürgen karen karin karl katarzyna kees kevin klaus krzysztof lars laura linda lisa lucia luis lukas magdalena
    małgorzata manuel marco maria marie marieke markus martin mary matthew matti mehmet michael michel miguel mikko
    mohamed monika nancy nathalie nicolas nina noah olga paolo patricia paul paulo pedro peter petra philippe pierre
    pilar piotr renate rita robert rosa sabine sandra sanne sarah sofia stanisław stefan susan susanne sylvie teresa
    thomas tomasz tuula ursula ute wilhelm willem william wolfgang zofia
    """
FIRST_NAMES = frozenset(_FIRST_NAMES_TEXT.split())
_APART = re.compile(r"[\s,]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text, without the marks around them.

    >>> words_of("Virtanen, Aino M.")
    ['Virtanen', 'Aino', 'M']
    """
    return [word for word in (part.strip(".,;:()\"'") for part in _APART.split(text)) if word]


def has_first_name(text: str) -> bool:
    """Tell whether a word of the text is a frequent first name of Europe.

    >>> has_first_name("Schmidt, Anna"), has_first_name("bread")
    (True, False)
    """
    return any(part in FIRST_NAMES for word in words_of(text.lower()) for part in word.split("-"))


def has_no_digit(text: str) -> bool:
    """Tell whether a text has letters and no digit.

    >>> has_no_digit("Anna"), has_no_digit("Anna 2"), has_no_digit("--")
    (True, False, False)
    """
    return not any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)


def is_capitalised(text: str) -> bool:
    """Tell whether every word begins with a capital, or with a letter of a script without capitals.

    >>> is_capitalised("Anna Maria"), is_capitalised("red wine"), is_capitalised("山田 太郎")
    (True, False, True)
    """
    return all(not word[0].islower() for word in re.split(r"[\s,-]+", text) if word)


def has_words_of_a_name(text: str) -> bool:
    """Tell whether a text has two to four words, or, in Chinese or Japanese writing, two to five signs.

    >>> has_words_of_a_name("Anna Maria Weber"), has_words_of_a_name("Anna"), has_words_of_a_name("王小明")
    (True, False, True)
    """
    return 2 <= len(words_of(text)) <= 4 or (2 <= len(text) <= 5 and all("\u3040" <= sign <= "\u9fff" for sign in text))


_HEADER_WORDS = {  # weak hints: the beginnings of words, without accents
    "person": """patient pacient pazient pacjent person people customer client kunde klant klient cliente user usuari
        utilis utilizad utente gebruiker benutzer uzytkownik subject_id member mitglied student alumn eleve leerling
        ucze ucznia matric matrik employee emp_ mitarbeiter personal empleado pracownik versichert insured ssn
        sv_nummer no_secu bsn pesel dni nif hetu codice_fiscale mrn email e_mail mail courriel correo posta$ correio
        poczta$ phone tel$ tel_ telef telem mobile handy iban card$ card_ karte carte tarjeta tessera cartao pasnummer
        konto compte cuenta conto conta rekening vorname nachname first_?name last_?name surname prenom nom$ nom_
        nombre nome cognome apellid apelid naam voornaam achternaam imie nazwisko passport licen drivers""",
    "event": """visit encounter fall case sejour ricovero consulta opname wizyt invoice rechnung factur fattur fatura
        faktur order bestell session sitzung sesion sessione sessao sessie sesja row lfd ligne fila riga linha regel
        lp$ admission transaction stay""",
    "place": """zip plz post postal cap$ kod_p city ort$ ville ciudad citta cidade plaats miasto town region county
        state country land address street lat$ lon$""",
    "thing": """product article artik prodott produt produkt sku ref_ stock indeks sensor capteur czujnik messst
        station model book buch livre libro livro boek ksiazk descri bezeich label item""",
    "money": """amount betrag montant importe importo valor bedrag kwota price preis prix precio prezzo preco prijs
        cena cost kosten total balance freight""",
    "birth": """birth geburt naissance nacim fecha_nac nascita nasc geboorte data_ur urodz dob$""",
    "sensitive": """income einkommen revenu ingreso reddito rendiment inkomen dochod salar gehalt stipend pensja wage
        religi diag icd disease krank maladie enferm malatt doenca ziekte chorob rozpozn party partei parti$ partido
        partito partij partia hiv race ethnic sexual drug medik medic farmac lek$ medicijn disab crime condition
        allerg""",
}
_HINTS = {hint: re.compile(rf"(?:^|_)(?:{'|'.join(words.split())})") for hint, words in _HEADER_WORDS.items()}
_SENSITIVE_VALUES_TEXT = """
    catholic protestant muslim jewish buddhist hindu katholisch evangelisch muslimisch katolik catholique musulman
    juif católico católica musulmán cattolico musulmano katholiek protestants moslim katolickie prawosławne hiv aids
    cancer diabetes depression schizophrenia asthma krebs hepatitis <=50k >50k"""
_SENSITIVE_VALUES = frozenset(_SENSITIVE_VALUES_TEXT.split())


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
    """Tell whether three in ten values are religions, diseases or income classes.

    >>> are_sensitive(["Catholic", "Muslim", "none"]), are_sensitive(["bread", "milk"])
    (True, False)
    """
    return share([value.lower() for value in values], _SENSITIVE_VALUES.__contains__) >= 0.3
