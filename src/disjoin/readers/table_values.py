"""Table cells as text: numbers as written, dates in ISO 8601, missing values as `?`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import DisjoinError, kind_of
from disjoin.model.ragged import Ints32, used_by
from disjoin.model.spelling import are_blank, folded, objection_to_length
from disjoin.text import quoted

MISSING = "?"
BLANKS = " \t\r\n"
Fail = Callable[[str], DisjoinError]
_DECIMALS, _POINT = "^[+-]?[0-9]+(?:,[0-9]+)?$", r"^[+-]?[0-9]*\.[0-9]+$"
_THOUSANDS = "^[+-]?(?:[0-9]{1,3}|[1-9][0-9]{0,2},[0-9]{3})$"
_TEXTUAL = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view")
_PLAIN = ("is_integer", "is_boolean", "is_decimal", "is_date", "is_time")  # Arrow writes these as we want them


def coded_column(
    name: str,
    column: pa.ChunkedArray,
    fail: Fail,
    blank_words: Sequence[str] = (),
    *,
    as_written: bool = False,
    decimal_commas: bool = False,
) -> tuple[Ints32, pa.StringArray]:
    """Return the codes of a column, and what they stand for: text in code-point order.

    Blanks around a value do not count; an empty value, null, NaN and the blank words are `?`. With `as_written` all of
    these stay different; null and NaN are nothing but blanks. With `decimal_commas`, numbers may have them.
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
        missing = _other_blanks(words)
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
    """Return distinct values of one type as text, without blanks around it; `?` for what is missing."""
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
    """Return texts with points for commas if all of them are numbers with decimal commas, or blank.

    Commas that may all part thousands, as in 52,000, stay. With `among_words` there may be other texts, too, such as
    names of ranges; they stay as they are.

    >>> with_decimal_points(pa.array(["12,5", "7", ""])).to_pylist()
    ['12.5', '7', '']
    >>> with_decimal_points(pa.array(["52,000", "7"])).to_pylist()
    ['52,000', '7']
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


def _other_blanks(words: pa.StringArray) -> str:
    """Return a blank text, for null, that none of these is."""
    found = ""
    while pc.any(pc.equal(words, found)).as_py():
        found += " "
    return found


def _as_text(name: str, values: pa.Array, fail: Fail) -> pa.StringArray:
    """Return distinct values of one type as they are written; what is missing stays null."""
    kind = values.type
    if pa.types.is_null(kind):
        return values.cast(pa.string())
    try:
        if any(getattr(pa.types, test)(kind) for test in _TEXTUAL):
            written = values.cast(pa.string())
            written.validate(full=True)
            if objection := objection_to_length(written, "values"):
                raise fail(f"in column {quoted(name)}, {objection} Check the separator, or shorten it.")
        elif any(getattr(pa.types, test)(kind) for test in _PLAIN):
            written = values.cast(pa.string())
        elif pa.types.is_timestamp(kind):
            written = _moments(values)
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
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas' own ways to say nothing
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
    """Return a float in the fewest digits that tell it, without an exponent and without `.0`; None for NaN."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        raise fail(f"in column {quoted(name)}, expected numbers, found an infinite one. Remove it.")
    digits = format(Decimal(repr(float(value))), "f")
    return digits.removesuffix(".0") if value else "0"


def _moments(values: pa.Array) -> pa.Array:
    """Return moments as ISO 8601; as dates if none of them has a time of day."""
    days = values.cast(pa.date32(), safe=False) if values.type.tz is None else None
    if days is not None and days.cast(values.type).equals(values):
        return days.cast(pa.string())
    form = "%Y-%m-%dT%H:%M:%S" if values.type.tz is None else "%Y-%m-%dT%H:%M:%S%z"
    return pc.strftime(values, format=form)
