"""Records from files, streams and memory: `disjoin.read`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, UnreadableInput, kind_of
from disjoin.model import Transactions
from disjoin.readers.build_transactions import Cells, assemble
from disjoin.readers.columnar import ArrowColumns, from_batches, from_lists, in_pieces
from disjoin.readers.databases import Query
from disjoin.readers.detect import confirm, detect
from disjoin.readers.options import DEFAULT_MAX_BYTES, READERS, Options, require_no_file
from disjoin.readers.sources import NO_RECORDS, open_source
from disjoin.text import listed, quoted

_NAMED_BLANK = "\x00"  # marks a blank; an empty text means something else


def as_transactions(
    data: Any,
    *,
    id: Any = None,
    terms: str | None = None,
    field: str | None = None,
    keep_order: bool = False,
    **cells: Any,
) -> Transactions:
    """Return the records of an object: a collection of collections of terms, or a table or array that Arrow can read.

    A table with one list column (or the one named `field`) has one record per row; any other is a long table of record
    ids and terms, by the given or by usual names or, if there are two columns, the id first. pandas, polars and duckdb
    objects are tables through the Arrow interface. `Transactions` are returned unchanged. `cells` are options of
    `disjoin.read`: split, blank, blank_words, similar_ids, per_record.

    >>> as_transactions([{"tea", "milk"}, ["tea"]]).to_sets() == [{"tea", "milk"}, {"tea"}]
    True
    """
    return transactions_of(data, Options(id, terms, field, keep_order=keep_order, **cells))


def transactions_of(data: Any, options: Options) -> Transactions:
    if options.keep is not None:
        raise InvalidParameter("keep is an option of disjoin.read: read the table with it, and pass its result.")
    if isinstance(data, Transactions):
        return data
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        chunks = data.chunks if isinstance(data, pa.ChunkedArray) else [data]
        return from_lists(in_pieces(chunks), options, UnreadableInput, format="memory")
    stream = stream_of(data)
    if isinstance(stream, pa.ChunkedArray):
        return transactions_of(stream, options)
    if stream is not None:
        stream = without_index(stream)
        rest, seen = iter(stream), list[pa.RecordBatch]()  # a stream can be read only once
        columns = ArrowColumns.of(stream.schema, options, _kept(rest, seen))
        return from_batches(_again(seen, rest), columns, options, UnreadableInput, format="memory")
    if hasattr(data, "tocsr"):
        remedy = "use disjoin.read_one_hot(matrix, terms=[...]) with one for each."
        raise InvalidParameter(f"a sparse matrix has no names of terms: {remedy}")
    if hasattr(data, "columns"):
        data = _collections_of(data, options.field)
    elif options.is_long or options.field is not None:
        raise InvalidParameter("id, terms and field name columns of a table, but this is not a table.")
    return _from_collections(data, options)


def _kept(batches: Iterator[pa.RecordBatch], seen: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the first batches of a stream, and store them for `_again`."""
    for batch in batches:
        seen.append(batch)
        yield batch


def _again(seen: list[pa.RecordBatch], rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield all batches from the beginning, without storing more of them."""
    while seen:
        yield seen.pop(0)
    yield from rest


def _from_collections(data: Any, options: Options) -> Transactions:
    """Return the records of Python collections; None and NaN are blanks if blanks are accepted."""
    records: Iterable[Iterable[Any]] = _records(data)
    if options.takes_blanks:
        records = ([_NAMED_BLANK if _is_nothing(term) else term for term in record] for record in records)
    found = Transactions.from_sets(records, keep_order=True)
    assert found.written is not None, "the order was requested"
    terms = found.vocabulary
    if options.takes_blanks:
        terms = pc.if_else(pc.equal(terms, _NAMED_BLANK), "", terms)
    cells = Cells(terms, found.written.copy(), found.offsets.copy())
    again = assemble(cells, options, found.intake, UnreadableInput)
    repeated = found.intake.repeated_terms + again.intake.repeated_terms
    return replace(again, intake=replace(again.intake, repeated_terms=repeated))


def _is_nothing(term: object) -> bool:
    return term is None or term == "" or (isinstance(term, float) and math.isnan(term))


def stream_of(data: Any) -> pa.RecordBatchReader | pa.ChunkedArray | None:
    """Return a table as a stream of batches, a column as an array, and anything else as None."""
    if isinstance(data, pa.RecordBatchReader):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(data.schema, [data])
    if isinstance(data, pa.Table):
        return data.to_reader()
    if type(data).__name__ == "LazyFrame" and hasattr(data, "collect"):
        data = data.collect()
    if not hasattr(data, "__arrow_c_stream__"):
        return None
    is_table = hasattr(data, "columns") or hasattr(data, "schema")
    try:
        return pa.RecordBatchReader.from_stream(data) if is_table else pa.chunked_array(data)
    except (pa.ArrowException, TypeError):
        return None  # pandas may hold sets, or mixed types, that Arrow has no column type for


def without_index(stream: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Drop the row labels that pandas exports as data."""
    kept = [name for name in stream.schema.names if not re.fullmatch(r"__index_level_\d+__", name)]
    if len(kept) == len(stream.schema.names):
        return stream
    schema = pa.schema([stream.schema.field(name) for name in kept])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(kept) for batch in stream))


def _collections_of(frame: Any, field: str | None) -> Any:
    kinds = (set, frozenset, list, tuple)
    names = [name for name in frame.columns if len(frame) and isinstance(frame[name].iloc[0], kinds)]
    if field is not None and field in names:
        return frame[field]
    if len(names) != 1 or field is not None:
        raise InvalidParameter(
            "expected a table that Arrow can read: a list column, or a record id and a term column of one type each. "
            f"The columns are: {listed(frame.columns)}. Convert the terms to strings."
        )
    return frame[names[0]]


