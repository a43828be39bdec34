"""datapackage.json: what is in the folder, and how and under which promise it was made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.escaping import json_text
from disjoin.files.release_parts import Part, files_in
from disjoin.model.release import Release

DESCRIPTOR = "datapackage.json"
FORMAT = 1
DOCUMENTS = {
    "README.md": ("text/markdown", "What was done, what is promised and what is not, how to read the tables."),
    "report.html": ("text/html", "The facts of this release as a page with charts; works offline."),
    "report.json": ("application/json", "The facts of this release."),
}


def describe(release: Release, folder: Path, parts: Mapping[str, Part]) -> str:
    """Return the text of datapackage.json for the files in `folder`: the `parts` by path, and documents."""
    package = {
        "name": "disjoin-release",
        "profile": "data-package",
        "title": f"{_kind(release)} ({release.method})",
        "description": release.guarantee.sentence(),
        "resources": [
            {"path": path, **fingerprint(file), **(parts[path].facts if path in parts else _document(file))}
            for path, file in files_in(folder).items()
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
    return json_text(package, indent=2, sort_keys=True) + "\n"


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
        "format": file.suffix[1:],
        "mediatype": mediatype,
        "encoding": "utf-8",
        "description": meaning,
    }
