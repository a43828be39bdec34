"""Columnar files: Parquet and Arrow, with a list column or as a long table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.files.arrow_rows import ROWS_AT_ONCE, ArrowColumns, from_batches, is_textual
from disjoin.files.build_transactions import LONGEST_CELL, objection_to_length
from disjoin.files.first_look_child import most_unpacked, said_size
from disjoin.files.naming import columns_there
from disjoin.files.options import Options
from disjoin.files.sources import Source, columnar_format, too_large
from disjoin.files.wording import quoted
from disjoin.model import Transactions


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
