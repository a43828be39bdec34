"""Record `Experiment`: settings to run, measures, claims of the papers, and charts of tidy rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from disjoin.advise.results import Rows, distinct, of_the_papers, rows_with, seconds_spent
from disjoin.advise.trial import measured
from disjoin.charts import svg
from disjoin.charts.svg import Chart
from disjoin.forms.groups.facts import Grid, levels_of
from disjoin.lab import charts
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import papers
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.pipeline import drafted

if TYPE_CHECKING:
    from disjoin.lab.sources import ExperimentSource
    from disjoin.measure.evaluation import EvaluationRow
    from disjoin.model import Clusters, Draft, Transactions


Setting = Mapping[str, Any]  # plain JSON
Measured = dict[str, float | None]
EXPECTED = "our expectation"  # in place of a paper, where none is quoted
Verdict = Literal["met", "not met", "not comparable"]


@dataclass(frozen=True, slots=True)
class Point:
    """One run: the data, and how they are published; `setting` is unique in an experiment."""

    source: ExperimentSource
    setting: Setting


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a claim holds here, with our figure in words."""

    verdict: Verdict
    ours: str


def judged_by_data(
    rows: Rows, compared: Callable[[str, Rows], tuple[bool | None, str]], between: str = ", ", before: str = ""
) -> Judgement:
    """Judge a claim on every dataset, each with our figure in words; None is for datasets that do not count."""
    found = [compared(data, rows_with(rows, data=data)) for data in distinct(rows, "data")]
    ours = before + between.join(words for _, words in found)
    if all(is_so is None for is_so, _ in found):
        return Judgement("not comparable", ours)
    return judged(all(is_so is not False for is_so, _ in found), ours)


def held(chosen: Rows, fits: Callable[[float], bool], more: str = "") -> Judgement:
    ours = ", ".join(f"{row.get('known_as') or row['data']} {row['value']:.3f}" for row in chosen) + more
    comparable = of_the_papers(chosen)
    if not comparable:
        return Judgement("not comparable", f"{ours} (none of the papers' datasets)")
    return judged(all(fits(row["value"]) for row in comparable), ours)


def judged(is_so: bool, ours: str) -> Judgement:
    return Judgement("met" if is_so else "not met", ours)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper, or what we expect (then `paper` is EXPECTED), and a function that judges it from rows."""

    paper: str
    states: str
    judge: Callable[[Rows], Judgement]


expect = partial(Claim, EXPECTED)


def paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


@dataclass(frozen=True, slots=True)
class Experiment:
    """A question, the points that answer it, and how the answer is shown. `points` gets the data and whether to be
    quick; `measure` returns values by name, or rows with more. `across` is the setting with a column per value in the
    printed table."""

    name: str
    title: str
    question: str
    points: Callable[[Sequence[ExperimentSource], bool], list[Point]]
    measure: Callable[[Any, Setting], Measured | Rows]  # of Transactions, or of what else it takes
    charts: Callable[[Rows], dict[str, Chart]]
    claims: tuple[Claim, ...] = ()
    shown: tuple[str, ...] = ()  # the measures in the printed table; none: all
    across: str | None = None
    notes: tuple[str, ...] = field(default=())  # sentences for the page
    own_data: bool = False  # it makes its data, and takes none
    takes: Literal["records", "table", "records with a hierarchy", "people"] = "records"


def grid(sources: Iterable[ExperimentSource], axes: Mapping[str, Iterable[Any]], fixed: Setting) -> list[Point]:
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return [Point(source, {**values, **fixed}) for source in sources for values in combinations]


def by_title(charts: Iterable[Chart]) -> dict[str, Chart]:
    return {chart.title: chart for chart in charts}


def published(data: Transactions, **parameters: Any) -> tuple[Disassociation, Draft[Clusters]]:
    """Publish without the verifier, which no measure needs; by default with the papers' clusters."""
    method = Disassociation(**{"clustering": papers()} | parameters)
    return method, drafted(data, method)


def seconds_of(data: Transactions, times: int, **parameters: Any) -> Measured:
    return seconds_spent(lambda: published(data, **parameters), times)


def masses_of(data: Transactions, method: Disassociation, draft: Draft[Clusters]) -> Measured:
    from disjoin.measure import exact_pair_mass, exact_term_mass, exposed_records, universal_terms

    clusters = draft.published
    return {
        "term mass": exact_term_mass(clusters, data),
        "pair mass": exact_pair_mass(clusters, data),
        "exposed records": exposed_records(clusters, KmAnonymity(method.k, method.m)),
        "universal terms": universal_terms(clusters),
    }


