"""How a table of a release is described, and how it is laid into a Parquet file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from disjoin.model.ragged import Ints32, Ragged, ranks_of, used_by

ROWS_IN_A_GROUP = 1 << 20
LARGEST_DICTIONARY = 1 << 30  # bytes; above its limit Parquet gives up the sorted dictionary page
CODED = {"terms": "terms.list.element", "term": "term"}  # columns of text, and what Parquet calls their values


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column as the receiver sees it; `type` is one of int64, int32, terms (a list of strings), term (one string).

    A column of text has the name of its type. `names_part` is for numbers that name a cluster or a group.
    """

    name: str
    type: str
    meaning: str
    optional: bool = False
    names_part: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it holds terms and not numbers."""
        return self.type in CODED


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table as the receiver sees it; rows are found by its first column."""

    meaning: str
    columns: tuple[ColumnSchema, ...]
    broken: str  # the invariant that says the table is well formed
    primary_key: tuple[str, ...] = ()
    foreign_keys: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # column -> (table or "", its column)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def text(self) -> ColumnSchema | None:
        """The column of terms, if there is one; there are never two."""
        return next((column for column in self.columns if column.is_text), None)


def filled(layout: TableSchema, *arrays: pa.Array) -> pa.Table:
    """Return the table with these columns."""
    fields = [pa.field(c.name, a.type, nullable=c.optional) for c, a in zip(layout.columns, arrays, strict=True)]
    return pa.Table.from_arrays(list(arrays), schema=pa.schema(fields))


def words(vocabulary: pa.StringArray, items: Ints32) -> pa.DictionaryArray:
    """Return items as dictionary-coded strings; the dictionary has the terms of this column and no others."""
    used = used_by(len(vocabulary), items)
    if not used.all():
        items = ranks_of(used)[items]
        vocabulary = vocabulary.filter(pa.array(used))
    return pa.DictionaryArray.from_arrays(pa.array(items, pa.int32()), vocabulary)


def lists(vocabulary: pa.StringArray, rows: Ragged) -> pa.LargeListArray:
    """Return items as lists of dictionary-coded strings."""
    coded = words(vocabulary, rows.items)
    element = pa.field("element", coded.type, nullable=False)
    return pa.LargeListArray.from_arrays(pa.array(rows.offsets), coded, type=pa.large_list(element))


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table with fixed settings: the bytes are a function of the rows alone."""
    import pyarrow.parquet as pq

    numbers = [name for name in table.column_names if name not in CODED]
    pq.write_table(
        table,
        path,
        store_schema=False,  # a reader sees plain strings and lists of them, and no dictionary of ours
        compression="zstd",
        use_dictionary=[value for name, value in CODED.items() if name in table.column_names],
        dictionary_pagesize_limit=LARGEST_DICTIONARY,
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_statistics=[table.column_names[0]],  # enough to find a cluster or a group without reading all
        row_group_size=ROWS_IN_A_GROUP,
        write_batch_size=1 << 16,  # a quarter less time than with the default
    )
