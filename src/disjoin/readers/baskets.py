"""Basket files: one record per line (FIMI, CSV baskets, SPMF)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.errors import MOST_PROBLEMS, Remedy, UnreadableInput, all_lines
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import kernel
from disjoin.model import Intake, Transactions
from disjoin.readers.build_transactions import LONGEST_CELL, Cells, RowBuilder, assemble
from disjoin.readers.options import IF_BLANK, Options
from disjoin.readers.sources import Source
from disjoin.text import counted, printable, quoted

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

# Quoted fields are rewritten as plain ones, in place, so that one tokenizer reads files with and without quotes.

# How the pass ends.
CLOSED, OPEN_QUOTE, TEXT_AFTER_QUOTE, STRAY_BYTE = 0, 1, 2, 3

# Marks that replace separators, line ends and empty quotes: bytes that no UTF-8 text contains.
MARK_FIELD, MARK_RECORD, MARK_EMPTY = 0xFF, 0xFE, 0xFD

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE = 9, 10, 13, 32, 34


@kernel
def _is_blank(byte, separator):
    return byte in (_SPACE, _TAB, _RETURN) and byte != separator


@kernel
def _copy_quoted(text, read, written, line):
    """Copy the text after an opening quote up to the closing one; returns (ending, read, written, line)."""
    while read < text.size:
        byte = text[read]
        if byte == _QUOTE:
            if read + 1 >= text.size or text[read + 1] != _QUOTE:
                return CLOSED, read + 1, written, line
            read += 1
        elif byte == _NEWLINE:
            line += 1
        elif byte >= MARK_EMPTY:
            return STRAY_BYTE, read, written, line
        text[written] = byte
        written += 1
        read += 1
    return OPEN_QUOTE, read, written, line


@kernel
def unquote(text, separator):
    """Rewrite a delimited text in place: fields without quotes and without the blanks around them, between marks.
    A quote inside an unquoted field is an ordinary character; two quotes inside a quoted field are one. Returns
    (ending, length of the rewritten text, line where the error began). Every line of the source is still one newline or
    one `MARK_RECORD`, so that lines can be counted afterwards."""
    read = written = 0
    line = 1
    while read < text.size:
        while read < text.size and _is_blank(text[read], separator):
            read += 1
        if read < text.size and text[read] == _QUOTE:
            opened, began = line, written
            ending, read, written, line = _copy_quoted(text, read + 1, written, line)
            if ending != CLOSED:
                return ending, written, opened if ending == OPEN_QUOTE else line
            if written == began:
                text[written] = MARK_EMPTY
                written += 1
            while read < text.size and _is_blank(text[read], separator):
                read += 1
            if read < text.size and text[read] != separator and text[read] != _NEWLINE:
                return TEXT_AFTER_QUOTE, written, line
        else:
            last = written
            while read < text.size and text[read] != separator and text[read] != _NEWLINE:
                byte = text[read]
                if byte >= MARK_EMPTY:
                    return STRAY_BYTE, written, line
                text[written] = byte
                written += 1
                read += 1
                if not _is_blank(byte, separator):
                    last = written
            written = last
        if read < text.size:
            line += text[read] == _NEWLINE
            text[written] = MARK_RECORD if text[read] == _NEWLINE else MARK_FIELD
            written += 1
            read += 1
    return CLOSED, written, line


# The kind of a byte for the tokenizer.
TOKEN, BLANK, SEPARATOR, RECORD_END = 0, 1, 2, 3

# Which fields of a line become tokens; zero and more: the field with that number, one token per line.
EVERY_FIELD, EVERY_TOKEN = -1, -2

# How a pass over the text ends.
FINE, EMPTY_FIELD, UNEVEN_LINE, FULL_TABLE = 0, 1, 2, 3

_FEWEST_SLOT_BITS = 12
# Keys stay below 2**62, so that they are the same numbers with and without the compiler.
_KEY_BITS = 62
_KEY_MASK = (1 << _KEY_BITS) - 1
_LONG_MARK = 1 << (_KEY_BITS - 1)
_FACTOR = 0x1B873593CC9E2D51
_SPREAD = 0x1E3779B97F4A7C15
Bytes = NDArray[np.uint8]


@kernel
def _key(text, first, last):
    """Return the packed bytes of a token of at most 7 bytes, or a marked hash of a longer one."""
    key = 1  # in front of the bytes, so that a leading zero byte counts
    if last - first <= 7:
        for position in range(first, last):
            key = (key << 8) | int(text[position])
        return key
    for position in range(first, last):
        key = (key * _FACTOR + int(text[position])) & _KEY_MASK
    return key | _LONG_MARK


@kernel
def _same(text, left, right, length):
    step = 0
    while step < length and text[left + step] == text[right + step]:
        step += 1
    return step == length


@kernel
def _slots_for(keys, shift):
    """Return a hash table with four slots per key: each has its code plus one, or zero."""
    slots = np.zeros(keys.size * 4, np.int32)
    for code in range(keys.size):
        slot = ((int(keys[code]) * _SPREAD) & _KEY_MASK) >> shift
        while slots[slot] != 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = code + 1
    return slots


@kernel
def _tokenize(text, kinds, wanted, width, takes_empty, shift, slots, keys, starts, lengths, items, offsets, progress):
    """Continue from `progress` to the end, to an error, or until there are as many tokens as keys."""
    position, field, known, n_items, n_records, n_blank = progress
    size = len(text)
    record_first = offsets[n_records] if wanted < 0 else n_records
    ending = FINE
    while position < size or field > 0:
        if known == keys.size:
            ending = FULL_TABLE
            break
        while position < size and kinds[text[position]] == BLANK:
            position += 1
        first = position
        key = 1
        kind = RECORD_END  # like the end of the text
        while position < size:
            byte = int(text[position])
            kind = kinds[byte]
            if kind >= SEPARATOR:
                break
            key = ((key << 8) | byte) & _KEY_MASK
            position += 1
        last = position
        while last > first and kinds[text[last - 1]] == BLANK:
            last -= 1
        is_last = position >= size or kind == RECORD_END
        is_blank_line = last == first and field == 0 and is_last
        is_taken = wanted < 0 or field == wanted
        is_missing = last == first and is_taken and wanted != EVERY_TOKEN and not is_blank_line
        if is_missing and not takes_empty:
            ending, position = EMPTY_FIELD, first
            break
        if is_missing or (is_taken and last > first):
            if last < position or last - first > 7:  # otherwise the key is complete already
                key = _key(text, first, last)
            slot = ((key * _SPREAD) & _KEY_MASK) >> shift
            code = slots[slot] - 1
            # A short key is the token; a long one is a hash, and only the bytes decide.
            while code >= 0 and not (
                keys[code] == key
                and (
                    key < _LONG_MARK
                    or (lengths[code] == last - first and _same(text, starts[code], first, last - first))
                )
            ):
                slot = (slot + 1) & (slots.size - 1)
                code = slots[slot] - 1
            if code < 0:
                code = known
                keys[code], starts[code], lengths[code] = key, first, last - first
                known += 1
                slots[slot] = known
            items[n_items] = code
            n_items += 1
        field += 1
        position += 1
        if is_last:
            if wanted >= 0 and field != width and not is_blank_line:
                ending, position = UNEVEN_LINE, first
                break
            if n_items > record_first:
                n_records += 1
                record_first = n_items
                if wanted < 0:
                    offsets[n_records] = n_items
            else:
                n_blank += 1
            field = 0
    return ending, (position, field, known, n_items, n_records, n_blank)


class Tokens(NamedTuple):
    """The tokens found; `where` is the position where the pass ended, `n_fields` the length of that line so far."""

    ending: int
    where: int
    n_fields: int
    n_items: int
    n_records: int
    n_blank: int
    starts: NDArray[np.int64]  # (distinct tokens,), the first occurrence of each
    lengths: NDArray[np.int64]  # (distinct tokens,)


def tokenize(text, kinds, wanted, width, takes_empty, items, offsets) -> Tokens:
    """Number the distinct tokens in order of appearance; fill `items` with numbers and `offsets` with record ends.
    `kinds` gives each byte its kind; blanks around a field are not part of it. `wanted` is `EVERY_TOKEN` (empty fields
    are ignored), `EVERY_FIELD` (an empty field is an error, except on a line without any) or the number of the one
    field to take: `offsets` is then unchanged, because every line that is not blank has one token, and a line without
    `width` fields is an error. With `takes_empty` an empty field is a token without bytes, not an error."""
    bits = _FEWEST_SLOT_BITS
    slots = np.zeros(1 << bits, np.int32)
    keys, starts, lengths = (np.empty(slots.size // 2, np.int64) for _ in range(3))
    offsets[0] = 0
    progress = (0, 0, 0, 0, 0, 0)
    if not _tokenize.is_compiled:  # in interpreted loops, bytes are faster to read than arrays
        text, kinds = text.tobytes(), kinds.tobytes()
    while True:
        shift = _KEY_BITS - bits
        ending, progress = _tokenize(
            text, kinds, wanted, width, takes_empty, shift, slots, keys, starts, lengths, items, offsets, progress
        )
        if ending != FULL_TABLE:
            break
        # The table grows here, because replacing arrays inside the loop would halve its speed.
        bits += 1
        slots = _slots_for(keys, shift - 1)
        keys, starts, lengths = (np.concatenate((part, np.empty_like(part))) for part in (keys, starts, lengths))
    position, n_fields, known, n_items, n_records, n_blank = progress
    return Tokens(ending, position, n_fields, n_items, n_records, n_blank, starts[:known], lengths[:known])


@kernel
def gather(text, starts, lengths, ends, joined):
    """Copy the tokens one by one into `joined`; `ends` gets where each begins and, last, where all end."""
    written = 0
    for code in range(starts.size):
        ends[code] = written
        for step in range(lengths[code]):
            joined[written] = text[starts[code] + step]
            written += 1
    ends[starts.size] = written


_BLANKS = b" \t\r"
_LONGEST_VOCABULARY = 2**31 - 1  # bytes in one Arrow string array
_SEPARATOR_NAMES = {b",": "comma", b";": "semicolon", b"\t": "tab", b"|": "bar", b" ": "blank"}
_SCANNED_AT_ONCE = 1 << 20  # bytes: comparisons of a block stay in the cache
_INTERPRETED = 1.5e-6  # seconds per byte, if the loops over bytes are not compiled


@dataclass(frozen=True, slots=True, eq=False)
class TextLayout:
    """The bytes that separate fields and records of a text."""

    separators: bytes  # three, repeated if there are fewer
    record_end: int
    kinds: Bytes  # (256,), the kind of each byte

    @classmethod
    def of(cls, separators: bytes, record_end: int = ord("\n"), blanks: bytes = b"") -> TextLayout:
        kinds = np.zeros(256, np.uint8)
        kinds[list(blanks)] = BLANK
        kinds[list(separators)] = SEPARATOR
        kinds[record_end] = RECORD_END
        return cls((separators * 3)[:3], record_end, kinds)


BLANK_SEPARATED = TextLayout.of(_BLANKS)
UNQUOTED = TextLayout.of(bytes([MARK_FIELD]), MARK_RECORD)


def delimited(source: Source, separator: bytes) -> tuple[Bytes, TextLayout]:
    """Return the text and its layout; quoted fields are resolved first."""
    text = source.text()
    if source.data.find(b'"', source.start) < 0:
        return text, TextLayout.of(separator, blanks=_BLANKS.replace(separator, b""))
    prepare(_INTERPRETED * text.size)
    ending, length, line = unquote(text, ord(separator))
    if ending == CLOSED:
        return text[:length], UNQUOTED
    messages = {
        OPEN_QUOTE: 'the quote that opens here is never closed. Close it, or double a quote meant as text ("").',
        TEXT_AFTER_QUOTE: f"expected {separator.decode()!r} or the end of the line after a closing quote, found more "
        'text. Quote the whole field and double the quotes inside it ("").',
        STRAY_BYTE: "expected UTF-8 text, found an invalid byte. Save the file as UTF-8 and try again.",
    }
    raise source.error(messages[ending], line)


@dataclass(frozen=True, slots=True)
class Field:
    """The one wanted field of every row of a table: its position among the columns and, for messages, its name."""

    place: int
    name: str
    width: int  # of every row
    separator: bytes
    if_blank: tuple[Remedy, ...] = IF_BLANK


def number(
    source: Source, text: Bytes, layout: TextLayout, wanted: int | Field, *, skipped: int = 0, takes_empty: bool = False
) -> tuple[Cells, int]:
    """Number the wanted tokens of a text that begins after `skipped` lines of the source; also count blank lines.
    A single field has no offsets. With `takes_empty` an empty field is an empty term; there may be two, one quoted."""
    prepare(_INTERPRETED * text.size)
    place, width = (wanted.place, wanted.width) if isinstance(wanted, Field) else (wanted, 0)
    separators, ends = count_ends(text, layout)
    # Upper bounds; unused memory is never allocated, and is released below.
    items = np.empty((ends if place >= 0 else separators + ends) + 1, np.int32)
    offsets = np.empty(ends + 2 if place < 0 else 1, np.int64)
    found = tokenize(text, layout.kinds, place, width, takes_empty, items, offsets)
    bad, begin = list[UnreadableInput](), 0
    while found.ending != FINE:  # look for all lines that are wrong, each time after the last one
        where = begin + found.where
        bad.append(_misplaced(source, found, skipped + line_of(text, layout, where), wanted))
        ends_at = np.flatnonzero(text[where:] == layout.record_end)
        if not ends_at.size or len(bad) == MOST_PROBLEMS:
            break
        begin = where + int(ends_at[0]) + 1
        found = tokenize(text[begin:], layout.kinds, place, width, takes_empty, items, offsets)
    if bad:
        raise all_lines(bad)
    items.resize(found.n_items, refcheck=False)
    offsets.resize(found.n_records + 1 if place < 0 else 0, refcheck=False)
    if takes_empty and layout is UNQUOTED:
        found.lengths[(found.lengths == 1) & (text[found.starts] == MARK_EMPTY)] = 0
    return Cells(_terms(source, text, layout, found, skipped), items, offsets), found.n_blank


def count_ends(text: Bytes, layout: TextLayout) -> tuple[int, int]:
    fields = records = 0
    for first in range(0, text.size, _SCANNED_AT_ONCE):
        block = text[first : first + _SCANNED_AT_ONCE]
        fields += sum(int(np.count_nonzero(block == byte)) for byte in set(layout.separators))
        records += int(np.count_nonzero(block == layout.record_end))
    return fields, records


def line_of(text: Bytes, layout: TextLayout, position: int) -> int:
    """Return the number, from 1, of the line of a position; counts in blocks to spare memory."""
    line = 1
    for first in range(0, position, _SCANNED_AT_ONCE):
        block = text[first : min(position, first + _SCANNED_AT_ONCE)]
        line += int(np.count_nonzero(block == ord("\n")))
        if layout is UNQUOTED:
            line += int(np.count_nonzero(block == MARK_RECORD))
    return line


def _misplaced(source: Source, found: Tokens, line: int, wanted: int | Field) -> UnreadableInput:
    if not isinstance(wanted, Field):
        return empty_term(source, line)
    if found.ending == EMPTY_FIELD:
        return source.error(f"column {quoted(wanted.name)} is empty here. Fill it in.", line).offering(*wanted.if_blank)
    mark = _SEPARATOR_NAMES.get(wanted.separator, printable(wanted.separator.decode()))
    advice = f"Quote a field that has a {mark} in it." if found.n_fields > wanted.width else "Complete or remove it."
    return source.error(f"expected {counted(wanted.width, 'field')}, found {found.n_fields:,}. {advice}", line)


def empty_term(source: Source, line: int) -> UnreadableInput:
    message = "expected a term, found an empty field. Remove the extra separator, or name the term."
    return source.error(message, line).offering(*IF_BLANK)


def _terms(source: Source, text: Bytes, layout: TextLayout, found: Tokens, skipped: int) -> pa.StringArray:
    """Copy the distinct tokens into an Arrow array, and check (only here) that the text is UTF-8."""
    total = int(found.lengths.sum())
    if total > _LONGEST_VOCABULARY:
        raise source.error(f"the distinct terms take {total:,} bytes, more than 2 GiB. Shorten them.")
    if (longest := int(found.lengths.max(initial=0))) > LONGEST_CELL:
        line = skipped + line_of(text, layout, int(found.starts[found.lengths.argmax()]))
        message = f"expected fields of at most {LONGEST_CELL:,} bytes, found one of {longest:,}."
        raise source.error(f"{message} Check the separator and the line ends.", line)
    ends = np.empty(found.starts.size + 1, np.int32)
    joined = np.empty(total, np.uint8)
    gather(text, found.starts, found.lengths, ends, joined)
    terms = pa.StringArray.from_buffers(found.starts.size, pa.py_buffer(ends), pa.py_buffer(joined))
    try:
        terms.validate(full=True)
        is_text = not np.any(joined == 0)
    except pa.ArrowInvalid:
        is_text = False
    if not is_text:
        raise _first_bad(source, text, layout, found, skipped)
    return terms


def _first_bad(source: Source, text: Bytes, layout: TextLayout, found: Tokens, skipped: int) -> UnreadableInput:
    for start, length in zip(found.starts.tolist(), found.lengths.tolist(), strict=True):  # in order of appearance
        token = text[start : start + length].tobytes()
        if layout is UNQUOTED and token == bytes([MARK_EMPTY]):
            return empty_term(source, skipped + line_of(text, layout, start))
        if b"\0" in token:
            return source.binary(skipped + line_of(text, layout, start))
        try:
            token.decode()
        except UnicodeDecodeError as error:
            line = skipped + line_of(text, layout, start + error.start)
            return source.not_utf8(token[error.start : error.start + 1], line)
    raise AssertionError("a vocabulary that is not UTF-8 has a term that is not")


def read_fimi(source: Source, options: Options) -> Transactions:
    return _read(source, source.text(), BLANK_SEPARATED, EVERY_TOKEN, "fimi", options)


def read_basket(source: Source, options: Options) -> Transactions:
    text, layout = delimited(source, options.separator_byte())
    return _read(source, text, layout, EVERY_FIELD, "basket", options)


def _read(source: Source, text: Bytes, layout: TextLayout, wanted: int, format: str, options: Options) -> Transactions:
    cells, blank = number(source, text, layout, wanted, takes_empty=options.takes_blanks)
    return assemble(cells, options, Intake(format, blank), source.error)


_ITEMSET_END, _RECORD_END = "-1", "-2"
_ITEM = "@ITEM="


def read_spmf(source: Source, options: Options) -> Transactions:
    """Read SPMF sequences (the itemsets of one are joined) or SPMF transactions (without -1 and -2)."""
    rows = RowBuilder()
    names: dict[str, str] = {}
    is_sequence = False
    for line, text in source.lines():
        if "\0" in text:
            raise source.binary(line)
        text = text.strip(" \t\r")
        if text.startswith(_ITEM):
            item, equals, name = text.removeprefix(_ITEM).partition("=")
            if not (equals and item.strip() and name.strip(" \t")):
                raise source.error("expected @ITEM=number=name, found less. Give the item a number and a name.", line)
            names[item.strip()] = name.strip(" \t")
        elif not text.startswith(("@", "#", "%")):
            tokens = [token for token in re.split("[ \t\r]", text) if token]
            is_sequence = is_sequence or _RECORD_END in tokens
            if tokens and tokens[-1] != _RECORD_END and (is_sequence or _ITEMSET_END in tokens):
                found = "expected -2 at the end of the record, found something else."
                raise source.error(f"{found} Was the file cut short?", line)
            _add(rows, tokens)
    owners: dict[str, str] = {}
    for item in rows.codes:
        owner = owners.setdefault(names.get(item, item), item)
        if owner != item:
            both = f"{quoted(owner)} and {quoted(item)}"
            raise source.error(f"the items {both} have the same name. Give them different names.")
    return rows.finish(options, source.error, format="spmf", names=list(owners))


def _add(rows: RowBuilder, tokens: list[str]) -> None:
    """Add the records of one line: usually one, but -2 decides."""
    items = [token for token in tokens if token != _ITEMSET_END]
    first = 0
    for _ in range(items.count(_RECORD_END)):
        end = items.index(_RECORD_END, first)
        rows.add(items[first:end])
        first = end + 1
    if first < len(items) or not tokens:
        rows.add(items[first:])
