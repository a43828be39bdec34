"""Random values for labelled tables: ids, names, numbers with check digits, dates, terms."""

import hashlib
import uuid
from datetime import date, timedelta

import numpy as np

FIRST = [
    "Anna",
    "Peter",
    "Julia",
    "Pierre",
    "Carmen",
    "Luis",
    "Giulia",
    "Marco",
    "Ewa",
    "Piotr",
    "Thomas",
    "Laura",
    "David",
    "Sofia",
    "Daniel",
    "Emma",
    "Karl",
    "Olga",
    "Rosa",
    "Paul",
    "Maria",
    "Jan",
    "Ines",
    "Hans",
    "Marie",
    "Jose",
    "Eva",
    "Lukas",
    "Sarah",
    "Michael",
    "Katarzyna",
    "Noah",
    "Matti",
    "Aino",
    "Sanne",
    "Henk",
    "Ute",
    "Rita",
    "Juha",
    "Zofia",
]
SOUNDS = [
    "ba",
    "ke",
    "lo",
    "mi",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "du",
    "pa",
    "he",
    "ga",
    "li",
    "mo",
    "re",
    "sa",
    "to",
    "ve",
    "ni",
    "ja",
    "ku",
    "be",
    "do",
    "fa",
]
ENDINGS = ["nen", "ski", "ez", "er", "son", "ini", "eau", "ova", "sen", "mann"]
GOODS = [
    "tea",
    "milk",
    "bread",
    "butter",
    "cheese",
    "rice",
    "pasta",
    "coffee",
    "sugar",
    "salt",
    "eggs",
    "ham",
    "yoghurt",
    "beer",
    "wine",
    "soap",
    "juice",
    "water",
    "flour",
    "honey",
    "jam",
    "onions",
    "carrots",
    "potatoes",
    "tomatoes",
    "fish",
    "beef",
    "pork",
    "candles",
    "apples",
]
TALK = [
    "the",
    "patient",
    "was",
    "seen",
    "today",
    "and",
    "feels",
    "well",
    "but",
    "has",
    "pain",
    "in",
    "the",
    "left",
    "knee",
    "since",
    "a",
    "fall",
    "no",
    "fever",
    "wound",
    "is",
    "dry",
    "next",
    "visit",
    "in",
    "two",
    "weeks",
    "mild",
    "cough",
    "at",
    "night",
    "was",
    "told",
    "to",
    "rest",
]
TOWNS = [
    "Berlin",
    "Lyon",
    "Madrid",
    "Roma",
    "Lisboa",
    "Utrecht",
    "Gdansk",
    "Turku",
    "Hamburg",
    "Nantes",
    "Sevilla",
    "Milano",
    "Porto",
    "Leiden",
    "Krakow",
    "Oulu",
]
ICD = [
    f"{letter}{stem:02d}.{stem % 10}" if stem % 3 else f"{letter}{stem:02d}"
    for letter in "ABCDEFGHIJKLMNRSTZ"
    for stem in (2, 10, 18, 25, 34, 47, 61)
]
DRUGS = [
    one + two
    for one in ("ator", "meto", "ami", "ibu", "ome", "val", "lisi")
    for two in ("statin", "prolol", "profen", "prazol", "sartan")
]


