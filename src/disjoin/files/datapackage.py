"""datapackage.json: what is in the folder, and how and under which promise it was made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.files.forms import FORMS
from disjoin.files.release_tables import Column, Layout
from disjoin.model.release import Release

DESCRIPTOR = "datapackage.json"
FORMAT = 1
DOCUMENTS = {
    "README.md": ("text/markdown", "What was done, what is promised and what is not, how to read the tables."),
    "report.html": ("text/html", "The facts of this release as a page with charts; works offline."),
    "report.json": ("application/json", "The facts of this release."),
}
_KINDS = {"int64": "integer", "int32": "integer", "terms": "array", "term": "string"}


def describe(release: Release, folder: Path, rows: dict[str, int]) -> str:
    """Return the text of datapackage.json for the files in `folder`; `rows` has the lengths of the tables."""
    tables = FORMS[release.published.form].tables
    package = {
        "name": "disjoin-release",
        "profile": "data-package",
        "title": f"{_kind(release)} ({release.method})",
        "description": release.guarantee.sentence(),
        "resources": [
            _table(file, tables[file.name], rows[file.name]) if file.name in rows else _document(file)
            for file in sorted(folder.iterdir())
        ],
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


def _document(file: Path) -> dict[str, Any]:
    mediatype, meaning = DOCUMENTS[file.name]
    return {
        "name": file.name.lower().replace(".", "-"),
        "path": file.name,
        **fingerprint(file),
        "format": file.suffix[1:],
        "mediatype": mediatype,
        "encoding": "utf-8",
        "description": meaning,
    }


def _table(file: Path, layout: Layout, rows: int) -> dict[str, Any]:
    return {
        "name": file.stem,
        "path": file.name,
        **fingerprint(file),
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "description": layout.meaning,
        "rows": rows,
        "schema": _schema(layout),
    }


def _schema(layout: Layout) -> dict[str, Any]:
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
