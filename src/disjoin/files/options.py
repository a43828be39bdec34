"""What can be read, and what may be said about it: the formats, and the options that go with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from importlib import import_module
from typing import Any

from disjoin.errors import InvalidParameter, described
from disjoin.files.wording import quoted
from disjoin.model.guarantee import require_integer
from disjoin.model.intervals import number_from
from disjoin.words import USUAL_BLANKS


@dataclass(frozen=True, slots=True)
class Reader:
    """Facts about a format, and where its code is; nothing heavy is imported before it is needed."""

    meaning: str
    options: tuple[str, ...]
    place: str  # "module:function", inside this room

    def load(self) -> Callable[..., Any]:
        """Import and return the function that reads the format."""
        module, _, function = self.place.partition(":")
        reader: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), function)
        return reader


READERS: dict[str, Reader] = {
    "fimi": Reader("one record per line, terms between blanks", (), "baskets:read_fimi"),
    "basket": Reader(
        "CSV or TSV, one record per line, one term per field, quotes allowed", ("separator",), "baskets:read_basket"
    ),
    "long": Reader(
        "CSV, TSV or Parquet with a header, one (record id, term) pair per row",
        ("id_column", "term_column", "separator", "similar_ids", "per_record", "role"),
        "tables:read_long",
    ),
    "spmf": Reader(
        "SPMF sequences: -1 ends an itemset, -2 a record, @ITEM lines name the items", (), "baskets:read_spmf"
    ),
    "jsonl": Reader(
        "JSON Lines: one array per line, or an object with an array member", ("field",), "jsonl:read_jsonl"
    ),
    "parquet": Reader(
        "Parquet with a list column, one record per row", ("field", "term_column"), "columns:read_parquet"
    ),
    "arrow": Reader(
        "Arrow IPC (Feather) with a list column, one record per row", ("field", "term_column"), "columns:read_arrow"
    ),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """A column that becomes terms of the records, and how wide the ranges are that its numbers are cut into."""

    column: str
    width: Fraction | None = None  # None: values stand for themselves, or it is for the reader to say
    is_said: bool = False


DEFAULT_MAX_BYTES = 8 << 30
BLANK_WAYS = ("error", "skip", "term")
SIMILAR_WAYS = ("error", "merge", "keep")
_NAMED_SEPARATORS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";"}
_NAMED_SPLITS = {**_NAMED_SEPARATORS, "\\n": "\n", "newline": "\n", "bar": "|"}
_FOR_ALL = ("keep_order", "max_bytes", "split", "blank", "blank_words", "sheet", "encoding")
OF_KEEPING = ("long", "parquet", "arrow")  # formats that have columns


def _is_yes_or_no(value: object) -> bool:
    """Tell whether a value is true, false, numpy's, or not given."""
    return isinstance(value, (bool, type(None))) or type(value).__name__ in ("bool_", "bool")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `read`; those that do not go together are refused when they are born."""

    id_column: str | tuple[str, ...] | None = None
    term_column: str | None = None
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
        object.__setattr__(self, "id_column", _id_columns(self.id_column))
        object.__setattr__(self, "keep", kept_from(self.keep))
        object.__setattr__(self, "role", _role_texts(self.role))
        words = ("term_column", "field", "separator", "split", "blank", "similar_ids", "sheet", "encoding")
        require_texts(**{name: getattr(self, name) for name in words})
        for name in ("keep_order", "per_record"):
            if not _is_yes_or_no(getattr(self, name)):
                raise InvalidParameter(f"{name} must be true or false, got {described(getattr(self, name))}.")
        _require_one_of("blank", self.blank, BLANK_WAYS)
        _require_one_of("similar_ids", self.similar_ids, SIMILAR_WAYS)
        object.__setattr__(self, "blank_words", blank_words_from(self.blank_words))
        require_integer("max_bytes", self.max_bytes, 1, "it is the largest size that a file may unpack to.")
        if self.field is not None and (self.id_column is not None or self.term_column is not None):
            raise InvalidParameter(
                "field names a list of terms, id_column and term_column the columns of a long table: "
                "give one or the other, not both."
            )
        if self.separator is not None:
            separator = _NAMED_SEPARATORS.get(self.separator, self.separator)
            if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
                raise InvalidParameter(
                    f"separator must be one ASCII character such as ',' or ';' (or 'tab'), "
                    f"got {quoted(self.separator)}."
                )
            object.__setattr__(self, "separator", separator)
        if self.split is not None and self.split != "none":
            split = _NAMED_SPLITS.get(self.split, self.split)
            if len(split) != 1 or split.isalnum():
                raise InvalidParameter(
                    f"split must be one character such as ';' (or 'tab', 'newline'), or 'none' if every cell is one "
                    f"term, got {quoted(self.split)}."
                )
            object.__setattr__(self, "split", split)

    @property
    def split_at(self) -> str | None:
        """What parts the terms of a cell; None if a cell is one term."""
        return None if self.split == "none" else self.split

    @property
    def takes_blanks(self) -> bool:
        """Whether a cell without a term is no error."""
        return self.blank in ("skip", "term")

    @property
    def changes_cells(self) -> bool:
        """Whether cells are not simply the terms."""
        return self.split_at is not None or self.takes_blanks or bool(self.blank_words)

    @property
    def is_long(self) -> bool:
        """Whether the columns of a long table are named."""
        return self.id_column is not None or self.term_column is not None

    def separator_byte(self) -> bytes:
        """Return the separator, a comma unless said otherwise."""
        return (self.separator or ",").encode()

    def require_fit(self, format: str) -> None:
        """Raise if the format does not exist or cannot use one of the given options."""
        require_texts(format=format)
        if format not in READERS:
            raise InvalidParameter(f"there is no format {quoted(format)}. Choose one of {_listed(READERS)}.")
        allowed = {*READERS[format].options, *_FOR_ALL}
        if self.keep is not None and format not in OF_KEEPING:
            raise InvalidParameter(
                f"the format {format} has no columns that could be kept (keep, --keep); {_listed(OF_KEEPING)} have."
            )
        allowed.add("keep")
        for option in fields(self):
            if getattr(self, option.name) is not None and option.name not in allowed:
                users = [name for name, reader in READERS.items() if option.name in reader.options]
                raise InvalidParameter(
                    f"the format {format} has no use for {option.name} (only {_listed(users)}). Leave it out."
                )


def require_no_file(**options: object) -> None:
    """Raise if an option that is about files was given for an object in memory."""
    for name, value in options.items():
        if value is not None:
            raise InvalidParameter(f"{name} is for files, and this is none. Leave it out.")


def _id_columns(given: object) -> str | tuple[str, ...] | None:
    """Return the column that names a record, or several that do so together, each once."""
    if isinstance(given, (list, tuple)) and given:
        require_texts(**{f"id_column {place}": name for place, name in enumerate(given, start=1)})
        if len({*given}) < len(given):
            raise InvalidParameter(f"id_column names a column twice: {_listed(given)}. Name each once.")
        return tuple(given) if len(given) > 1 else given[0]
    require_texts(id_column=given)
    return given  # type: ignore[return-value]


def require_texts(**options: object) -> None:
    """Raise unless every option is a string or absent."""
    for name, value in options.items():
        if value is not None and not isinstance(value, str):
            raise InvalidParameter(f"{name} must be a text, got {described(value)}.")


def blank_words_from(given: object) -> tuple[str, ...] | None:
    """Return the words that count as blank: those given, between commas or one by one, or the usual ones.

    >>> blank_words_from("NULL, n.a.")
    ('NULL', 'n.a.')
    >>> blank_words_from("usual")
    ('NULL', 'NA', 'N/A', 'NaN', 'None', '-')
    """
    if given is None:
        return None
    words: list[Any] = [given]
    if isinstance(given, Iterable):
        words = given.split(",") if isinstance(given, str) else list(given)
    if not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise InvalidParameter(
            f"blank_words must be words between commas, such as NULL,NA (or 'usual'), got {described(given)}."
        )
    stripped = [word.strip() for word in words]
    return tuple(one for word in stripped for one in (USUAL_BLANKS if word == "usual" else (word,)))


def kept_from(given: object) -> tuple[Kept, ...] | None:
    """Return the columns that are kept as terms: named between commas or one by one, perhaps with a width or `exact`.

    >>> [(one.column, str(one.width)) for one in kept_from("age:5, sex")]
    [('age', '5'), ('sex', 'None')]
    """
    if given is None or (isinstance(given, tuple) and given and all(isinstance(one, Kept) for one in given)):
        return given
    words: list[Any] = [given]
    if isinstance(given, Iterable):
        words = given.split(",") if isinstance(given, str) else list(given)
    if not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise InvalidParameter(f"keep must be columns between commas, such as age:10,sex, got {described(given)}.")
    found = tuple(_kept(word.strip()) for word in words)
    names = [one.column for one in found]
    if len({*names}) < len(names):
        raise InvalidParameter(f"keep names a column twice: {_listed(names)}. Name each once.")
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


def _role_texts(given: Any) -> tuple[str, ...] | None:
    """Return choices of roles, each `COLUMN=ROLE`, from these or from a dict."""
    if not given:
        return None
    from disjoin.model.column_roles import choices_from  # arrays are loaded with the choices

    return tuple(f"{name}={choice}" for name, choice in choices_from(given).items())


def _require_one_of(name: str, value: str | None, known: Collection[str]) -> None:
    if value is not None and value not in known:
        raise InvalidParameter(f"{name} must be one of {_listed(known)}, got {quoted(value)}.")


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)
