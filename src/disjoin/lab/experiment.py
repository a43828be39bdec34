"""Record `Experiment`: settings to run, measures, claims of the papers, and charts of tidy rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from disjoin.advise.results import Rows
from disjoin.charts.svg import Chart
from disjoin.lab.claims import Claim
from disjoin.lab.cost import Measured
from disjoin.lab.sources import ExperimentSource

if TYPE_CHECKING:
    pass


Setting = Mapping[str, Any]  # plain JSON


@dataclass(frozen=True, slots=True)
class Point:
    """One run: the data, and how they are published; `setting` is unique in an experiment."""

    source: ExperimentSource
    setting: Setting


def notes_on(experiment: str, **figures: object) -> tuple[str, ...]:
    """Return the paragraphs of an experiment in notes.md, with these figures filled in."""
    text = files(__package__).joinpath("notes.md").read_text(encoding="utf-8")
    about = text.partition(f"# {experiment}\n")[2].partition("\n# ")[0].format(**figures)
    return tuple(" ".join(paragraph.split()) for paragraph in about.strip().split("\n\n"))


@dataclass(frozen=True, slots=True)
class Experiment:
    """A question, the points that answer it, and the presentation of the answer. `points` gets the data and whether to
    be quick; `measure` returns values by name, or rows with more. `across` is the setting with a column per value in
    the printed table."""

    name: str
    title: str
    question: str
    points: Callable[[Sequence[ExperimentSource], bool], list[Point]]
    measure: Callable[[Any, Setting], Measured | Rows]  # of Transactions, or of other input
    charts: Callable[[Rows], dict[str, Chart]]
    claims: tuple[Claim, ...] = ()
    shown: tuple[str, ...] = ()  # the measures in the printed table; none: all
    across: str | None = None
    notes: tuple[str, ...] = field(default=())  # sentences for the page
    own_data: bool = False  # it generates its data, and takes none
    takes: Literal["records", "table", "records with a hierarchy", "people"] = "records"


def grid(sources: Iterable[ExperimentSource], axes: Mapping[str, Iterable[Any]], fixed: Setting) -> list[Point]:
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return [Point(source, {**values, **fixed}) for source in sources for values in combinations]
