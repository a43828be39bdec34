"""What a careful forger does to a release folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import disjoin
from disjoin.errors import NotAnonymous
from disjoin.parquet.tables import write_table
from disjoin.release.descriptor import fingerprint
from disjoin.release.reader import read_release
from disjoin.release.rewrite_check import FolderComparison, compare_with_rewrite

Rows = list[dict[str, Any]]
WIDE = ("cluster", "parent", "group", "size", "count")
TYPES = dict.fromkeys(WIDE, pa.int64()) | {
    "chunk": pa.int32(),
    "terms": pa.list_(pa.string()),
    "term": pa.string(),
}


def edit(folder, change):
    """Change the descriptor."""
    package = json.loads((folder / "datapackage.json").read_text())
    change(package)
    (folder / "datapackage.json").write_text(json.dumps(package, indent=2, sort_keys=True) + "\n")


def compared(folder: Path) -> FolderComparison:
    """Return in what a folder differs from what its own tables make."""
    contents = read_release(folder)
    try:
        release = disjoin.load(folder)
    except NotAnonymous:
        release = None
    return compare_with_rewrite(contents, release)


def anomalies(folder: Path) -> list[tuple[str, str]]:
    """Return the invariants that the reader finds broken, and where."""
    return [(found.invariant, found.place) for found in read_release(folder).published.anomalies]


def named(rows: Rows) -> Rows:
    """Add a column that no table has."""
    return [row | {"patient": "who"} for row in rows]


def rehash(folder, name):
    """Put the true size and hash of a file into the descriptor."""

    def say(package):
        for resource in package["resources"]:
            if resource["path"] == name:
                resource |= fingerprint(folder / name)

    edit(folder, say)


def alter(folder, name, column, row, value):
    """Change one number of a table, and the hash with it; everything else of the file stays as it was."""
    file = folder / name
    table = pq.read_table(file)
    values = table[column].to_pylist()
    assert values[row] != value, "nothing would be altered"
    values[row] = value
    place = table.column_names.index(column)
    field = table.schema.field(column)
    altered = table.set_column(place, field, pa.array(values, field.type))
    write_table(altered, file)
    rehash(folder, name)


def change(folder: Path, name: str, edit_rows: Callable[[Rows], Rows], **types: pa.DataType) -> None:
    """Edit the rows of a table and bring the descriptor's hashes up to date, as a careful forger would."""
    rows = edit_rows(pq.read_table(folder / name).to_pylist())
    kinds = TYPES | types
    names = list(rows[0]) if rows else pq.read_schema(folder / name).names
    table = pa.Table.from_pylist(rows, schema=pa.schema([(n, kinds[n]) for n in names]))
    pq.write_table(table, folder / name, store_schema=False)
    adopt(folder, name, len(rows))


def adopt(folder: Path, name: str, rows: int) -> None:
    """Put the true size, hash and number of rows of a table into the descriptor."""

    def say(package):
        for resource in package["resources"]:
            if resource["path"] == name:
                resource |= fingerprint(folder / name) | {"rows": rows}

    edit(folder, say)


def with_row(number: int, **values: Any) -> Callable[[Rows], Rows]:
    """Change one row."""
    return lambda rows: [row | values if i == number else row for i, row in enumerate(rows)]


def reverse(rows: Rows) -> Rows:
    """Turn the order of the rows round."""
    return rows[::-1]
