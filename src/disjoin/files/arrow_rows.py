"""Arrow batches become `Transactions`: a list column, or an id and a term column, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import DisjoinError, UnreadableInput
from disjoin.files.assembling import assemble, grouped
from disjoin.files.naming import choose_columns, columns_there, find_column
from disjoin.files.wording import listed, quoted
from disjoin.model import Transactions
from disjoin.model.arrays import Ints32, Ints64, offsets_of

ROWS_AT_ONCE = 1 << 16
Fail = Callable[[str], DisjoinError]


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to read: one that holds lists, or a record id and a term."""

    names: tuple[str, ...]

    @property
    def is_list(self) -> bool:
        """Whether one column holds whole records."""
        return len(self.names) == 1

    @classmethod
    def of(
        cls,
        schema: pa.Schema,
        *,
        field: str | None,
        id_column: str | None,
        term_column: str | None,
        source: str | None = None,
    ) -> Columns:
        """Choose by what the caller says, then by type, then by name; raise with the columns there are."""
        names = schema.names
        lists = [name for name, type_ in zip(names, schema.types, strict=True) if _is_list(type_)]
        if field is not None:
            found = schema.types[find_column(names, field, source)]
            if not _is_list(found):
                raise UnreadableInput(f"expected lists in column {quoted(field)}, found {found}.", source=source)
            return cls((field,))
        if term_column in lists and id_column is None:
            return cls((str(term_column),))
        is_long = id_column is not None or term_column is not None
        if lists and not is_long:
            if len(lists) > 1:
                message = f"say which list column holds the terms (field, --field): {listed(lists)}."
                raise UnreadableInput(message, source=source)
            return cls((lists[0],))
        if len(names) < 2:
            message = f"expected a list column, or a record id and a term column. {columns_there(names)}"
            raise UnreadableInput(message, source=source)
        return cls(tuple(names[place] for place in choose_columns(names, id_column, term_column, source)))


def from_batches(
    batches: Iterable[pa.RecordBatch], columns: Columns, fail: Fail, *, format: str, keep_order: bool
) -> Transactions:
    """Read the chosen columns of the batches."""
    parts = ([batch.column(name) for name in columns.names] for batch in _in_pieces(batches))
    if columns.is_list:
        return from_lists((lists for (lists,) in parts), fail, format=format, keep_order=keep_order)
    return from_pairs(parts, columns, fail, format=format, keep_order=keep_order)


def from_lists(lists: Iterable[pa.Array], fail: Fail, *, format: str, keep_order: bool) -> Transactions:
    """Read one record an element; null and empty lists are blank records."""
    terms = _Codes(fail, is_text=True)
    lengths: list[Ints64] = []
    n_rows = 0
    for part in lists:
        if not _is_list(part.type):
            raise fail(f"expected lists of terms, found {part.type}. Give one list a record.")
        sizes = np.asarray(pc.list_value_length(part).fill_null(0), np.int64)
        terms.add(part.flatten(), n_rows, np.cumsum(sizes))
        n_rows += len(part)
        lengths.append(sizes[sizes > 0])
    items, dictionary = terms.finish()
    offsets = offsets_of(np.concatenate(lengths) if lengths else [])
    blank = n_rows - (offsets.size - 1)
    return assemble(dictionary, items, offsets, format=format, blank=blank, keep_order=keep_order)


def from_pairs(
    pairs: Iterable[list[pa.Array]], columns: Columns, fail: Fail, *, format: str, keep_order: bool
) -> Transactions:
    """Read (record id, term) rows; the rows of a record need not be adjacent."""
    records, terms = _Codes(fail, columns.names[0]), _Codes(fail, columns.names[1], is_text=True)
    n_rows = 0
    for record, term in pairs:
        records.add(record, n_rows)
        terms.add(term, n_rows)
        n_rows += len(term)
    codes, ids = records.finish()
    items, dictionary = terms.finish()
    items, offsets = grouped(codes, items, len(ids))
    return assemble(dictionary, items, offsets, format=format, keep_order=keep_order, ids=ids)


class _Codes:
    """Numbers the values of a column, batch by batch; only codes and distinct values are kept."""

    def __init__(self, fail: Fail, column: str = "", *, is_text: bool = False) -> None:
        self._fail, self._is_text = fail, is_text
        self._where = f"in column {quoted(column)}, " if column else ""
        self._chunks: list[pa.DictionaryArray] = []

    def add(self, values: pa.Array, first_row: int, ends: Ints64 | None = None) -> None:
        """Take a batch whose rows are numbered from `first_row` and, if they are lists, end at `ends`."""
        self._first_row, self._ends = first_row, ends
        if pa.types.is_dictionary(values.type):  # which may hold repeats, nulls and values that do not occur
            values = self._readable(values.dictionary).take(values.indices)
        values = self._readable(values)
        if values.null_count:
            raise self._bad("a missing value (null)", pc.is_null(values))
        encoded = values.dictionary_encode()
        if self._is_text:
            names = encoded.dictionary.cast(pa.string())
            self._require_text(names, values)
            encoded = pa.DictionaryArray.from_arrays(encoded.indices, names)
        self._chunks.append(encoded)

    def finish(self) -> tuple[Ints32, pa.Array]:
        """Return the code of every value, and the value of every code."""
        if not self._chunks:
            return np.empty(0, np.int32), pa.array([], pa.string())
        joined = pa.chunked_array(self._chunks).unify_dictionaries()
        self._chunks = []
        codes = np.concatenate([np.asarray(chunk.indices, np.int32) for chunk in joined.chunks])
        return codes, joined.chunk(joined.num_chunks - 1).dictionary

    def _readable(self, values: pa.Array) -> pa.Array:
        """Return strings as one Arrow type and integers as they are; refuse terms of any other type."""
        type_ = values.type
        is_textual = _is_textual(type_)
        if self._is_text and not is_textual and not pa.types.is_integer(type_) and not pa.types.is_null(type_):
            raise self._fail(
                f"{self._where}expected terms that are strings or whole numbers, found {type_}. Convert them."
            )
        try:
            return values.cast(pa.string()) if is_textual else values
        except pa.ArrowInvalid:
            raise self._fail(f"{self._where}expected UTF-8 text, found other bytes. Convert them.") from None

    def _require_text(self, names: pa.StringArray, values: pa.Array) -> None:
        try:
            names.validate(full=True)
        except pa.ArrowInvalid:
            raise self._fail(f"{self._where}expected UTF-8 text, found other bytes. Convert them.") from None
        if pc.any(pc.equal(names, "")).as_py():
            raise self._bad("an empty term", pc.equal(values, ""))

    def _bad(self, what: str, marks: pa.BooleanArray) -> DisjoinError:
        place = int(np.flatnonzero(np.asarray(marks))[0])
        row = self._first_row + (place if self._ends is None else int(np.searchsorted(self._ends, place, "right")))
        return self._fail(f"{self._where}row {row:,} (counted from 0) has {what}. Remove it or give it a name.")


def in_pieces(array: pa.Array | pa.ChunkedArray) -> Iterator[pa.Array]:
    """Yield an array in slices of bounded length."""
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        for first in range(0, len(chunk), ROWS_AT_ONCE):
            yield chunk.slice(first, ROWS_AT_ONCE)


def _in_pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for first in range(0, batch.num_rows, ROWS_AT_ONCE):
            yield batch.slice(first, ROWS_AT_ONCE)


def _is_list(type_: pa.DataType) -> bool:
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(type_) for test in tests)


def _is_textual(type_: pa.DataType) -> bool:
    tests = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view")
    return any(getattr(pa.types, test)(type_) for test in tests)
