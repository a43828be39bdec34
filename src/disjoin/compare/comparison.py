"""A comparison: who took part under which conditions, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.compare.columns import COLUMNS
from disjoin.compare.conditions import Conditions
from disjoin.compare.contenders import CONTENDERS, Contender
from disjoin.compare.subprocess_runner import Failure, arena
from disjoin.compare.trial import Trial
from disjoin.errors import DisjoinError, GuaranteeUnreachable, InvalidParameter, described
from disjoin.model import Transactions
from disjoin.progress import Progress, silent
from disjoin.trials.measuring import in_turn
from disjoin.trials.rows import Rows, tidy_table
from disjoin.words import counted

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Entry:
    """A contender, and what it did or why it did not."""

    name: str
    title: str
    outcome: Trial | Failure

    def value(self, measure: str) -> float | None:
        """Return what was measured, None if nothing was."""
        return self.outcome.values.get(measure) if isinstance(self.outcome, Trial) else None


@dataclass(frozen=True, slots=True)
class Contest:
    """All contenders under the same conditions; `of` names the data."""

    of: str
    records: int
    terms: int
    conditions: Conditions
    entries: tuple[Entry, ...]

    def __repr__(self) -> str:
        # never what was found: it is not to be published
        return f"Contest({counted(len(self.entries), 'method')}, {counted(self.records, 'record')})"

    @property
    def finished(self) -> tuple[tuple[Entry, Trial], ...]:
        """Those who have figures."""
        return tuple((entry, entry.outcome) for entry in self.entries if isinstance(entry.outcome, Trial))

    @property
    def failed(self) -> tuple[tuple[Entry, Failure], ...]:
        """Those who have none."""
        return tuple((entry, entry.outcome) for entry in self.entries if isinstance(entry.outcome, Failure))

    def rows(self) -> Rows:
        """Return tidy rows: method, measure, value; of a method that failed all values are None."""
        return [
            {"method": entry.name, "measure": name, "value": entry.value(name)}
            for entry in self.entries
            for name in COLUMNS
        ]

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        return tidy_table(self.rows())

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON, as in comparison.json."""
        from disjoin.compare.folder import facts_of

        return facts_of(self)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write table, facts, page and charts into a folder for the steward, whole or not at all; return its path."""
        from disjoin.compare.folder import facts_of, write_comparison

        return write_comparison(self, facts_of(self), path, overwrite=overwrite)


def contenders_named(names: Iterable[str]) -> list[Contender]:
    """Return contenders by name, each once; an unknown name is an error that lists those there are."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        raise InvalidParameter(f"name the methods to compare. There are: {', '.join(CONTENDERS)}.")
    for name in wanted:
        if name not in CONTENDERS:
            raise InvalidParameter(
                f"there is no method {described(name)} to compare. There are: {', '.join(CONTENDERS)}."
            )
    return [CONTENDERS[name] for name in wanted]


def compare_methods(
    data: Transactions, names: Iterable[str], conditions: Conditions, *, of: str = "", progress: Progress = silent
) -> Contest:
    """Let contenders publish the data one after the other, each in a process of its own, and measure them alike.

    One that fails is an entry that says why. Raises if all do, as then there is nothing to compare.
    """
    chosen = contenders_named(names)
    with arena(data) as place:

        def entry_of(contender: Contender) -> Entry:
            return Entry(contender.name, contender.title, place.try_out(contender, conditions))

        entries = in_turn("comparing", chosen, entry_of, lambda contender: contender.title, progress)
    contest = Contest(of, len(data), data.n_terms, conditions, tuple(entries))
    _require_one(contest)
    return contest


def _require_one(contest: Contest) -> None:
    if contest.finished:
        return
    kinds = {failure.kind for _, failure in contest.failed}
    error = GuaranteeUnreachable if kinds == {GuaranteeUnreachable.__name__} else DisjoinError
    reasons = " ".join(f"{entry.name}: {failure.reason}" for entry, failure in contest.failed)
    raise error(f"no method could publish these data, so there is nothing to compare. {reasons}")
