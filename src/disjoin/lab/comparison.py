"""Comparison of methods: conditions, results, table, page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.advise import results
from disjoin.advise.results import Rows, TrialFolder
from disjoin.advise.trial import in_turn
from disjoin.charts.svg import Chart
from disjoin.errors import DisjoinError, GuaranteeUnreachable, InvalidParameter, described
from disjoin.lab.comparison_trial import (
    COLUMNS,
    CONTENDERS,
    USUAL_FAN_OUT,
    Conditions,
    Contender,
    Trial,
    conditions_for,
)
from disjoin.lab.drawing import bars
from disjoin.lab.rows import tidy_table
from disjoin.lab.subprocess_runner import Failure, arena, try_out
from disjoin.measure.pair_counts import RANGES
from disjoin.model import Hierarchy, Transactions
from disjoin.pipeline import require_people
from disjoin.progress import Progress, silent
from disjoin.readers.read import read
from disjoin.text import counted, in_markdown

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Entry:
    """A contender, and its result or the reason for having none."""

    name: str
    title: str
    outcome: Trial | Failure

    def value(self, measure: str) -> float | None:
        return self.outcome.values.get(measure) if isinstance(self.outcome, Trial) else None

    def to_json(self) -> dict[str, Any]:
        if not isinstance(self.outcome, Trial):
            return {"title": self.title, "failed": asdict(self.outcome)}
        outcome = asdict(self.outcome)
        del outcome["values"]  # the rows have them
        return {"title": self.title, **outcome, "notes": list(self.outcome.notes)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """All contenders under the same conditions; `of` is the name of the data."""

    of: str
    records: int
    terms: int
    conditions: Conditions
    entries: tuple[Entry, ...]

    def __repr__(self) -> str:
        # never the figures, which must not be published
        return f"Comparison({counted(len(self.entries), 'method')}, {counted(self.records, 'record')})"

    @property
    def finished(self) -> tuple[tuple[Entry, Trial], ...]:
        return tuple((entry, entry.outcome) for entry in self.entries if isinstance(entry.outcome, Trial))

    @property
    def failed(self) -> tuple[tuple[Entry, Failure], ...]:
        return tuple((entry, entry.outcome) for entry in self.entries if isinstance(entry.outcome, Failure))

    def rows(self) -> Rows:
        return [
            {"method": entry.name, "measure": name, "value": entry.value(name)}
            for entry in self.entries
            for name in COLUMNS
        ]

    def to_table(self) -> pa.Table:
        return tidy_table(self.rows())

    def to_json(self) -> dict[str, Any]:
        conditions = self.conditions
        tree = conditions.hierarchy
        return {
            **results.circumstances(),
            "data": {"name": self.of, "records": self.records, "terms": self.terms},
            "settings": conditions.to_json(),
            "hierarchy": {"from": conditions.tree_from, "leaves": tree.n_leaves, "height": tree.height},
            "columns": {name: {**asdict(column), "direction": "lower"} for name, column in COLUMNS.items()},
            "methods": {entry.name: entry.to_json() for entry in self.entries},
            "rows": self.rows(),
            "notes": [NO_VICTORY],
        }

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write table, facts, page and charts into a folder for the data owner, completely or not at all."""
        facts, charts = self.to_json(), pictures_of(self)
        page = page_of(self, facts, {name: chart.description for name, chart in charts.items()})
        return FOLDER.write(self.rows(), facts, page, charts, path, overwrite=overwrite)


def contenders_named(names: Iterable[str]) -> list[Contender]:
    wanted = list(dict.fromkeys(names))
    if not wanted:
        raise InvalidParameter(f"name the methods to compare. There are: {', '.join(CONTENDERS)}.")
    unknown = [name for name in wanted if name not in CONTENDERS]
    if unknown:
        raise InvalidParameter(
            f"there is no method {described(unknown[0])} to compare. There are: {', '.join(CONTENDERS)}."
        )
    return [CONTENDERS[name] for name in wanted]


