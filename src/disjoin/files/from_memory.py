"""Data that are in memory already: collections of terms, and anything that speaks Arrow."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, UnreadableInput, kind_of
from disjoin.files.arrow_rows import ArrowColumns, from_batches, from_lists, in_pieces
from disjoin.files.build_transactions import Cells, assemble
from disjoin.files.options import Options
from disjoin.files.wording import listed, quoted
from disjoin.model import Transactions

_NAMED_BLANK = "\x00"  # stands for nothing on the way, as an empty term cannot


def as_transactions(
    data: Any,
    *,
    id_column: Any = None,
    term_column: str | None = None,
    field: str | None = None,
    keep_order: bool = False,
    **cells: Any,
) -> Transactions:
    """Return the records of an object: a collection of collections of terms, or a table or array of Arrow's kind.

    A table with one list column (or the one named `field`) has one record per row; any other is a long table of record
    ids and terms, by the given or by usual names or, if there are two columns, the id first. pandas, polars and
    duckdb objects are tables through the Arrow interface. `Transactions` come back as they are. `cells` are the options
    of `disjoin.read` about what is in a cell and who is a record: split, blank, blank_words, similar_ids, per_record.

    >>> as_transactions([{"tea", "milk"}, ["tea"]]).to_sets() == [{"tea", "milk"}, {"tea"}]
    True
    """
    return transactions_of(data, Options(id_column, term_column, field, keep_order=keep_order, **cells))


def transactions_of(data: Any, options: Options) -> Transactions:
    """Return the records of an object, with the options of `disjoin.read`; which columns are kept is left to it."""
    if options.keep is not None:
        raise InvalidParameter("keep is for disjoin.read: read the table with it, and hand over what it returns.")
    if isinstance(data, Transactions):
        return data
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return from_lists(in_pieces(data), options, UnreadableInput, format="memory")
    stream = stream_of(data)
    if isinstance(stream, pa.ChunkedArray):
        return transactions_of(stream, options)
    if stream is not None:
        stream = without_index(stream)
        columns, batches = ArrowColumns.of(stream.schema, options), _Kept(stream)
        columns = columns.judged(batches, stream.schema, options)
        return from_batches(batches.again(), columns, options, UnreadableInput, format="memory")
    if hasattr(data, "tocsr"):
        raise InvalidParameter(
            "a sparse matrix has no names of terms: say disjoin.read_one_hot(matrix, terms=[...]) with one for each."
        )
    if hasattr(data, "columns"):
        data = _collections_of(data, options.field)
    elif options.is_long or options.field is not None:
        raise InvalidParameter("id_column, term_column and field name columns of a table, and this is not a table.")
    return _from_collections(data, options)


class _Kept:
    """Batches of a stream that can be read only once, of which the first are looked at before."""

    def __init__(self, stream: Iterable[pa.RecordBatch]) -> None:
        self._rest, self._seen = iter(stream), list[pa.RecordBatch]()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._rest:
            self._seen.append(batch)
            yield batch

    def again(self) -> Iterator[pa.RecordBatch]:
        """Yield all batches from the beginning."""
        yield from self._seen
        self._seen.clear()
        yield from self._rest


def _from_collections(data: Any, options: Options) -> Transactions:
    """Return the records of Python collections; None and NaN are blanks where these are taken."""
    records: Iterable[Iterable[Any]] = _records(data)
    if options.takes_blanks:
        records = ([_NAMED_BLANK if _is_nothing(term) else term for term in record] for record in records)
    found = Transactions.from_sets(records, keep_order=True)
    assert found.written is not None, "the order was asked for"
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
        return None  # pandas may hold sets, or mixed types, that Arrow has no column for


def without_index(stream: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Drop the row labels that pandas hands over as if they were data."""
    kept = [name for name in stream.schema.names if not re.fullmatch(r"__index_level_\d+__", name)]
    if len(kept) == len(stream.schema.names):
        return stream
    schema = pa.schema([stream.schema.field(name) for name in kept])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(kept) for batch in stream))


def _collections_of(frame: Any, field: str | None) -> Any:
    """Return the one column of a pandas frame that holds Python collections."""
    names = [
        name for name in frame.columns if len(frame) and isinstance(frame[name].iloc[0], (set, frozenset, list, tuple))
    ]
    if field is not None and field in names:
        return frame[field]
    if len(names) != 1 or field is not None:
        raise InvalidParameter(
            "expected a table that Arrow can hold: a list column, or a record id and a term column of one type each. "
            f"The columns are: {listed(frame.columns)}. Convert the terms to strings."
        )
    return frame[names[0]]


def _records(data: Any) -> Iterator[Iterable[str | int]]:
    """Yield the records, each known to be a collection; a string would silently become its letters."""
    if isinstance(data, (str, PurePath)):
        name = quoted(data)
        raise InvalidParameter(
            f"expected a collection of records, found the text {name}. For a file: disjoin.read({name})"
        )
    if isinstance(data, (bytes, Mapping)) or not isinstance(data, Iterable):
        raise InvalidParameter(
            f"expected a collection of records, found {kind_of(data)}. Give a list of sets, or a table."
        )
    for number, record in enumerate(data):
        if isinstance(record, (str, bytes, Mapping)) or not isinstance(record, Iterable):
            raise InvalidParameter(
                f"record {number:,}: expected a collection of terms, found {kind_of(record)}. "
                "Give one set or list a record."
            )
        yield record
