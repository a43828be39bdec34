"""The files of a release folder: how each is laid down, what the descriptor says of it, and what was found there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.files.release_columns import CODED, ColumnSchema, TableColumns, TableSchema, read_columns
from disjoin.model.published import Published
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of, ranks_of, used_by

ROWS_IN_A_GROUP = 1 << 20
LARGEST_DICTIONARY = 1 << 30  # bytes; above its limit Parquet gives up the sorted dictionary page
ROWS_IN_A_PART = 1 << 24  # a table with more of them is in parts; the format says it, and nobody can choose
IN_PARTS = ("clusters", "subrecords")  # the tables that can be, and the folders that these then are
HIERARCHIES = "hierarchies"  # the one other folder that a release may have in it
_PART = re.compile(r"part-[0-9]{5}\.parquet")
_KINDS = {"int64": "integer", "int32": "integer", "terms": "array", "term": "string"}


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a release: `write` lays it down, `facts` are what a resource states besides path, size and hash.

    If it is a part of a table, `whole` is what the resource states of the table.
    """

    write: Callable[[Path], None]
    facts: Mapping[str, Any]
    whole: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TablesRead:
    """What was read from a folder; `files` are the paths that belong to such a release, there or not."""

    published: Published
    rows: Mapping[str, int]  # by path, where they were counted
    files: frozenset[str]
    in_parts: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the paths of a table, if it is in parts


def files_in(folder: Path) -> dict[str, Path]:
    """Return everything in a folder by its path inside, with slashes, in order.

    The folders of hierarchies and of tables in parts stand for what is in them; an empty one, any other folder and a
    link stand for themselves.
    """
    found: dict[str, Path] = {}
    for entry in folder.iterdir():
        inside = list(entry.iterdir()) if entry.name in (HIERARCHIES, *IN_PARTS) and is_folder(entry) else []
        found |= {f"{entry.name}/{part.name}": part for part in inside} or {entry.name: entry}
    return dict(sorted(found.items()))


def table_at(path: str) -> str:
    """Return the table that a path is a part of; the path itself if it is none.

    >>> table_at("subrecords/part-00012.parquet"), table_at("subrecords/notes.parquet")
    ('subrecords.parquet', 'subrecords/notes.parquet')
    """
    folder, _, name = path.partition("/")
    return f"{folder}.parquet" if folder in IN_PARTS and _PART.fullmatch(name) else path


def paths_of(folder: Path, table: str) -> list[str]:
    """Return where a table lies: in one file, or in the parts in a folder of its name, in their order.

    As many parts are named as there are; that one of them is missing in between is for the reader to find.
    """
    name = table.removesuffix(".parquet")
    if name not in IN_PARTS or os.path.lexists(folder / table) or not is_folder(folder / name):
        return [table]
    number = sum(_PART.fullmatch(entry.name) is not None for entry in (folder / name).iterdir())
    return [part_path(table, each) for each in range(number)] or [table]


def part_path(table: str, number: int) -> str:
    """Return where a part of a table lies."""
    return f"{table.removesuffix('.parquet')}/part-{number:05}.parquet"


def is_folder(entry: Path) -> bool:
    """Tell whether it is a folder, and no link to one."""
    return entry.is_dir() and not entry.is_symlink()


def parts_of(tables: Mapping[str, pa.Table], layouts: Mapping[str, TableSchema]) -> dict[str, Part]:
    """Return the tables of a release as parts of it, by file name."""
    return {
        name: Part(partial(write_table, table), parquet_facts(name, layouts[name], table.num_rows))
        for name, table in tables.items()
    }


