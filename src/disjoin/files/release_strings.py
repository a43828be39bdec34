"""Tables that several forms have: of nothing but strings, and of sets of strings with how often each is there.

Written with fixed settings, and read from a file that nobody vouches for.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.release_columns import (
    ColumnSchema,
    Oddities,
    TableColumns,
    TableSchema,
    is_text,
    require_memory,
    require_short,
)
from disjoin.files.release_parts import LARGEST_DICTIONARY, ROWS_IN_A_GROUP, filled, lists, vocabulary_of
from disjoin.files.release_parts import words as coded
from disjoin.files.wording import NO_PERMISSION, counted, listed, quoted
from disjoin.model.bag import Bag
from disjoin.model.ragged import Ints32, used_by
from disjoin.model.table import Column, Schema, Table

MISSING = "?"


def write_strings(table: Table, path: Path) -> None:
    """Write the columns as strings with fixed settings: the bytes are a function of the rows alone."""
    import pyarrow.parquet as pq

    columns = [coded(values, codes) for values, codes in zip(table.values, table.codes, strict=True)]
    fields = [pa.field(n, column.type, nullable=False) for n, column in zip(table.schema.names, columns, strict=True)]
    pq.write_table(
        pa.Table.from_arrays(columns, schema=pa.schema(fields)),
        path,
        store_schema=False,  # a reader sees plain strings, and no dictionary of ours
        compression="zstd",
        use_dictionary=True,
        dictionary_pagesize_limit=LARGEST_DICTIONARY,
        write_statistics=False,
        row_group_size=ROWS_IN_A_GROUP,
        write_batch_size=1 << 16,
    )


def read_strings(file: Path, memory_limit: int, odd: Oddities, without: Collection[str] = ()) -> Table:
    """Read the columns of a file, whatever they are called; raise `UnreadableInput` if one is not of strings.

    Columns called as in `without` are somebody else's to read.
    """
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    try:
        columns = _columns(file, memory_limit, odd, without)
        names = columns.column_names
        coded = [_coded(name, columns[name], odd) for name in names]
        schema = Schema(tuple(Column(name) for name in names))
        return Table(schema, tuple(codes for codes, _ in coded), tuple(values for _, values in coded))
    except UnreadableInput as failure:
        raise failure if failure.source else UnreadableInput(str(failure), source=str(file)) from None
    except InvalidParameter as failure:
        raise UnreadableInput(str(failure), source=str(file)) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(file)) from None
    except (pa.ArrowException, OSError, ValueError, LookupError) as failure:  # Arrow raises all of these on damage
        is_about_text = "utf8" in str(failure).lower().replace("-", "")
        found = "holds values that are not UTF-8 text" if is_about_text else "is damaged or cut short"
        raise UnreadableInput(f"the Parquet file {found}. Copy it again.", source=str(file)) from failure


def _columns(file: Path, memory_limit: int, odd: Oddities, without: Collection[str]) -> pa.Table:
    """Return the columns, dictionary-coded, so that a value that no row has is seen; note what else is in the file."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    names = list(schema.names)
    if not names or len(set(names)) < len(names):
        raise UnreadableInput(f"expected columns of different names, found {listed(names)}.", source=str(file))
    names = [name for name in names if name not in without]
    for field in map(schema.field, names):
        if not is_text(field.type):
            message = f"expected column {quoted(field.name)} to be a string, found {field.type}."
            raise UnreadableInput(message, source=str(file))
    require_memory(file, metadata, memory_limit)
    for key in sorted(metadata.metadata or {}):
        odd.note(f"unexpected metadata {quoted(key.decode('utf-8', 'replace'))}")
    try:
        return _whole(file, names, names)
    except pa.ArrowNotImplementedError:  # the file mixes two codings
        odd.note("unexpected way of storing the values")
        return _whole(file, names, [])


def _whole(file: Path, names: list[str], coded: list[str]) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file, read_dictionary=coded) as parquet:
        table = parquet.read(columns=names)
    table.validate(full=True)
    return table


def _coded(name: str, column: pa.ChunkedArray, odd: Oddities) -> tuple[Ints32, pa.StringArray]:
    """Return the codes of a column and its values in order, those that rows have."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.null_count:
        odd.note(f"{counted(column.null_count, 'row has', 'rows have')} no {quoted(name)}")
    for chunk in column.chunks:
        require_short(chunk.dictionary)
    column = column.unify_dictionaries()
    words = column.chunk(0).dictionary.cast(pa.string()) if column.num_chunks else pa.array([], pa.string())
    words = pa.concat_arrays([words, pa.array([MISSING], pa.string())])  # stands for what is absent
    absent = len(words) - 1
    parts = [np.asarray(pc.fill_null(chunk.indices, absent), np.int32) for chunk in column.chunks]
    codes = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    shown = words.filter(pa.array(used_by(len(words), codes))).unique()
    hidden = pc.invert(pc.is_in(words.slice(0, absent), value_set=shown))
    if pc.any(hidden).as_py():
        example = words.slice(0, absent).filter(hidden)[0].as_py()
        odd.note(f"the file holds values of {quoted(name)} that no row has", example)
    values = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = np.asarray(pc.fill_null(pc.index_in(words, value_set=values), 0), np.int32)
    return ranks[codes], values


RECORDS = "records.parquet"


def records_layout(meaning: str, terms: str, count: str, *, broken: str) -> TableSchema:
    """Return the layout of the table: what it is, what its two columns mean, what a breach of its form is called."""
    return TableSchema(
        meaning, (ColumnSchema("terms", "terms", terms), ColumnSchema("count", "int64", count)), broken=broken
    )


def records_table(records: Bag, layout: TableSchema) -> pa.Table:
    """Lay the records out as the table of a release."""
    assert records.sets.used(len(records.vocabulary)).all(), "the vocabulary of a release holds published terms only"
    terms = lists(records.vocabulary, records.sets)
    return filled(layout, terms, pa.array(records.counts))


def records_of(table: TableColumns) -> Bag:
    """Return the rows as they are: a bag can be out of order, or have a row twice, and the inspector looks for it."""
    vocabulary, [ranks] = vocabulary_of(table)
    return Bag(vocabulary, table.offsets, ranks[table.codes], table.numbers["count"])
