"""Tables for experiments: files with a folder of hierarchies, or a make-believe census that brings its own."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter
from disjoin.experiments.sources import SEED, Source, file_identity, plain_name, require_file

if TYPE_CHECKING:
    from disjoin.model import Hierarchy, Table

# The quasi-identifiers that are taken of Adult, in this order; of other tables, those that have a hierarchy.
OF_ADULT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex")
ROWS_OF_ADULT = 30_162  # those without a missing value


def table_sources(paths: Iterable[str | Path], hierarchies: str | Path | None, quick: bool) -> list[Source]:
    """Return tables as sources, a make-believe census if no file is named.

    Tables are read here, as what is found depends on the hierarchies of their columns as much as on their rows.
    """
    files = list(map(Path, paths))
    if not files:
        if hierarchies is not None:
            raise InvalidParameter("--hierarchies are those of a table that --data names. Name it, or leave both out.")
        return [census_source(1_000 if quick else 30_000)]
    if hierarchies is None:
        raise InvalidParameter("this experiment takes tables. Name the folder of their hierarchies with --hierarchies.")
    return [_file_source(path, Path(hierarchies)) for path in files]


def census_source(records: int) -> Source:
    """Return a make-believe census as a source."""

    def load() -> Table:
        from disjoin.generate.census import write_census, write_hierarchies

        with tempfile.TemporaryDirectory() as folder:
            write_census(records, SEED, Path(folder) / "census.csv")
            write_hierarchies(trees := Path(folder) / "hierarchies")
            return _read(Path(folder) / "census.csv", trees)

    return Source(f"census {records:,}", {"census": records, "seed": SEED}, load)


def quasi_of(table: Table) -> tuple[str, ...]:
    """Return the columns to generalise, the first of them first."""
    if set(OF_ADULT) <= set(table.hierarchies):
        return OF_ADULT
    return tuple(name for name in table.schema.names if name in table.hierarchies)


def is_adult(table: Table) -> bool:
    """Say whether this is the dataset Adult: by its size and its columns, not by the name of a file."""
    return len(table) == ROWS_OF_ADULT and set(OF_ADULT) <= set(table.schema.names)


def _file_source(path: Path, hierarchies: Path) -> Source:
    require_file(path)
    table = _read(path, hierarchies)
    identity = {**file_identity(path), "hierarchies": {name: digest(tree) for name, tree in table.hierarchies.items()}}
    return Source(plain_name(path), identity, lambda: table)


def _read(path: Path, folder: Path) -> Table:
    from disjoin.files.hierarchies import read_hierarchies
    from disjoin.files.table_reading import read_table

    table = read_table(path)
    return table.with_hierarchies(read_hierarchies(folder, table.schema.names))


def digest(tree: Hierarchy) -> str:
    """Return what tells a hierarchy from others."""
    text = json.dumps([tree.names.to_pylist(), tree.parents.tolist()])
    return hashlib.sha256(text.encode()).hexdigest()
