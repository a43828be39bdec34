"""Reading and writing of release folders; only verified releases are written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.published import Published, Violation
from disjoin.model.release import Release
from disjoin.model.spelling import objection_to_length
from disjoin.parquet.tables import Part, files_in, paths_of
from disjoin.parquet.untrusted import require_harmless_tables
from disjoin.release.deposit_facts import Deposit
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
from disjoin.release.destination import as_destination, fingerprint, require_free, whole_or_nothing
from disjoin.text import NO_PERMISSION, counted, is_utf8, json_text, printable

SCHEMA = "https://datapackage.org/profiles/2.0/datapackage.json"  # a name that says what it conforms to, never fetched
MEMORY_LIMIT = 16 << 30  # bytes that a table may unpack to; far above real releases, below a Parquet bomb


@dataclass(frozen=True, slots=True)
class ReleaseContents:
    """What a release folder says and holds; nothing in it is verified.

    What the reader saw and the arrays cannot express (undeclared files, strange columns, disorder) is in
    `published.anomalies`.
    """

    folder: Path
    published: Published
    guarantee: AnyGuarantee
    version: str
    method: str
    parameters: Mapping[str, Any]
    suppressed_records: int
    counts: Mapping[str, int]
    deposit: Deposit | None = None  # what the data owner states, if the release was made ready for a repository


def read_release(path: str | Path, *, memory_limit: int = MEMORY_LIMIT, just_written: bool = False) -> ReleaseContents:
    """Read a release folder, honest or tampered with.

    Raises `UnreadableInput` if it is no release, a table is missing or broken, or a column has another type. Anything
    that can be read but does not belong there becomes an anomaly of the published data.

    A child process opens the tables first, as a broken one can crash whoever does; not if this program has
    `just_written` them.
    """
    with _explained(path) as folder:
        descriptor = read_descriptor(folder)
        require_short_documents(folder)
        if not just_written:
            names = [name for name in descriptor.form.tables if name.endswith(".parquet")]
            tables = [folder / path for name in names for path in paths_of(folder, name)]
            require_harmless_tables([table for table in tables if table.is_file()], memory_limit)
        return _contents(folder, descriptor, memory_limit)


@contextmanager
def _explained(path: str | Path) -> Iterator[Path]:
    """Give the folder, or raise with a sentence if it is none or may not be read."""
    if not isinstance(path, (str, Path)):
        raise InvalidParameter(f"expected the path of a release folder, got {described(path)}.")
    if not is_utf8(path):  # Arrow cannot open it, and would call it damaged
        raise UnreadableInput("the path is not UTF-8 text. Rename the folder.", source=printable(path))
    folder = Path(path)
    try:
        if not folder.is_dir():
            found = "a file" if folder.exists() else "nothing"
            raise UnreadableInput(f"expected a release folder, found {found}.", source=str(folder))
        yield folder
    except PermissionError as failure:
        place = os.fsdecode(failure.filename or path)
        raise UnreadableInput(NO_PERMISSION, source=place) from None


def _contents(folder: Path, descriptor: Descriptor, memory_limit: int) -> ReleaseContents:
    reading = descriptor.form.read(folder, descriptor.guarantee, memory_limit)
    published = reading.published
    anomalies = mismatches(folder, descriptor, reading.rows, reading.files)
    anomalies += _miscounted(descriptor.counts, published)
    return ReleaseContents(
        folder=folder,
        published=published.with_anomalies(tuple(anomalies)),
        guarantee=descriptor.guarantee,
        version=descriptor.version,
        method=descriptor.method,
        parameters=descriptor.parameters,
        suppressed_records=descriptor.counts["suppressed_records"],
        counts=descriptor.counts,
        deposit=descriptor.deposit,
    )


def holds_in_blocks(folder: Path, extent_of: Callable[[Iterable[Any], AnyGuarantee], Mapping[str, int] | None]) -> bool:
    """Tell whether all is well with a folder, having one block of it in memory at a time; False for some forms.

    `extent_of` inspects blocks, and returns how much there is of them, None if something is wrong. What is wrong is
    found by reading the whole.
    """
    descriptor = read_descriptor(folder)
    if descriptor.form.blocks is None:
        return False
    reading = descriptor.form.blocks(folder, MEMORY_LIMIT)
    extent = extent_of(reading, descriptor.guarantee)
    if extent is None or not reading.is_sound():
        return False
    if mismatches(folder, descriptor, reading.rows, reading.rows.keys()):
        return False
    return all(descriptor.counts.get(name, 0) == number for name, number in extent.items())


def _miscounted(stated: Mapping[str, int], published: Published) -> list[Violation]:
    return [
        Violation("F1", DESCRIPTOR, f"it counts {counted(stated.get(name, 0), name[:-1])}, the tables have {number:,}")
        for name, number in published.extent.items()
        if stated.get(name, 0) != number
    ]


__all__ = ["ReleaseContents", "check_destination", "holds_in_blocks", "read_release", "write_release"]


def check_destination(path: str | Path, *, overwrite: bool = False) -> Path:
    """Raise if a release could not be put at `path`; call it before long work.

    Only an empty folder or an older release with nothing else in it may be overwritten (else `OutputExists`). A place
    where nothing can be made is `CannotWrite`, what is no path at all `InvalidParameter`.
    """
    place = as_destination(path)
    require_free(place, overwrite=overwrite, objection_to=objection_to)
    return place


def _no_second_look(folder: Path) -> None:
    """Trust what was written."""


def _give_back_memory() -> None:
    """Let the system have what tables took that are written: what is read again needs the room."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def _require_short(form: Form, release: Release) -> None:
    """Refuse what nobody could read back."""
    for texts in form.texts(release.published):
        if objection := objection_to_length(texts):
            raise InvalidParameter(f"{objection} Shorten it before you publish.")


