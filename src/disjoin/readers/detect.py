"""Detection of file formats, by content first and name second.

Tables must not be taken for baskets, because that would publish record ids as terms.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

from disjoin.errors import Placeholder, Remedy, UnreadableInput
from disjoin.readers.options import NAME_COLUMNS, Options, looks_long
from disjoin.readers.sources import Source, columnar_format
from disjoin.text import with_article

_SAMPLE = 1 << 16
_SAMPLED_LINES = 200
_FEWEST_LINES = 3  # below a header two rows are needed to see that it is none of them
_TELLING_LINES = 10  # this many lines of two fields are no accident
_ROWS_FOR_AN_ODD_ONE = 10
_BLANKS = " \t\r"
_SEPARATORS = (",", ";", "\t", "|")  # the earlier wins a tie
_BY_SUFFIX = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".spmf": "spmf", ".fimi": "fimi"}
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
        format = _basket_or_long(source, options)
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
        raise source.error(f"expected {format}, found {with_article(found)} file.").offering(
            Remedy("format", found, "read it as what it is")
        )
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
        raise source.error("expected UTF-8 text, found UTF-16.").offering(
            Remedy("encoding", "utf-16", "read it as utf-16")
        )
    if head.startswith(b"\xef\xbb\xbf"):
        source.start, head = 3, head[3:]
    if b"\0" in head:
        raise source.binary(head.count(b"\n", 0, head.index(b"\0")) + 1)
    if b"\n" not in head and b"\r" in head.rstrip(b"\r"):
        raise source.error(
            "expected lines that end with a newline, found lone carriage returns. Convert the line ends."
        )


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
    """Return the fields of the first rows, for a first look only; a quoted field may go over several lines."""
    lines = sample(source)
    try:
        rows = list(csv.reader((line + "\n" for line in lines), delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return [[field.strip(_BLANKS) for field in line.split(separator)] for line in lines]
    if sum(line.count('"') for line in lines) % 2:
        rows.pop()  # the sample ends inside its last row
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
    if lines[0] in "[{":  # one value over several lines; the reader says what to do about it
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


def _basket_or_long(source: Source, options: Options) -> str:
    rows = rows_of(source, options.separator or ",")
    if options.is_long or (rows and looks_long(rows[0])):
        return "long"
    refuse_tables(source, rows)
    return "basket"


def _not_columnar(source: Source, format: str) -> UnreadableInput:
    return source.error(f"expected {with_article(format)} file, found something else. Check the file.").offering(
        Remedy("format", Placeholder("FORMAT"), "name its format")
    )


def refuse_tables(source: Source, rows: list[list[str]]) -> None:
    """Raise if the first rows of a separated file may be those of a table with record ids in it."""
    if not _is_even(rows):
        return
    if len(rows[0]) == 2 and (_begins_with_header(rows) or _looks_like_pairs(rows)):
        raise _with_columns(
            source.error(
                f"{_lines(rows)} has 2 fields, so this may be records of two terms or a long table with 2 columns."
            ).offering(
                Remedy("format", "basket", "read each line as a record"),
                Remedy("format", "long", "read each line as a record id and a term"),
            ),
            rows,
        )
    if _begins_with_header(rows):
        raise _looks_like_a_table(source, rows, "basket")


def refuse_spaced_tables(source: Source, lines: list[str]) -> None:
    """Raise if lines that were taken for blank-separated terms may be rows of a table.

    Queries of equally many words are common, so a table between blanks must also have a column of numbers.
    """
    piped = [[field.strip() for field in line.split("|")] for line in lines]
    if _is_even(piped) and (_begins_with_header(piped) or looks_long(piped[0])):
        raise _looks_like_a_table(source, piped, "fimi")
    rows = [line.split() for line in lines]
    if not _is_even(rows) or not _begins_with_header(rows) or any(map(_is_number, rows[0])):
        return
    if any(all(map(_is_number, column)) for column in zip(*rows[1:], strict=False)):
        raise _looks_like_a_table(source, rows, "fimi")


def _is_even(rows: list[list[str]]) -> bool:
    """Tell whether (nearly) all rows have as many fields as the first, and that is more than one.

    Nearly, because one unquoted comma in a table of thousands must not make it a file of baskets.
    """
    if not rows or len(rows[0]) < 2:
        return False
    odd = sum(len(row) != len(rows[0]) for row in rows)
    return odd * _ROWS_FOR_AN_ODD_ONE <= len(rows)


def _begins_with_header(rows: list[list[str]]) -> bool:
    """Tell whether nothing in the first row occurs below it; terms of a basket would, sooner or later."""
    below = {field for row in rows[1:] for field in row}
    return len(rows) >= _FEWEST_LINES and not below & set(rows[0])


def _looks_like_pairs(rows: list[list[str]]) -> bool:
    """Tell whether most rows are different pairs and nothing is ever on both sides: ids and terms, not baskets."""
    pairs = [(row[0], row[1]) for row in rows if len(row) == 2]
    distinct = len(set(pairs))
    if len(pairs) < _TELLING_LINES or (distinct < _TELLING_LINES and 2 * distinct <= len(pairs)):
        return False
    return not {left for left, _ in pairs} & {right for _, right in pairs}


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]+", text) is not None


def _lines(rows: list[list[str]]) -> str:
    return "every line" if all(len(row) == len(rows[0]) for row in rows) else "nearly every line"


def _looks_like_a_table(source: Source, rows: list[list[str]], otherwise: str) -> UnreadableInput:
    error = source.error(
        f"{_lines(rows)} has {len(rows[0]):,} fields and the first looks like a header, so this may be a table "
        "with columns."
    ).offering(Remedy("format", otherwise, "read each line as a record"), NAME_COLUMNS)
    return _with_columns(error, rows)


def _with_columns(error: UnreadableInput, rows: list[list[str]]) -> UnreadableInput:
    error.columns = tuple(rows[0])
    return error
