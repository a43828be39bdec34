"""What an experiment is: settings to run, what to measure at each, and what the papers state about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from disjoin.trials.rows import Rows

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.experiments.sources import ExperimentSource

Setting = Mapping[str, Any]  # plain JSON
Measured = dict[str, float | None]
EXPECTED = "our expectation"  # in place of a paper, where none is quoted
Verdict = Literal["met", "not met", "not comparable"]


@dataclass(frozen=True, slots=True)
class Point:
    """One run: the data, and how they are published; `setting` tells the points of an experiment apart."""

    source: ExperimentSource
    setting: Setting


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a claim holds here, with our figure in words."""

    verdict: Verdict
    ours: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper states, or what we expect (then `paper` is EXPECTED), and how to tell from rows if it is so."""

    paper: str
    states: str
    judge: Callable[[Rows], Judgement]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A question, the points that answer it, and how the answer is shown.

    `points` is told the data and whether to be quick; `measure` returns values by name, or rows that say more.
    `across` is the setting whose values get a column each in the printed table, then of the first of `shown` only.
    """

    name: str
    title: str
    question: str
    points: Callable[[Sequence[ExperimentSource], bool], list[Point]]
    measure: Callable[[Any, Setting], Measured | Rows]  # of Transactions, or of what else it takes
    charts: Callable[[Rows], dict[str, Specification]]
    claims: tuple[Claim, ...] = ()
    shown: tuple[str, ...] = ()  # the measures in the printed table; none: all
    across: str | None = None
    notes: tuple[str, ...] = field(default=())  # sentences for the page
    own_data: bool = False  # it makes its data, and takes none
    takes: Literal["records", "table", "records with a hierarchy"] = "records"
