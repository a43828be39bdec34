"""Columnar input: Arrow, Parquet, data frames and one-hot matrices, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import DisjoinError, InvalidParameter, Remedy, UnreadableInput, described, kind_of
from disjoin.model import Intake, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.model.spelling import objection_to_length
from disjoin.parquet.untrusted_child import most_unpacked, said_size
from disjoin.readers.build_transactions import LONGEST_CELL, Cells, assemble
from disjoin.readers.long_tables import Coded, LongRoles, head_of, long_records
from disjoin.readers.options import IF_BLANK, IF_ID_BLANK, Options, choose_columns, columns_there, find_column
from disjoin.readers.sources import Source, columnar_format, too_large
from disjoin.readers.table_text import Fail, is_textual
from disjoin.text import counted, listed, quoted

ROWS_AT_ONCE = 1 << 16
_NOT_TEXT = "expected UTF-8 text, found other bytes. Convert them."


@dataclass(frozen=True, slots=True)
class ArrowColumns:
    """The columns to read: one of lists, or those of the record id and a term; and the roles of the others."""

    names: tuple[str, ...]
    found: LongRoles = field(default_factory=LongRoles)

    @property
    def is_list(self) -> bool:
        return len(self.names) == 1

    @classmethod
    def of(
        cls, schema: pa.Schema, options: Options, head: Iterable[pa.RecordBatch] = (), source: str | None = None
    ) -> ArrowColumns:
        """Choose by the options, then by type, then by name (roles by `head`), or raise with the column names."""
        names, field = schema.names, options.field
        lists = [name for name, type_ in zip(names, schema.types, strict=True) if is_list(type_)]
        if field is not None:
            found = schema.types[find_column(names, field, source)]
            if not is_list(found):
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
        ids, term = choose_columns(names, options.id, options.terms, source)
        named = tuple(names[place] for place in ids)
        return cls((*named, names[term]), LongRoles.of(head_of(head), named, names[term], options))


def from_batches(
    batches: Iterable[pa.RecordBatch], columns: ArrowColumns, options: Options, fail: Fail, *, format: str
) -> Transactions:
    wanted = (*columns.names, *columns.found.people)  # a column of people may also be one of several that name a record
    parts = ([batch.column(name) for name in wanted] for batch in in_pieces(batches))
    if columns.is_list:
        return from_lists((lists for (lists,) in parts), options, fail, format=format)
    *ids, term = columns.names
    read = [
        *(_Codes(fail, name, takes_blanks=options.blank == "skip", if_blank=IF_ID_BLANK) for name in ids),
        _Codes(fail, term, is_text=True, takes_blanks=options.takes_blanks),
        *(_Codes(fail, column, takes_blanks=True) for column in columns.found.people),
    ]
    n_rows = 0
    for row in parts:
        for codes, values in zip(read, row, strict=True):
            codes.add(values, n_rows)
        n_rows += len(row[0])
    coded = [Coded(name, *codes.finish()) for name, codes in zip(wanted, read, strict=True)]
    at = len(ids)
    return long_records(coded[:at], coded[at], coded[at + 1 :], options, fail, columns.found, Intake(format))


def from_lists(lists: Iterable[pa.Array], options: Options, fail: Fail, *, format: str) -> Transactions:
    """Read one record per element; null and empty lists are blank records."""
    terms = _Codes(fail, is_text=True, takes_blanks=options.takes_blanks)
    lengths: list[Ints64] = []
    n_rows = 0
    for part in lists:
        if not is_list(part.type):
            raise fail(f"expected lists of terms, found {part.type}. Give one list per record.")
        sizes = np.asarray(pc.list_value_length(part).fill_null(0), np.int64)
        terms.add(part.flatten(), n_rows, np.cumsum(sizes))
        n_rows += len(part)
        lengths.append(sizes[sizes > 0])
    items, dictionary = terms.finish()
    offsets = offsets_of(np.concatenate(lengths) if lengths else [])
    blank = n_rows - (offsets.size - 1)
    return assemble(Cells(dictionary, items, offsets), options, Intake(format, blank), fail)


@dataclass(slots=True, eq=False)
class _Codes:
    """Numbers the values of a column, batch by batch; accepted blanks are -1 or, for terms, the empty text's code."""

    fail: Fail
    column: str = ""
    is_text: bool = False
    takes_blanks: bool = False
    if_blank: tuple[Remedy, ...] = IF_BLANK
    chunks: list[pa.DictionaryArray] = field(default_factory=list)

    def add(self, values: pa.Array, first_row: int, ends: Ints64 | None = None) -> None:
        """Take a batch whose rows are numbered from `first_row` and, if they are lists, end at `ends`."""
        if pa.types.is_dictionary(values.type):  # which may have repeats, nulls and unused values
            values = self._readable(values.dictionary).take(values.indices)
        values = self._readable(values)
        if values.null_count:
            if not self.takes_blanks:
                raise self._bad("a missing value (null)", pc.is_null(values), first_row, ends)
            values = values.cast(pa.string()).fill_null("") if self.is_text else values
        encoded = values.dictionary_encode()
        if self.is_text:
            names = encoded.dictionary.cast(pa.string())
            try:
                names.validate(full=True)
            except pa.ArrowInvalid:
                raise self._error(_NOT_TEXT) from None
            if not self.takes_blanks and pc.any(pc.equal(names, "")).as_py():
                raise self._bad("an empty term", pc.equal(values, ""), first_row, ends)
            encoded = pa.DictionaryArray.from_arrays(encoded.indices, names)
        self.chunks.append(encoded)

    def finish(self) -> tuple[Ints32, pa.Array]:
        if not self.chunks:
            return np.empty(0, np.int32), pa.array([], pa.string())
        joined = pa.chunked_array(self.chunks).unify_dictionaries()
        self.chunks = []
        codes = np.concatenate([np.asarray(chunk.indices.fill_null(-1), np.int32) for chunk in joined.chunks])
        return codes, joined.chunk(joined.num_chunks - 1).dictionary

    def _readable(self, values: pa.Array) -> pa.Array:
        type_ = values.type
        is_written = is_textual(type_)
        if self.is_text and not is_written and not pa.types.is_integer(type_) and not pa.types.is_null(type_):
            raise self._error(f"expected terms that are strings or whole numbers, found {type_}. Convert them.")
        try:
            return values.cast(pa.string()) if is_written else values
        except pa.ArrowInvalid:
            raise self._error(_NOT_TEXT) from None

    def _error(self, message: str) -> DisjoinError:
        return self.fail(f"in column {quoted(self.column)}, {message}" if self.column else message)

    def _bad(self, what: str, marks: pa.BooleanArray, first_row: int, ends: Ints64 | None) -> DisjoinError:
        place = int(np.flatnonzero(np.asarray(marks))[0])
        row = first_row + (place if ends is None else int(np.searchsorted(ends, place, "right")))
        return self._error(f"row {row:,} (counted from 0) has {what}. Fill it in.").offering(*self.if_blank)


