"""Survey of sets: every setting of a grid of k, m and clusterings, tried on the same records (`disjoin.advise`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from disjoin.advise import trial
from disjoin.advise.results import Rows, name_of
from disjoin.advise.trial import CLUSTERINGS, COLUMNS, ERROR, EXPOSED, Grid, SettingPoint, Tried
from disjoin.errors import GuaranteeUnreachable
from disjoin.measure.evaluation import PRIVATE
from disjoin.methods.sensitive_terms import terms_of
from disjoin.model import Transactions
from disjoin.model.card import card
from disjoin.pipeline import require_people
from disjoin.progress import Progress, silent
from disjoin.readers.read import read
from disjoin.text import counted

if TYPE_CHECKING:
    import pyarrow as pa


LEEWAY = 0.01  # extra exposure with which a setting is still about as careful as the paper's method
TOO_MUCH = 0.10  # a larger exposure is advised against


def frontier(entries: Iterable[Tried]) -> list[Tried]:
    """Return the Pareto-optimal entries, by ascending error."""
    return sorted(trial.unbeaten(entries, lambda entry: (entry[ERROR], entry[EXPOSED])), key=preference)


def preference(entry: Tried) -> tuple[float, float, int, int, int]:
    """Return the sort key: error, exposure, then the stronger guarantee, then the earlier clustering."""
    point = entry.point
    return entry[ERROR], entry[EXPOSED], -point.m, -point.k, CLUSTERINGS.index(point.clustering)


def careful_limit(paper: Tried) -> float:
    return min(round(paper[EXPOSED] + LEEWAY, trial.DIGITS), TOO_MUCH)


def benchmark(survey: Survey) -> Tried | None:
    """Return the paper's method as the benchmark, if it was tried and does not expose too much."""
    paper = survey.paper
    return None if paper is None or paper[EXPOSED] > TOO_MUCH else paper


def recommended(survey: Survey) -> Tried:
    """Return, of settings with less pair error than the paper's method, the one closest to its exposure.
    Among those about as careful the least error decides. If none has less error, it is the paper's method; if that
    exposes too much itself, the least error without too much exposure or, failing that, the least exposure."""
    paper = benchmark(survey)
    if paper is None:
        return least_error(survey) or min(survey.measured, key=lambda entry: (entry[EXPOSED], *preference(entry)))
    limit = careful_limit(paper)
    better = [entry for entry in survey.measured if entry[ERROR] < paper[ERROR] and entry[EXPOSED] <= TOO_MUCH]
    return min(better, key=lambda entry: (max(entry[EXPOSED], limit), *preference(entry)), default=paper)


def least_error(survey: Survey) -> Tried | None:
    return min((entry for entry in survey.measured if entry[EXPOSED] <= TOO_MUCH), key=preference, default=None)


@dataclass(frozen=True, slots=True)
class Survey:
    """Results of every setting; `of` names the data, `whole` is its total number of records."""

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

    def _repr_html_(self) -> str:
        numbers = [("settings tried", f"{len(self.entries):,}"), ("records", f"{self.records:,}")]
        return card("Survey", self.advice[0], numbers, warning=PRIVATE, notes=self.advice[1:])

    @property
    def recommended(self) -> dict[str, Any]:
        grid, point = self.grid, asdict(recommended(self).point)
        if not grid.sensitive:
            return point
        return point | {"sensitive": grid.sensitive, "sensitive_match": grid.sensitive_match, "l": grid.l}

    @property
    def advice(self) -> list[str]:
        from disjoin.advise.recommendation import advice_in_words

        return advice_in_words(self)

    @property
    def measured(self) -> tuple[Tried, ...]:
        """The settings that could be published."""
        return tuple(entry for entry in self.entries if not entry.failure)

    @property
    def paper(self) -> Tried | None:
        """The papers' method with the weakest guarantee, if it was tried and could be published."""
        return next((entry for entry in self.measured if entry.point == self.grid.paper), None)

    def name(self, entry: Tried) -> str:
        return self.grid.name(entry.point)

    def rows(self) -> Rows:
        """Return a row for every setting: clustering, k, m, and the columns, None where nothing was measured."""
        return [asdict(each.point) | {name: each.values.get(name) for name in COLUMNS} for each in self.entries]

    def marked_rows(self) -> Rows:
        kept, best = frontier(self.measured), recommended(self)
        return [
            row | {"on_frontier": entry in kept, "recommended": entry is best, "failure": entry.failure or None}
            for row, entry in zip(self.rows(), self.entries, strict=True)
        ]

    def to_table(self) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_pylist(self.marked_rows())

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON, as in advice.json."""
        from disjoin.advise.recommendation import facts_of

        return facts_of(self)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write table, facts, page and chart into a folder for the data owner, whole or not at all; return its path."""
        from disjoin.advise.recommendation import write_advice

        return write_advice(self, path, overwrite=overwrite)


