"""The files of a release folder: how each is laid down, what the descriptor says of it, and what was found there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from disjoin.files.release_columns import Columns, read_columns
from disjoin.files.release_tables import Column, Layout, write_table
from disjoin.model.published import Published

HIERARCHIES = "hierarchies"  # the one folder that a release may have in it
_KINDS = {"int64": "integer", "int32": "integer", "terms": "array", "term": "string"}


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a release: `write` lays it down, `facts` are what a resource states besides path, size and hash."""

    write: Callable[[Path], None]
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a folder; `files` are the paths that belong to such a release, there or not."""

    published: Published
    rows: Mapping[str, int]  # by path, where they were counted
    files: frozenset[str]


def files_in(folder: Path) -> dict[str, Path]:
    """Return everything in a folder by its path inside, with slashes, in order.

    The folder of hierarchies stands for what is in it; an empty one, any other folder and a link stand for themselves.
    """
    found: dict[str, Path] = {}
    for entry in folder.iterdir():
        inside = list(entry.iterdir()) if entry.name == HIERARCHIES and _is_folder(entry) else []
        found |= {f"{HIERARCHIES}/{part.name}": part for part in inside} or {entry.name: entry}
    return dict(sorted(found.items()))


def _is_folder(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink()


def parts_of(tables: Mapping[str, pa.Table], layouts: Mapping[str, Layout]) -> dict[str, Part]:
    """Return the tables of a release as parts of it, by file name."""
    return {
        name: Part(partial(write_table, table), parquet_facts(name, layouts[name], table.num_rows))
        for name, table in tables.items()
    }


def read_tables(
    folder: Path,
    layouts: Mapping[str, Layout],
    gather: Callable[[Mapping[str, Columns]], Published],
    memory_limit: int,
) -> Reading:
    """Read tables whose columns are known beforehand, and gather what they publish."""
    tables = {name: read_columns(folder / name, layout, memory_limit=memory_limit) for name, layout in layouts.items()}
    return Reading(gather(tables), {name: table.rows for name, table in tables.items()}, frozenset(layouts))


def parquet_facts(name: str, layout: Layout, rows: int) -> dict[str, Any]:
    """Return what a resource states of a Parquet file."""
    return {
        "name": name.removesuffix(".parquet"),
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "description": layout.meaning,
        "rows": rows,
        "schema": schema_facts(layout),
    }


def schema_facts(layout: Layout) -> dict[str, Any]:
    """Return the columns and keys of a table as Frictionless Table Schema has them."""
    schema: dict[str, Any] = {"fields": [_field(column) for column in layout.columns]}
    if layout.primary_key:
        one, *more = layout.primary_key
        schema["primaryKey"] = [one, *more] if more else one
    if layout.foreign_keys:
        schema["foreignKeys"] = [
            {"fields": column, "reference": {"resource": table, "fields": target}}
            for column, (table, target) in layout.foreign_keys.items()
        ]
    return schema


def _field(column: Column) -> dict[str, Any]:
    constraints = {} if column.optional else {"constraints": {"required": True}}
    return {"name": column.name, "type": _KINDS[column.type], "description": column.meaning} | constraints
