"""Record `Form`: everything that the rest of the program must know about a form of published data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from disjoin.charts.svg import Bar, Chart, bars
from disjoin.charts.text_drawing import shorten
from disjoin.errors import InvalidParameter
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.ragged import Bag, Ints64, Ragged
from disjoin.model.release import Report
from disjoin.model.transactions import Transactions
from disjoin.parquet.columns import TableSchema
from disjoin.parquet.tables import Part, TablesRead, as_laid_down
from disjoin.text import FROM_THE_TABLES, in_html, printable

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts
    from disjoin.measure import Measure


class Blocks(Protocol):
    """What a folder publishes, block by block; after the last one it can be asked about all of them."""

    def __iter__(self) -> Iterator[Any]:
        """Yield blocks of what is published, each of the form's own noun."""

    @property
    def rows(self) -> Mapping[str, int]:
        """The rows of all tables, by path."""

    def is_sound(self) -> bool:
        """Return whether what only all blocks can show is as it should be."""


TITLE = "Not proven"


def is_proven(report: Report) -> bool:
    return report.guarantee.get("proven", True) is not False


def require_records(original: Any) -> Transactions:
    if not isinstance(original, Transactions):
        raise InvalidParameter("the original of this release must be records that are sets, got a table.")
    return original


def require_unasked(what: str, asked: Mapping[str, Any]) -> None:
    if asked["hierarchy"] is not None:
        raise InvalidParameter(f"no measure of {what} looks at a hierarchy of terms. Leave it out.")
    if asked["settings"].k is not None:
        raise InvalidParameter(f"no measure of {what} asks which terms are in k records. Leave k out.")


Rows = list[tuple[str, str]]  # title or label, and words
Numbers = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, and how to read it."""

    chart: Chart
    notes: tuple[str, ...] = ()


def figure(chart: Chart | None, *notes: str) -> list[Figure]:
    return [Figure(chart, notes)] if chart else []


def share_bars(
    title: str,
    found: Sequence[Bar],
    axis: tuple[str, str],
    meaning: str,
    *,
    between: str = ", ",
    end: str = ".",
    longest: int = 26,
    **more: Any,
) -> Chart | None:
    """Return shares as bars, with names of at most `longest` cells in their description; None if there are none."""
    if not found:
        return None
    words = between.join(f"{shorten(printable(bar.name), longest)} {bar.text}" for bar in found)
    return bars(title, found, axis, f"Bars of {meaning}: {words}{end}", **more)


def example_section(heading: str, words: str, title: str, chunks: str, rest: str = "") -> str:
    return (
        f"<section>\n<h2>{heading}</h2>\n<p>{words}</p>\n"
        f'<div class="card cluster"><h3>{in_html(title)}</h3>'
        f'<div class="chunks">{chunks}</div>{rest}</div>\n</section>'
    )


def outside(values: ArrayLike, least: int, most: int) -> Ints64:
    """Return how far each number is below the least or above the most."""
    numbers: Ints64 = np.asarray(values, dtype=np.int64)
    return np.maximum(least - numbers, 0) + np.maximum(numbers - most, 0)


MANY = 1000  # rows or terms of one part: as many as a reader scrolls through
MOST_TERMS = 64  # of a record: more than fit into a line


def first_rows(
    vocabulary: pa.StringArray, sets: Ragged, counts: Ints64, rows: Iterable[int]
) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Return the first terms of each of these rows, and its count."""
    found = []
    for row in rows:
        names = vocabulary.take(sets[row][:MOST_TERMS]).to_pylist()
        found.append(((*names, "…") if sets[row].size > MOST_TERMS else tuple(names), int(counts[row])))
    return tuple(found)


def row_facts(rows: Bag, row: int, most: int | None = None) -> dict[str, Any]:
    return {"terms": rows.vocabulary.take(rows.sets[row][:most]).to_pylist(), "count": int(rows.counts[row])}


