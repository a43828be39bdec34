"""Experiment: time, distortion and discernibility by number of quasi-identifiers (VER13)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from disjoin.advise.results import Rows
from disjoin.charts.svg import Chart
from disjoin.engine import Local
from disjoin.errors import InvalidParameter
from disjoin.lab.claims import Claim, Judgement, expect, judged
from disjoin.lab.cost import Measured, seconds_spent
from disjoin.lab.drawing import lines
from disjoin.lab.experiment import Experiment, Point, Setting, grid, notes_on
from disjoin.lab.rows import distinct, of_the_papers, rows_with
from disjoin.lab.sources import ExperimentSource, quasi_of
from disjoin.measure.evaluation import evaluate_tables
from disjoin.methods.generalization import ALGORITHM_NAMES, Generalization
from disjoin.model.table import Table

OURS = "local-search"
TWO_LEVEL = "two-level"
OTHERS = ("kaca", "top-down-kaca")  # VER13 compares two-level clustering with these
NUMBER = "quasi-identifiers"
SECONDS = "processor seconds"  # because differences matter, and other programs run, too
LOSSES = ("distortion", "discernibility", "granularity")
HALF = 0.5  # two-level clustering takes at most this share of the others' time
SLIGHTLY = 1.2  # it has slightly more distortion: up to this many times theirs
Pair = tuple[float, float]  # values of two-level clustering and of another algorithm at one setting


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    numbers = (2, 4) if quick else tuple(range(2, 8))
    axes = {"k": (2, 5, 10), NUMBER: numbers, "algorithm": ALGORITHM_NAMES}
    return grid(sources, axes, {"runs": 1 if quick else 3})


def _measure(table: Table, setting: Setting) -> Measured:
    columns = quasi_of(table)
    if len(columns) < 2:
        raise InvalidParameter(
            f"expected hierarchies of at least two columns, found those of {len(columns)}. Check their folder."
        )
    if setting[NUMBER] > len(columns):
        return dict.fromkeys((SECONDS, *LOSSES))
    quasi = columns[: setting[NUMBER]]
    method = Generalization(k=setting["k"], quasi=quasi, algorithm=setting["algorithm"], drop_unassigned=True)
    drafts = []
    found = seconds_spent(lambda: drafts.append(method.publish(table, Local())), setting["runs"])
    published = drafts[-1].published.table
    evaluation = evaluate_tables(published, table, quasi, k=method.k, measures=LOSSES)
    return found | {name: evaluation[name] for name in LOSSES}


def _charts(rows: Rows) -> dict[str, Chart]:
    shown = {"Time": SECONDS, "Distortion": "distortion", "Discernibility": "discernibility"}
    several, charts = len(distinct(rows, "data")) > 1, {}
    for data in distinct(rows, "data"):
        for name, measure in shown.items():
            for k in distinct(rows, "k"):
                title = f"{name} of {data}, k = {k}" if several else f"{name}, k = {k}"
                chosen = rows_with(rows, data=data, measure=measure, k=k)
                far_apart = measure != "distortion"
                charts[title] = lines(title, chosen, (NUMBER, NUMBER), measure, "algorithm", log_values=far_apart)
    return charts


def _pairs(rows: Rows, other: str, measure: str, k: int) -> list[Pair]:
    found = []
    for data in distinct(rows, "data"):
        for number in distinct(rows, NUMBER):
            setting = {"data": data, "k": k, NUMBER: number}
            ours, theirs = (_value(rows, name, measure, setting) for name in (TWO_LEVEL, other))
            if ours is not None and theirs is not None:
                found.append((ours, theirs))
    return found


def _value(rows: Rows, algorithm: str, measure: str, setting: Setting) -> float | None:
    chosen = rows_with(rows, algorithm=algorithm, measure=measure, **setting)
    value: float | None = chosen[0]["value"] if chosen else None
    return value


def _half_the_time(other: str, rows: Rows) -> Judgement:
    """Decide by the time for all numbers of quasi-identifiers together, because with two there is little work."""
    known, words, holds, fast, settings = of_the_papers(rows), [], [], 0, 0
    for k in distinct(known, "k"):
        pairs = _pairs(known, other, SECONDS, k)
        ours, theirs = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        holds.append(ours <= HALF * theirs)
        fast += sum(one <= HALF * another for one, another in pairs)
        settings += len(pairs)
        words.append(f"k = {k}: {ours:.2f} s against {theirs:.2f} s")
    if not settings:
        return _not_adult()
    said = f"{', '.join(words)}, all numbers together; at most half at {fast} of {settings} settings"
    return judged(all(holds), said)


def _distortions(ks: tuple[int, ...], rows: Rows, *, least: float, most: float) -> Judgement:
    known, words, inside, settings = of_the_papers(rows), [], 0, 0
    for k in ks:
        for other in OTHERS:
            pairs = [pair for pair in _pairs(known, other, "distortion", k) if pair[1] > 0]
            ratios = [one / another for one, another in pairs]
            inside += sum(least < ratio < most for ratio in ratios)
            settings += len(ratios)
            if ratios:
                words.append(f"k = {k}: {min(ratios):.2f} to {max(ratios):.2f} times that of `{other}`")
    if not settings:
        return _not_adult()
    said = f"{'; '.join(words)}; as stated at {inside} of {settings} settings"
    return judged(inside == settings, said)


def _not_adult() -> Judgement:
    return Judgement("not comparable", "these data are not Adult")


def _ours_is_best(measure: str, rows: Rows, *, lower: bool) -> Judgement:
    sign, differences = 1 if lower else -1, []
    for data, k, number in {(row["data"], row["k"], row[NUMBER]): None for row in rows}:
        setting = {"data": data, "k": k, NUMBER: number}
        values = {name: _value(rows, name, measure, setting) for name in ALGORITHM_NAMES}
        ours, others = values.pop(OURS), [sign * value for value in values.values() if value is not None]
        if ours is not None and others:
            differences.append((sign * ours - min(others)) / (abs(min(others)) or 1))
    best = sum(difference <= 0 for difference in differences)
    extent = f"from {_percent(sign * min(differences))} to {_percent(sign * max(differences))}"
    said = f"it is best at {best} of {len(differences)} settings; {extent} compared to the best of the four"
    return judged(best == len(differences), said)


def _percent(share: float) -> str:
    return f"{share:+.1%}"


EXPERIMENT = Experiment(
    name="tables-by-quasi",
    title="Tables against quasi-identifiers",
    question="How do time, distortion and discernibility of a table change with the number of generalised columns?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            "VER13",
            "two-level clustering takes about half the time of KACA (here: at most half)",
            partial(_half_the_time, "kaca"),
        ),
        Claim(
            "VER13",
            "two-level clustering takes about half the time of TopDown-KACA (here: at most half)",
            partial(_half_the_time, "top-down-kaca"),
        ),
        Claim(
            "VER13",
            "two-level clustering has less distortion than KACA and TopDown-KACA for k = 2 and k = 5",
            partial(_distortions, (2, 5), least=0, most=1),
        ),
        Claim(
            "VER13",
            f"two-level clustering has slightly more distortion than these for k = 10 (here: up to {SLIGHTLY} times)",
            partial(_distortions, (10,), least=1, most=SLIGHTLY),
        ),
        expect(
            f"`{OURS}` keeps more granularity than the four others, or as much",
            partial(_ours_is_best, "granularity", lower=False),
        ),
        expect(
            f"`{OURS}` has less distortion than the four others, or as much",
            partial(_ours_is_best, "distortion", lower=True),
        ),
    ),
    shown=(SECONDS, *LOSSES),
    notes=notes_on("tables-by-quasi", ours=OURS),
    takes="table",
)
