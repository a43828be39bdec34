"""Which format a file has, by its content first and its name second."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

from disjoin.errors import UnreadableInput
from disjoin.files.naming import looks_long
from disjoin.files.options import Options
from disjoin.files.sources import Source, columnar_format
from disjoin.files.tables import refuse_spaced_tables, refuse_tables
from disjoin.files.wording import with_article

_SAMPLE = 1 << 16
_SAMPLED_LINES = 200
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
    b"\xff\xfe": "UTF-16. Say --encoding utf-16",
    b"\xfe\xff": "UTF-16. Say --encoding utf-16",
}


def detect(source: Source, options: Options) -> tuple[str, Options]:
    """Return the format of a source, and the options with the separator filled in."""
    if columnar := columnar_format(source):
        from disjoin.files.columns import has_list_column

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
        raise source.error(
            f"expected {format}, found {with_article(found)} file. Leave --format out or say --format {found}."
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
    return source.error(
        f"expected {with_article(format)} file, found something else. Check the file, or say what it is with --format."
    )