def part_ends(rows: Ints64) -> list[int]:
    """Return after how many trees each part of a table ends, given the rows after which trees end; none: one file.

    A part ends with the tree that fills it. So the content decides, and not whoever writes it.
    """
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
    """Return a table as one part of a release or as several, by path; `rows` are those after which trees end.

    `groups_of` makes it of trees, from and to, that many rows at a time: when they are written, so that there is one
    group at a time.
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
    """Read tables whose columns are known beforehand, and gather what they publish."""
    from disjoin.files.tables_in_parts import read_parts  # few releases have any

    paths = {name: paths_of(folder, name) for name in layouts}
    tables = {
        name: read_parts(folder, paths[name], layout, memory_limit)
        if paths[name] != [name]
        else read_columns(folder / name, layout, memory_limit=memory_limit)
        for name, layout in layouts.items()
    }
    rows: dict[str, int] = {}
    for name, table in tables.items():
        rows |= zip(paths[name], table.parts or (table.rows,), strict=True)
    in_parts = {name: paths[name] for name, table in tables.items() if table.parts}
    return TablesRead(gather(tables), rows, frozenset(rows), in_parts)


def parquet_facts(name: str, layout: TableSchema, rows: int) -> dict[str, Any]:
    """Return what a resource states of a Parquet file."""
    return {
        "name": name.removesuffix(".parquet"),
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "description": layout.meaning,
        "rows": rows,
        "schema": schema_facts(layout),
    }


def schema_facts(layout: TableSchema) -> dict[str, Any]:
    """Return the columns and keys of a table as Frictionless Table Schema has them; keys are lists, as its v2 asks."""
    schema: dict[str, Any] = {"fields": [_field(column) for column in layout.columns]}
    if layout.primary_key:
        schema["primaryKey"] = list(layout.primary_key)
    if layout.foreign_keys:
        schema["foreignKeys"] = [
            {"fields": [column], "reference": {"resource": table, "fields": [target]}}
            for column, (table, target) in layout.foreign_keys.items()
        ]
    return schema


def _field(column: ColumnSchema) -> dict[str, Any]:
    constraints = {} if column.optional else {"constraints": {"required": True}}
    return {"name": column.name, "type": _KINDS[column.type], "description": column.meaning} | constraints


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
    """Return the first position of each wanted value, and whether it is there."""
    if not ascending.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    positions = np.minimum(np.searchsorted(ascending, wanted), ascending.size - 1)
    return positions, (ascending[positions] == wanted) & (wanted >= 0)


def take_lists(columns: TableColumns, rows: Ints64) -> Ragged:
    """Return the codes of these rows, in this order; without copying, if these are all."""
    return columns.lists if np.array_equal(rows, np.arange(columns.rows)) else columns.lists.take(rows)


def filled(layout: TableSchema, *arrays: pa.Array) -> pa.Table:
    """Return the table with these columns."""
    fields = [pa.field(c.name, a.type, nullable=c.optional) for c, a in zip(layout.columns, arrays, strict=True)]
    return pa.Table.from_arrays(list(arrays), schema=pa.schema(fields))


@dataclass(frozen=True, slots=True)
class Coding:
    """The dictionary of a column of terms: the terms of the column and no others, and the number of each."""

    names: pa.StringArray
    numbers: Ints32 | None  # None: terms keep their numbers

    @classmethod
    def of(cls, vocabulary: pa.StringArray, items: Ints32) -> Coding:
        """Return the dictionary for all items of a column."""
        used = used_by(len(vocabulary), items)
        return cls(vocabulary, None) if used.all() else cls(vocabulary.filter(pa.array(used)), ranks_of(used))

    def words(self, items: Ints32) -> pa.DictionaryArray:
        """Return items as dictionary-coded strings."""
        coded = items if self.numbers is None else self.numbers[items]
        return pa.DictionaryArray.from_arrays(pa.array(coded, pa.int32()), self.names)

    def lists(self, rows: Ragged) -> pa.LargeListArray:
        """Return items as lists of dictionary-coded strings."""
        coded = self.words(rows.items)
        element = pa.field("element", coded.type, nullable=False)
        return pa.LargeListArray.from_arrays(pa.array(rows.offsets), coded, type=pa.large_list(element))


def words(vocabulary: pa.StringArray, items: Ints32) -> pa.DictionaryArray:
    """Return all items of a column as dictionary-coded strings."""
    return Coding.of(vocabulary, items).words(items)


def lists(vocabulary: pa.StringArray, rows: Ragged) -> pa.LargeListArray:
    """Return all items of a column as lists of dictionary-coded strings."""
    return Coding.of(vocabulary, rows.items).lists(rows)


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table that is there as a whole."""
    write_groups(iter((table,)), path)


def write_groups(groups: Iterator[pa.Table], path: Path) -> None:
    """Write the groups of rows of a table with fixed settings: the bytes are a function of the rows alone."""
    import pyarrow.parquet as pq

    first = next(groups)
    names = first.column_names
    numbers = [name for name in names if name not in CODED]
    with pq.ParquetWriter(
        path,
        first.schema,
        store_schema=False,  # a reader sees plain strings and lists of them, and no dictionary of ours
        compression="zstd",
        use_dictionary=[value for name, value in CODED.items() if name in names],
        dictionary_pagesize_limit=LARGEST_DICTIONARY,
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_statistics=[names[0]],  # enough to find a cluster or a group without reading all
        write_batch_size=1 << 16,  # a quarter less time than with the default
    ) as writer:
        writer.write_table(first, ROWS_IN_A_GROUP)
        del first
        for group in groups:
            writer.write_table(group, ROWS_IN_A_GROUP)