def survey(
    data: Transactions,
    grid: Grid,
    records: int | None = None,
    *,
    of: str = "",
    threads: int = 0,
    progress: Progress = silent,
    heard: Callable[[Tried], None] = lambda entry: None,
) -> Survey:
    """Try every setting on the data, or on `records` of them; a failed setting has its reason. Raises if all fail."""
    part = data
    if records is not None:
        part, grid = trial.part_of(data, records), grid.for_part()
    progress("advising", 0, len(grid.points), "getting ready")
    trial.warm_up(grid, part)

    def entry_of(point: SettingPoint) -> Tried:
        try:
            entry = trial.tried(point, grid, part, threads, progress)
        except GuaranteeUnreachable as failure:
            entry = Tried(point, {}, str(failure))
        heard(entry)
        return entry

    entries = trial.in_turn("advising", grid.points, entry_of, grid.name, progress)
    found = Survey(of, len(part), len(data), part.n_terms, grid, tuple(entries))
    if not found.measured:
        raise GuaranteeUnreachable(f"no setting can publish these data. {found.entries[0].failure}")
    return found


def advise(
    data: object,
    k: Iterable[int] | int = (5, 10, 20),
    m: Iterable[int] | int = 2,
    *,
    clusterings: Iterable[str] | str = CLUSTERINGS,
    sensitive: Iterable[str] | str = (),
    sensitive_match: Literal["exact", "loose"] = "exact",
    allow_missing_sensitive: bool = False,
    l: int | None = None,  # noqa: E741 - the papers' name
    records: int | None = None,
    threads: int = 0,
    progress: Progress = silent,
) -> Survey:
    """Try settings of disassociation on the records; return what each keeps and reveals, and a recommendation.

    Every clustering is tried with every k and m: it publishes, is verified and measured. No release is kept. The
    figures are facts about the original: they are for the data owner and must not be published.

    data: what `disjoin.read` takes: a path, a list of sets or a table.
    k, m: the least number of candidates, and the terms that an attacker may know: one or several of each.
    clusterings: the ways to group records that are tried.
    sensitive: sensitive terms, the same for all settings; "B20*" selects all that begin with B20.
    sensitive_match: other spellings of a sensitive term are refused ("exact"), or taken along ("loose").
    allow_missing_sensitive: go on if a sensitive term occurs nowhere in the data.
    l: in no cluster may more than one record in l have the same sensitive term.
    records: try that many of the records only, chosen by a hash of their terms; all, if not given.
    threads, progress: how many threads, 0 for one per core; and a function that reports progress.

    >>> visits = [{"flu", "fever"}, {"flu", "cough"}, {"flu", "fever", "cough"}, {"cough"}, {"flu"}] * 4
    >>> found = advise(visits, k=3, clusterings="horpart")
    >>> found, found.recommended
    (Survey(1 setting, 20 records), {'clustering': 'horpart', 'k': 3, 'm': 2})
    """
    grid = Grid(
        _several(clusterings),
        _several(k),
        _several(m),
        terms_of(sensitive),
        l,
        sensitive_match,
        allow_missing_sensitive,
    )
    found = read(data)
    require_people(found)
    for note in grid.method(grid.paper).warnings(found):
        warnings.warn(note, UserWarning, stacklevel=3)  # the line that calls disjoin.advise
    return survey(found, grid, records, of=name_of(data), threads=threads, progress=progress)


def _several(given: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple; the grid validates them."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
