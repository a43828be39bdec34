"""Quoted fields become plain ones, in place, so that one tokenizer serves files with and without quotes."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from disjoin.jit.compiled import kernel

# How the pass ends.
FINE, OPEN_QUOTE, TEXT_AFTER_QUOTE, STRAY_BYTE = 0, 1, 2, 3

# Marks that replace separators, line ends and empty quotes: bytes that no UTF-8 text contains.
MARK_FIELD, MARK_RECORD, MARK_EMPTY = 0xFF, 0xFE, 0xFD

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE = 9, 10, 13, 32, 34


@kernel
def _is_blank(byte, separator):
    return byte in (_SPACE, _TAB, _RETURN) and byte != separator


@kernel
def _copy_quoted(text, read, written, line):
    """Copy what follows an opening quote up to the closing one; returns (ending, read, written, line)."""
    while read < text.size:
        byte = text[read]
        if byte == _QUOTE:
            if read + 1 >= text.size or text[read + 1] != _QUOTE:
                return FINE, read + 1, written, line
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
    (ending, length of the rewritten text, line where the trouble began). Every line of the source is still one
    newline or one `MARK_RECORD`, so lines can be counted afterwards.
    """
    read = written = 0
    line = 1
    while read < text.size:
        while read < text.size and _is_blank(text[read], separator):
            read += 1
        if read < text.size and text[read] == _QUOTE:
            opened, began = line, written
            ending, read, written, line = _copy_quoted(text, read + 1, written, line)
            if ending != FINE:
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
    return FINE, written, line
