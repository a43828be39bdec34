"""Tables of a release: layout, descriptor entries, reading in parts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from disjoin.model.published import Published
from disjoin.model.ragged import Bag, Flags, Ints32, Ints64, Ragged, offsets_of, ranks_of, used_by
from disjoin.model.table import Table
from disjoin.parquet.columns import CODED, ColumnSchema, TableColumns, TableReader, TableSchema

ROWS_IN_A_GROUP = 1 << 20
LARGEST_DICTIONARY = 1 << 30  # bytes; above the limit Parquet does not write a sorted dictionary page
ROWS_IN_A_PART = 1 << 24  # a table with more rows is in parts; a constant of the format
IN_PARTS = ("clusters", "subrecords")  # tables that can be in parts, which are then folders
HIERARCHIES = "hierarchies"  # the only other folder that a release may have
_PART = re.compile(r"part-[0-9]{5}\.parquet")
_KINDS = {"int64": "integer", "int32": "integer", "terms": "array", "term": "string"}


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a release: its bytes and facts; `whole`: facts of the table, if the file is a part of one."""

    write: Callable[[Path], None]
    facts: Mapping[str, Any]
    whole: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TablesRead:
    """The contents of a folder; `files` are the paths that belong to such a release, present or not."""

    published: Published
    rows: Mapping[str, int]  # by path, if counted
    files: frozenset[str]


def files_in(folder: Path) -> dict[str, Path]:
    """Return by path, in order, all files, including folders of hierarchies and parts, other folders and links."""
    found: dict[str, Path] = {}
    for entry in folder.iterdir():
        inside = list(entry.iterdir()) if entry.name in (HIERARCHIES, *IN_PARTS) and is_folder(entry) else []
        found |= {f"{entry.name}/{part.name}": part for part in inside} or {entry.name: entry}
    return dict(sorted(found.items()))


def table_at(path: str) -> str:
    """Return the table that a path is a part of; otherwise the path itself.

    >>> table_at("subrecords/part-00012.parquet"), table_at("subrecords/notes.parquet")
    ('subrecords.parquet', 'subrecords/notes.parquet')
    """
    folder, _, name = path.partition("/")
    return f"{folder}.parquet" if folder in IN_PARTS and _PART.fullmatch(name) else path


