"""A release folder read back, also one that somebody has tampered with: the inspector shall judge it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.escaping import legible
from disjoin.files.first_look import require_harmless_tables
from disjoin.files.wording import NO_PERMISSION, counted, is_utf8
from disjoin.model.guarantees import Promise
from disjoin.model.published import Published
from disjoin.model.verdict import Violation
from disjoin.releases.descriptor import DESCRIPTOR, Descriptor, mismatches, read_descriptor, require_short_documents

MEMORY_LIMIT = 16 << 30  # bytes that a table may unpack to; far above real releases, below a Parquet bomb


@dataclass(frozen=True, slots=True)
class ReleaseContents:
    """What a release folder says and holds; nothing in it is verified.

    What the reader saw and the arrays cannot express (undeclared files, strange columns, disorder) is in
    `published.anomalies`.
    """

    folder: Path
    published: Published
    guarantee: Promise
    version: str
    method: str
    parameters: Mapping[str, Any]
    suppressed_records: int
    counts: Mapping[str, int]


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
            tables = [folder / name for name in descriptor.form.tables if name.endswith(".parquet")]
            require_harmless_tables([table for table in tables if table.is_file()], memory_limit)
        return _contents(folder, descriptor, memory_limit)


@contextmanager
def _explained(path: str | Path) -> Iterator[Path]:
    """Give the folder, or raise with a sentence if it is none or may not be read."""
    if not isinstance(path, (str, Path)):
        raise InvalidParameter(f"expected the path of a release folder, got {described(path)}.")
    if not is_utf8(path):  # Arrow cannot open it, and would call it damaged
        raise UnreadableInput("the path is not UTF-8 text. Rename the folder.", source=legible(path))
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
    anomalies = mismatches(folder, descriptor, reading)
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
    )


def _miscounted(stated: Mapping[str, int], published: Published) -> list[Violation]:
    return [
        Violation("F1", DESCRIPTOR, f"it counts {counted(stated.get(name, 0), name[:-1])}, the tables have {number:,}")
        for name, number in published.extent.items()
        if stated.get(name, 0) != number
    ]
