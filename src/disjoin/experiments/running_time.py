"""How long publishing takes: against k, against the number of records, and against the number of terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from disjoin.experiments.charts import lines
from disjoin.experiments.experiment import Claim, Experiment, Judgement, Measured, Point, Rows, Setting, rows_with
from disjoin.experiments.growth import exponent
from disjoin.experiments.publishing import seconds_of
from disjoin.experiments.sources import ExperimentSource, quest_source

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

LONG_ENOUGH = 50_000  # records from which on seconds say something
CHARTED = ("seconds", "processor seconds")
LINEAR = 1.1  # seconds grow with at most this power of the records


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    from disjoin.generate.quest import Quest

    usual = Quest(4_000, terms=500, patterns=200) if quick else Quest(250_000)
    records = (1_000, 2_000, 4_000) if quick else (125_000, 250_000, 500_000, 1_000_000)
    terms = (250, 500) if quick else (1_000, 2_500, 5_000, 10_000)
    fixed = {"m": 2, "runs": 1 if quick else 3}
    found = [
        Point(quest_source(usual), {"against": "k", "k": k, **fixed}) for k in ((2, 5) if quick else (2, 5, 10, 25, 50))
    ]
    found += [Point(quest_source(replace(usual, records=n)), {"against": "records", "k": 5, **fixed}) for n in records]
    found += [Point(quest_source(replace(usual, terms=n)), {"against": "terms", "k": 5, **fixed}) for n in terms]
    return found


def _measure(data: Transactions, setting: Setting) -> Measured:
    return seconds_of(data, setting["runs"], k=setting["k"], m=setting["m"])


def _charts(rows: Rows) -> dict[str, Specification]:
    titles = {"k": "Time against k", "records": "Time against records", "terms": "Time against terms"}
    charts = {}
    for against, title in titles.items():
        chosen = [row for row in rows_with(rows, against=against) if row["measure"] in CHARTED]
        charts[title] = lines(title, chosen, (against, against), "seconds", "measure")
    return charts


def _linear(rows: Rows) -> Judgement:
    """Judge by processor seconds: those on the clock are also about what else the machine does."""
    clock, worked = (rows_with(rows, against="records", measure=name) for name in ("seconds", "processor seconds"))
    power = _power(worked)
    first, last = worked[0], worked[-1]
    ours = (
        f"processor seconds grow with the power {power:.2f} of the records: {first['value']:.2f} s for "
        f"{first['records']:,}, {last['value']:.2f} s for {last['records']:,}; seconds on the clock with the power "
        f"{_power(clock):.2f}"
    )
    if last["records"] < LONG_ENOUGH:
        return Judgement("not comparable", f"{ours} (too few records to time)")
    return Judgement("met" if power <= LINEAR else "not met", ours)


def _power(series: Rows) -> float:
    return exponent([row["records"] for row in series], [max(row["value"], 1e-6) for row in series])


EXPERIMENT = Experiment(
    name="time",
    title="Time",
    question="How long does publishing take, against k, the number of records and the number of terms?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(Claim("TLMS12", "time is linear in the number of records (here: at most the power 1.1)", _linear),),
    notes=(
        "Seconds are those of splitting, cutting and joining, in memory, on all cores: the median of the runs, with "
        "the least and the most beside it as the noise. Processor seconds are of all threads together and depend less "
        "on what else the machine does; the load average counts the processes that wanted a core meanwhile, this one "
        "among them. The papers' absolute "
        "times are of other machines and are not compared.",
    ),
    own_data=True,
)
