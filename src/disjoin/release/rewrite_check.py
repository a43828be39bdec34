"""Rewrite check: a folder written again from its own tables must have the same bytes, so nothing is hidden in it.

For a deposit, title, authors, licence, contact, date and citation come from the data owner, and are not checked.
"""

from __future__ import annotations

import filecmp
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from disjoin._version import __version__
from disjoin.errors import UnreadableInput
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.model import Release, Violation
from disjoin.parquet.tables import files_in, paths_of, table_at
from disjoin.release.deposit import add_deposit
from disjoin.release.descriptor import DESCRIPTOR
from disjoin.release.reader import ReleaseContents, write_release
from disjoin.report.documents import documents_of

ANOTHER_WRITER = "it states that another version of disjoin or of pyarrow wrote it"
_PYARROW = re.compile(r"parquet-cpp-arrow version [0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}(-SNAPSHOT)?")


@dataclass(frozen=True, slots=True)
class FolderComparison:
    """Differences of a folder from its tables, guarantee and parameters, or why bytes were not compared."""

    violations: tuple[Violation, ...]
    why_not: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether every reproducible byte was compared."""
        return not self.why_not


def compare_with_rewrite(contents: ReleaseContents, release: Release | None) -> FolderComparison:
    """Write the folder again from its contents, and compare; `release` is the verifier's result, if it accepted them.
    For a folder by another version of disjoin or of the table writer only statements are compared."""
    folder, found = contents.folder, tuple(contradictions(contents))
    if release is None:
        return FolderComparison(found, "the release does not satisfy its own guarantee")
    if contents.version != __version__:
        return FolderComparison(found, ANOTHER_WRITER)
    with tempfile.TemporaryDirectory() as place:
        again = write_release(release, Path(place) / "again", documents=documents_of(release))
        if contents.deposit is not None:
            add_deposit(again, contents.deposit)
        tables = {table_at(path) for path in files_in(again) if path.endswith(".parquet")}
        writers = _writers(folder, tables)
        if set(writers.values()) == set(_writers(again, tables).values()):
            return FolderComparison((*found, *_differences(folder, again)))
    unknown = (
        Violation("F1", name, "names as its writer (created_by) a program that is not pyarrow.")
        for name, writer in sorted(writers.items())
        if not _PYARROW.fullmatch(writer)
    )
    return FolderComparison((*found, *unknown), ANOTHER_WRITER)


def contradictions(contents: ReleaseContents) -> list[Violation]:
    """Return contradictions of the stated parameters with the guarantee or the method."""
    method = METHODS.get(contents.method)
    if method is None:
        return [Violation("F1", DESCRIPTOR, f"the method {contents.method!r} is not known.")]
    known = {setting.name for setting in settings_of(method)}
    found = [f"{name!r} is not a parameter of the method" for name in contents.parameters if name not in known]
    found += method.contradictions(contents.guarantee, contents.parameters, contents.suppressed_records)
    return [Violation("F1", DESCRIPTOR, f"{words}.") for words in found]


def _differences(folder: Path, again: Path) -> list[Violation]:
    found = []
    theirs, ours = files_in(folder), files_in(again)
    for name in sorted(theirs.keys() | ours.keys()):
        is_there = name in theirs and name in ours and theirs[name].is_file()
        if not is_there or not filecmp.cmp(theirs[name], ours[name], shallow=False):
            found.append(Violation("F1", name, "differs from what the tables, the guarantee and the parameters give."))
    return found


def _writers(folder: Path, tables: Iterable[str]) -> dict[str, str]:
    """Return the version of the table writer of each table; only those that the verifier has read are opened."""
    import pyarrow.parquet as pq

    writers = {}
    for name in (path for table in tables for path in paths_of(folder, table)):
        try:
            writers[name] = str(pq.read_metadata(folder / name).created_by)
        except UnicodeDecodeError:
            found = "expected the name of the program that wrote it as UTF-8 text, found other bytes. Copy it again."
            raise UnreadableInput(found, source=str(folder / name)) from None
    return writers
