"""Storage that is more than files: addresses with a scheme (s3://), and tables of Delta Lake, Iceberg and Hudi."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from disjoin.errors import InvalidParameter
from disjoin.escaping import legible

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")  # one letter is a disk of Windows
_PART = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_GLOB = re.compile(r"[*?\[{]")
# Which folder shows that another one is a table, what lies in it (if that matters), and how Spark calls the format.
_TABLES = (
    ("_delta_log", "", "Delta Lake", "delta"),
    (".hoodie", "", "Hudi", "hudi"),
    ("metadata", "*.avro", "Iceberg", "iceberg"),
    ("metadata", "*.metadata.json", "Iceberg", "iceberg"),
)

Exists = Callable[[str, str], bool]  # whether there is a folder, with a file of that name in it (if one is given)


def scheme_of(place: str) -> str | None:
    r"""Return the scheme of an address, None for a path.

    >>> [scheme_of(each) for each in ("s3://bucket/x", "dbfs:/x", "file:///x", "x/y", r"C:\x", "C:/x")]
    ['s3', 'dbfs', 'file', None, None, None]
    """
    found = _SCHEME.match(place)
    return found[1] if found else None


def scheme_in(place: str | Path) -> str | None:
    """Return the part of a path that was meant as a scheme, None if there is none: `Path` makes a folder of it.

    >>> scheme_in(Path("s3://bucket/x")), scheme_in("/plans/s3:/bucket/x"), scheme_in("a/b")
    ('s3:', 's3:', None)
    """
    return next((part for part in Path(place).parts if _PART.fullmatch(part)), None)


def require_no_scheme(place: str | Path) -> None:
    """Raise if an output is an address, which would become a folder of that name."""
    if (found := scheme_in(place)) is not None:
        raise InvalidParameter(
            f"expected a path to write to, found an address ({legible(found)}): write to a local or mounted folder, "
            "and copy it from there."
        )


def require_no_lake_table(place: str | Path, exists: Exists | None = None) -> None:
    """Raise if a file or folder belongs to a table of Delta Lake, Iceberg or Hudi.

    Such a table keeps the files of deleted and replaced rows, and a log that says which ones are current.
    """
    exists = exists or _exists
    for folder in _with_parents(place if isinstance(place, str) else place.resolve().as_posix()):
        for marker, file, name, kind in _TABLES:
            if exists(f"{folder}/{marker}", file):
                raise InvalidParameter(
                    f"{legible(folder)} is a table of {name}: its files also contain deleted rows, and only its log "
                    f"shows which rows are current. Read it with spark.read.format({kind!r}).load({legible(folder)!r}) "
                    "and pass that frame to disjoin.spark, or write it to a new Parquet file."
                )


def _exists(folder: str, file: str) -> bool:
    place = Path(folder)
    try:
        return any(place.glob(file)) if file else place.is_dir()
    except OSError:
        return False


def _with_parents(place: str) -> list[str]:
    """Return a path or address and all folders above it.

    >>> _with_parents("s3://bucket/table/day=1"), _with_parents("/lake/table")
    (['s3://bucket/table/day=1', 's3://bucket/table', 's3://bucket'], ['/lake/table', '/lake'])
    """
    start = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/+", place)
    top = start[0] if start else "/" if place.startswith("/") else ""
    parts = [part for part in place[len(top) :].split("/") if part]
    return [top + "/".join(parts[:end]) for end in range(len(parts), 0, -1)]


def has_glob(place: str) -> bool:
    """Tell whether Spark would take an address for a pattern."""
    return _GLOB.search(place) is not None