def _records(data: Any) -> Iterator[Iterable[str | int]]:
    """Yield the records, which must be collections; a string would silently become its letters."""
    expected = "expected a collection of records, found"
    if isinstance(data, (str, PurePath)):
        name = quoted(data)
        raise InvalidParameter(f"{expected} the text {name}. To read a file, use disjoin.read({name})")
    if isinstance(data, (bytes, Mapping)) or not isinstance(data, Iterable):
        raise InvalidParameter(f"{expected} {kind_of(data)}. Give a list of sets, or a table.")
    for number, record in enumerate(data):
        if isinstance(record, (str, bytes, Mapping)) or not isinstance(record, Iterable):
            found = f"record {number:,}: expected a collection of terms, found {kind_of(record)}."
            raise InvalidParameter(f"{found} Give one set or list a record.")
        yield record


__all__ = ["DEFAULT_MAX_BYTES", "as_transactions", "read"]


def read(
    source: str | Path | BinaryIO | object,
    *,
    format: str | None = None,
    id: str | Sequence[str] | None = None,
    terms: str | None = None,
    field: str | None = None,
    separator: str | None = None,
    keep_order: bool = False,
    max_bytes: int = DEFAULT_MAX_BYTES,
    allow_empty: bool = False,
    split: str | None = None,
    blank: str | None = None,
    blank_words: str | Iterable[str] | None = None,
    similar_ids: str | None = None,
    per_record: bool | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    keep: str | Iterable[str] | None = None,
    role: Mapping[str, str] | Iterable[str] | None = None,
    leave_out: Iterable[str] | None = None,
) -> Transactions:
    """Return the records of a file (plain, gzip or zstd), of standard input (`-`), of a stream, or of an object.

    Terms are kept as written, without blanks around an unquoted field of a text file. Blank records and repeated terms
    are dropped, and counted in `intake`. Anything else that is wrong, or looks wrong, raises
    `UnreadableInput` with the file and, if there is one, the line. `format` is a name of `disjoin.readers.READERS`;
    by default it is detected from content and file name.

    id, terms: the columns of a long table; several columns, a list, may identify a record together.
    field: the member of a JSON object, or the list column of a table, that has the terms.
    separator, split: the separator of fields in a basket file or a long table, and of the terms of a cell: one
        character, or `tab`. With the split `none` every cell is one term, even if it looks like a list.
    keep_order: also keep the terms of each record in source order (`Transactions.written`).
    max_bytes, allow_empty: the largest unpacked size; whether input without records is accepted.
    blank, blank_words: how to treat a cell without a term: `error`, `skip` or `term` (the term `(blank)`); and words
        that count as blank: `usual` (NULL, NA, N/A, NaN, None, -), or your own.
    similar_ids, per_record: record ids that differ only in spelling: `error`, `merge` or `keep`; and whether to protect
        single records, although another column shows that some belong to the same person.
    keep: other columns that become terms, such as `age=60..69` and `sex=f`, comma-separated: numbers in ranges of 10,
        or of a given width (`age:5`); `age:exact` unchanged. Rows of one record must agree in them.
    role: other roles for columns that may identify people by their values, such as {"code": "terms"}.
    leave_out: terms to remove, such as card numbers among articles; each must occur.
    sheet, encoding: the name of a sheet of a spreadsheet; the encoding of a text that is not UTF-8 (`cp1252`).
    """
    about_cells: tuple[Any, ...] = (split, blank, blank_words, similar_ids, per_record, sheet, encoding, keep, role)
    named = cast("str | tuple[str, ...] | None", id)  # a list becomes a tuple
    options = Options(named, terms, field, separator, keep_order, max_bytes, *about_cells)
    is_file = isinstance(source, (str, Path)) or hasattr(source, "read")
    if not is_file:
        require_no_file(format=format, separator=separator, sheet=sheet, encoding=encoding)
    elif format is not None:
        options.require_fit(format)
    if options.keep is not None:
        from disjoin.readers.attributes_as_terms import read_keeping

        records = read_keeping(source, options)
    elif is_file:
        records = _from_file(cast("str | Path | BinaryIO", source), format, options, allow_empty=allow_empty)
    elif isinstance(source, Query):
        with source.batches() as rows:
            records = transactions_of(rows, options)
    else:
        records = transactions_of(source, options)
    if not leave_out:
        return records
    left_out = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    if not all(isinstance(term, str) for term in left_out):
        raise InvalidParameter("leave_out must be a list of terms, each a text.")
    kept = records.without(left_out)
    if not len(kept):
        raise InvalidParameter("leave_out names all terms, so no record remains.")
    return kept


def _from_file(
    source: str | Path | BinaryIO, format: str | None, options: Options, *, allow_empty: bool
) -> Transactions:
    if_empty = None if allow_empty else NO_RECORDS
    opened = open_source(source, options.max_bytes, if_empty=if_empty, sheet=options.sheet, encoding=options.encoding)
    if not len(opened.data):
        return Transactions.from_sets([])
    if format is None:
        format, options = detect(opened, options)
        options.require_fit(format)
    else:
        options = confirm(opened, format, options)
    records: Transactions = READERS[format].load()(opened, options)
    if not len(records) and not allow_empty:
        why = "no line has a term. Give a file with at least one record."
        if records.intake.skipped_blanks or records.intake.rows_without_id:
            why = "every term is blank. Check what counts as blank."
        raise opened.error(f"expected records, found none: {why}")
    return records
