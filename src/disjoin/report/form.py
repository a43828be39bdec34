"""What the room must know about a form of published data; everything else in a report is common to all forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from disjoin.measure import Measure
from disjoin.model.guarantees import Promise
from disjoin.model.report import Report
from disjoin.report.charts import Draw, Specification

Rows = list[tuple[str, str]]  # title or label, and words
Numbers = dict[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its title, what it shows in one sentence (for who cannot see it), and how to read it."""

    title: str
    description: str
    svg: str
    notes: tuple[str, ...] = ()


def figures_from(charts: Mapping[str, Specification], draw: Draw, notes: Mapping[str, tuple[str, ...]]) -> list[Figure]:
    """Return charts, by title, drawn, each with the notes about it."""
    return [Figure(title, chart["description"], draw(chart), notes.get(title, ())) for title, chart in charts.items()]


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of report.html that differ from form to form."""

    head: Callable[[Report], Numbers]  # the large numbers on top
    made_of: Callable[[Report], str]
    figures: Callable[[Report, Draw], list[Figure]]
    example: Callable[[Any], str]  # a section that shows a picture
    numbers: Callable[[Report], Numbers]


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


@dataclass(frozen=True, slots=True)
class Form:
    """What the room does with one form; `Any` stands for the noun of the form."""

    letter: str  # of the invariants that are checked on the tables alone
    statistics: Callable[[Any, Promise, Mapping[str, Any]], dict[str, Any]]
    measures: Mapping[str, Measure]
    pictures: Callable[[Any], list[Any]]  # of what is good to look at
    limits: Callable[[Report], Rows]  # what is not promised
    summary: Callable[[Report], Rows]  # between the records and the end
    page: Page
    readme: Readme
    reading: Reading
    by_construction: bool = False  # the promise is about how tables were made, and they cannot show it
