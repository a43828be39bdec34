"""All settings of a grid tried on the same records."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.advise.grid import Grid, SettingPoint
from disjoin.advise.trial import COLUMNS, Tried, tried, warm_up
from disjoin.errors import GuaranteeUnreachable
from disjoin.model import Transactions
from disjoin.progress import Progress, silent
from disjoin.trials.measuring import in_turn
from disjoin.trials.rows import Rows
from disjoin.words import counted

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Survey:
    """What came of every setting; `of` names the data, `whole` is how many records they have in all."""

    of: str
    records: int
    whole: int
    terms: int
    grid: Grid
    entries: tuple[Tried, ...]

    def __repr__(self) -> str:
        # never what was found: it is not to be published
        return f"Survey({counted(len(self.entries), 'setting')}, {counted(self.records, 'record')})"

    def __str__(self) -> str:
        return "\n".join(self.advice)

    @property
    def recommended(self) -> dict[str, Any]:
        """The settings that are advised, for `disjoin.disassociate(data, **survey.recommended)`."""
        from disjoin.advise.frontier import recommended

        grid, point = self.grid, asdict(recommended(self).point)
        if not grid.sensitive:
            return point
        return point | {"sensitive": grid.sensitive, "sensitive_match": grid.sensitive_match, "l": grid.l}

    @property
    def advice(self) -> list[str]:
        """What is advised and why, in sentences."""
        from disjoin.advise.words import advice_in_words

        return advice_in_words(self)

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

    def to_table(self) -> pa.Table:
        """Return a row for every setting as an Arrow table, with whether it is advised, or why it has no figures."""
        import pyarrow as pa

        from disjoin.advise.folder import marked_rows

        return pa.Table.from_pylist(marked_rows(self))

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON, as in advice.json."""
        from disjoin.advise.folder import facts_of

        return facts_of(self)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write table, facts, page and chart into a folder for the steward, whole or not at all; return its path."""
        from disjoin.advise.folder import facts_of, write_advice

        return write_advice(self, facts_of(self), path, overwrite=overwrite)


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
    progress("advising", 0, len(grid.points), "getting ready")
    warm_up(grid, data)

    def entry_of(point: SettingPoint) -> Tried:
        return _tried_or_why_not(point, grid, data, threads, progress)

    entries = in_turn("advising", grid.points, entry_of, grid.name, progress)
    found = Survey(of, len(data), whole or len(data), data.n_terms, grid, tuple(entries))
    if not found.measured:
        raise GuaranteeUnreachable(f"no setting can publish these data. {found.entries[0].failure}")
    return found


def _tried_or_why_not(point: SettingPoint, grid: Grid, data: Transactions, threads: int, progress: Progress) -> Tried:
    try:
        return tried(point, grid, data, threads, progress)
    except GuaranteeUnreachable as failure:
        return Tried(point, {}, str(failure))
