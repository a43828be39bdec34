"""Detection of file formats and separators, and `disjoin.look`."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from disjoin.errors import Placeholder, Remedy, UnreadableInput
from disjoin.model.input_checks import lists_in
from disjoin.readers.options import DEFAULT_MAX_BYTES, NAME_COLUMNS, READERS, Options, looks_long
from disjoin.readers.sources import Source, columnar_format, open_source
from disjoin.text import listed, with_article

FIRST = 8  # rows that `look` shows
Kind = Literal["records", "long", "table", "mixed"]
_SAMPLE = 1 << 16
_SAMPLED_LINES = 200
_FEWEST_LINES = 3  # two rows below a header are needed to recognise it
_TELLING_LINES = 10  # with this many lines, two fields each are not by chance
_ROWS_FOR_AN_ODD_ONE = 10
_BLANKS = " \t\r"
_SEPARATORS = (",", ";", "\t", "|")  # the first among equals
_BY_SUFFIX = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".spmf": "spmf", ".fimi": "fimi"}
_IS_NUMBER = re.compile(r"[0-9]+").fullmatch
_COLUMNAR_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather")
_DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab")
_FOREIGN = {
    b"PK\x03\x04": "a zip archive. Unpack it",
    b"BZh": "a bzip2 file. Unpack it",
    b"\xfd7zXZ": "an xz file. Unpack it",
    b"\x1f\x8b": "a file that was packed twice. Unpack it",
    b"\x28\xb5\x2f\xfd": "a file that was packed twice. Unpack it",
    b"%PDF-": "a PDF document. Export the table",
}


def detect(source: Source, options: Options) -> tuple[str, Options]:
    """Return the format of a source, and the options with the separator filled in."""
    if columnar := columnar_format(source):
        from disjoin.readers.columnar import has_list_column

        return (columnar if has_list_column(source, options) else "long"), options
    if source.suffix in _COLUMNAR_SUFFIXES:
        raise _not_columnar(source, source.suffix[1:])
    require_text(source)
    format = _detect_text(source, options)
    if format == "delimited":
        options = with_separator(source, options)
        rows = rows_of(source, options.separator or ",")
        if options.is_long or (rows and looks_long(rows[0])):
            return "long", options
        refuse_tables(source, rows)
        format = "basket"
    elif format == "fimi" and source.suffix != ".fimi":
        refuse_spaced_tables(source, sample(source))
    return format, options


def confirm(source: Source, format: str, options: Options) -> Options:
    """Raise if the content cannot be of the given format; return the options with the separator filled in."""
    found = columnar_format(source)
    if format in ("parquet", "arrow"):
        if found != format:
            raise _not_columnar(source, format)
    elif found and format != "long":
        remedy = Remedy("format", found, "read it as that format")
        raise source.error(f"expected {format}, found {with_article(found)} file.").offering(remedy)
    elif not found:
        require_text(source)
        if format in ("basket", "long"):
            return with_separator(source, options)
    return options


def require_text(source: Source) -> None:
    """Raise unless the file begins like UTF-8 text; a byte order mark is skipped."""
    head = source.head(_SAMPLE)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic) and (magic != b"BZh" or b"1AY&SY" in head[:10]):
            raise source.error(f"expected UTF-8 text, found {what} and try again.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        remedy = Remedy("encoding", "utf-16", "read it as utf-16")
        raise source.error("expected UTF-8 text, found UTF-16.").offering(remedy)
    if head.startswith(b"\xef\xbb\xbf"):
        source.start, head = 3, head[3:]
    if b"\0" in head:
        raise source.binary(head.count(b"\n", 0, head.index(b"\0")) + 1)
    if b"\n" not in head and b"\r" in head.rstrip(b"\r"):
        found = "expected lines that end with a newline, found lone carriage returns"
        raise source.error(f"{found}. Convert the line ends.")


def with_separator(source: Source, options: Options) -> Options:
    """Return the options with a separator: the given one, a tab for .tsv, or the one on most lines."""
    if options.separator is not None:
        return options
    if source.suffix in (".tsv", ".tab"):
        return replace(options, separator="\t")
    lines = re.sub(r'"[^"]*"', "", "\n".join(sample(source))).split("\n")
    if options.is_long:
        lines = lines[:1]
    return replace(options, separator=max(_SEPARATORS, key=lambda mark: sum(mark in line for line in lines)))


def sample(source: Source) -> list[str]:
    """Return the first whole lines that are not blank, undecodable bytes replaced."""
    head = source.head(_SAMPLE)
    if len(head) == _SAMPLE and b"\n" in head:
        head = head[: head.rindex(b"\n")]
    lines = (line.strip(" \t\r") for line in head.decode(errors="replace").split("\n"))
    return [line for line in lines if line][:_SAMPLED_LINES]


def rows_of(source: Source, separator: str) -> list[list[str]]:
    lines = sample(source)
    try:
        rows = list(csv.reader((line + "\n" for line in lines), delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return [[field.strip(_BLANKS) for field in line.split(separator)] for line in lines]
    if sum(line.count('"') for line in lines) % 2:
        rows.pop()  # the sample may end inside its last row
    return [[field.strip(_BLANKS) for field in row] for row in rows]


def _detect_text(source: Source, options: Options) -> str:
    if options.field is not None:
        return "jsonl"
    if options.is_long or options.separator is not None:
        return "delimited"
    if source.suffix in _BY_SUFFIX:
        return _BY_SUFFIX[source.suffix]
    lines = sample(source)
    has_separator = any(mark in line for line in lines for mark in ",;\t")
    if all(re.fullmatch(r"[0-9 \t]*", line) for line in lines):
        return "delimited" if source.suffix in _DELIMITED_SUFFIXES and has_separator else "fimi"
    if source.suffix in _DELIMITED_SUFFIXES:
        return "delimited"
    if _looks_like_json(lines):
        return "jsonl"
    if _looks_like_spmf(lines):
        return "spmf"
    return "delimited" if has_separator else "fimi"


def _looks_like_json(lines: list[str]) -> bool:
    if not lines or lines[0][0] not in "[{":
        return False
    if lines[0] in "[{":  # one value over several lines, which the reader explains
        return True
    try:
        return isinstance(json.loads(lines[0]), (list, dict))
    except (ValueError, RecursionError):
        return re.match(r'[\[{]\s*"', lines[0]) is not None


def _looks_like_spmf(lines: list[str]) -> bool:
    if any(line.startswith(("@CONVERTED_FROM_TEXT", "@ITEM=")) for line in lines):
        return True
    rows = [line for line in lines if line[0] not in "#%@"]
    return bool(rows) and all(re.search(r"(^|[ \t])-2$", row) for row in rows)


def _not_columnar(source: Source, format: str) -> UnreadableInput:
    message = f"expected {with_article(format)} file, found something else. Check the file."
    return source.error(message).offering(Remedy("format", Placeholder("FORMAT"), "name its format"))


def refuse_tables(source: Source, rows: list[list[str]]) -> None:
    if not _is_even(rows):
        return
    if len(rows[0]) == 2 and (_begins_with_header(rows) or _looks_like_pairs(rows)):
        found = "2 fields, so this may be records of two terms or a long table with 2 columns."
        as_records = Remedy("format", "basket", "read each line as a record")
        as_pairs = Remedy("format", "long", "read each line as a record id and a term")
        raise _ambiguous(source, rows, found, as_records, as_pairs)
    if _begins_with_header(rows):
        raise _looks_like_a_table(source, rows, "basket")


def refuse_spaced_tables(source: Source, lines: list[str]) -> None:
    """Raise if blank-separated lines with equal numbers of words, one column numeric, may be rows of a table."""
    piped = [[field.strip() for field in line.split("|")] for line in lines]
    if _is_even(piped) and (_begins_with_header(piped) or looks_long(piped[0])):
        raise _looks_like_a_table(source, piped, "fimi")
    rows = [line.split() for line in lines]
    if not _is_even(rows) or not _begins_with_header(rows) or any(map(_IS_NUMBER, rows[0])):
        return
    if any(all(map(_IS_NUMBER, column)) for column in zip(*rows[1:], strict=False)):
        raise _looks_like_a_table(source, rows, "fimi")


def _is_even(rows: list[list[str]]) -> bool:
    """Return whether nearly all rows (some may have stray commas) have as many fields as the first, more than one."""
    if not rows or len(rows[0]) < 2:
        return False
    odd = sum(len(row) != len(rows[0]) for row in rows)
    return odd * _ROWS_FOR_AN_ODD_ONE <= len(rows)


def _begins_with_header(rows: list[list[str]]) -> bool:
    """Return whether no value of the first row occurs below it; terms of a basket probably would."""
    below = {field for row in rows[1:] for field in row}
    return len(rows) >= _FEWEST_LINES and not below & set(rows[0])


def _looks_like_pairs(rows: list[list[str]]) -> bool:
    """Return whether most rows are distinct pairs and no value is on both sides: ids and terms, not baskets."""
    pairs = [(row[0], row[1]) for row in rows if len(row) == 2]
    distinct = len(set(pairs))
    if len(pairs) < _TELLING_LINES or (distinct < _TELLING_LINES and 2 * distinct <= len(pairs)):
        return False
    return not {left for left, _ in pairs} & {right for _, right in pairs}


def _looks_like_a_table(source: Source, rows: list[list[str]], otherwise: str) -> UnreadableInput:
    found = f"{len(rows[0]):,} fields and the first looks like a header, so this may be a table with columns."
    return _ambiguous(source, rows, found, Remedy("format", otherwise, "read each line as a record"), NAME_COLUMNS)


def _ambiguous(source: Source, rows: list[list[str]], found: str, *remedies: Remedy) -> UnreadableInput:
    lines = "every line" if all(len(row) == len(rows[0]) for row in rows) else "nearly every line"
    error = source.error(f"{lines} has {found}").offering(*remedies)
    error.columns = tuple(rows[0])
    return error


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file looks like, and why; it was not read completely, so it may turn out to be something else.

    `kind` is `records` (one per line or row), `long` (a row per record and term), `table` (a row per person) or `mixed`
    (a row per person, and a list of terms in the column `terms`, with `split` between them).
    `first` are its first rows, as text; they are raw data.
    """

    kind: Kind
    format: str
    why: str
    columns: tuple[str, ...] = ()
    first: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    terms: str = ""
    split: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"columns": list(self.columns), "first": [list(row) for row in self.first]}


