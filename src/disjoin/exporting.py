"""The tables of a release for programs that know no lists: in a database, or as CSV files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter, OutputExists, require_kind
from disjoin.escaping import legible
from disjoin.files.databases import write_tables
from disjoin.files.release_parts import paths_of
from disjoin.forms.registry import FORMS
from disjoin.model import Release, Table
from disjoin.pipeline import load
from disjoin.releases.folder import as_destination, whole_or_nothing

if TYPE_CHECKING:
    import pyarrow as pa


def export(
    release: str | Path,
    *,
    database: str | None = None,
    csv: str | Path | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> dict[str, int]:
    """Copy the tables of a release into a database, or into a folder of CSV files; return the rows of each.

    release: the folder; it is inspected, and what does not hold is not copied (`NotAnonymous`).
    database: postgresql://..., sqlite:FILE, duckdb:FILE, or env:NAME for an environment variable that holds one.
    csv: a folder that is not there yet.
    prefix: what the names of the tables begin with.
    overwrite: replace tables of a database that have these names.

    A list column becomes a table of its own: `subrecords` has an `id`, and `subrecords_terms` the terms of each id. In
    `terms`, if the release has terms, every one has bounds and an estimate of the records that have it.
    """
    if (database is None) == (csv is None):
        raise InvalidParameter("say where the tables go: into a database (database, --db), or a folder (csv, --csv).")
    require_kind(prefix, str, "a prefix that is a text")
    tables = {f"{prefix}{name}": table for name, table in flat_tables(release).items()}
    if database is not None:
        write_tables(database, tables, overwrite=overwrite)
    else:
        _write_csv(as_destination(csv), tables)
    return {name: table.num_rows for name, table in tables.items()}


def flat_tables(folder: str | Path) -> dict[str, pa.Table]:
    """Return the tables of a release that holds, without lists."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    release = load(folder)
    form = FORMS[release.published.form]
    found: dict[str, pa.Table] = {"terms": _terms(release)} if form.original is not Table else {}
    for name in form.tables:
        if name.endswith(".parquet"):
            parts = [pq.read_table(Path(folder) / path) for path in paths_of(Path(folder), name)]
            found |= _flat(Path(name).stem, pa.concat_tables(parts))
    return found


def _terms(release: Release) -> pa.Table:
    """Return every term with bounds and an estimate of the records that have it."""
    import pyarrow.compute as pc

    found = release.terms()
    terms = pc.list_element(found["itemset"], 0)
    return found.drop_columns(["itemset"]).add_column(0, "term", terms)


def _flat(name: str, table: pa.Table) -> dict[str, pa.Table]:
    """Return a table, and the elements of its list column as another one that names the row of each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = [column for column in table.column_names if pa.types.is_list(table.schema.field(column).type)]
    if not lists:
        return {name: table}
    (column,) = lists  # no form has more of them in a table
    numbers = pa.array(range(table.num_rows), pa.int64())
    terms = table[column].combine_chunks()
    elements = pa.table({"id": numbers.take(pc.list_parent_indices(terms)), "term": pc.list_flatten(terms)})
    return {name: table.drop_columns([column]).add_column(0, "id", numbers), f"{name}_{column}": elements}


def _write_csv(folder: Path, tables: Mapping[str, pa.Table]) -> None:
    from pyarrow import csv

    if folder.exists():
        raise OutputExists(f"{legible(folder)} already exists. Choose another place.", folder)
    with whole_or_nothing(folder, what="The CSV files") as place:
        for name, table in tables.items():
            csv.write_csv(table, place / f"{name}.csv", csv.WriteOptions(quoting_style="needed"))
