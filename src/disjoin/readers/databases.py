"""Databases: query results as a stream of batches, and release tables written to a database.

PostgreSQL and SQLite are read through ADBC, DuckDB through its own library. The address and password of a database are
in no message, log or release; `env:NAME` reads them from an environment variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from disjoin import errors
from disjoin.errors import DisjoinError, InvalidParameter, Remedy, UnreadableInput
from disjoin.text import listed, quoted

if TYPE_CHECKING:
    import pyarrow as pa

_POSTGRESQL = ("postgresql://", "postgres://")
_OF_FILES = ("sqlite:", "duckdb:")
KNOWN = "postgresql://user@host/name, sqlite:file.db, duckdb:file.duckdb, or env:NAME for a variable that holds one"
_NO_VALUE = "the database could not convert or store a value"
_ALREADY = re.compile(r'"[^"]+" already exists')
_IF_TAKEN = (
    Remedy("overwrite", True, "replace it"),
    Remedy("table_prefix", errors.Placeholder("NAME"), "use another prefix for the names of tables"),
)
_IN_DATA = ("DataError", "IntegrityError", "ConversionException", "ConversionError")  # their messages quote values


@dataclass(frozen=True, slots=True)
class Query:
    """The rows of a query, as input of `disjoin.read` and `disjoin.read_table`, like a file.

    >>> Query("env:CLINIC", "select patient, code from diagnoses")
    Query(a database)
    """

    database: str = field(repr=False)
    sql: str = field(repr=False)

    def __post_init__(self) -> None:
        errors.require_kind(self.database, str, "the address of a database", f"Give {KNOWN}.")
        errors.require_kind(self.sql, str, "a query in SQL")
        if not self.sql.strip():
            raise InvalidParameter("expected a query in SQL (select patient, code from diagnoses), found an empty text")

    def __str__(self) -> str:
        return "a database"

    def __repr__(self) -> str:
        return "Query(a database)"

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows in batches; an error of the database is `UnreadableInput`."""
        with _explained(UnreadableInput), _connected(self.database, writing=False) as connection:
            if hasattr(connection, "sql"):  # duckdb
                yield _plain(connection.sql(self.sql).to_arrow_reader())
                return
            with closing(connection.cursor()) as cursor:
                cursor.execute(self.sql)
                yield _plain(cursor.fetch_record_batch())


def write_tables(database: str, tables: Mapping[str, pa.Table], *, overwrite: bool) -> None:
    """Create all tables or none; raise `CannotWrite` if one exists, unless it may be replaced."""
    with _explained(errors.CannotWrite), _connected(database, writing=True) as connection:
        if hasattr(connection, "sql"):  # duckdb
            connection.execute("BEGIN")
            for name, table in tables.items():
                connection.register("disjoin_table", table)
                what = "OR REPLACE TABLE" if overwrite else "TABLE"
                connection.execute(f"CREATE {what} {_identifier(name)} AS SELECT * FROM disjoin_table")
                connection.unregister("disjoin_table")
            connection.execute("COMMIT")
            return
        with closing(connection.cursor()) as cursor:
            for name, table in tables.items():
                if overwrite:
                    cursor.execute(f"DROP TABLE IF EXISTS {_identifier(name)}")
                cursor.adbc_ingest(name, table, mode="create")
        connection.commit()


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(stream: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Return the stream; raise if a column has a type that Arrow lacks, such as numeric of PostgreSQL."""
    import pyarrow as pa  # late: slow to import

    extended = [column for column in stream.schema if isinstance(column.type, pa.BaseExtensionType)]
    odd = [column.name for column in extended if "opaque" in str(column.type)]
    if odd:
        raise UnreadableInput(f"the type of {listed(odd)} cannot be read: cast it in the query, as in {odd[0]}::text.")
    return stream


@contextmanager
def _connected(database: str, *, writing: bool) -> Iterator[Any]:
    address = database
    if database.startswith("env:"):
        name = database.removeprefix("env:")
        address = os.environ.get(name, "")
        if not address:
            raise InvalidParameter(f"the environment has no variable {quoted(name)} with the address of a database.")
    if address.startswith(_POSTGRESQL):
        with _driver("adbc_driver_postgresql").connect(address) as connection:
            yield connection
        return
    kind = next((kind for kind in _OF_FILES if address.startswith(kind)), None)
    if kind is None:
        raise InvalidParameter(f"expected the address of a database, found something else. Give {KNOWN}.")
    written = address.removeprefix(kind)  # a.db, ///a.db, and with four slashes an absolute path
    path = Path(unquote(written.removeprefix("///")) if written.startswith("///") else written)
    if not writing and not path.is_file():
        slashes = "///" in address and not path.is_absolute()
        why = " With three slashes the path begins in this folder; an absolute path has four." if slashes else ""
        raise UnreadableInput(f"there is no such database file. Check the path.{why}", source=str(path))
    with _none_left(path):
        if kind == "duckdb:":
            opened = _driver("duckdb").connect(str(path), read_only=not writing)
        else:
            opened = _driver("adbc_driver_sqlite").connect(f"file:{quote(str(path))}?mode={'rwc' if writing else 'ro'}")
        with opened as connection:
            yield connection


@contextmanager
def _none_left(path: Path) -> Iterator[None]:
    """Remove a new database if writing to it fails, such as on a full disk."""
    was_there = path.exists()
    try:
        yield
    except BaseException:
        if not was_there:
            for leftover in (path, *(path.with_name(path.name + end) for end in ("-journal", ".wal"))):
                leftover.unlink(missing_ok=True)
        raise


def _driver(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module if module == "duckdb" else f"{module}.dbapi")
    except ImportError:
        needed = f"reading this database needs {module.replace('_', '-')}, which is not installed"
        raise errors.MissingExtra(f"{needed}. Install it: pip install 'disjoin[db]'") from None


@contextmanager
def _explained(kind: type[DisjoinError]) -> Iterator[None]:
    """Replace errors of a driver by one sentence without an address or a value."""
    try:
        yield
    except DisjoinError:
        raise
    except OSError:  # while streaming; its text may quote a value
        raise kind(f"the rows stopped early: {_NO_VALUE}, or the connection was lost.") from None
    except Exception as failure:
        if not type(failure).__module__.startswith(("adbc_driver", "duckdb", "_duckdb", "pyarrow")):
            raise
        error = kind(_said(failure))
        raise error.offering(*(_IF_TAKEN if _ALREADY.search(error.message) else ())) from None


def _said(failure: Exception) -> str:
    name = type(failure).__name__
    state = str(getattr(failure, "sqlstate", None) or "")
    if name in _IN_DATA or state[:2] in ("22", "23"):
        return f"{_NO_VALUE} ({name} {state}".rstrip() + "). Cast it in the query."
    if "connect" in str(failure).lower() or state[:2] in ("08", "28"):
        return f"the database cannot be reached or refuses access ({state or name}). Check its address and password."
    words = str(failure).strip().split("\n")[0]
    if there := _ALREADY.search(words):
        return f"the table {there[0]}."
    return f"the database reports: {words.rstrip('.')}."
