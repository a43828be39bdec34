"""A comparison: who took part under which conditions, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.compare.conditions import COLUMNS, USUAL_FAN_OUT, Conditions, conditions_for
from disjoin.compare.contenders import CONTENDERS, Contender
from disjoin.compare.subprocess_runner import Failure, arena
from disjoin.compare.trial import Trial
from disjoin.errors import DisjoinError, GuaranteeUnreachable, InvalidParameter, described
from disjoin.files.reading import read
from disjoin.model import Hierarchy, Transactions
from disjoin.pipeline import require_people
from disjoin.progress import Progress, silent
from disjoin.trials.folder import name_of
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


USUAL = ("disassociation", "apriori", "diffpart")


def compare(
    data: object,
    methods: Iterable[str] | str = USUAL,
    k: int = 5,
    m: int = 2,
    *,
    epsilon: Fraction | float | str = 1,
    hierarchy: Hierarchy | str | Path | None = None,
    fan_out: int = USUAL_FAN_OUT,
    seed: int | None = None,
    top: int = 1000,
    threads: int = 0,
    progress: Progress = silent,
) -> Contest:
    """Let methods publish the same records, each in a process of its own, and return what each loses and takes.

    A method that fails is an entry that says why; raises if all fail. The figures are facts about the original: they
    are for the data steward and must not be published.

    data: what `disjoin.read` takes: a path, a list of sets or a table.
    methods: those who take part; an unknown name lists all.
    k, m: crowds to hide in, and terms that somebody may know.
    epsilon: the budget of those who add noise.
    hierarchy: of the terms, itself or as a file; built over the sorted terms, if not given.
    fan_out: children of a node in trees that are built.
    seed: draw noise from a seed: for trials only; noise to be relied on, if not given.
    top: how many itemsets are compared.
    threads, progress: how many threads, 0 for one per core; and an object that is told how far the work is.

    >>> contest = compare([{"tea", "milk"}, {"tea", "jam"}, {"milk"}] * 5, "apriori", k=3)
    >>> contest, contest.to_table().column_names
    (Contest(1 method, 15 records), ['method', 'measure', 'value'])
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    contenders_named(names)  # complains before any work is done
    records = read(data)
    require_people(records)
    agreed = conditions_for(
        records, hierarchy, k=k, m=m, epsilon=epsilon, fan_out=fan_out, seed=seed, top=top, threads=threads
    )
    return compare_methods(records, names, agreed, of=name_of(data), progress=progress)
