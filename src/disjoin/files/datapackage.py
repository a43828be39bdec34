"""datapackage.json: what is in the folder, and how and under which promise it was made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.files.release_tables import CLUSTERS, COLUMNS, SUBRECORDS, Column
from disjoin.model.release import Release

DESCRIPTOR = "datapackage.json"
FORMAT = 1
DOCUMENTS = {
    "README.md": ("text/markdown", "What was done, what is promised and what is not, how to read the tables."),
    "report.html": ("text/html", "The facts of this release as a page with charts; works offline."),
    "report.json": ("application/json", "The facts of this release."),
}
_TABLES = {
    CLUSTERS: "The clusters, one row each, with their term chunks.",
    SUBRECORDS: "The chunks: one row a distinct non-empty subrecord of a chunk.",
}
_KINDS = {"int64": "integer", "int32": "integer", "terms": "array"}


def describe(release: Release, folder: Path, rows: dict[str, int]) -> str:
    """Return the text of datapackage.json for the files in `folder`; `rows` has the lengths of the tables."""
    package = {
        "name": "disjoin-release",
        "profile": "data-package",
        "title": f"{_kind(release)} ({release.method})",
        "description": release.guarantee.sentence(),
        "resources": [_resource(file, rows.get(file.name)) for file in sorted(folder.iterdir())],
        "disjoin": {
            "format": FORMAT,
            "version": __version__,
            "method": release.method,
            "parameters": dict(release.parameters),
            "guarantee": release.guarantee.to_json(),
            "counts": release.counts,
        },
    }
    return json.dumps(package, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _kind(release: Release) -> str:
    return "Anonymised records" if getattr(release.guarantee, "proven", True) else "Records, not proven anonymous"


def fingerprint(file: Path) -> dict[str, Any]:
    """Return size and hash of a file, as a resource states them."""
    with file.open("rb") as stream:
        return {"bytes": file.stat().st_size, "hash": "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()}


def _resource(file: Path, rows: int | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": file.name.lower().replace(".", "-"), "path": file.name, **fingerprint(file)}
    if rows is None:
        mediatype, meaning = DOCUMENTS[file.name]
        kind = {"format": file.suffix[1:], "mediatype": mediatype, "encoding": "utf-8"}
        return facts | kind | {"description": meaning}
    return facts | {
        "name": file.stem,
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "description": _TABLES[file.name],
        "rows": rows,
        "schema": _schema(file.name),
    }


def _schema(table: str) -> dict[str, Any]:
    to_itself = {"fields": "parent", "reference": {"resource": "", "fields": "cluster"}}
    to_clusters = {"fields": "cluster", "reference": {"resource": "clusters", "fields": "cluster"}}
    fields = [_field(column) for column in COLUMNS[table]]
    if table == CLUSTERS:
        return {"fields": fields, "primaryKey": "cluster", "foreignKeys": [to_itself]}
    return {"fields": fields, "foreignKeys": [to_clusters]}


def _field(column: Column) -> dict[str, Any]:
    constraints = {} if column.optional else {"constraints": {"required": True}}
    return {"name": column.name, "type": _KINDS[column.type], "description": column.meaning} | constraints
