"""Record `Form`: everything that the rest of the program must know about a form of published data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from disjoin.charts.svg import Chart
from disjoin.errors import InvalidParameter
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.release import Report
from disjoin.model.transactions import Transactions
from disjoin.parquet.columns import TableSchema
from disjoin.parquet.tables import Part, TablesRead, as_laid_down
from disjoin.text import FROM_THE_TABLES

if TYPE_CHECKING:
    from disjoin.measure import Measure, Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release
    from disjoin.progress import Progress


class Blocks(Protocol):
    """What a folder publishes, block by block; after the last one it can be asked about all of them."""

    def __iter__(self) -> Iterator[Any]:
        """Yield blocks of what is published, each of the form's own noun."""

    @property
    def rows(self) -> Mapping[str, int]:
        """The rows of all tables, by path."""

    def is_sound(self) -> bool:
        """Tell whether what only all blocks can show is as it should be."""


TITLE = "Not proven"


def is_proven(report: Report) -> bool:
    """Tell whether the guarantee of a release claims a proof."""
    return report.guarantee.get("proven", True) is not False


def require_records(original: Any) -> Transactions:
    """Return the original if it is records that are sets."""
    if not isinstance(original, Transactions):
        raise InvalidParameter("the original of this release must be records that are sets, got a table.")
    return original


def require_unasked(what: str, hierarchy: Hierarchy | None, settings: Settings) -> None:
    """Raise for choices that make no difference."""
    if hierarchy is not None:
        raise InvalidParameter(f"no measure of {what} looks at a hierarchy of terms. Leave it out.")
    if settings.k is not None:
        raise InvalidParameter(f"no measure of {what} asks which terms are in k records. Leave k out.")


