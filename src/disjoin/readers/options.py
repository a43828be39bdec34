"""Formats that can be read, and the reading options of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from pkgutil import resolve_name
from typing import Any

from disjoin.errors import InvalidParameter, Placeholder, Remedy, UnreadableInput, described
from disjoin.model.intervals import number_from
from disjoin.model.parameters import require_integer
from disjoin.model.plugins import Registry
from disjoin.text import USUAL_BLANKS, listed, quoted

IF_BLANK = Remedy("blank", "skip", "leave blanks out"), Remedy("blank", "term", "make blanks a term")
IF_ID_BLANK = (Remedy("blank", "skip", "leave out rows without an id"),)
IF_SIMILAR = (
    Remedy("similar_ids", "merge", "treat them as the same people"),
    Remedy("similar_ids", "keep", "treat them as different people"),
)
NAME_COLUMNS = Remedy("id", Placeholder("NAME"), "name the columns of a long table", (("terms", Placeholder("NAME")),))


@dataclass(frozen=True, slots=True)
class Reader:
    """A format, and the address of its code; it is imported when needed."""

    meaning: str
    options: tuple[str, ...]
    place: str  # "module:function"; a module without a dot is in this package

    def load(self) -> Callable[..., Any]:
        reader: Callable[..., Any] = resolve_name(self.place if "." in self.place else f"{__package__}.{self.place}")
        return reader


_OWN = {
    "fimi": Reader("one record per line, terms separated by blanks", (), "baskets:read_fimi"),
    "basket": Reader(
        "CSV or TSV, one record per line, one term per field, quotes allowed", ("separator",), "baskets:read_basket"
    ),
    "long": Reader(
        "CSV, TSV or Parquet with a header, one (record id, term) pair per row",
        ("id", "terms", "separator", "similar_ids", "per_record", "role"),
        "long_tables:read_long",
    ),
    "spmf": Reader(
        "SPMF sequences: -1 ends an itemset, -2 a record, @ITEM lines name the items", (), "baskets:read_spmf"
    ),
    "jsonl": Reader(
        "JSON Lines: one array per line, or an object with an array member", ("field",), "jsonl:read_jsonl"
    ),
    "parquet": Reader("Parquet with a list column, one record per row", ("field", "terms"), "columnar:read_parquet"),
    "arrow": Reader(
        "Arrow IPC (Feather) with a list column, one record per row", ("field", "terms"), "columnar:read_arrow"
    ),
}
READERS: Registry[Reader] = Registry("disjoin.readers", (Reader,), _OWN)


@dataclass(frozen=True, slots=True)
class Kept:
    """A column that becomes terms of the records, and the width of the ranges into which its numbers are cut."""

    column: str
    width: Fraction | None = None  # None: values are kept unchanged, or the reader decides
    is_said: bool = False


DEFAULT_MAX_BYTES = 8 << 30
BLANK_WAYS = ("error", "skip", "term")
SIMILAR_WAYS = ("error", "merge", "keep")
_NAMED_SEPARATORS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";"}
_NAMED_SPLITS = {**_NAMED_SEPARATORS, "\\n": "\n", "newline": "\n", "bar": "|"}
_FOR_ALL = ("keep_order", "max_bytes", "split", "blank", "blank_words", "sheet", "encoding")
OF_KEEPING = ("long", "parquet", "arrow")  # formats with columns


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `read`; contradictory ones are refused."""

    id: str | tuple[str, ...] | None = None
    terms: str | None = None
    field: str | None = None
    separator: str | None = None
    keep_order: bool = False
    max_bytes: int = DEFAULT_MAX_BYTES
    split: str | None = None
    blank: str | None = None
    blank_words: tuple[str, ...] | None = None
    similar_ids: str | None = None
    per_record: bool | None = None
    sheet: str | None = None
    encoding: str | None = None
    keep: tuple[Kept, ...] | None = None
    role: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", _id_columns(self.id))
        object.__setattr__(self, "keep", kept_from(self.keep))
        if self.role:  # choices COLUMN=ROLE, or a dict of them
            from disjoin.model.column_roles import choices_from  # late: it loads the array libraries

            choices = choices_from(self.role)
            object.__setattr__(self, "role", tuple(f"{name}={choice}" for name, choice in choices.items()))
        else:
            object.__setattr__(self, "role", None)
        words = ("terms", "field", "separator", "split", "blank", "similar_ids", "sheet", "encoding")
        require_texts(**{name: getattr(self, name) for name in words})
        for name in ("keep_order", "per_record"):
            value = getattr(self, name)
            if value is not None and type(value).__name__ not in ("bool", "bool_"):  # the latter is numpy's
                raise InvalidParameter(f"{name} must be true or false, got {described(value)}.")
        for name, known in (("blank", BLANK_WAYS), ("similar_ids", SIMILAR_WAYS)):
            if (value := getattr(self, name)) is not None and value not in known:
                raise InvalidParameter(f"{name} must be one of {', '.join(known)}, got {quoted(value)}.")
        object.__setattr__(self, "blank_words", blank_words_from(self.blank_words))
        require_integer("max_bytes", self.max_bytes, 1, "it is the largest size that a file may unpack to.")
        if self.field is not None and (self.id is not None or self.terms is not None):
            names = "field names a list of terms, id and terms the columns of a long table"
            raise InvalidParameter(f"{names}: give one or the other, not both.")
        self._resolve_marks()

    def _resolve_marks(self) -> None:
        if self.separator is not None:
            separator = _NAMED_SEPARATORS.get(self.separator, self.separator)
            if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
                expected = "separator must be one ASCII character such as ',' or ';' (or 'tab')"
                raise InvalidParameter(f"{expected}, got {quoted(self.separator)}.")
            object.__setattr__(self, "separator", separator)
        if self.split is not None and self.split != "none":
            split = _NAMED_SPLITS.get(self.split, self.split)
            if len(split) != 1 or split.isalnum():
                expected = "split must be one character such as ';' (or 'tab', 'newline'), or 'none' if every cell is"
                raise InvalidParameter(f"{expected} one term, got {quoted(self.split)}.")
            object.__setattr__(self, "split", split)

    @property
    def split_at(self) -> str | None:
        """The separator of terms in a cell; None if a cell is one term."""
        return None if self.split == "none" else self.split

    @property
    def takes_blanks(self) -> bool:
        return self.blank in ("skip", "term")

    @property
    def is_long(self) -> bool:
        return self.id is not None or self.terms is not None

    def separator_byte(self) -> bytes:
        return (self.separator or ",").encode()

    def require_fit(self, format: str) -> None:
        require_texts(format=format)
        if format not in READERS:
            raise InvalidParameter(f"there is no format {quoted(format)}. Choose one of {', '.join(READERS)}.")
        if self.keep is not None and format not in OF_KEEPING:
            have = ", ".join(OF_KEEPING)
            raise InvalidParameter(f"the format {format} has no columns to keep (keep); {have} have columns.")
        allowed = {*READERS[format].options, *_FOR_ALL, "keep"}
        for option in fields(self):
            if getattr(self, option.name) is not None and option.name not in allowed:
                users = ", ".join(name for name, reader in READERS.items() if option.name in reader.options)
                useless = f"the format {format} has no option {option.name} (only {users} have)"
                raise InvalidParameter(f"{useless}. Leave it out.")