def losses_of(data: Transactions, names: Iterable[str], **parameters: Any) -> Measured:
    return evaluation_of(data, *published(data, **parameters), names)


def evaluation_of(data: Transactions, method: Disassociation, draft: Draft[Clusters], names: Iterable[str]) -> Measured:
    return {row.name: row.value for row in evaluation_rows(data, method, draft, names)}


def evaluation_rows(
    data: Transactions,
    method: Disassociation,
    draft: Draft[Clusters],
    names: Iterable[str],
    *,
    reconstructions: int = 1,
    seed: int = 0,
) -> tuple[EvaluationRow, ...]:
    from disjoin.measure.definition import Settings

    return measured(
        draft.published,
        data,
        names,
        k=method.k,
        m=method.m,
        suppressed_records=draft.suppressed_records,
        strategy=method.strategy,
        settings=Settings(seed=seed, reconstructions=reconstructions),
    )


def everywhere(measure: str, is_so: Callable[[dict[str, float]], bool]) -> Callable[[Rows], Judgement]:
    def judge(rows: Rows) -> Judgement:
        data = distinct(rows, "data")
        values = {name: {r["way"]: r["value"] for r in rows_with(rows, data=name, measure=measure)} for name in data}
        against = [name for name in data if not is_so(values[name])]
        ours = f"so on {len(data) - len(against)} of {len(data)} datasets"
        return judged(not against, "; not on ".join([ours, *against]))

    return judge


def bars_by(colour: str, rows: Rows, shown: Mapping[str, tuple[str, str]], setting: str = "") -> dict[str, Chart]:
    return {
        title: bars(f"{title}{setting}", rows_with(rows, measure=measure), "data", unit, colour)
        for measure, (title, unit) in shown.items()
    }


def lines(
    title: str,
    rows: Rows,
    x: tuple[str, str],
    y: str,
    colour: str = "data",
    *,
    log: bool = False,
    log_values: bool = False,
) -> Chart:
    """Return a line for every value of `colour`; `x` is a column and its label, `y` is the label of the values. `log`
    is for `x`, `log_values` for values that are far apart, without 0."""
    field, called = x
    values = [row for row in _measured(rows) if row["value"] > 0 or not log_values]
    series = [
        (str(name), sorted((row[field], row["value"]) for row in values if row[colour] == name))
        for name in distinct(values, colour)
    ]
    seen = f"{title}, lines of {y}: {_ends(values, field, called, colour)}"
    return charts.lines(title, series, (called, y), seen, log=(log, log_values))


def bars(title: str, rows: Rows, x: str, y: str, colour: str = "measure") -> Chart:
    values = _measured(rows)
    series = distinct(values, colour)
    found = {(row[x], row[colour]): row["value"] for row in values}
    groups = [(str(group), [found.get((group, name)) for name in series]) for group in distinct(values, x)]
    said = []
    for name in series:
        each = (f"{row[x]} {row['value']:.3g}" for row in values if row[colour] == name)
        said.append(f"{name}: {', '.join(each)}")
    seen = f"{title}, bars of {y}: {'; '.join(said)}."
    return charts.grouped_bars(title, groups, [str(name) for name in series], (x, y), seen)


def _measured(rows: Rows) -> Rows:
    return [row for row in rows if row["value"] is not None]


def _ends(values: Rows, x: str, called: str, colour: str) -> str:
    said = []
    for name in distinct(values, colour):
        series = [row for row in values if row[colour] == name]
        first, last = (f"{row['value']:.3g} ({called} {row[x]})".replace("( ", "(") for row in (series[0], series[-1]))
        said.append(f"{name} from {first} to {last}")
    return "; ".join(said) + "."


def density(title: str, shown: str, grids: dict[str, Grid], size: tuple[int, int]) -> Chart:
    """Return a picture of a matrix of `size` (rows, columns), on the scale of all `grids` (number of ones by cell)."""
    levels = dict(zip(grids, levels_of(*grids.values(), rows=size[0], columns=size[1]), strict=True))[shown]
    cells = [step for row in levels for step in row]
    covered = 1 - cells.count(0) / len(cells)
    seen = f"{title}: where {size[0]:,} records have which of {size[1]:,} items; {covered:.0%} of the picture have any."
    return svg.matrix(title, levels, (f"{size[1]:,} items", f"{size[0]:,} records"), seen)
