"""All settings of a grid tried on the same records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.advise.grid import CLUSTERINGS, Grid, SettingPoint
from disjoin.advise.trial import COLUMNS, DIGITS, ERROR, EXPOSED, Tried, tried, warm_up
from disjoin.errors import GuaranteeUnreachable
from disjoin.model import Transactions
from disjoin.progress import Progress, silent
from disjoin.trials.measuring import in_turn
from disjoin.trials.rows import Rows
from disjoin.words import counted

if TYPE_CHECKING:
    import pyarrow as pa


LEEWAY = 0.01  # who exposes so much more than the paper's method is about as careful
TOO_MUCH = 0.10  # a larger exposure is advised against


def frontier(entries: Iterable[Tried]) -> tuple[Tried, ...]:
    """Return those that none beats, the least error first: to beat is to be better in one thing and worse in none."""
    every = tuple(entries)
    kept = [entry for entry in every if not any(_beats(other, entry) for other in every)]
    return tuple(sorted(kept, key=preference))


def _beats(one: Tried, other: Tried) -> bool:
    left, right = (one[ERROR], one[EXPOSED]), (other[ERROR], other[EXPOSED])
    return left != right and left[0] <= right[0] and left[1] <= right[1]


def preference(entry: Tried) -> tuple[float, float, int, int, int]:
    """Less error first; of equal ones less exposure, then the stronger promise, then the earlier clustering."""
    point = entry.point
    return entry[ERROR], entry[EXPOSED], -point.m, -point.k, CLUSTERINGS.index(point.clustering)


def careful_limit(paper: Tried) -> float:
    """Return the exposure up to which a setting is about as careful as the paper's method."""
    return min(round(paper[EXPOSED] + LEEWAY, DIGITS), TOO_MUCH)


def benchmark(survey: Survey) -> Tried | None:
    """Return the paper's method if it can be one: it was tried, and does not expose too much itself."""
    paper = survey.paper
    return None if paper is None or paper[EXPOSED] > TOO_MUCH else paper


def recommended(survey: Survey) -> Tried:
    """Return what is advised: of those with less pair error than the paper's method, the closest to its exposure.

    Those about as careful as that are all as close, and the least error decides. If none has less error, but for those
    that expose too much, it is the paper's method itself. Where that is no benchmark, the least error without too much
    exposure is advised; failing that, the least exposure.
    """
    paper = benchmark(survey)
    if paper is None:
        return least_error(survey) or min(survey.measured, key=lambda entry: (entry[EXPOSED], *preference(entry)))
    limit = careful_limit(paper)
    better = [entry for entry in survey.measured if entry[ERROR] < paper[ERROR] and entry[EXPOSED] <= TOO_MUCH]
    return min(better, key=lambda entry: (max(entry[EXPOSED], limit), *preference(entry)), default=paper)


def least_error(survey: Survey) -> Tried | None:
    """Return the setting with the least pair error among those that do not expose too much."""
    return min((entry for entry in survey.measured if entry[EXPOSED] <= TOO_MUCH), key=preference, default=None)


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
        from disjoin.advise.survey import recommended

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