Rows = list[tuple[str, str]]  # title or label, and words
Numbers = dict[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, and how to read it."""

    chart: Chart
    notes: tuple[str, ...] = ()


def figures_from(charts: Iterable[Chart], notes: Mapping[str, tuple[str, ...]]) -> list[Figure]:
    """Return charts with the notes about them, which are by title."""
    return [Figure(chart, notes.get(chart.title, ())) for chart in charts]


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of report.html that differ from form to form."""

    head: Callable[[Report], Numbers]  # the large numbers on top
    made_of: Callable[[Report], str]
    figures: Callable[[Report], list[Figure]]
    example: Callable[[Any], str]  # a section that shows a picture
    numbers: Callable[[Report], Numbers]
    terms: Callable[[Report], str] = lambda _: ""  # a section in which terms are looked up


def _sets_of_terms(report: Report) -> str:
    records, terms = report.counts["records"], report.counts["terms"]
    return f"These tables stand for {records:,} records, each a set of terms; {terms:,} different terms occur."


@dataclass(frozen=True, slots=True)
class Readme:
    """The parts of README.md that differ from form to form."""

    done: Callable[[Report], str]  # what was done to the records
    exactly: str  # what the promise means, to the letter
    tables: Callable[[Report], tuple[str, ...]]  # sections
    reading: str  # what to know about the examples
    about: Callable[[Report], str] = _sets_of_terms  # what the tables stand for


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines that open the tables; the tests run them."""

    files: tuple[str, ...]
    python: str
    sql: str
    formats: str = "Parquet"  # what a program must read to open the files


def _nothing(published: Any, original: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Show:
    """How `disjoin show` draws parts of what is published, or writes them for programs.

    `opened` makes what has the parts by number; the others get that. `Any` stands for the form's own kind of it.
    """

    opened: Callable[[Any], Sized]
    chosen: Callable[[Any, int], list[int]]  # the first ones
    typical: Callable[[Any], list[int]]  # what is good to look at
    as_json: Callable[[Any, int], dict[str, Any]]
    draw: Callable[..., None]  # console, parts, numbers, full=
    left: Callable[[Any, list[int]], str]  # how many were not drawn
    first: int = 3  # how many are shown if nobody says it
    line: Callable[[Any, int], dict[str, Any]] = _nothing  # what a list of parts says of one
    picture: Callable[[Any, int], Any] | None = None  # of any part, for `Page.example`
    find: Callable[[Any, str], list[int]] | None = None  # the parts that have a term, where looking at each takes long


@dataclass(frozen=True, slots=True)
class Unproven:
    """What is said of a release whose guarantee calls itself not proven."""

    headline: str  # for the steward, when it was made
    purpose: Callable[[Report], str]  # why there is such a release, and what it is not good for
    shortfalls: Callable[[Report], Rows]  # what a proof would need and the tables do not show, by invariant


CLAIMED = Unproven("", lambda report: "", lambda report: [])  # of forms that always claim a proof
Evidence = Callable[["Release", Any, "Hierarchy | None", "Settings", "Progress"], Any]


def _no_figures(report: Report) -> Rows:
    return []


def _no_words(published: Any, private: Mapping[str, Any]) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Form:
    """A form of published data; `Any` stands for its noun. What is heavy is imported inside the functions."""

    noun: type[Any]
    part: tuple[str, str]  # what it is made of: one, and several
    original: type[Any]  # what it is compared with: Transactions or Table
    guarantees: tuple[type[AnyGuarantee], ...]  # what can be promised of it
    # The folder.
    tables: Mapping[str, TableSchema]  # by file name, those that every such release has
    lay_out: Callable[[Any], dict[str, Part]]  # the files of the form's own noun, by path
    read: Callable[[Path, AnyGuarantee, int], TablesRead]  # a folder under a promise, within that many bytes of memory
    counted: tuple[str, ...]  # the names of the noun's extent
    texts: Callable[[Any], Iterable[pa.StringArray]]  # the terms or values of the form's own noun
    # The report.
    statistics: Callable[[Any, AnyGuarantee, Mapping[str, Any]], dict[str, Any]]
    pictures: Callable[[Any], list[Any]]  # of what is good to look at
    limits: Callable[[Report], Rows]  # what is not promised
    summary: Callable[[Report], Rows]  # between the records and the end
    page: Page
    readme: Readme
    reading: Reading
    show: Show
    # What some forms have.
    evidence: Evidence | None = None  # what measures look at; None: none compares it with its original
    blocks: Callable[[Path, int], Blocks] | None = None  # reads a folder in blocks; None: only as a whole
    rows: Callable[[Report], Mapping[str, int]] = lambda report: {}  # of tables that are in parts if they are large
    more: Callable[[Any], Iterable[str]] = lambda guarantee: ()  # the paths that it may have besides its tables
    measures: Callable[[], Mapping[str, Measure]] = dict  # those that need the release alone
    compared: Callable[[], Callable[..., Any]] | None = None  # evidence for comparing methods; None: it cannot be
    costs: Callable[[Any, Any], dict[str, Any]] = _nothing  # what the steward wants to know at once
    eyes_only: Callable[[Any, Mapping[str, Any]], list[str]] = _no_words  # sentences for the steward alone
    learned: Callable[[Report], Rows] = _no_figures  # what somebody could learn, in figures of the release
    learned_from: str = FROM_THE_TABLES  # what these figures follow from
    unproven: Unproven = CLAIMED  # what is said if the guarantee calls itself not proven
    by_construction: bool = False  # the promise is about how tables were made, and they cannot show it

    @property
    def name(self) -> str:
        """What releases, reports and programs call it."""
        return str(self.noun.form)

    def fits(self, guarantee: AnyGuarantee) -> bool:
        """Tell whether the guarantee can be promised of this form."""
        return isinstance(guarantee, self.guarantees)

    def in_words(self, text: str, report: Report) -> str:
        """Return a text that names tables with the names that they have in this release."""
        return as_laid_down(text, self.rows(report))

    def paths(self, guarantee: AnyGuarantee) -> frozenset[str]:
        """Return every path that such a release may have in its folder, documents and descriptor aside."""
        return frozenset((*self.tables, *self.more(guarantee)))
