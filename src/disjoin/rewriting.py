"""A release folder against itself: made again from its own tables, it must be the same, byte for byte.

So nothing can be hidden in it: no remark in a page, no member in the descriptor, no bytes between the pages of a table.
The charts of report.html are not drawn again: each must be a drawing that says nothing but what its chart says.
Of a deposit, title, authors, licence, contact, date and citation are the data owner's words, and taken as they are.
"""

from __future__ import annotations

import filecmp
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from disjoin._version import __version__
from disjoin.charts.specifications import Specification
from disjoin.errors import UnreadableInput
from disjoin.files.release_parts import files_in, paths_of, table_at
from disjoin.forms.registry import FORMS
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.model import Release, Violation
from disjoin.releases.deposit_files import add_deposit
from disjoin.releases.descriptor import DESCRIPTOR
from disjoin.releases.door import ReleaseContents, write_release
from disjoin.report.documents import texts_of
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html

_GAP = "\0drawing\0"  # no page has that in it
_ELEMENTS = {"svg", "g", "defs", "clipPath", "path", "line", "text", "rect", "circle", "tspan"}
_ENGINE = {"img", "graphics-symbol", "graphics-object", "true", "false", "end", "start", "middle", "none", "nonzero"}
_MARKS = re.compile(
    r"(text|rect|group|rule|symbol|line|area|path) mark( container)?|axis|legend|title|round|square|butt"
)
_NUMBER = r"[-+]?(?>[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?|\.[0-9]+)"
_NUMBERS = rf"{_NUMBER}(?:(?:[, ]|(?=-)){_NUMBER})*"
_SHAPE = re.compile(
    rf"(?:{_NUMBERS}(?:px)?)?|(?:[Zz]|[MLHVCSQTAmlhvcsqta]{_NUMBERS})*|(?: ?(?:translate|rotate|scale)\({_NUMBERS}\))*"
)
_ID = re.compile(r"(url\(#)?c[0-9a-f]{8}-[0-9]+\)?")
_TICK = re.compile(r"[-+\u2212]?[0-9][0-9.,]*\s?[%kMGTPmµn+]?")


def is_page_of(release: Release, page: str) -> bool:
    """Tell whether this is the report page of the release, whatever the lines and areas of its charts look like."""
    charts: list[Specification] = []

    def leave_a_gap(chart: Specification) -> str:
        charts.append(chart)
        return _GAP

    report = facts_of(release)
    words = render_html(report, FORMS[report.form].pictures(release.published), leave_a_gap).split(_GAP)
    if not page.startswith(words[0]):
        return False
    place = len(words[0])
    for chart, following in zip(charts, words[1:], strict=True):
        end = page.find("</svg>", place) + len("</svg>")
        if end < place or not page.startswith(following, end) or not is_drawing(page[place:end], chart):
            return False
        place = end + len(following)
    return place == len(page)


def is_drawing(text: str, chart: Specification) -> bool:
    """Tell whether a text is an SVG element of lines, areas and letters that says nothing but what the chart says.

    >>> is_drawing('<svg width="3"><text>tea</text></svg>', {"title": "tea"})
    True
    >>> is_drawing('<svg width="3"><text>Bob</text></svg>', {"title": "tea"})
    False
    """
    if "<!" in text or "<?" in text:
        return False
    try:
        drawing = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return False
    known = set(_words(chart))
    return drawing.tag == "svg" and all(_is_part(element, known) for element in drawing.iter())


def _is_part(element: ElementTree.Element, known: set[str]) -> bool:
    texts = (text.strip() for text in (element.text or "", element.tail or ""))
    return (
        element.tag in _ELEMENTS
        and all(not name.lower().startswith("on") and "}" not in name for name in element.attrib)
        and all(_is_value(value, known) for value in element.attrib.values())
        and all(not text or text in known or _TICK.fullmatch(text) for text in texts)
    )


def _is_value(value: str, known: set[str]) -> bool:
    return (
        value in known
        or value in _ENGINE
        or any(pattern.fullmatch(value) is not None for pattern in (_SHAPE, _ID, _MARKS))
    )


def _words(part: Any) -> Iterator[str]:
    """Yield every text in a specification, as it is and as it is drawn."""
    if isinstance(part, dict):
        part = part.values()
    elif isinstance(part, str):
        yield part
        yield part.strip()
        return
    elif not isinstance(part, (list, tuple)):
        return
    for inner in part:
        yield from _words(inner)


ANOTHER_WRITER = "by its own words another version of disjoin or of pyarrow wrote it"
_PYARROW = re.compile(r"parquet-cpp-arrow version [0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}(-SNAPSHOT)?")
PAGE = "report.html"  # drawings are not made again, and compared as far as they say something


@dataclass(frozen=True, slots=True)
class FolderComparison:
    """In what a folder differs from what its tables, promise and parameters make, or why bytes were not compared."""

    violations: tuple[Violation, ...]
    why_not: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether every byte that can be made again was compared."""
        return not self.why_not


def against_itself(contents: ReleaseContents, release: Release | None) -> FolderComparison:
    """Make the folder again from its contents, and compare; `release` is what the inspector made of them, if it agreed.

    A folder that another version of disjoin or of the table writer has made cannot be compared by its bytes; there
    only the statements are compared with each other, and the comparison is not whole.
    """
    folder, found = contents.folder, tuple(contradictions(contents))
    if release is None:
        return FolderComparison(found, "the release does not keep what it states itself")
    if contents.version != __version__:
        return FolderComparison(found, ANOTHER_WRITER)
    page = folder / PAGE
    documents: dict[str, str | bytes] = {**texts_of(release), PAGE: page.read_bytes() if page.is_file() else b""}
    with tempfile.TemporaryDirectory() as place:
        again = write_release(release, Path(place) / "again", documents=documents)
        if contents.deposit is not None:
            add_deposit(again, contents.deposit)
        tables = {table_at(path) for path in files_in(again) if path.endswith(".parquet")}
        if set(_writers(folder, tables).values()) != set(_writers(again, tables).values()):
            return FolderComparison((*found, *_unknown_writers(folder, tables)), ANOTHER_WRITER)
        return FolderComparison((*found, *_page(release, page), *_differences(folder, again)))


def _page(release: Release, page: Path) -> list[Violation]:
    """Return what is wrong with the words of the report page."""
    try:
        is_ours = is_page_of(release, page.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        is_ours = False
    message = "is not the page that the tables make, or has something in its drawings that no chart has."
    return [] if is_ours else [Violation("F1", PAGE, message)]


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


def _unknown_writers(folder: Path, tables: Iterable[str]) -> list[Violation]:
    """Return the tables whose writer calls itself something that no pyarrow does."""
    return [
        Violation("F1", name, "names a program that no pyarrow is as its writer (created_by).")
        for name, writer in sorted(_writers(folder, tables).items())
        if not _PYARROW.fullmatch(writer)
    ]


def _writers(folder: Path, tables: Iterable[str]) -> dict[str, str]:
    """Return which version of the table writer made each table; only those that the inspector has read are opened."""
    import pyarrow.parquet as pq

    writers = {}
    for name in (path for table in tables for path in paths_of(folder, table)):
        file = folder / name
        try:
            writers[name] = str(pq.read_metadata(file).created_by)
        except UnicodeDecodeError:
            raise UnreadableInput(
                "expected the name of the program that wrote it as UTF-8 text, found other bytes. Copy it again.",
                source=str(file),
            ) from None
    return writers