class Draw:
    """Draws columns; the same seed draws the same ones."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def of(self, values, rows, skew=0.0):
        weights = np.arange(1, len(values) + 1) ** -float(skew)
        return [values[place] for place in self.random.choice(len(values), rows, p=weights / weights.sum())]

    def whole(self, low, high, rows):
        return self.random.integers(low, high, rows).tolist()

    def different(self, low, high, rows):
        found: set[int] = set()
        while len(found) < rows:
            found |= set(self.random.integers(low, high, rows).tolist())
        return self.random.permutation(sorted(found))[:rows].tolist()

    def normal(self, mean, spread, rows, digits=1, comma=False):
        texts = [f"{value:.{digits}f}" for value in self.random.normal(mean, spread, rows)]
        return [text.replace(".", ",") for text in texts] if comma else texts

    def money(self, rows, mean=4.0, comma=False):
        texts = [f"{value:.2f}" for value in self.random.lognormal(mean, 1, rows)]
        return [text.replace(".", ",") for text in texts] if comma else texts

    def word(self, low=2, high=4):
        return "".join(self.of(SOUNDS, int(self.random.integers(low, high))))

    def surnames(self, rows):
        return [self.word().capitalize() + ending for ending in self.of(ENDINGS, rows)]

    def names(self, rows):
        return [f"{first} {last}" for first, last in zip(self.of(FIRST, rows), self.surnames(rows), strict=True)]

    def emails(self, rows):
        return [
            f"{self.word()}{place}@{host}"
            for place, host in enumerate(self.of(["mail.example", "web.example.org"], rows))
        ]

    def days(self, rows, first=2019, span=1500, form="%Y-%m-%d"):
        return [(date(first, 1, 1) + timedelta(day)).strftime(form) for day in self.whole(0, span, rows)]

    def births(self, rows, form="%Y-%m-%d"):
        return self.days(rows, 1930, 29_000, form)

    def sentences(self, rows, low=6, high=15):
        return [" ".join(self.of(TALK, count)) for count in self.whole(low, high, rows)]

    def uuids(self, rows):
        return [str(uuid.UUID(bytes=self.random.bytes(16))) for _ in range(rows)]

    def hashes(self, rows, length=40):
        return [hashlib.sha256(self.random.bytes(8)).hexdigest()[:length] for _ in range(rows)]

    def lists(self, values, rows, mark=";"):
        return [mark.join(dict.fromkeys(self.of(values, count, 0.8))) for count in self.whole(1, 6, rows)]

    def postcodes(self, rows, many=60):
        return self.of([f"{number:05d}" for number in self.different(1000, 99999, many)], rows)

    def groups(self, many, low=1, high=7):
        """Draw for every row the number of the group that it belongs to; rows of a group follow each other."""
        return np.repeat(np.arange(many), self.random.integers(low, high, many))

    def shuffled(self, rows):
        return self.random.permutation(rows)

    def pesels(self, rows):
        return [text + str(-_dot(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) for text in self._digits(rows, 10)]

    def dnis(self, rows):
        return [text + "TRWAGMYFPDXBNJZSQVHLCKE"[int(text) % 23] for text in self._digits(rows, 8)]

    def hetus(self, rows):
        stems = zip(self.births(rows, "%d%m%y"), self.whole(2, 899, rows), strict=True)
        return [f"{day}-{n:03d}" + "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(f"{day}{n:03d}") % 31] for day, n in stems]

    def ibans(self, rows):
        return [f"DE{98 - int(text + '131400') % 97:02d}{text}" for text in self._digits(rows, 18)]

    def cards(self, rows):
        doubled = [str(sum(divmod(2 * digit, 10))) for digit in range(10)]
        stems = ["4" + text for text in self._digits(rows, 14)]
        sums = [sum(int(doubled[int(d)] if place % 2 == 0 else d) for place, d in enumerate(text)) for text in stems]
        return [text + str(-total % 10) for text, total in zip(stems, sums, strict=True)]

    def _digits(self, rows, many):
        return ["".join(map(str, row)) for row in self.random.integers(0, 10, (rows, many)).tolist()]

    def messy(self, values, part=0.05):
        """Blank out some cells in several spellings, and write some in capitals."""
        blanks = self.of(["", "N/A", "?", "NULL", "unbekannt", "-"], len(values))
        dice = self.random.random((len(values), 2)) < part
        return [b if no else str(v).upper() if up else v for v, b, (no, up) in zip(values, blanks, dice, strict=True)]


def _dot(text, weights):
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=True))


def spread(rows, values):
    """Return for every row the value of its group."""
    return [values[place] for place in rows]
