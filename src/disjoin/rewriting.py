"""A release folder against itself: made again from its own tables, it must be the same, byte for byte.

So nothing can be hidden in it: no remark in a page, no member in the descriptor, no bytes between the pages of a table.
"""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from disjoin._version import __version__
from disjoin.errors import NotAnonymous, UnreadableInput
from disjoin.files.datapackage import DESCRIPTOR
from disjoin.files.release import ReleaseContents, read_release, write_release
from disjoin.files.release_parts import files_in
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.model import Violation
from disjoin.report.documents import texts_of
from disjoin.verify import certify

PAGE = "report.html"  # taken as it is: drawings are not made again; its hash is checked


@dataclass(frozen=True, slots=True)
class Comparison:
    """In what a folder differs from what its tables, promise and parameters make, and if its bytes were compared."""

    violations: tuple[Violation, ...]
    is_whole: bool = True


def against_itself(folder: Path, contents: ReleaseContents | None = None) -> Comparison:
    """Make the folder again from its `contents`, which are read if they are not given, and compare.

    A folder that another version of disjoin or of the table writer has made cannot be compared by its bytes; there
    only the statements are compared with each other, and the comparison is not whole.
    """
    contents = read_release(folder) if contents is None else contents
    found = tuple(contradictions(contents))
    try:
        release = certify(
            contents.published,
            contents.guarantee,
            method=contents.method,
            parameters=contents.parameters,
            suppressed_records=contents.suppressed_records,
        )
    except NotAnonymous:
        return Comparison(found)  # the inspector has said more than that
    if contents.version != __version__:
        return Comparison(found, is_whole=False)
    page = folder / PAGE
    documents: dict[str, str | bytes] = {**texts_of(release), PAGE: page.read_bytes() if page.is_file() else b""}
    with tempfile.TemporaryDirectory() as place:
        again = write_release(release, Path(place) / "again", documents=documents)
        tables = [file.name for file in again.glob("*.parquet")]
        if _writers(folder, tables) != _writers(again, tables):
            return Comparison(found, is_whole=False)
        return Comparison((*found, *_differences(folder, again)))


def contradictions(contents: ReleaseContents) -> list[Violation]:
    """Return where the stated parameters contradict the promise, or are none of the method's."""
    method = METHODS.get(contents.method)
    if method is None:
        return [Violation("F1", DESCRIPTOR, f"the method {contents.method!r} is not known.")]
    known = {setting.name for setting in settings_of(method)}
    found = [f"{name!r} is no parameter of the method" for name in contents.parameters if name not in known]
    found += method.contradictions(contents.guarantee, contents.parameters, contents.suppressed_records)
    return [Violation("F1", DESCRIPTOR, f"{words}.") for words in found]


def _differences(folder: Path, again: Path) -> list[Violation]:
    theirs, ours = files_in(folder), files_in(again)
    return [
        Violation("F1", name, "is not what the tables, the promise and the parameters make it.")
        for name in sorted(theirs.keys() | ours.keys())
        if not _is_same(theirs.get(name), ours.get(name))
    ]


def _is_same(one: Path | None, other: Path | None) -> bool:
    if one is None or other is None or not one.is_file() or not other.is_file():
        return False
    return one.stat().st_size == other.stat().st_size and filecmp.cmp(one, other, shallow=False)  # block by block


def _writers(folder: Path, tables: Iterable[str]) -> set[str]:
    """Return which versions of the table writer made the tables; only those that the inspector has read are opened."""
    import pyarrow.parquet as pq

    writers = set()
    for file in (folder / name for name in tables):
        try:
            writers.add(str(pq.read_metadata(file).created_by))
        except UnicodeDecodeError:
            raise UnreadableInput(
                "expected the name of the program that wrote it as UTF-8 text, found other bytes. Copy it again.",
                source=str(file),
            ) from None
    return writers
