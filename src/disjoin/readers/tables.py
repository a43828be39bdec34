"""Tables with one row per person: `disjoin.read_table`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model.ragged import strings
from disjoin.model.table import Column, Schema, Table
from disjoin.readers.columnar import columnar_table
from disjoin.readers.databases import Query
from disjoin.readers.options import DEFAULT_MAX_BYTES, Options, blank_words_from, require_no_file
from disjoin.readers.read import stream_of, without_index
from disjoin.readers.sources import columnar_format, open_source
from disjoin.readers.table_text import Fail, coded_column, read_separated, require_names, text_of
from disjoin.text import counted, listed, printable, quoted


def read_table(
    source: str | Path | BinaryIO | object,
    *,
    separator: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    blank_words: str | Iterable[str] | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    as_written: bool = False,
) -> Table:
    """Return the table of a file (CSV, TSV, Parquet, Excel, ODS), of standard input (`-`) or of a stream.

    Every value is a string and stays as written (007 is not 7), except for blanks around it, and decimal commas in
    columns of text files whose values are all such numbers: 12,5 is read as 12.5. A missing value (an empty
    field, a null, NaN) is `?`, and so are the `blank_words`: `usual` (NULL, NA, N/A, NaN, None, -), or your own.
    With `as_written` (files only) blanks around values, empty fields and nulls remain, to check a table as it
    was published. Columns have no role yet. An invalid table raises `UnreadableInput` with file and line.
    `separator` is one character, or `tab`; by default the most frequent of , ; tab | in the header.
    `sheet` is the name of a sheet of a spreadsheet, `encoding` that of a text file that is not UTF-8, such as cp1252.
    """
    options = Options(separator=separator, max_bytes=max_bytes, sheet=sheet, encoding=encoding)
    if not isinstance(source, (str, Path)) and not hasattr(source, "read"):
        require_no_file(separator=separator, sheet=sheet, encoding=encoding)
        if isinstance(source, Query):
            with source.batches() as rows:
                return as_table(rows, blank_words=blank_words)
        return as_table(source, blank_words=blank_words)
    words = blank_words_from(blank_words) or ()
    opened = open_source(cast("str | Path | BinaryIO", source), max_bytes, sheet=sheet, encoding=encoding)
    if columnar_format(opened):
        columns = columnar_table(opened, max_bytes)
        return _table(columns.column_names, columns, opened.error, words, as_written=as_written)
    names, columns = read_separated(opened, options.separator)
    return _table(names, columns, opened.error, words, as_written=as_written, decimal_commas=True)


def without_blanks(table: Table, names: Iterable[str], blank_words: str | Iterable[str] | None = None) -> Table:
    """Return a table that was read `as_written`, with these columns as `read_table` reads them by default.

    >>> table = without_blanks(Table.from_columns({"age": ["34", " 34", ""]}), ["age"])
    >>> table.codes_of("age").tolist(), table.values_of("age").to_pylist()
    ([0, 0, 1], ['34', '?'])
    """
    words = blank_words_from(blank_words) or ()
    codes, values = list(table.codes), list(table.values)
    for place in map(table.schema.position, names):
        column = pa.DictionaryArray.from_arrays(pa.array(codes[place]), values[place])
        codes[place], values[place] = coded_column("", pa.chunked_array([column]), InvalidParameter, words)
    return replace(table, codes=tuple(codes), values=tuple(values))


def as_table(data: Any, *, blank_words: str | Iterable[str] | None = None) -> Table:
    """Return the table of an object: pyarrow, pandas, polars, duckdb, a dict of columns, or a list of dicts.

    Values become strings: whole numbers unchanged, other numbers in the fewest digits, dates as ISO 8601, missing
    values and the `blank_words` as `?`. A `Table` is returned unchanged.

    >>> table = as_table([{"age": 37, "city": "Bonn"}, {"age": None, "city": "Köln"}])
    >>> table.column("age").to_pylist(), table.column("city").to_pylist()
    (['37', '?'], ['Bonn', 'Köln'])
    """
    if isinstance(data, Table):
        return data
    words = blank_words_from(blank_words) or ()
    if isinstance(data, Mapping):
        return _from_lists(data, words)
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas reports equal names in its own way
        require_names([str(name) for name in data.columns], InvalidParameter)
    stream = stream_of(data)
    if isinstance(stream, pa.RecordBatchReader):
        columns = without_index(stream).read_all()
        return _table(columns.column_names, columns, UnreadableInput, words)
    if stream is None and hasattr(data, "iloc") and hasattr(data, "columns"):  # columns of mixed types
        return _from_lists({str(name): list(column) for name, column in data.items()}, words)
    if stream is None and isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data):
        return _from_lists(_turned(data), words)
    raise InvalidParameter(
        f"expected a table, found {printable(type(data).__name__)}. Give a pyarrow, pandas, polars or duckdb table, "
        "a dict of columns, or a list of dicts."
    )


def _table(names: Sequence[str], columns: pa.Table, fail: Fail, blank_words: Sequence[str], **reading: bool) -> Table:
    if not names:
        raise fail("expected a table with columns, found none.")
    require_names(names, fail)
    if not columns.num_rows:
        raise fail("expected a table with rows, found none.")
    coded = [
        coded_column(name, column, fail, blank_words, **reading)
        for name, column in zip(names, columns.columns, strict=True)
    ]
    schema = Schema(tuple(Column(name) for name in names))
    return Table(schema, tuple(codes for codes, _ in coded), tuple(strings(values) for _, values in coded))


def _from_lists(columns: Mapping[Any, Any], blank_words: Sequence[str]) -> Table:
    first, rows = next(((name, len(values)) for name, values in columns.items()), ("", 0))
    for name, values in columns.items():
        if len(values) != rows:
            begin = f"columns must be equally long: {quoted(first)} has {counted(rows, 'row')}"
            raise InvalidParameter(f"{begin}, but {quoted(name)} has {len(values):,}.")
    names = [str(name) for name in columns]
    arrays = [_array(name, values) for name, values in zip(names, columns.values(), strict=True)]
    return _table(names, pa.Table.from_arrays(arrays, names=names), InvalidParameter, blank_words)


def _array(name: str, values: Any) -> pa.Array:
    if isinstance(values, (str, bytes)):
        raise InvalidParameter(f"column {quoted(name)} must be a list of values, found a text.")
    try:
        array = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values)
        return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    except (pa.ArrowException, OverflowError, ValueError, TypeError):  # values of several types
        return pa.array([text_of(name, value, InvalidParameter) for value in values], pa.string())


def _turned(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Return the columns of rows; a row with different columns is an error, not a missing value."""
    names = list(rows[0])
    for number, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            raise InvalidParameter(
                f"row {number:,} (counted from 0) has the columns {listed(row)}, but the first one {listed(names)}. "
                "Give every row the same; use None for a missing value."
            )
    return {name: [row[name] for row in rows] for name in names}
