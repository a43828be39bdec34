"""All settings of a grid tried on the same records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from disjoin.advise.columns import COLUMNS
from disjoin.advise.grid import Grid, Point
from disjoin.advise.trial import Tried, tried, warm_up
from disjoin.errors import GuaranteeUnreachable
from disjoin.model import Transactions
from disjoin.progress import Progress, silent

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Survey:
    """What came of every setting; `of` names the data, `whole` is how many records they have in all."""

    of: str
    records: int
    whole: int
    terms: int
    grid: Grid
    entries: tuple[Tried, ...]

    @property
    def measured(self) -> tuple[Tried, ...]:
        """Those that could publish."""
        return tuple(entry for entry in self.entries if not entry.failure)

    @property
    def paper(self) -> Tried | None:
        """The papers' method with the weakest promise, if it was tried and could publish."""
        return next((entry for entry in self.measured if entry.point == self.grid.paper), None)

    def name(self, entry: Tried) -> str:
        """Return what a setting is called."""
        return self.grid.name(entry.point)

    def rows(self) -> Rows:
        """Return a row for every setting: clustering, k, m, and the columns, None where nothing was measured."""
        return [
            {"clustering": entry.point.clustering, "k": entry.point.k, "m": entry.point.m}
            | {name: entry.values.get(name) for name in COLUMNS}
            for entry in self.entries
        ]


def survey(
    data: Transactions,
    grid: Grid,
    *,
    of: str = "",
    whole: int | None = None,
    threads: int = 0,
    progress: Progress = silent,
) -> Survey:
    """Try every setting, one after the other.

    One that cannot keep its promise on these data is an entry that says why. Raises if none can.
    """
    points, entries = grid.points, []
    progress("advising", 0, len(points), "getting ready")
    warm_up(grid, data)
    for done, point in enumerate(points):
        progress("advising", done, len(points), grid.name(point))
        entries.append(_tried_or_why_not(point, grid, data, threads, progress))
    progress("advising", len(points), len(points))
    found = Survey(of, len(data), whole or len(data), data.n_terms, grid, tuple(entries))
    if not found.measured:
        raise GuaranteeUnreachable(f"no setting can publish these data. {found.entries[0].failure}")
    return found


def _tried_or_why_not(point: Point, grid: Grid, data: Transactions, threads: int, progress: Progress) -> Tried:
    try:
        return tried(point, grid, data, threads, progress)
    except GuaranteeUnreachable as failure:
        return Tried(point, {}, str(failure))