def in_pieces(chunks: Iterable[Any]) -> Iterator[Any]:
    for chunk in chunks:
        for first in range(0, len(chunk), ROWS_AT_ONCE):
            yield chunk.slice(first, ROWS_AT_ONCE)


def is_list(type_: pa.DataType) -> bool:
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(type_) for test in tests)


def has_list_column(source: Source, options: Options) -> bool:
    schema, _ = _opened(source)
    return ArrowColumns.of(schema, options, source=source.name).is_list


def columnar_table(source: Source, max_bytes: int) -> pa.Table:
    schema, batches = _opened(source)
    if len(set(schema.names)) < len(schema.names):
        raise source.error(f"expected columns of different names. {columns_there(schema.names)}")
    return pa.Table.from_batches(_bounded(batches(schema.names), source, max_bytes), schema)


def _read(source: Source, options: Options, format: str) -> Transactions:
    schema, batches = _opened(source)
    plain = [name for name in dict.fromkeys(schema.names) if schema.names.count(name) == 1]
    head = _bounded(batches(plain), source, options.max_bytes)
    columns = ArrowColumns.of(schema, options, head, source.name)
    if columns.is_list != (format != "long"):
        wanted = "a record id and a term column" if format == "long" else "a list column"
        raise source.error(f"expected {wanted}. {columns_there(schema.names)}")
    needed = [*dict.fromkeys((*columns.names, *columns.found.people))]
    bounded = _bounded(batches(needed), source, options.max_bytes)
    return from_batches(bounded, columns, options, source.error, format=format)


read_parquet = partial(_read, format="parquet")
read_arrow = partial(_read, format="arrow")
read_long_columns = partial(_read, format="long")


def _opened(source: Source) -> tuple[pa.Schema, Callable[[list[str]], Iterator[pa.RecordBatch]]]:
    """Return the schema, and a function that yields batches with the requested columns."""
    buffer = pa.BufferReader(pa.py_buffer(source.data))
    try:
        if columnar_format(source) == "arrow":
            file = pa.ipc.open_file(buffer)
            schema, places = file.schema, range(file.num_record_batches)
            _ = schema.names  # decoded on request
            return schema, lambda names: (file.get_batch(place).select(names) for place in places)
        import pyarrow.parquet as pq

        table = pq.ParquetFile(buffer)
        said, size = said_size(table.metadata), buffer.size()
        if said > most_unpacked(size):
            limit = f"the limit for its size is {most_unpacked(size):,}. If you trust it, save it without compression."
            raise source.error(f"the file has {size:,} bytes and would unpack to {said:,}, but {limit}")
        _ = table.schema_arrow.names
        return table.schema_arrow, lambda names: table.iter_batches(ROWS_AT_ONCE, columns=names)
    except UnicodeDecodeError:
        found = "expected names of columns in UTF-8 text, found other bytes"
        raise source.error(f"{found}. Rename the columns, or copy the file again.") from None
    except (pa.ArrowException, OSError):
        raise _damaged(source) from None


