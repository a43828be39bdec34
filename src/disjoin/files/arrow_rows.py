"""Arrow batches become `Transactions`: a list column, or an id and a term column, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import DisjoinError, UnreadableInput
from disjoin.files.build_transactions import Cells, assemble, grouped
from disjoin.files.long_roles import LongRoles, head_of
from disjoin.files.naming import choose_columns, columns_there, find_column, id_columns
from disjoin.files.options import Options
from disjoin.files.record_ids import Coded, combined_ids, number_of, settled_ids
from disjoin.files.wording import LEAVE_OUT, LEAVE_ROW_OUT, listed, quoted
from disjoin.model import Intake, Transactions
from disjoin.model.ragged import Ints32, Ints64, offsets_of

ROWS_AT_ONCE = 1 << 16
Fail = Callable[[str], DisjoinError]


@dataclass(frozen=True, slots=True)
class ArrowColumns:
    """The columns to read: one that holds lists, or those of the record id and a term; and what the others are."""

    names: tuple[str, ...]
    found: LongRoles = field(default_factory=LongRoles)

    @property
    def people(self) -> tuple[str, ...]:
        """The columns that identify people, beside the record id."""
        return self.found.people

    @property
    def wanted(self) -> list[str]:
        """The names of all columns that must be read."""
        return [*dict.fromkeys((*self.names, *self.people))]

    @property
    def is_list(self) -> bool:
        """Whether one column holds whole records."""
        return len(self.names) == 1

    @classmethod
    def of(cls, schema: pa.Schema, options: Options, source: str | None = None) -> ArrowColumns:
        """Choose by what the caller says, then by type, then by name; raise with the columns there are."""
        names, field = schema.names, options.field
        id_column, term_column = options.id_column, options.term_column
        lists = [name for name, type_ in zip(names, schema.types, strict=True) if _is_list(type_)]
        if field is not None:
            found = schema.types[find_column(names, field, source)]
            if not _is_list(found):
                raise UnreadableInput(f"expected lists in column {quoted(field)}, found {found}.", source=source)
            return cls((field,))
        if term_column in lists and id_column is None:
            return cls((str(term_column),))
        if lists and not options.is_long:
            if len(lists) > 1:
                message = f"say which list column holds the terms (field, --field): {listed(lists)}."
                raise UnreadableInput(message, source=source)
            return cls((lists[0],))
        if len(names) < 2:
            message = f"expected a list column, or a record id and a term column. {columns_there(names)}"
            raise UnreadableInput(message, source=source)
        record, term = choose_columns(names, id_column, term_column, source)
        ids = id_columns(names, record, id_column, source)
        return cls(tuple(names[place] for place in (*ids, term)))

    def judged(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, options: Options) -> ArrowColumns:
        """Return the same with the roles of the other columns, by the first rows."""
        if self.is_list:
            return self
        *ids, term = self.names
        return replace(self, found=LongRoles.of(head_of(batches, schema), tuple(ids), term, options))


def from_batches(
    batches: Iterable[pa.RecordBatch], columns: ArrowColumns, options: Options, fail: Fail, *, format: str
) -> Transactions:
    """Read the chosen columns of the batches."""
    wanted = (*columns.names, *columns.people)  # a column of people may also be one of several that name a record
    parts = ([batch.column(name) for name in wanted] for batch in _in_pieces(batches))
    if columns.is_list:
        return from_lists((lists for (lists,) in parts), options, fail, format=format)
    return from_rows(parts, columns, options, fail, format=format)


def from_lists(lists: Iterable[pa.Array], options: Options, fail: Fail, *, format: str) -> Transactions:
    """Read one record per element; null and empty lists are blank records."""
    terms = _Codes(fail, is_text=True, takes_blanks=options.takes_blanks)
    lengths: list[Ints64] = []
    n_rows = 0
    for part in lists:
        if not _is_list(part.type):
            raise fail(f"expected lists of terms, found {part.type}. Give one list per record.")
        sizes = np.asarray(pc.list_value_length(part).fill_null(0), np.int64)
        terms.add(part.flatten(), n_rows, np.cumsum(sizes))
        n_rows += len(part)
        lengths.append(sizes[sizes > 0])
    items, dictionary = terms.finish()
    offsets = offsets_of(np.concatenate(lengths) if lengths else [])
    blank = n_rows - (offsets.size - 1)
    return assemble(Cells(dictionary, items, offsets), options, Intake(format, blank), fail)


def from_rows(
    rows: Iterable[list[pa.Array]], columns: ArrowColumns, options: Options, fail: Fail, *, format: str
) -> Transactions:
    """Read rows of a record id, a term and people; the rows of a record need not be adjacent."""
    *ids, term = columns.names
    read = [
        *(_Codes(fail, name, takes_blanks=options.blank == "skip", if_blank=LEAVE_ROW_OUT) for name in ids),
        _Codes(fail, term, is_text=True, takes_blanks=options.takes_blanks),
        *(_Codes(fail, column, takes_blanks=True) for column in columns.people),
    ]
    n_rows = 0
    for row in rows:
        for codes, values in zip(read, row, strict=True):
            codes.add(values, n_rows)
        n_rows += len(row[0])
    coded = [Coded(name, *codes.finish()) for name, codes in zip(ids, read, strict=False)]
    items, dictionary = read[len(ids)].finish()
    others = zip(columns.people, read[len(ids) + 1 :], strict=True)
    people = [Coded(column, *codes.finish()) for column, codes in others]
    records, items, intake = settled_ids(combined_ids(coded, options), items, people, options, fail, columns.found)
    items, offsets = grouped(records, items, number_of(records))
    intake = replace(intake, format=format, term_column=term)
    return assemble(Cells(dictionary, items, offsets), options, intake, fail)


class _Codes:
    """Numbers the values of a column, batch by batch; only codes and distinct values are kept.

    If blanks are taken, a missing value has the code -1 or, in a column of terms, that of the empty text.
    """

    def __init__(
        self,
        fail: Fail,
        column: str = "",
        *,
        is_text: bool = False,
        takes_blanks: bool = False,
        if_blank: str = LEAVE_OUT,
    ) -> None:
        self._fail, self._is_text, self._takes_blanks, self._if_blank = fail, is_text, takes_blanks, if_blank
        self._where = f"in column {quoted(column)}, " if column else ""
        self._chunks: list[pa.DictionaryArray] = []

    def add(self, values: pa.Array, first_row: int, ends: Ints64 | None = None) -> None:
        """Take a batch whose rows are numbered from `first_row` and, if they are lists, end at `ends`."""
        self._first_row, self._ends = first_row, ends
        if pa.types.is_dictionary(values.type):  # which may hold repeats, nulls and values that do not occur
            values = self._readable(values.dictionary).take(values.indices)
        values = self._readable(values)
        if values.null_count:
            values = self._without_nulls(values)
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
        codes = np.concatenate([np.asarray(chunk.indices.fill_null(-1), np.int32) for chunk in joined.chunks])
        return codes, joined.chunk(joined.num_chunks - 1).dictionary

    def _without_nulls(self, values: pa.Array) -> pa.Array:
        """Return terms with nulls as empty texts, and ids as they are; raise if there must not be any."""
        if not self._takes_blanks:
            raise self._bad("a missing value (null)", pc.is_null(values))
        return values.cast(pa.string()).fill_null("") if self._is_text else values

    def _readable(self, values: pa.Array) -> pa.Array:
        """Return strings as one Arrow type and integers as they are; refuse terms of any other type."""
        type_ = values.type
        is_written = is_textual(type_)
        if self._is_text and not is_written and not pa.types.is_integer(type_) and not pa.types.is_null(type_):
            raise self._fail(
                f"{self._where}expected terms that are strings or whole numbers, found {type_}. Convert them."
            )
        try:
            return values.cast(pa.string()) if is_written else values
        except pa.ArrowInvalid:
            raise self._fail(f"{self._where}expected UTF-8 text, found other bytes. Convert them.") from None

    def _require_text(self, names: pa.StringArray, values: pa.Array) -> None:
        try:
            names.validate(full=True)
        except pa.ArrowInvalid:
            raise self._fail(f"{self._where}expected UTF-8 text, found other bytes. Convert them.") from None
        if not self._takes_blanks and pc.any(pc.equal(names, "")).as_py():
            raise self._bad("an empty term", pc.equal(values, ""))

    def _bad(self, what: str, marks: pa.BooleanArray) -> DisjoinError:
        place = int(np.flatnonzero(np.asarray(marks))[0])
        row = self._first_row + (place if self._ends is None else int(np.searchsorted(self._ends, place, "right")))
        return self._fail(f"{self._where}row {row:,} (counted from 0) has {what}. Fill it in, or {self._if_blank}.")


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


def is_textual(type_: pa.DataType) -> bool:
    """Tell whether a column holds strings or bytes, and not codes of them."""
    tests = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view")
    return any(getattr(pa.types, test)(type_) for test in tests)