def largest_share(counts: Ints64, sizes: Ints64) -> tuple[int, int]:
    """Return the largest of the shares count / size, exactly; of equal ones that of the smallest size."""
    pairs = np.unique(np.stack([counts, sizes], axis=1), axis=0).tolist()
    count, size = max(pairs, key=lambda pair: (Fraction(*pair), -pair[1]))
    return count, size


def bars_of_shares(entries: Iterable[Mapping[str, Any]], name: str) -> list[Bar]:
    shares = ((entry[name], entry["largest_share"]) for entry in entries)
    return [Bar(term, share["rounded"], f"{share['count']:,} of {share['size']:,}") for term, share in shares]


@cache
def texts_of(package: str) -> dict[str, str]:
    """Return the sections of texts.txt in a package; a line `=== name` begins each."""
    sections = files(package).joinpath("texts.txt").read_text(encoding="utf-8").removeprefix("=== ").split("\n\n=== ")
    named = (section.rstrip("\n").partition("\n") for section in sections)
    return {name: text for name, _, text in named}


def titled(text: str) -> Rows:
    """Return paragraphs, which blank lines separate, as (title, words); the first line of each is its title."""
    paragraphs = (paragraph.splitlines() for paragraph in text.strip().split("\n\n"))
    return [(title, " ".join(lines)) for title, *lines in paragraphs]


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of report.html that differ from form to form."""

    head: Callable[[Report], Numbers]  # the large numbers on top
    made_of: Callable[[Report], str]
    figures: Callable[[Report], list[Figure]]
    example: Callable[[Any], str]  # a section that shows a picture
    numbers: Callable[[Report], Numbers]
    terms: Callable[[Report], str] = lambda _: ""  # a section in which terms are looked up


@dataclass(frozen=True, slots=True)
class Readme:
    """The parts of README.md that differ from form to form."""

    done: Callable[[Report], str]  # what was done to the records
    exactly: str  # what the guarantee means, to the letter
    tables: Callable[[Report], tuple[str, ...]]  # sections
    reading: str  # what to know about the examples


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines that open the tables; the tests run them."""

    files: tuple[str, ...]
    python: str
    sql: str
    formats: str = "Parquet"  # what a program must read to open the files
    rules: tuple[str, ...] = ()  # how to read them, in a few sentences


def _nothing(published: Any, original: Any) -> dict[str, Any]:
    return {}


def _first_ones(parts: Sized, first: int) -> list[int]:
    return list(range(min(first, len(parts))))


def _how_many_more(parts: Sized, numbers: list[int]) -> str:
    number = len(parts) - len(numbers)
    return f"{number:,} more." if number else ""


@dataclass(frozen=True, slots=True)
class Show:
    """How `disjoin show` draws parts of a release, or writes them for programs; `opened` returns what has the parts."""

    typical: Callable[[Any], list[int]]  # what is good to look at
    as_json: Callable[[Any, int], dict[str, Any]]
    draw: Callable[..., None]  # console, parts, numbers, full=
    opened: Callable[[Any], Sized] = lambda published: published
    chosen: Callable[[Any, int], list[int]] = _first_ones
    left: Callable[[Any, list[int]], str] = _how_many_more  # how many were not drawn
    first: int = 3  # how many are shown by default
    line: Callable[[Any, int], dict[str, Any]] = _nothing  # what a list of parts shows of one
    picture: Callable[[Any, int], Any] | None = None  # of any part, for `Page.example`
    find: Callable[[Any, str], list[int]] | None = None  # the parts that have a term, where looking at each takes long

    def pictures(self, published: Any) -> list[Any]:
        assert self.picture is not None, "parts of this form can be drawn"
        parts = self.opened(published)
        return [self.picture(parts, number) for number in self.typical(parts)]


@dataclass(frozen=True, slots=True)
class Unproven:
    """Texts about a release whose guarantee is not proven."""

    headline: str  # for the data owner, when it was made
    purpose: Callable[[Report], str]  # why there is such a release, and what it is not good for
    shortfalls: Callable[[Report], Rows]  # what a proof would need and the tables do not show, by invariant


CLAIMED = Unproven("", lambda report: "", lambda report: [])  # of forms that always claim a proof