def look(
    source: str | Path,
    *,
    separator: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    sheet: str | None = None,
    encoding: str | None = None,
) -> FileKind:
    """Return what a file is: records, a long table or a table of people, by its beginning and its name.

    A file that is none of them raises `UnreadableInput`. The options are those of `disjoin.read`.
    """
    opened = open_source(source, max_bytes, sheet=sheet, encoding=encoding)
    options = Options(separator=separator, max_bytes=max_bytes)
    if columnar_format(opened):
        return _columnar(opened, options)
    try:
        format, options = detect(opened, options)
    except UnreadableInput as error:
        if not error.columns:
            raise
        return _refused(opened, error, options)
    if format == "long":
        rows = rows_of(opened, options.separator or ",")
        why = f"Its first line has names of a long table: {listed(rows[0])}."
        return FileKind("long", format, why, tuple(rows[0]), _first(rows[1:]))
    if format == "basket":
        mark = options.separator or ","
        between = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}.get(mark, mark)
        why = f"One record per line, terms between {between}."
        return FileKind("records", format, why, (), _first(rows_of(opened, mark)))
    rows = [line.split() if format == "fimi" else [line] for line in sample(opened)]
    return FileKind("records", format, _sentence(format), (), _first(rows))


def _sentence(format: str) -> str:
    meaning = READERS[format].meaning
    return f"{meaning[0].upper()}{meaning[1:]}."


