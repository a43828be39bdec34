"""From bytes to numbered tokens: one pass over the text, then rows that are ranked, sorted and free of repeats."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.compiled import kernel

# What a byte is to the tokenizer.
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


@kernel
def count_ends(text, separators, record_end):
    """Count the separators (any of three bytes) and the record ends in a text."""
    first, second, third = separators[0], separators[1], separators[2]
    fields = records = 0
    for position in range(text.size):
        byte = text[position]
        fields += (byte == first) | (byte == second) | (byte == third)
        records += byte == record_end
    return fields, records


@kernel
def _key(text, first, last):
    """Return the bytes themselves, packed, of a token of at most 7 bytes, and a marked hash of a longer one."""
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
    """Return a table with four slots a key: in each its code plus one, or zero."""
    slots = np.zeros(keys.size * 4, np.int32)
    for code in range(keys.size):
        slot = ((int(keys[code]) * _SPREAD) & _KEY_MASK) >> shift
        while slots[slot] != 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = code + 1
    return slots


@kernel
def _tokenize(text, kinds, wanted, width, takes_empty, shift, slots, keys, starts, lengths, items, offsets, progress):
    """Work on from `progress` to the end, to an error, or until there are as many tokens as keys."""
    position, field, known, n_items, n_records, n_blank = progress
    size = text.size
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
        kind = RECORD_END  # as the end of the text does
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
            if last < position or last - first > 7:  # else the key is complete already
                key = _key(text, first, last)
            slot = ((key * _SPREAD) & _KEY_MASK) >> shift
            code = slots[slot] - 1
            # A short key is the token; a long one is a hash, and only the bytes can tell.
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
    """What `tokenize` found; `where` is the position of what ended it, `n_fields` the length of that line so far."""

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

    `kinds` gives each byte its kind; blanks around a field are not part of it. `wanted` is `EVERY_TOKEN` (empty
    fields mean nothing), `EVERY_FIELD` (an empty field is an error, except on a line without any) or the number of
    the one field to take: `offsets` is then left alone, for every line that is not blank has one token, and a line
    that has not `width` fields is an error. With `takes_empty` an empty field is a token without bytes, not an error.
    """
    bits = _FEWEST_SLOT_BITS
    slots = np.zeros(1 << bits, np.int32)
    keys, starts, lengths = (np.empty(slots.size // 2, np.int64) for _ in range(3))
    offsets[0] = 0
    progress = (0, 0, 0, 0, 0, 0)
    while True:
        shift = _KEY_BITS - bits
        ending, progress = _tokenize(
            text, kinds, wanted, width, takes_empty, shift, slots, keys, starts, lengths, items, offsets, progress
        )
        if ending != FULL_TABLE:
            break
        # The table grows out here: arrays that change places inside the loop would cost it half its speed.
        bits += 1
        slots = _slots_for(keys, shift - 1)
        keys, starts, lengths = (np.concatenate((part, np.empty_like(part))) for part in (keys, starts, lengths))
    position, n_fields, known, n_items, n_records, n_blank = progress
    return Tokens(ending, position, n_fields, n_items, n_records, n_blank, starts[:known], lengths[:known])


@kernel
def gather(text, starts, lengths, ends, joined):
    """Copy the tokens one after another into `joined`; `ends` gets where each begins and, last, where all end."""
    written = 0
    for code in range(starts.size):
        ends[code] = written
        for step in range(lengths[code]):
            joined[written] = text[starts[code] + step]
            written += 1
    ends[starts.size] = written