@dataclass(frozen=True, slots=True)
class Form:
    """A form of published data; `Any` stands for its noun. What is heavy is imported inside the functions."""

    noun: type[Any]
    part: tuple[str, str]  # what it is made of: one, and several
    original: type[Any]  # what it is compared with: Transactions or Table
    guarantees: tuple[type[AnyGuarantee], ...]  # what can be guaranteed of it
    # The folder.
    tables: Mapping[str, TableSchema]  # by file name, those that every such release has
    lay_out: Callable[[Any], dict[str, Part]]  # the files of the form's own noun, by path
    read: Callable[[Path, AnyGuarantee, int], TablesRead]  # within that many bytes of memory
    counted: tuple[str, ...]  # the names of the noun's extent
    texts: Callable[[Any], Iterable[pa.StringArray]]  # the terms or values of the form's own noun
    # The report.
    statistics: Callable[[Any, AnyGuarantee, Mapping[str, Any]], dict[str, Any]]
    pictures: Callable[[Any], list[Any]]  # of what is good to look at
    limits: Callable[[Report], Rows]  # what is not guaranteed
    summary: Callable[[Report], Rows]  # between the records and the end
    page: Page
    readme: Readme
    reading: Reading
    show: Show
    # What some forms have. `evidence` is what measures look at, of a release and its original, with the keywords
    # `hierarchy`, `settings` and `progress`; without it no measure compares the two.
    evidence: Callable[..., Any] | None = None
    blocks: Callable[[Path, int], Blocks] | None = None  # reads a folder in blocks; None: only as a whole
    rows: Callable[[Report], Mapping[str, int]] = lambda report: {}  # of tables that are in parts if they are large
    more: Callable[[Any], Iterable[str]] = lambda guarantee: ()  # the paths that it may have in addition to its tables
    measures: Callable[[], Mapping[str, Measure]] = dict  # those that need the release alone
    compared: Callable[[], Callable[..., Any]] | None = None  # evidence for comparing methods; None: it cannot be
    costs: Callable[[Any, Any], dict[str, Any]] = _nothing  # what the data owner wants to know at once
    # Sentences for the data owner alone.
    eyes_only: Callable[[Any, Mapping[str, Any]], list[str]] = lambda published, private: []
    kept: Callable[[Report], list[str]] = lambda report: []  # what is kept of the original, in sentences
    dossier: Callable[[], DossierParts | None] = lambda: None  # its parts of the private page for a decision
    learned: Callable[[Report], Rows] = lambda report: []  # what an attacker could learn, in figures of the release
    learned_from: str = FROM_THE_TABLES  # what these figures follow from
    unproven: Unproven = CLAIMED  # what is said if the guarantee calls itself not proven
    by_construction: bool = False  # the guarantee is about how tables were made, and they cannot show it

    @property
    def name(self) -> str:
        return str(self.noun.form)

    def fits(self, guarantee: AnyGuarantee) -> bool:
        return isinstance(guarantee, self.guarantees)

    def in_words(self, text: str, report: Report) -> str:
        """Return a text that names tables with the names that they have in this release."""
        return as_laid_down(text, self.rows(report))

    def paths(self, guarantee: AnyGuarantee) -> frozenset[str]:
        return frozenset((*self.tables, *self.more(guarantee)))


def slots_of(tables: Mapping[str, TableSchema], facts: Any, page: Any, pictures: Any, prose: Any) -> dict[str, Any]:
    """Return what the modules and texts of a form define under the same names in every form."""
    texts = prose.TEXTS
    samples = f"{texts['python']}\n", f"{texts['sql']}\n"
    return {
        "tables": tables,
        "statistics": facts.statistics_of,
        "pictures": pictures.SHOW.pictures,
        "summary": facts.rows_of,
        "page": page.PAGE,
        "show": pictures.SHOW,
        "kept": prose.kept,
        "learned": prose.learned,
        "limits": prose.not_guaranteed,
        "readme": prose.README,
        "reading": Reading(tuple(tables), *samples, texts.get("formats", "Parquet"), tuple(texts["how"].splitlines())),
    }