def write_release(
    release: Release,
    path: str | Path,
    *,
    documents: Mapping[str, str | bytes],
    overwrite: bool = False,
    verify_written: Callable[[Path], None] = _no_second_look,
) -> Path:
    """Write the release folder, whole or not at all, and return its path.

    `verify_written` may inspect the complete folder before it gets its name, and refuse it by raising.

    `documents` are the pages for people by file name (README.md, report.html, report.json). Missing parent folders are
    made. Raises `InvalidParameter` for a term that is too long to be read back, `OutputExists` if the path is taken,
    `CannotWrite` if the disk says no; in any case nothing is left.
    """
    check_destination(path, overwrite=overwrite)
    assert set(documents) <= set(DOCUMENTS), "a release has no other documents"
    form = FORMS[release.published.form]
    _require_short(form, release)
    parts = form.lay_out(release.published)
    # A link is followed, so that the new release comes to lie where the old one did.
    with whole_or_nothing(Path(path).resolve(), replace=objection_to if overwrite else None) as folder:
        for name, text in documents.items():
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        for place, part in parts.items():
            (folder / place).parent.mkdir(exist_ok=True)
            part.write(folder / place)
        package = _descriptor_of(release, folder, parts)
        (folder / DESCRIPTOR).write_text(package, encoding="utf-8", newline="\n")
        parts.clear()
        _give_back_memory()
        verify_written(folder)
    return Path(path)


def _descriptor_of(release: Release, folder: Path, parts: Mapping[str, Part]) -> str:
    """Return the text of datapackage.json for the files in `folder`: the `parts` by path, and documents."""
    is_proven = getattr(release.guarantee, "proven", True)
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
    """Return what is stated of every file; a table in parts is one resource, with a list of them."""
    resources: list[dict[str, Any]] = []
    for path, file in files_in(folder).items():
        part = parts.get(path)
        stated = {"path": path, **fingerprint(file), **(_document(file) if part is None else part.facts)}
        if part is None or not part.whole:
            resources.append(stated)
            continue
        if not resources or resources[-1]["name"] != part.whole["name"]:
            resources.append({**part.whole, "path": [], "parts": []})
        resources[-1]["path"].append(path)
        resources[-1]["parts"].append(stated)
    return resources


def _document(file: Path) -> dict[str, Any]:
    mediatype, meaning = DOCUMENTS[file.name]
    return {
        "name": file.name.lower().replace(".", "-"),
        "format": file.suffix[1:],
        "mediatype": mediatype,
        "encoding": "utf-8",
        "description": meaning,
    }
