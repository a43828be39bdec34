"""What all trials have in common: one after the other, each with some code loaded before, and measured by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from disjoin.errors import InvalidParameter
from disjoin.forms.registry import FORMS
from disjoin.measure import EVALUATIONS
from disjoin.measure.evaluation import EvaluationRow, evaluated
from disjoin.model import Published, Transactions
from disjoin.progress import Progress

Point = TypeVar("Point")
Found = TypeVar("Found")


def in_turn(
    doing: str, points: Sequence[Point], trial: Callable[[Point], Found], named: Callable[[Point], str], tell: Progress
) -> list[Found]:
    """Try the points one after the other, and tell which is at work."""
    found = []
    for done, point in enumerate(points):
        tell(doing, done, len(points), named(point))
        found.append(trial(point))
    tell(doing, len(points), len(points))
    return found


def measured(
    published: Published, data: Transactions, names: Iterable[str], *, suppressed_records: int = 0, **about: Any
) -> tuple[EvaluationRow, ...]:
    """Take measures of `disjoin.measure.EVALUATIONS`, with their notes; raises for a form that is not of records.

    `about` is what the evidence is told besides: k, m, settings, a hierarchy, the strategy, who is told of progress.
    """
    wanted, compared = list(names), FORMS[published.form].compared
    if compared is None:
        others = ", ".join(name for name, form in FORMS.items() if form.compared)
        raise InvalidParameter(
            f"what it publishes ({published.form}) cannot be compared: {', '.join(wanted)} are taken of {others}."
        )
    if suppressed_records:
        about["suppressed_records"] = suppressed_records
    evidence = compared()(original=data, published=published, **about)
    return evaluated(evidence, [EVALUATIONS[name] for name in wanted]).rows