def compare_methods(
    data: Transactions, names: Iterable[str], conditions: Conditions, *, of: str = "", progress: Progress = silent
) -> Comparison:
    """Let contenders publish one by one, each in its own process, and measure them; raises only if all fail."""
    chosen = contenders_named(names)
    with arena(data) as folder:

        def entry_of(contender: Contender) -> Entry:
            return Entry(contender.name, contender.title, try_out(folder, contender, conditions))

        entries = in_turn("comparing", chosen, entry_of, lambda contender: contender.title, progress)
    contest = Comparison(of, len(data), data.n_terms, conditions, tuple(entries))
    if contest.finished:
        return contest
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
) -> Comparison:
    """Let methods publish the same records, each in a separate process, and return their losses and costs.

    A method that fails is an entry with the reason; raises if all fail. The figures are facts about the original: they
    are for the data owner and must not be published.

    data: any input of `disjoin.read`: a path, a list of sets or a table.
    methods: their names; an unknown name is an error that lists all.
    k, m: the least number of candidates, and the number of terms that an attacker may know.
    epsilon: the budget of methods that add noise.
    hierarchy: of the terms, as a `Hierarchy` or a file; by default built over the sorted terms.
    fan_out: children of a node in trees that are built.
    seed: draw noise from a seed: for trials only; by default secure noise.
    top: the number of itemsets compared.
    threads, progress: number of threads, 0 for one per core; an object that receives progress reports.

    >>> contest = compare([{"tea", "milk"}, {"tea", "jam"}, {"milk"}] * 5, "apriori", k=3)
    >>> contest, contest.to_table().column_names
    (Comparison(1 method, 15 records), ['method', 'measure', 'value'])
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    contenders_named(names)  # raises before any work
    records = read(data)
    require_people(records)
    agreed = conditions_for(
        records, hierarchy, k=k, m=m, epsilon=epsilon, fan_out=fan_out, seed=seed, top=top, threads=threads
    )
    return compare_methods(records, names, agreed, of=results.name_of(data), progress=progress)


# File name: the title, the unit of the bars, and the measures in it.
PICTURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "losses.svg": ("Shares lost", "share (lower is better)", ("tkd", "tkd_ml2", "tlost")),
    "errors.svg": ("Relative error of pairs", "re, 0 to 2 (lower is better)", ("re", "re_present")),
    "attacks.svg": ("What attacks find", "share of records (lower is better)", ("harmed_records", "sure_inference")),
    "time.svg": ("Time", "seconds (lower is better)", ("seconds", "processor_seconds")),
    "memory.svg": ("Memory", "MB (lower is better)", ("memory_mb",)),
}


NO_VICTORY = (
    "If guarantees differ, no number decides which is better: a method with a lower loss and a different guarantee is "
    "not better for that reason."
)
FOLDER = TrialFolder("comparison", "The comparison", "comparison", tuple(PICTURES))


def pictures_of(contest: Comparison) -> dict[str, Chart]:
    charts = {}
    for file, (title, what, measures) in PICTURES.items():
        rows: Rows = [
            {"method": entry.name, "measure": COLUMNS[name].title, "value": value}
            for entry, _ in contest.finished
            for name in measures
            if (value := entry.value(name)) is not None
        ]
        if rows:
            charts[file] = bars(title, rows, "method", what)
    return charts


def page_of(contest: Comparison, facts: dict[str, Any], charts: dict[str, str]) -> str:
    lines = [
        [entry.name, *results.cells(COLUMNS, {name: entry.value(name) for name in COLUMNS})]
        for entry in contest.entries
    ]
    parts = [
        in_words(contest, facts),
        results.markdown_table(["method", *results.titles(COLUMNS)], lines, "|---|" + "---:|" * len(COLUMNS)),
        "\n".join(
            f"* **{entry.name}** has no figures. {in_markdown(failure.reason)}" for entry, failure in contest.failed
        ),
        results.pictures(charts),
        "## What is compared",
        "Lower is better for all measures.",
        _meanings(contest),
        _HOW,
        "## What is guaranteed",
        guarantees(contest),
        NO_VICTORY,
    ]
    heading = f"Head to head{f': {in_markdown(contest.of)}' if contest.of else ''}"
    return results.page_of_parts(heading, parts, results.made("compare", facts))


_HOW = (
    "Clusters have many possible originals; their figures are of one of these, drawn with a fixed seed. A "
    "generalised term counts for its leaves in equal shares in re, and for itself in tKd-ML2. Each method ran in a "
    "separate process, one by one, after a trial run on the first records, so the figures exclude reading, "
    "compiling and verifying. Time and memory are of one run: on a machine with other programs they "
    "differ by 25 % and more."
)


def _meanings(contest: Comparison) -> str:
    usual, taken = RANGES[0], RANGES[0].within(contest.terms)
    said = f"{usual}" if taken == usual else f"{usual} (here {taken}, because there are no more terms)"
    columns = COLUMNS.items()
    return results.meanings(
        {name: replace(one, meaning=one.meaning.replace(f"{usual}", said)) for name, one in columns}
    )


def in_words(contest: Comparison, facts: dict[str, Any]) -> str:
    conditions = contest.conditions
    tree = facts["hierarchy"]
    return (
        f"{contest.records:,} records with {contest.terms:,} terms; k = {conditions.k}, m = {conditions.m}, "
        f"epsilon = {float(conditions.epsilon):g}, the {conditions.top:,} most frequent itemsets. The hierarchy, the "
        f"same for all, was {in_markdown(tree['from'])}: {tree['leaves']:,} leaves, height {tree['height']}."
    )


def guarantees(contest: Comparison) -> str:
    lines = []
    for entry, trial in contest.finished:
        notes = "".join(f" {note}" for note in trial.notes)
        lines.append(f"* **{entry.name}** ({entry.title}): {in_markdown(trial.sentence)} {_verified(trial)}{notes}")
    return "\n".join(lines)


def _verified(trial: Trial) -> str:
    if not trial.guarantee.get("proven", True):
        return "(Only the form is verified.)" if trial.by_construction else "(Verified for what it claims.)"
    if trial.by_construction:
        return "(Tables cannot show it: the form is verified, the guarantee rests on how they were made.)"
    return "(Verified, record by record.)"
