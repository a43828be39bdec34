"""The tokenizer's wrapper: byte layouts, errors with their line, terms that are known to be UTF-8."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.compiling.decision import prepare
from disjoin.errors import UnreadableInput
from disjoin.escaping import legible
from disjoin.files import quotes, tokens
from disjoin.files.cells import LONGEST_CELL
from disjoin.files.sources import Source
from disjoin.files.wording import LEAVE_OUT, counted, quoted
from disjoin.model.arrays import Ints32, Ints64

Bytes = NDArray[np.uint8]
_BLANKS = b" \t\r"
_LONGEST_VOCABULARY = 2**31 - 1  # bytes in one Arrow string array
_SEPARATOR_NAMES = {b",": "comma", b";": "semicolon", b"\t": "tab", b"|": "bar", b" ": "blank"}
_SCANNED_AT_ONCE = 1 << 24
_INTERPRETED = 1.5e-6  # seconds per byte, if the loops over bytes are not compiled


@dataclass(frozen=True, slots=True, eq=False)
class TextLayout:
    """Which bytes part the fields and records of a text."""

    separators: bytes  # three, repeated if there are fewer
    record_end: int
    kinds: Bytes  # (256,), the kind of each byte
    wanted: int = tokens.EVERY_FIELD

    @classmethod
    def of(cls, separators: bytes, record_end: int = ord("\n"), blanks: bytes = b"") -> TextLayout:
        """Describe a text by its bytes."""
        kinds = np.zeros(256, np.uint8)
        kinds[list(blanks)] = tokens.BLANK
        kinds[list(separators)] = tokens.SEPARATOR
        kinds[record_end] = tokens.RECORD_END
        return cls((separators * 3)[:3], record_end, kinds)


BLANK_SEPARATED = TextLayout.of(_BLANKS)
UNQUOTED = TextLayout.of(bytes([quotes.MARK_FIELD]), quotes.MARK_RECORD)


@dataclass(slots=True, eq=False)
class Numbered:
    """Codes of the tokens of each record, and the term of every code; `blank` lines were skipped."""

    items: Ints32
    offsets: Ints64  # (records + 1,), empty when a single column was asked for
    terms: pa.StringArray
    blank: int


def delimited(source: Source, separator: bytes) -> tuple[Bytes, TextLayout]:
    """Return the text and its layout; quoted fields, if there are any, are resolved first."""
    text = source.text()
    if source.data.find(b'"', source.start) < 0:
        return text, TextLayout.of(separator, blanks=_BLANKS.replace(separator, b""))
    prepare(_INTERPRETED * text.size, quotes.unquote)
    ending, length, line = quotes.unquote(text, ord(separator))
    if ending == quotes.OPEN_QUOTE:
        raise source.error(
            'the quote that opens here is never closed. Close it, or double a quote meant as text ("").', line
        )
    if ending == quotes.TEXT_AFTER_QUOTE:
        raise source.error(
            f"expected {separator.decode()!r} or the end of the line after a closing quote, found more text. "
            'Quote the whole field and double the quotes inside it ("").',
            line,
        )
    if ending == quotes.STRAY_BYTE:
        raise source.error(
            "expected UTF-8 text, found a byte that is none. Save the file as UTF-8 and try again.", line
        )
    return text[:length], UNQUOTED


@dataclass(frozen=True, slots=True)
class Field:
    """The one wanted field of every row of a table: its place among the columns and, for messages, its name."""

    place: int
    name: str
    width: int  # of every row
    separator: bytes
    if_blank: str = LEAVE_OUT  # what else to do about a blank


def number(
    source: Source, text: Bytes, layout: TextLayout, wanted: int | Field, *, skipped: int = 0, takes_empty: bool = False
) -> Numbered:
    """Number the wanted tokens of a text that begins after `skipped` lines of the source.

    With `takes_empty` an empty field is no error but an empty term, of which there may then be two, once quoted.
    """
    prepare(_INTERPRETED * text.size, tokens.count_ends)
    place, width = (wanted.place, wanted.width) if isinstance(wanted, Field) else (wanted, 0)
    separators, ends = tokens.count_ends(text, np.frombuffer(layout.separators, np.uint8), layout.record_end)
    # Upper bounds; memory that is never written to costs nothing and is given back below.
    items = np.empty((ends if place >= 0 else separators + ends) + 1, np.int32)
    offsets = np.empty(ends + 2 if place < 0 else 1, np.int64)
    found = tokens.tokenize(text, layout.kinds, place, width, takes_empty, items, offsets)
    if found.ending != tokens.FINE:
        raise _misplaced(source, found, skipped + line_of(text, layout, found.where), wanted)
    items.resize(found.n_items, refcheck=False)
    offsets.resize(found.n_records + 1 if place < 0 else 0, refcheck=False)
    if takes_empty and layout is UNQUOTED:
        found.lengths[(found.lengths == 1) & (text[found.starts] == quotes.MARK_EMPTY)] = 0
    terms = _terms(source, text, layout, found, skipped)
    return Numbered(items, offsets, terms, found.n_blank)


def line_of(text: Bytes, layout: TextLayout, position: int) -> int:
    """Return the number, from 1, of the line that holds a position; counts in blocks to spare memory."""
    line = 1
    for first in range(0, position, _SCANNED_AT_ONCE):
        block = text[first : min(position, first + _SCANNED_AT_ONCE)]
        line += int(np.count_nonzero(block == ord("\n")))
        if layout is UNQUOTED:
            line += int(np.count_nonzero(block == quotes.MARK_RECORD))
    return line


def _misplaced(source: Source, found: tokens.Tokens, line: int, wanted: int | Field) -> UnreadableInput:
    if not isinstance(wanted, Field):
        return empty_term(source, line)
    if found.ending == tokens.EMPTY_FIELD:
        return source.error(
            f"column {quoted(wanted.name)} is empty here. Fill it in, or {wanted.if_blank}.",
            line,
        )
    mark = _SEPARATOR_NAMES.get(wanted.separator, legible(wanted.separator.decode()))
    advice = f"Quote a field that has a {mark} in it." if found.n_fields > wanted.width else "Complete or remove it."
    return source.error(f"expected {counted(wanted.width, 'field')}, found {found.n_fields:,}. {advice}", line)


def empty_term(source: Source, line: int) -> UnreadableInput:
    """Return the error about a field without a term."""
    return source.error(
        f"expected a term, found an empty field. Remove the extra separator, name the term, or {LEAVE_OUT}.", line
    )


def _terms(source: Source, text: Bytes, layout: TextLayout, found: tokens.Tokens, skipped: int) -> pa.StringArray:
    """Copy the distinct tokens into an Arrow array, and check there and only there that the text is UTF-8."""
    total = int(found.lengths.sum())
    if total > _LONGEST_VOCABULARY:
        raise source.error(f"the distinct terms take {total:,} bytes, more than 2 GiB. Shorten them.")
    if (longest := int(found.lengths.max(initial=0))) > LONGEST_CELL:
        line = skipped + line_of(text, layout, int(found.starts[found.lengths.argmax()]))
        message = f"expected fields of at most {LONGEST_CELL:,} bytes, found one of {longest:,}."
        raise source.error(f"{message} Check the separator and the line ends.", line)
    ends = np.empty(found.starts.size + 1, np.int32)
    joined = np.empty(total, np.uint8)
    tokens.gather(text, found.starts, found.lengths, ends, joined)
    terms = pa.StringArray.from_buffers(found.starts.size, pa.py_buffer(ends), pa.py_buffer(joined))
    try:
        terms.validate(full=True)
        is_text = not np.any(joined == 0)
    except pa.ArrowInvalid:
        is_text = False
    if not is_text:
        raise _first_bad(source, text, layout, found, skipped)
    return terms


def _first_bad(source: Source, text: Bytes, layout: TextLayout, found: tokens.Tokens, skipped: int) -> UnreadableInput:
    for start, length in zip(found.starts.tolist(), found.lengths.tolist(), strict=True):  # in order of appearance
        token = text[start : start + length].tobytes()
        if layout is UNQUOTED and token == bytes([quotes.MARK_EMPTY]):
            return empty_term(source, skipped + line_of(text, layout, start))
        if b"\0" in token:
            return source.binary(skipped + line_of(text, layout, start))
        try:
            token.decode()
        except UnicodeDecodeError as error:
            line = skipped + line_of(text, layout, start + error.start)
            return source.not_utf8(token[error.start : error.start + 1], line)
    raise AssertionError("a vocabulary that is not UTF-8 has a term that is not")