def _refused(source: Source, error: UnreadableInput, options: Options) -> FileKind:
    rows = rows_of(source, with_separator(source, options).separator or ",")
    lists = _lists(error.columns, rows[1:])
    if len(error.columns) > 2 and len(lists) == 1:
        [(name, mark)] = lists
        why = f"Its lines have {len(error.columns)} fields; {listed([name])} looks like lists: people with terms."
        return FileKind("mixed", "table", why, error.columns, _first(rows[1:]), name, mark)
    kind: Kind = "long" if len(error.columns) == 2 else "table"
    what = "a record and a term each" if kind == "long" else "a row per person"
    why = f"Its lines have {len(error.columns)} fields, and the first looks like a header: {what}."
    return FileKind(kind, "long" if kind == "long" else "table", why, error.columns, _first(rows[1:]))


def _lists(columns: Sequence[str], rows: list[list[str]]) -> list[tuple[str, str]]:
    found = []
    for place, name in enumerate(columns):
        cells, counts = np.unique([row[place] for row in rows if len(row) > place and row[place]], return_counts=True)
        listing = lists_in(pa.array(cells.tolist(), pa.string()), counts.astype(np.int64)) if cells.size else None
        if listing is not None:
            found.append((name, {"\t": "tab", " ": "space"}.get(listing.separator, listing.separator)))
    return found


def _columnar(source: Source, options: Options) -> FileKind:
    from disjoin.readers.columnar import columnar_table  # late: it reads tables of text

    try:
        format, _ = detect(source, options)
    except UnreadableInput:  # no list column, and no record id
        format = "table"
    table = columnar_table(source, options.max_bytes).slice(0, FIRST)
    names = tuple(table.column_names)
    rows = tuple(tuple("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist())
    if format not in ("long", "table"):
        return FileKind("records", format, _sentence(format), names, rows)
    kind: Kind = "long" if format == "long" else "table"
    return FileKind(kind, format, f"A table with the columns {listed(names)}.", names, rows)


def _first(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row) for row in rows[:FIRST])
