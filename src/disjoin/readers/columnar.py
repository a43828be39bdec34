"""Columnar input: Arrow, Parquet, data frames and one-hot matrices, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import DisjoinError, InvalidParameter, Remedy, UnreadableInput, described, kind_of
from disjoin.model import Intake, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.model.spelling import objection_to_length
from disjoin.parquet.untrusted_child import most_unpacked, said_size
from disjoin.readers.build_transactions import LONGEST_CELL, Cells, assemble, grouped
from disjoin.readers.long_tables import Coded, LongRoles, combined_ids, head_of, number_of, settled_ids
from disjoin.readers.options import (
    IF_BLANK,
    IF_ID_BLANK,
    Options,
    choose_columns,
    columns_there,
    find_column,
    id_columns,
)
from disjoin.readers.sources import Source, columnar_format, too_large
from disjoin.text import counted, listed, quoted

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
        lists = [name for name, type_ in zip(names, schema.types, strict=True) if _is_list(type_)]
        if field is not None:
            found = schema.types[find_column(names, field, source)]
            if not _is_list(found):
                raise UnreadableInput(f"expected lists in column {quoted(field)}, found {found}.", source=source)
            return cls((field,))
        if options.terms in lists and options.id is None:
            return cls((str(options.terms),))
        if lists and not options.is_long:
            if len(lists) > 1:
                remedies = [Remedy("field", name, f"take the terms from {quoted(name)}") for name in lists[:12]]
                message = f"expected one column of lists, found {len(lists)}: {listed(lists)}."
                raise UnreadableInput(message, source=source, remedies=remedies)
            return cls((lists[0],))
        if len(names) < 2:
            message = f"expected a list column, or a record id and a term column. {columns_there(names)}"
            raise UnreadableInput(message, source=source)
        record, term = choose_columns(names, options.id, options.terms, source)
        ids = id_columns(names, record, options.id, source)
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
        *(_Codes(fail, name, takes_blanks=options.blank == "skip", if_blank=IF_ID_BLANK) for name in ids),
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
        if_blank: tuple[Remedy, ...] = IF_BLANK,
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
        message = f"{self._where}row {row:,} (counted from 0) has {what}. Fill it in."
        return self._fail(message).offering(*self._if_blank)


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


# Columnar files: Parquet and Arrow, with a list column or as a long table.


def read_parquet(source: Source, options: Options) -> Transactions:
    """Read the list column of a Parquet file."""
    return _read(source, options, "parquet", wants_list=True)


def read_arrow(source: Source, options: Options) -> Transactions:
    """Read the list column of an Arrow IPC file."""
    return _read(source, options, "arrow", wants_list=True)


def read_long_columns(source: Source, options: Options) -> Transactions:
    """Read the record id and the term column of a Parquet or Arrow file."""
    return _read(source, options, "long", wants_list=False)


def has_list_column(source: Source, options: Options) -> bool:
    """Tell whether a columnar file holds whole records rather than (record id, term) pairs."""
    schema, _ = _opened(source)
    return ArrowColumns.of(schema, options, source.name).is_list


def columnar_table(source: Source, max_bytes: int) -> pa.Table:
    """Return all columns of a Parquet or Arrow file."""
    schema, batches = _opened(source)
    if len(set(schema.names)) < len(schema.names):
        raise source.error(f"expected columns of different names. {columns_there(schema.names)}")
    return pa.Table.from_batches(_bounded(batches(schema.names), source, max_bytes), schema)


def _read(source: Source, options: Options, format: str, *, wants_list: bool) -> Transactions:
    schema, batches = _opened(source)
    columns = ArrowColumns.of(schema, options, source.name)
    if columns.is_list != wants_list:
        wanted = "a list column" if wants_list else "a record id and a term column"
        raise source.error(f"expected {wanted}. {columns_there(schema.names)}")
    plain = [name for name in dict.fromkeys(schema.names) if schema.names.count(name) == 1]
    head = _bounded(batches(plain), source, options.max_bytes)
    columns = columns.judged(head, pa.schema([schema.field(name) for name in plain]), options)
    bounded = _bounded(batches(columns.wanted), source, options.max_bytes)
    return from_batches(bounded, columns, options, source.error, format=format)


def _opened(source: Source) -> tuple[pa.Schema, Callable[[list[str]], Iterator[pa.RecordBatch]]]:
    """Return the schema, and a function that yields batches with the columns asked for."""
    buffer = pa.BufferReader(pa.py_buffer(source.data))
    try:
        opened = (_opened_arrow if columnar_format(source) == "arrow" else _opened_parquet)(buffer)
        _ = opened[0].names  # decoded when they are asked for
        return opened
    except UnicodeDecodeError:
        raise source.error(
            "expected names of columns in UTF-8 text, found other bytes. Rename the columns, or copy the file again."
        ) from None
    except UnreadableInput as error:
        raise source.error(str(error)) from None
    except (pa.ArrowException, OSError):
        raise _damaged(source) from None


def _damaged(source: Source) -> UnreadableInput:
    # What Arrow itself says about damage speaks of pages and thrift, to nobody who has the file.
    kind = columnar_format(source)
    return source.error(f"expected a whole {kind} file, found one that is damaged or cut short. Copy it again.")


def _opened_parquet(buffer: Any) -> tuple[pa.Schema, Callable[[list[str]], Iterator[pa.RecordBatch]]]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(buffer)
    said, size = said_size(file.metadata), buffer.size()
    if said > most_unpacked(size):
        raise UnreadableInput(
            f"the file has {size:,} bytes and would unpack to {said:,}, the limit for its size is "
            f"{most_unpacked(size):,}. If you trust it, save it without compression.",
        )
    return file.schema_arrow, lambda names: file.iter_batches(ROWS_AT_ONCE, columns=names)


def _opened_arrow(buffer: Any) -> tuple[pa.Schema, Callable[[list[str]], Iterator[pa.RecordBatch]]]:
    file = pa.ipc.open_file(buffer)

    def batches(names: list[str]) -> Iterator[pa.RecordBatch]:
        return (file.get_batch(number).select(names) for number in range(file.num_record_batches))

    return file.schema, batches


def _bounded(batches: Iterator[pa.RecordBatch], source: Source, max_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches until they are more than the limit; damage becomes an error that names the file."""
    total = 0
    while True:
        try:
            batch = next(batches, None)
            if batch is not None:
                _require_valid(batch, source)
        except (pa.ArrowException, OSError):
            raise _damaged(source) from None
        if batch is None:
            return
        total += batch.nbytes
        if total > max_bytes:
            raise too_large(source.name, max_bytes)
        yield batch