def in_parts(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the tables that are in parts, each with its paths.

    >>> in_parts(["clusters.parquet", "subrecords/part-00000.parquet"])
    {'subrecords.parquet': ['subrecords/part-00000.parquet']}
    """
    found: dict[str, list[str]] = {}
    for path in paths:
        if table_at(path) != path:
            found.setdefault(table_at(path), []).append(path)
    return found


def paths_of(folder: Path, table: str) -> list[str]:
    """Return the paths of a table: one file, or the parts in a folder of its name, in order; the reader finds gaps."""
    name = table.removesuffix(".parquet")
    if name not in IN_PARTS or os.path.lexists(folder / table) or not is_folder(folder / name):
        return [table]
    number = sum(_PART.fullmatch(entry.name) is not None for entry in (folder / name).iterdir())
    return [part_path(table, each) for each in range(number)] or [table]


def part_path(table: str, number: int) -> str:
    return f"{table.removesuffix('.parquet')}/part-{number:05}.parquet"


def is_folder(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink()


def parts_of(tables: Mapping[str, pa.Table], layouts: Mapping[str, TableSchema]) -> dict[str, Part]:
    return {
        name: Part(partial(write_table, table), parquet_facts(name, layouts[name], table.num_rows))
        for name, table in tables.items()
    }


def part_ends(rows: Ints64) -> list[int]:
    """Return after how many trees each part of a table ends, from the content alone; none: one file."""
    ends: list[int] = []
    done, last = 0, int(rows[-1])
    while last > ROWS_IN_A_PART and done < last:
        tree = min(int(np.searchsorted(rows, done + ROWS_IN_A_PART)), rows.size - 1)
        ends.append(tree + 1)
        done = int(rows[tree])
    return [*ends[:-1], rows.size] if ends else []


def as_laid_down(text: str, rows: Mapping[str, int]) -> str:
    """Return a text about tables of that many rows with the names of those that are in parts.

    >>> as_laid_down("read('release/subrecords.parquet')", {"subrecords.parquet": 5})
    "read('release/subrecords.parquet')"
    """
    for table in (name for name, number in rows.items() if number > ROWS_IN_A_PART):
        folder = table.removesuffix(".parquet")
        text = text.replace(f'"release/{table}"', f'"release/{folder}"').replace(table, f"{folder}/*.parquet")
    return text


def parts_by_trees(
    name: str, layout: TableSchema, rows: Ints64, groups_of: Callable[[int, int, int], Iterator[pa.Table]]
) -> dict[str, Part]:
    """Return a table as one part of a release or several, by path; `rows` are those after which trees end.

    While writing, `groups_of` creates the rows of a range of trees, group by group, so one group is in memory.
    """

    def write(first: int, last: int, path: Path) -> None:
        write_groups(groups_of(first, last, ROWS_IN_A_GROUP), path)

    facts, ends = parquet_facts(name, layout, int(rows[-1])), part_ends(rows)
    if not ends:
        return {name: Part(partial(write, 0, rows.size), facts)}
    sizes = np.diff(rows[np.array(ends) - 1], prepend=0).tolist()
    return {
        part_path(name, number): Part(partial(write, first, last), {"rows": size}, facts)
        for number, (first, last, size) in enumerate(zip([0, *ends], ends, sizes, strict=False))
    }


def read_tables(
    folder: Path,
    layouts: Mapping[str, TableSchema],
    gather: Callable[[Mapping[str, TableColumns]], Published],
    memory_limit: int,
) -> TablesRead:
    readers = {name: TableReader(folder, paths_of(folder, name), at, memory_limit) for name, at in layouts.items()}
    published = gather({name: reader.whole() for name, reader in readers.items()})
    rows = {path: number for reader in readers.values() for path, number in reader.rows.items()}
    return TablesRead(published, rows, frozenset(rows))


def parquet_facts(name: str, layout: TableSchema, rows: int) -> dict[str, Any]:
    return {
        "name": name.removesuffix(".parquet"),
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "description": layout.meaning,
        "rows": rows,
        "schema": schema_facts(layout),
    }


def schema_facts(layout: TableSchema) -> dict[str, Any]:
    """Return the columns and keys of a table as in Frictionless Table Schema v2, where keys are lists."""
    fields = [
        {"name": column.name, "type": _KINDS[column.type], "description": column.meaning}
        | ({} if column.optional else {"constraints": {"required": True}})
        for column in layout.columns
    ]
    schema: dict[str, Any] = {"fields": fields}
    if layout.primary_key:
        schema["primaryKey"] = list(layout.primary_key)
    if layout.foreign_keys:
        schema["foreignKeys"] = [
            {"fields": [column], "reference": {"resource": table, "fields": [target]}}
            for column, (table, target) in layout.foreign_keys.items()
        ]
    return schema


def vocabulary_of(*tables: TableColumns) -> tuple[pa.StringArray, list[Ints32]]:
    """Return the terms that rows have, in code-point order, and for each table the rank of every word of it."""
    words = pa.concat_arrays([table.words for table in tables])
    used = np.zeros(len(words), dtype=np.bool_)
    bounds = offsets_of([len(table.words) for table in tables])
    for table, first in zip(tables, bounds[:-1], strict=True):
        used[first:][table.codes] = True
    shown = words.filter(pa.array(used)).unique()
    vocabulary = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = pc.fill_null(pc.index_in(words, value_set=vocabulary), -1).to_numpy().astype(np.int32, copy=False)
    return vocabulary, [ranks[first:last] for first, last in pairwise(bounds)]


def find(ascending: Ints64, wanted: Ints64) -> tuple[Ints64, Flags]:
    if not ascending.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    positions = np.minimum(np.searchsorted(ascending, wanted), ascending.size - 1)
    return positions, (ascending[positions] == wanted) & (wanted >= 0)


def take_lists(columns: TableColumns, rows: Ints64) -> Ragged:
    """Return the codes of these rows, in this order; without copying, if these are all rows."""
    return columns.lists if np.array_equal(rows, np.arange(columns.rows)) else columns.lists.take(rows)


def filled(layout: TableSchema, *arrays: pa.Array) -> pa.Table:
    fields = [pa.field(c.name, a.type, nullable=c.optional) for c, a in zip(layout.columns, arrays, strict=True)]
    return pa.Table.from_arrays(list(arrays), schema=pa.schema(fields))


@dataclass(frozen=True, slots=True)
class Coding:
    """The dictionary of a column of terms: exactly the terms of the column, and the number of each."""

    names: pa.StringArray
    numbers: Ints32 | None  # None: terms keep their numbers

    @classmethod
    def of(cls, vocabulary: pa.StringArray, items: Ints32) -> Coding:
        used = used_by(len(vocabulary), items)
        return cls(vocabulary, None) if used.all() else cls(vocabulary.filter(pa.array(used)), ranks_of(used))

    def words(self, items: Ints32) -> pa.DictionaryArray:
        coded = items if self.numbers is None else self.numbers[items]
        return pa.DictionaryArray.from_arrays(pa.array(coded, pa.int32()), self.names)

    def lists(self, rows: Ragged) -> pa.LargeListArray:
        coded = self.words(rows.items)
        element = pa.field("element", coded.type, nullable=False)
        return pa.LargeListArray.from_arrays(pa.array(rows.offsets), coded, type=pa.large_list(element))


def words(vocabulary: pa.StringArray, items: Ints32) -> pa.DictionaryArray:
    return Coding.of(vocabulary, items).words(items)


def lists(vocabulary: pa.StringArray, rows: Ragged) -> pa.LargeListArray:
    return Coding.of(vocabulary, rows.items).lists(rows)


def write_table(table: pa.Table, path: Path) -> None:
    write_groups(iter((table,)), path)


_FIXED: dict[str, Any] = {
    "store_schema": False,  # readers see plain strings and lists of them, without our dictionary
    "compression": "zstd",
    "dictionary_pagesize_limit": LARGEST_DICTIONARY,
    "write_batch_size": 1 << 16,  # takes a quarter less time than the default
}


def write_groups(groups: Iterator[pa.Table], path: Path) -> None:
    """Write the groups of rows of a table with fixed settings, so that the bytes depend on the rows only."""
    first = next(groups)
    names = first.column_names
    numbers = [name for name in names if name not in CODED]
    with pq.ParquetWriter(
        path,
        first.schema,
        use_dictionary=[value for name, value in CODED.items() if name in names],
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_statistics=[names[0]],  # enough to find a cluster or a group without reading everything
        **_FIXED,
    ) as writer:
        writer.write_table(first, ROWS_IN_A_GROUP)
        del first
        for group in groups:
            writer.write_table(group, ROWS_IN_A_GROUP)


def write_strings(table: Table, path: Path) -> None:
    """Write the columns as strings with fixed settings, so that the bytes depend on the rows only."""
    columns = [words(values, codes) for values, codes in zip(table.values, table.codes, strict=True)]
    fields = [pa.field(n, column.type, nullable=False) for n, column in zip(table.schema.names, columns, strict=True)]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    pq.write_table(table, path, use_dictionary=True, write_statistics=False, row_group_size=ROWS_IN_A_GROUP, **_FIXED)


RECORDS = "records.parquet"


def records_layout(meaning: str, terms: str, count: str, *, broken: str) -> TableSchema:
    return TableSchema(
        meaning, (ColumnSchema("terms", "terms", terms), ColumnSchema("count", "int64", count)), broken=broken
    )


def records_table(records: Bag, layout: TableSchema) -> pa.Table:
    assert records.sets.used(len(records.vocabulary)).all(), "the vocabulary of a release has published terms only"
    terms = lists(records.vocabulary, records.sets)
    return filled(layout, terms, pa.array(records.counts))


def records_of(table: TableColumns) -> Bag:
    """Return the rows unchanged: the verifier checks that they are in order and distinct."""
    vocabulary, [ranks] = vocabulary_of(table)
    return Bag(vocabulary, table.offsets, ranks[table.codes], table.numbers["count"])