def _damaged(source: Source) -> UnreadableInput:
    # Arrow's own message is about pages and Thrift, which does not help the data owner.
    kind = columnar_format(source)
    return source.error(f"expected a whole {kind} file, found one that is damaged or cut short. Copy it again.")


def _bounded(batches: Iterator[pa.RecordBatch], source: Source, max_bytes: int) -> Iterator[pa.RecordBatch]:
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
    """Raise unless offsets, codes and lengths stay inside their arrays: otherwise computing with them is unsafe."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
            _require_short(name, column, source)
        except pa.ArrowInvalid as failure:
            if "utf8" not in str(failure).lower():
                raise
            raise source.error(f"in column {quoted(name)}, {_NOT_TEXT}") from None


def read_one_hot(data: Any, terms: Iterable[Any] | None = None) -> Transactions:
    """Return the records of rows of zeros and ones: a frame, a sparse matrix or an array.

    The `terms` are the names of the columns of a frame; for a matrix or an array they must be given. Numbers other than
    0 and 1 are refused, because a record does not count its terms. Rows without a one are counted in `intake`.

    >>> found = read_one_hot(np.array([[1, 0], [1, 1], [0, 0]]), ["tea", "milk"])
    >>> found.to_sets() == [{"tea"}, {"tea", "milk"}], found.intake.blank_records
    (True, 1)
    """
    if hasattr(data, "tocsr") or isinstance(data, np.ndarray):
        names = _terms(terms, data)
        rows, items = _ones_of_matrix(data)
    else:
        if terms is not None:
            raise InvalidParameter("terms name the columns of a matrix, but a frame has its own names. Leave them out.")
        names, columns = _columns(data)
        rows, items = _ones_of_columns(names, columns)
    n_rows = int(data.shape[0]) if hasattr(data, "shape") else int(data.num_rows)
    lengths = np.bincount(rows, minlength=n_rows)
    offsets = offsets_of(lengths[lengths > 0])
    cells = Cells(pa.array(names, pa.string()), items, offsets)
    return assemble(cells, Options(split="none"), Intake("memory", n_rows - (offsets.size - 1)), UnreadableInput)


def _terms(given: Iterable[Any] | None, matrix: Any) -> list[str]:
    if len(matrix.shape) != 2:
        axes = counted(len(matrix.shape), "axis", "axes")
        raise InvalidParameter(f"expected a matrix of rows and columns, found one of {axes}.")
    if given is None or isinstance(given, (str, bytes)):
        columns = counted(int(matrix.shape[1]), "column")
        raise InvalidParameter(f"name the term of each of the {columns} of the matrix: terms=[...].")
    return _distinct([str(term) for term in given], int(matrix.shape[1]))


def _distinct(names: list[str], width: int) -> list[str]:
    if len(names) != width:
        raise InvalidParameter(f"expected {counted(width, 'term')}, one per column, found {len(names):,}.")
    if len({*names}) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidParameter(f"two columns have the term {quoted(twice)}. Give each a different one.")
    return names


def _ones_of_matrix(matrix: Any) -> tuple[Ints64, Ints32]:
    from scipy import sparse

    rows = sparse.csr_array(matrix)
    rows.sum_duplicates()
    is_one = _is_one(np.asarray(rows.data), "the matrix")
    places = np.repeat(np.arange(rows.shape[0], dtype=np.int64), np.diff(rows.indptr))
    return places[is_one], rows.indices[is_one].astype(np.int32)


def _columns(data: Any) -> tuple[list[str], list[Any]]:
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas, whose sparse columns Arrow cannot read
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
    if values.dtype != np.bool_ and not np.issubdtype(values.dtype, np.number) and values.dtype != object:
        raise InvalidParameter(f"expected zeros and ones in {where}, found {described(values.dtype.name)}.")
    is_one: Flags = np.asarray(values == 1, np.bool_)
    if not np.all(is_one | np.asarray(values == 0, np.bool_)):
        hint = "write (amounts > 0) if amounts do not matter, and drop columns that are not terms."
        found = f"expected zeros and ones in {where}, found other values"
        raise InvalidParameter(f"{found}. A record has a term or not: {hint}")
    return is_one
