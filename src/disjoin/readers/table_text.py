"""Tables in text files: a header, then one row per line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.model.intervals import number_from
from disjoin.readers.detect import require_text
from disjoin.readers.sources import Source
from disjoin.readers.table_values import BLANKS, Fail
from disjoin.text import counted

_SEPARATORS = (",", ";", "\t", "|")  # the earlier wins a tie
_QUOTE = ord('"')
MOST_COLUMNS = 20_000  # a sheet of Excel has 16,384; more would take minutes


def read_separated(source: Source, separator: str | None) -> tuple[list[str], pa.Table]:
    """Return the names of the columns, and the columns as dictionary-coded strings.

    Raises `UnreadableInput` with the line of a row that has more or fewer fields than the header.
    """
    require_text(source)
    header, end = _header(source)
    separator = separator or _separator(source, header)
    names = _names(source, header, separator)
    body = pa.py_buffer(source.data).slice(end)
    if not bytes(body[: 1 << 16]).strip() and not body.to_pybytes().strip():
        raise _no_rows(source, names)
    if np.count_nonzero(source.text() == _QUOTE) % 2:  # one may be open, and would swallow the rest
        _find_the_bad_row(source, separator, len(names))
    columns = _parsed(source, body, names, separator)
    _require_header(source, names, columns)
    return names, columns


def _header(source: Source) -> tuple[str, int]:
    """Return the first line that is not blank, and where the next one begins; a quoted name may have line ends."""
    text, end = "", source.start
    for number, line in source.lines():
        end += len(line.encode()) + 1
        if text or line.strip(BLANKS):
            text += line + "\n"
        if text and text.count('"') % 2 == 0:
            return text, min(end, len(source.data))
        if number > 1000:
            break
    raise source.error("expected a first line with the names of the columns, found none.")


def _separator(source: Source, header: str) -> str:
    if source.suffix in (".tsv", ".tab"):
        return "\t"
    bare = re.sub(r'"[^"]*"', "", header)
    return max(_SEPARATORS, key=bare.count)


def _names(source: Source, header: str, separator: str) -> list[str]:
    lines = (f"{line}\n" for line in header.removesuffix("\n").split("\n"))
    try:
        row = next(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error as failure:
        raise _no_row(source, failure, 1) from None
    names = [name.strip(BLANKS) for name in row]
    require_names(names, lambda objection: source.error(objection, 1))
    if 2 * sum(number_from(name) is not None for name in names) > len(names):
        raise _no_header(source, f"most of its {counted(len(names), 'field')} are numbers")
    return names


def require_names(names: Sequence[str], fail: Fail) -> None:
    """Raise if there are too many columns, or if one has no name, or that of another.

    Names are not shown: without a header they are a person's values.
    """
    if len(names) > MOST_COLUMNS:
        raise fail(f"expected at most {MOST_COLUMNS:,} columns, found {len(names):,}. Keep those that you publish.")
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            raise fail(f"column {place:,} of {len(names):,} has no name. Name every column.")
        if name in seen:
            raise fail(f"columns {seen[name]:,} and {place:,} of {len(names):,} have the same name. Rename one.")
        seen[name] = place


def _require_header(source: Source, names: list[str], columns: pa.Table) -> None:
    """Raise if a name occurs below as a value of its own column: then the first line is a row, and would be lost."""
    import pyarrow.compute as pc

    for place, (name, column) in enumerate(zip(names, columns.columns, strict=True), start=1):
        for chunk in column.chunks[:1]:  # all chunks share a dictionary
            if pc.any(pc.equal(pc.utf8_trim(chunk.dictionary, BLANKS), name)).as_py():
                raise _no_header(source, f"its field {place:,} occurs again below it, as a value")


def _no_header(source: Source, why: str) -> UnreadableInput:
    return source.error(
        f"expected a first line with the names of the columns, found a row of data: {why}. "
        "Put a line such as age,sex,city before the rows.",
        1,
    )


def _no_rows(source: Source, names: list[str]) -> UnreadableInput:
    found = counted(len(names), "field")
    return source.error(f"expected a header and rows below it, found one line with {found}. Add the rows.")


def _parsed(source: Source, body: pa.Buffer, names: list[str], separator: str) -> pa.Table:
    from pyarrow import csv as arrow

    coded = pa.dictionary(pa.int32(), pa.string())
    places = [str(place) for place in range(len(names))]  # names could be anything
    try:
        table = arrow.read_csv(
            pa.BufferReader(body),
            arrow.ReadOptions(column_names=places, block_size=1 << 24),
            arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow.ConvertOptions(column_types=dict.fromkeys(places, coded), strings_can_be_null=False),
        )
    except pa.ArrowInvalid as failure:
        _find_the_bad_row(source, separator, len(names))
        raise source.error(f"expected {counted(len(names), 'field')} a row, found otherwise ({failure}).") from None
    if not table.num_rows:
        raise _no_rows(source, names)
    return table.unify_dictionaries()


def _find_the_bad_row(source: Source, separator: str, width: int) -> None:
    """Go through the file slowly and raise with the first line that is wrong; return if none is."""
    numbered = _Lines(source)
    rows: Iterator[Any] = csv.reader(numbered, delimiter=separator, strict=False)
    begun = 1
    while (row := _next_row(source, rows, numbered)) is not None:
        if row and len(row) != width:
            open_quote = numbered.line > begun and numbered.is_over
            hint = "A quote may be open." if open_quote else "Put a value with separators in it in double quotes."
            raise source.error(
                f"expected {counted(width, 'field')} as in the header, found {len(row):,}. {hint}",
                begun,
            )
        if numbered.is_over and numbered.line > begun and "\n" in row[-1]:
            raise source.error("a quote is opened and never closed. Close it, or double it if it is meant.", begun)
        begun = numbered.line + 1


def _next_row(source: Source, rows: Iterator[Any], numbered: _Lines) -> list[str] | None:
    try:
        row: list[str] | None = next(rows, None)
    except csv.Error as failure:
        raise _no_row(source, failure, numbered.line) from None
    return row


def _no_row(source: Source, failure: csv.Error, line: int) -> UnreadableInput:
    if "new-line" in str(failure):
        return source.error(
            "expected lines that end with a newline, found a lone carriage return. Convert the line ends.", line
        )
    return source.error(f"expected values between separators, found a row that cannot be read ({failure}).", line)


class _Lines:
    """The lines of a source, and how many were taken."""

    def __init__(self, source: Source) -> None:
        self._lines, self.line, self.is_over = source.lines(), 0, False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        try:
            self.line, text = next(self._lines)
        except StopIteration:
            self.is_over = True
            raise
        return text.removesuffix("\r") + "\n"