def require_no_file(**options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise InvalidParameter(f"{name} is for files, but this is not a file. Leave it out.")


def _id_columns(given: object) -> str | tuple[str, ...] | None:
    if isinstance(given, (list, tuple)) and given:
        require_texts(**{f"id {place}": name for place, name in enumerate(given, start=1)})
        if len({*given}) < len(given):
            raise InvalidParameter(f"id names a column twice: {', '.join(given)}. Name each once.")
        return tuple(given) if len(given) > 1 else given[0]
    require_texts(id=given)
    return given  # type: ignore[return-value]


def require_texts(**options: object) -> None:
    for name, value in options.items():
        if value is not None and not isinstance(value, str):
            raise InvalidParameter(f"{name} must be a text, got {described(value)}.")


def blank_words_from(given: object) -> tuple[str, ...] | None:
    """Return the words that count as blank: those given, comma-separated or one by one, or the usual ones.

    >>> blank_words_from("NULL, n.a."), blank_words_from("usual")
    (('NULL', 'n.a.'), ('NULL', 'NA', 'N/A', 'NaN', 'None', '-'))
    """
    if given is None:
        return None
    words = _words(given, "blank_words must be words separated by commas, such as NULL,NA (or 'usual')")
    return tuple(one for word in words for one in (USUAL_BLANKS if word == "usual" else (word,)))


def _words(given: object, expected: str) -> list[str]:
    words: list[Any] = [given]
    if isinstance(given, Iterable):
        words = given.split(",") if isinstance(given, str) else list(given)
    if not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise InvalidParameter(f"{expected}, got {described(given)}.")
    return [word.strip() for word in words]


def kept_from(given: object) -> tuple[Kept, ...] | None:
    """Return the columns to keep as terms: comma-separated or one by one, optionally with a width or `exact`.

    >>> [(one.column, str(one.width)) for one in kept_from("age:5, sex")]
    [('age', '5'), ('sex', 'None')]
    """
    if given is None or (isinstance(given, tuple) and given and all(isinstance(one, Kept) for one in given)):
        return given
    found = tuple(_kept(word) for word in _words(given, "keep must be columns separated by commas, such as age:10,sex"))
    names = [one.column for one in found]
    if len({*names}) < len(names):
        raise InvalidParameter(f"keep names a column twice: {', '.join(names)}. Name each once.")
    return found


def _kept(word: str) -> Kept:
    column, _, width = word.rpartition(":")
    if column and width == "exact":
        return Kept(column, None, is_said=True)
    number = number_from(width) if column else None
    if number is None:
        return Kept(word)
    if number <= 0:
        raise InvalidParameter(f"keep: the ranges of {quoted(column)} must be wider than 0, got {width}.")
    return Kept(column, number, is_said=True)


_RECORD = (
    "record|basket|transaction|order|invoice|receipt|visit|session|patient|encounter|user|customer|"
    "subject|hadm|admission|stay|case|episode|fall"
)
_TERM = (
    "term|item|product|stock|article|sku|symptom|drug|query|word|tag|page|url|"
    "diagnos(?:is|e|es|en)|dx|icd(?:9|10)?|atc|procedure|medication"
)
_IS_RECORD = re.compile(rf"(id|tid|rid|({_RECORD})s?(id|no|nr|num|number|nummer|key|code)?)$")
_IS_TERM = re.compile(rf"(code|({_TERM})s?(id|no|nr|code|name)?)$")


def names_a_record(name: str) -> bool:
    """Return whether a column of this name usually has the ids of records.

    >>> list(map(names_a_record, ("Invoice No", "price", "subject_id", "Fallnummer")))
    [True, False, True, True]
    """
    return _IS_RECORD.match(_plain(name)) is not None


def names_a_term(name: str) -> bool:
    """Return whether a column of this name usually has the terms.

    >>> list(map(names_a_term, ("StockCode", "price", "icd9_code", "Diagnose")))
    [True, False, True, True]
    """
    return _IS_TERM.match(_plain(name)) is not None


def looks_long(names: Sequence[str]) -> bool:
    return any(map(names_a_record, names)) and any(map(names_a_term, names))


def choose_columns(
    names: Sequence[str], id: str | tuple[str, ...] | None, terms: str | None, source: str | None = None
) -> tuple[list[int], int]:
    """Return the positions of the record id columns, and of the term column; the error lists the columns.

    Without names, the id column is the only one with a usual name or, of two columns, the other one.

    >>> choose_columns(["patient", "date", "diagnosis"], None, None)
    ([0], 2)
    """
    named = (id,) if isinstance(id, str) else id or ()
    records = [find_column(names, name, source) for name in named]
    term = None if terms is None else find_column(names, terms, source)
    if len(names) == 2 and not records and term is None and not looks_long(names):
        return [0], 1
    if len(names) == 2 and not records and term is not None:
        return [1 - term], term
    if len(names) == 2 and term is None and records:
        return records, 1 - records[0]
    if not records:
        records = [_usual(names, names_a_record, "record id", "id", source)]
    if term is None:
        term = _usual(names, names_a_term, "term", "terms", source)
    if term == records[0]:
        message = f"the record id and the term cannot both be column {quoted(names[term])}."
        raise UnreadableInput(message, source=source)
    return records, term


def find_column(names: Sequence[str], wanted: str, source: str | None = None) -> int:
    places = [place for place, name in enumerate(names) if name == wanted]
    if len(places) != 1:
        found = "more than one" if places else "none"
        message = f"expected a column {quoted(wanted)}, found {found}. {columns_there(names)}"
        raise UnreadableInput(message, source=source)
    return places[0]


def columns_there(names: Sequence[str]) -> str:
    return f"The columns are: {listed(names) or '(none)'}."


def _usual(names: Sequence[str], is_usual: Callable[[str], bool], what: str, option: str, source: str | None) -> int:
    places = [place for place, name in enumerate(names) if is_usual(name)]
    if len(places) == 1:
        return places[0]
    several = f"{listed(names[place] for place in places)} all look like it" if places else "none looks like it"
    message = f"expected one column with the {what}, but {several}. {columns_there(names)}"
    raise UnreadableInput(message, source=source, remedies=[Remedy(option, Placeholder("NAME"), "name it")])


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
