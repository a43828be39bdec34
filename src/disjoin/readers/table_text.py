"""Tables as text: a header and one row per line; numbers as written, dates in ISO 8601, missing values `?`."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from inspect import GEN_CLOSED, getgeneratorstate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import MOST_PROBLEMS, DisjoinError, UnreadableInput, all_lines, kind_of
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Ints32, used_by
from disjoin.model.spelling import are_blank, folded, objection_to_length
from disjoin.readers.detect import require_text
from disjoin.readers.sources import Source
from disjoin.text import counted, listed, quoted

MISSING = "?"
BLANKS = " \t\r\n"
Fail = Callable[[str], DisjoinError]
MOST_COLUMNS = 20_000  # a sheet of Excel has 16,384; more would take minutes
_SEPARATORS = (",", ";", "\t", "|")  # the first among equals
_QUOTE = ord('"')
_DECIMALS, _POINT = "^[+-]?[0-9]+(?:,[0-9]+)?$", r"^[+-]?[0-9]*\.[0-9]+$"
_THOUSANDS = "^[+-]?(?:[0-9]{1,3}|[1-9][0-9]{0,2},[0-9]{3})$"
_PLAIN = ("is_integer", "is_boolean", "is_decimal", "is_date", "is_time")  # Arrow's text for these is suitable


def read_separated(source: Source, separator: str | None) -> tuple[list[str], pa.Table]:
    """Return the names and the columns, as dictionary-coded strings; raise with the line of a row of wrong length."""
    require_text(source)
    header, end = _header(source)
    if separator is None:
        bare = re.sub(r'"[^"]*"', "", header)
        separator = "\t" if source.suffix in (".tsv", ".tab") else max(_SEPARATORS, key=bare.count)
    names = _names(source, header, separator)
    body = pa.py_buffer(source.data).slice(end)
    if not bytes(body[: 1 << 16]).strip() and not body.to_pybytes().strip():
        raise _no_rows(source, names)
    if np.count_nonzero(source.text() == _QUOTE) % 2:  # one may be open, and hide the rest
        _find_the_bad_row(source, separator, len(names))
    columns = _parsed(source, body, names, separator)
    for place, (name, column) in enumerate(zip(names, columns.columns, strict=True), start=1):
        for chunk in column.chunks[:1]:  # all chunks share a dictionary; a header that occurs below may be a row
            if pc.any(pc.equal(pc.utf8_trim(chunk.dictionary, BLANKS), name)).as_py():
                raise _no_header(source, f"its field {place:,} occurs again below it, as a value")
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
    """Raise for too many columns, or one without a unique name; messages show no names, which may be values."""
    if len(names) > MOST_COLUMNS:
        raise fail(f"expected at most {MOST_COLUMNS:,} columns, found {len(names):,}. Keep those that you publish.")
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, start=1):
        places.setdefault(name, []).append(place)
    problems = []
    if nameless := places.pop("", []):
        which = f"column {nameless[0]:,}" if len(nameless) == 1 else f"columns {listed(f'{n:,}' for n in nameless)}"
        problems.append(f"{which} of {len(names):,} {'has' if len(nameless) == 1 else 'have'} no name.")
    for same in places.values():
        if len(same) > 1:
            which = " and ".join(f"{place:,}" for place in same)
            problems.append(f"columns {which} of {len(names):,} have the same name.")
    if problems:
        advice = "Name every column." if nameless and len(problems) == 1 else "Give each column its own name."
        first, *others = problems[:5]
        raise fail(" ".join([first, *(f"{each[:1].upper()}{each[1:]}" for each in others), advice]))


def _no_header(source: Source, why: str) -> UnreadableInput:
    found = f"expected a first line with the names of the columns, found a row of data: {why}."
    return source.error(f"{found} Put a line such as age,sex,city before the rows.", 1)


def _no_rows(source: Source, names: list[str]) -> UnreadableInput:
    found = counted(len(names), "field")
    return source.error(f"expected a header and rows below it, found one line with {found}. Add the rows.")


def _parsed(source: Source, body: pa.Buffer, names: list[str], separator: str) -> pa.Table:
    from pyarrow import csv as arrow

    coded = pa.dictionary(pa.int32(), pa.string())
    places = [str(place) for place in range(len(names))]  # names may repeat
    try:
        table = arrow.read_csv(
            pa.BufferReader(body),
            arrow.ReadOptions(column_names=places, block_size=1 << 24),
            arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow.ConvertOptions(column_types=dict.fromkeys(places, coded), strings_can_be_null=False),
        )
    except pa.ArrowInvalid as failure:
        _find_the_bad_row(source, separator, len(names))
        raise source.error(f"expected {counted(len(names), 'field')} per row, found other rows ({failure}).") from None
    if not table.num_rows:
        raise _no_rows(source, names)
    return table.unify_dictionaries()


def _find_the_bad_row(source: Source, separator: str, width: int) -> None:
    """Search the file, slowly, and raise with the lines that are wrong; return if none is."""
    bad: list[UnreadableInput] = []
    lines = (f"{text.removesuffix(chr(13))}\n" for _, text in source.lines())
    rows, begun = csv.reader(lines, delimiter=separator), 1
    try:
        for row in rows:
            ended_inside = rows.line_num > begun and getgeneratorstate(lines) == GEN_CLOSED
            if row and len(row) != width:
                hint = "A quote may be open." if ended_inside else "Put a value with separators in it in double quotes."
                message = f"expected {counted(width, 'field')} as in the header, found {len(row):,}. {hint}"
                bad.append(source.error(message, begun))
            elif ended_inside and "\n" in row[-1]:
                message = "a quote is opened and never closed. Close it, or double it if it is meant."
                bad.append(source.error(message, begun))
            if len(bad) == MOST_PROBLEMS:
                break
            begun = rows.line_num + 1
    except csv.Error as failure:
        bad.append(_no_row(source, failure, rows.line_num))
    if bad:
        raise all_lines(bad) from None


def _no_row(source: Source, failure: csv.Error, line: int) -> UnreadableInput:
    if "new-line" in str(failure):
        found = "expected lines that end with a newline, found a lone carriage return. Convert the line ends."
        return source.error(found, line)
    return source.error(f"expected values between separators, found a row that cannot be read ({failure}).", line)


def coded_column(
    name: str,
    column: pa.ChunkedArray,
    fail: Fail,
    blank_words: Sequence[str] = (),
    *,
    as_written: bool = False,
    decimal_commas: bool = False,
) -> tuple[Ints32, pa.StringArray]:
    """Return the codes of a column, and their values: text in code-point order.

    Blanks around a value do not count; an empty value, null, NaN and the blank words are `?`. With `as_written` all of
    these stay different, except null and NaN. With `decimal_commas`, numbers may have them.
    """
    if pa.types.is_nested(column.type):
        raise fail(f"in column {quoted(name)}, expected single values, found {column.type}. Leave it out.")
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    words = _as_text(name, column.chunk(0).dictionary, fail) if column.num_chunks else pa.array([], pa.string())
    if decimal_commas:
        words = with_decimal_points(words, blank_words, among_words=as_written)
    if as_written:
        missing = ""
        while pc.any(pc.equal(words, missing)).as_py():  # null becomes a blank text that differs from all others
            missing += " "
        words = pc.fill_null(words, missing)
    else:
        missing, words = MISSING, trimmed(words, blank_words)
    words = pa.concat_arrays([words, pa.array([missing], pa.string())])
    absent = len(words) - 1
    parts = [np.asarray(pc.fill_null(chunk.indices.cast(pa.int64()), absent)) for chunk in column.chunks]
    codes = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    shown = words.filter(pa.array(used_by(len(words), codes))).unique()
    values = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = np.asarray(pc.fill_null(pc.index_in(words, value_set=values), 0), np.int32)
    return ranks[codes], values


def texts(name: str, values: pa.Array, fail: Fail) -> pa.StringArray:
    return trimmed(_as_text(name, values, fail))


def trimmed(words: pa.StringArray, blank_words: Sequence[str] = ()) -> pa.StringArray:
    """Return texts without blanks around them; `?` for null, the blank words, and texts without a visible character.

    >>> trimmed(pa.array([" 34", "", None, "NA", chr(0x3164)]), ["NA"]).to_pylist()
    ['34', '?', '?', '?', '?']
    """
    words = pc.utf8_trim(pc.fill_null(words, MISSING), BLANKS)
    return pc.if_else(are_blank(words, blank_words), MISSING, words)


def with_decimal_points(
    words: pa.StringArray, blank_words: Sequence[str] = (), *, among_words: bool = False
) -> pa.StringArray:
    """Return texts with decimal points if all of them are numbers with decimal commas, or blank.

    Commas that may all separate thousands, as in 52,000, remain. With `among_words` other texts are allowed and remain.

    >>> [with_decimal_points(pa.array(texts)).to_pylist() for texts in (["12,5", "7", ""], ["52,000", "7"])]
    [['12.5', '7', ''], ['52,000', '7']]
    """
    bare = pc.utf8_trim(words, BLANKS)
    is_number = pc.fill_null(pc.match_substring_regex(bare, _DECIMALS), False)
    numbers = bare.filter(is_number)
    others = bare.filter(pc.invert(is_number)).drop_null()
    if among_words:
        is_wrong = pc.match_substring_regex(others, _POINT)
    else:
        is_wrong = pc.invert(are_blank(others, [MISSING, *blank_words]))
    if pc.any(is_wrong).as_py() or not pc.any(pc.match_substring(numbers, ",")).as_py():
        return words
    if pc.all(pc.match_substring_regex(numbers, _THOUSANDS)).as_py():
        return words
    return pc.if_else(is_number, pc.replace_substring(words, ",", "."), words)


def is_textual(kind: pa.DataType) -> bool:
    """Return whether a column has strings or bytes, not codes of them."""
    tests = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _as_text(name: str, values: pa.Array, fail: Fail) -> pa.StringArray:
    kind = values.type
    if pa.types.is_null(kind):
        return values.cast(pa.string())
    try:
        if is_textual(kind):
            written = values.cast(pa.string())
            written.validate(full=True)
            if objection := objection_to_length(written, "values"):
                raise fail(f"in column {quoted(name)}, {objection} Check the separator, or shorten it.")
        elif any(getattr(pa.types, test)(kind) for test in _PLAIN):
            written = values.cast(pa.string())
        elif pa.types.is_timestamp(kind):
            days = values.cast(pa.date32(), safe=False) if kind.tz is None else None
            if days is not None and days.cast(kind).equals(values):  # no value has a time of day
                written = days.cast(pa.string())
            else:
                written = pc.strftime(values, format="%Y-%m-%dT%H:%M:%S" + ("" if kind.tz is None else "%z"))
        elif pa.types.is_floating(kind):
            written = pa.array([_number(name, value, fail) for value in values.to_pylist()], pa.string())
        else:
            raise fail(f"in column {quoted(name)}, expected text, numbers or dates, found {kind}. Convert it.")
    except pa.ArrowInvalid:
        raise fail(f"in column {quoted(name)}, expected UTF-8 text, found other bytes. Convert them.") from None
    return written


def text_of(name: str, value: Any, fail: Fail) -> str:
    """Return a Python value as text.

    >>> [text_of("x", value, ValueError) for value in ("007", 7, 2.50, None, float("nan"), date(2024, 2, 1), True)]
    ['007', '7', '2.5', '?', '?', '2024-02-01', 'true']
    """
    if isinstance(value, str):
        return value.strip(BLANKS) if folded(value) else MISSING
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # missing values of pandas
        return MISSING
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number(name, float(value), fail) or MISSING
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() else MISSING
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    raise fail(f"in column {quoted(name)}, expected text, numbers or dates, found {kind_of(value)}.")


def _number(name: str, value: float | None, fail: Fail) -> str | None:
    """Return a float in the fewest digits that identify it, without an exponent and without `.0`; None for NaN."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        raise fail(f"in column {quoted(name)}, expected numbers, found an infinite one. Remove it.")
    digits = format(Decimal(repr(float(value))), "f")
    return digits.removesuffix(".0") if value else "0"
