"""Reading and writing of release folders; only verified releases are written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.forms.registry import FORMS
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.published import Published, Violation
from disjoin.model.release import Release
from disjoin.model.spelling import objection_to_length
from disjoin.parquet.tables import Part, files_in, paths_of
from disjoin.parquet.untrusted import require_harmless_tables
from disjoin.release.descriptor import (
    DESCRIPTOR,
    DOCUMENTS,
    FORMATS,
    Descriptor,
    mismatches,
    objection_to,
    read_descriptor,
    require_short_documents,
)
from disjoin.release.destination import document_resource, fingerprint, require_free, whole_or_nothing
from disjoin.text import NO_PERMISSION, counted, is_utf8, json_text, printable

SCHEMA = "https://datapackage.org/profiles/2.0/datapackage.json"  # the name of a standard, never fetched
MEMORY_LIMIT = 16 << 30  # limit on the unpacked bytes of a table; far above real releases, below decompression bombs


@dataclass(frozen=True, slots=True)
class ReleaseContents(Descriptor):
    """Statements and tables of a release folder, not verified; `published.anomalies` are contents without a place."""

    folder: Path
    published: Published


def read_release(path: str | Path, *, memory_limit: int = MEMORY_LIMIT, just_written: bool = False) -> ReleaseContents:
    """Read a release folder, honest or tampered with; readable contents that do not belong there are anomalies.
    Raises `UnreadableInput` if it is not a release, or a table is missing, broken or has other types. A child process
    opens tables first, because a broken one can crash its reader; not if this program has `just_written` them."""
    if not isinstance(path, (str, Path)):
        raise InvalidParameter(f"expected the path of a release folder, got {described(path)}.")
    if not is_utf8(path):  # Arrow cannot open it, and would report damage
        raise UnreadableInput("the path is not UTF-8 text. Rename the folder.", source=printable(path))
    folder = Path(path)
    try:
        if not folder.is_dir():
            found = "a file" if folder.exists() else "nothing"
            raise UnreadableInput(f"expected a release folder, found {found}.", source=str(folder))
        descriptor = read_descriptor(folder)
        require_short_documents(folder)
        if not just_written:
            names = [name for name in descriptor.form.tables if name.endswith(".parquet")]
            tables = [folder / path for name in names for path in paths_of(folder, name)]
            require_harmless_tables([table for table in tables if table.is_file()], memory_limit)
        reading = descriptor.form.read(folder, descriptor.guarantee, memory_limit)
        anomalies = mismatches(folder, descriptor, reading.rows, reading.files)
        anomalies += [
            Violation("F1", DESCRIPTOR, f"it counts {counted(stated, name[:-1])}, but the tables have {number:,}")
            for name, number in reading.published.extent.items()
            if (stated := descriptor.counts.get(name, 0)) != number
        ]
        published = reading.published.with_anomalies(tuple(anomalies))
        members = {each.name: getattr(descriptor, each.name) for each in fields(descriptor)}
        return ReleaseContents(**members, folder=folder, published=published)
    except PermissionError as failure:
        raise UnreadableInput(NO_PERMISSION, source=os.fsdecode(failure.filename or path)) from None


def holds_in_blocks(folder: Path, extent_of: Callable[[Iterable[Any], AnyGuarantee], Mapping[str, int] | None]) -> bool:
    """Return whether a folder is as required, read in batches; False for some forms.
    `extent_of` verifies blocks and returns their extent, None if there is a violation."""
    descriptor = read_descriptor(folder)
    if descriptor.form.blocks is None:
        return False
    reading = descriptor.form.blocks(folder, MEMORY_LIMIT)
    extent = extent_of(reading, descriptor.guarantee)
    if extent is None or not reading.is_sound() or mismatches(folder, descriptor, reading.rows, reading.rows.keys()):
        return False
    return all(descriptor.counts.get(name, 0) == number for name, number in extent.items())


def check_destination(path: str | Path, *, overwrite: bool = False) -> Path:
    """Raise if a release cannot be written to `path`; call it before long work.
    Only an empty folder or an older release with nothing else in it may be overwritten."""
    return require_free(path, overwrite=overwrite, objection_to=objection_to)


def write_release(
    release: Release,
    path: str | Path,
    *,
    documents: Mapping[str, str | bytes],
    overwrite: bool = False,
    verify_written: Callable[[Path], None] | None = None,
) -> Path:
    """Write the release folder, completely or not at all, and return its path; after an error nothing remains.
    `verify_written` may refuse the complete folder by raising, before it is renamed. `documents` are pages by file
    name. Raises `InvalidParameter` for a term that is too long to be read again."""
    import pyarrow as pa

    check_destination(path, overwrite=overwrite)
    assert set(documents) <= set(DOCUMENTS), "a release has no other documents"
    form = FORMS[release.published.form]
    for texts in form.texts(release.published):
        if objection := objection_to_length(texts):
            raise InvalidParameter(f"{objection} Shorten it before you publish.")
    parts = form.lay_out(release.published)
    # A link is followed, so that the new release replaces the old one in its place.
    with whole_or_nothing(Path(path).resolve(), replace=objection_to if overwrite else None) as folder:
        for name, text in documents.items():
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        for place, part in parts.items():
            (folder / place).parent.mkdir(exist_ok=True)
            part.write(folder / place)
        package = _descriptor_of(release, folder, parts)
        (folder / DESCRIPTOR).write_text(package, encoding="utf-8", newline="\n")
        parts.clear()
        pa.default_memory_pool().release_unused()  # reading the folder again needs the memory
        if verify_written is not None:
            verify_written(folder)
    return Path(path)


def _descriptor_of(release: Release, folder: Path, parts: Mapping[str, Part]) -> str:
    is_proven = release.guarantee.proven
    kind = "Anonymised records" if is_proven else "Records, not proven anonymous"
    package = {
        "$schema": SCHEMA,
        "name": "disjoin-release",
        "title": f"{kind} ({release.method})",
        "description": release.guarantee.sentence(),
        "resources": _described(folder, parts),
        "disjoin": {
            "format": FORMATS[any(part.whole for part in parts.values())],
            "version": __version__,
            "method": release.method,
            "parameters": dict(release.parameters),
            "guarantee": release.guarantee.to_json(),
            "counts": release.counts,
        },
    }
    return json_text(package, indent=2, sort_keys=True) + "\n"


def _described(folder: Path, parts: Mapping[str, Part]) -> list[dict[str, Any]]:
    """Return the statements about every file; a table in parts is one resource, with a list of them."""
    resources: list[dict[str, Any]] = []
    for path, file in files_in(folder).items():
        part = parts.get(path)
        if part is None:
            resources.append(document_resource(file, *DOCUMENTS[path]))
            continue
        stated = {"path": path, **fingerprint(file), **part.facts}
        if not part.whole:
            resources.append(stated)
            continue
        if not resources or resources[-1]["name"] != part.whole["name"]:
            resources.append({**part.whole, "path": [], "parts": []})
        resources[-1]["path"].append(path)
        resources[-1]["parts"].append(stated)
    return resources