def _require_short(name: str, column: pa.Array, source: Source) -> None:
    """Raise if a text of a batch is longer than any cell may be, before it is copied."""
    while hasattr(column, "flatten") and pa.types.is_nested(column.type) and not pa.types.is_struct(column.type):
        column = column.flatten()
    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    if is_textual(texts.type) and (objection := objection_to_length(texts, "values", LONGEST_CELL)):
        raise source.error(f"in column {quoted(name)}, {objection} Shorten it.")


def _require_valid(batch: pa.RecordBatch, source: Source) -> None:
    """Raise unless offsets, codes and lengths stay inside their arrays: nothing else is safe to compute with."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
            _require_short(name, column, source)
        except pa.ArrowInvalid as failure:
            if "utf8" not in str(failure).lower():
                raise
            raise source.error(
                f"in column {quoted(name)}, expected UTF-8 text, found other bytes. Convert them."
            ) from None


# Records as rows of zeros and ones: a frame with a column per term, a sparse matrix, or an array.


def read_one_hot(data: Any, terms: Iterable[Any] | None = None) -> Transactions:
    """Return the records of rows of zeros and ones: a frame, a sparse matrix or an array.

    The `terms` are the names of the columns of a frame; for a matrix or an array they must be given. Numbers other than
    0 and 1 are refused, as a record does not count its terms. Rows without a one are counted in `intake`.

    >>> found = read_one_hot(np.array([[1, 0], [1, 1], [0, 0]]), ["tea", "milk"])
    >>> found.to_sets() == [{"tea"}, {"tea", "milk"}], found.intake.blank_records
    (True, 1)
    """
    if hasattr(data, "tocsr") or isinstance(data, np.ndarray):
        names = _terms(terms, data)
        rows, items = _ones_of_matrix(data)
    else:
        if terms is not None:
            raise InvalidParameter("terms name the columns of a matrix; a frame has names of its own. Leave them out.")
        names, columns = _columns(data)
        rows, items = _ones_of_columns(names, columns)
    n_rows = int(data.shape[0]) if hasattr(data, "shape") else int(data.num_rows)
    lengths = np.bincount(rows, minlength=n_rows)
    offsets = offsets_of(lengths[lengths > 0])
    cells = Cells(pa.array(names, pa.string()), items, offsets)
    return assemble(cells, Options(split="none"), Intake("memory", n_rows - (offsets.size - 1)), UnreadableInput)


def _terms(given: Iterable[Any] | None, matrix: Any) -> list[str]:
    if len(matrix.shape) != 2:
        raise InvalidParameter(
            f"expected a matrix of rows and columns, found one of {counted(len(matrix.shape), 'axis', 'axes')}."
        )
    if given is None or isinstance(given, (str, bytes)):
        raise InvalidParameter(
            f"say which term each of the {counted(int(matrix.shape[1]), 'column')} of the matrix is: terms=[...]."
        )
    return _distinct([str(term) for term in given], int(matrix.shape[1]))


def _distinct(names: list[str], width: int) -> list[str]:
    if len(names) != width:
        raise InvalidParameter(f"expected {counted(width, 'term')}, one per column, found {len(names):,}.")
    if len({*names}) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidParameter(f"two columns are the term {quoted(twice)}; give each another one.")
    return names


def _ones_of_matrix(matrix: Any) -> tuple[Ints64, Ints32]:
    from scipy import sparse

    rows = sparse.csr_array(matrix)
    rows.sum_duplicates()
    is_one = _is_one(np.asarray(rows.data), "the matrix")
    places = np.repeat(np.arange(rows.shape[0], dtype=np.int64), np.diff(rows.indptr))
    return places[is_one], rows.indices[is_one].astype(np.int32)


def _columns(data: Any) -> tuple[list[str], list[Any]]:
    """Return the names and the columns of a frame."""
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas, whose sparse columns Arrow does not know
        names = [str(name) for name in data.columns]
        return _distinct(names, len(names)), [np.asarray(data.iloc[:, place]) for place in range(len(names))]
    if isinstance(data, pa.Table) or hasattr(data, "__arrow_c_stream__"):
        table = data if isinstance(data, pa.Table) else pa.table(data)
        return _distinct(table.column_names, table.num_columns), [column.to_numpy() for column in table.columns]
    raise InvalidParameter(f"expected a frame, a sparse matrix or an array of zeros and ones, found {kind_of(data)}.")


def _ones_of_columns(names: Sequence[str], columns: Sequence[Any]) -> tuple[Ints64, Ints32]:
    found = [
        np.flatnonzero(_is_one(column, f"column {quoted(name)}")) for name, column in zip(names, columns, strict=True)
    ]
    rows = np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.int64)
    items = np.repeat(np.arange(len(found), dtype=np.int32), [ones.size for ones in found])
    order = np.lexsort((items, rows))
    return rows[order], items[order]


def _is_one(values: Any, where: str) -> Flags:
    """Tell which values are one; raise unless the others are zero."""
    if values.dtype != np.bool_ and not np.issubdtype(values.dtype, np.number) and values.dtype != object:
        raise InvalidParameter(f"expected zeros and ones in {where}, found {described(values.dtype.name)}.")
    is_one: Flags = np.asarray(values == 1, np.bool_)
    if not np.all(is_one | np.asarray(values == 0, np.bool_)):
        raise InvalidParameter(
            f"expected zeros and ones in {where}, found other values. A record has a term or not: "
            "write (amounts > 0) if amounts do not matter, and drop columns that are no terms."
        )
    return is_one
