"""How losses grow with k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from disjoin.experiments.charts import lines
from disjoin.experiments.experiment import (
    Claim,
    Experiment,
    Judgement,
    Measured,
    Point,
    Rows,
    Setting,
    distinct,
    of_the_papers,
    rows_with,
)
from disjoin.experiments.growth import exponent
from disjoin.experiments.publishing import losses_of
from disjoin.experiments.sources import ExperimentSource

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

LOSSES = ("tkd", "tkd_a", "re", "re_a", "tlost")
TITLES = {"tkd": "tKd", "tkd_a": "tKd-a", "re": "re", "re_a": "re-a", "tlost": "tlost"}
SLOWLY = 0.5  # losses grow with at most the square root of k


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    steps = (2, 5, 10) if quick else (2, 5, 10, 15, 20, 25)
    return [Point(source, {"k": k, "m": 2}) for source in sources for k in steps]


def _measure(data: Transactions, setting: Setting) -> Measured:
    return losses_of(data, LOSSES, k=setting["k"], m=setting["m"])


def _charts(rows: Rows) -> dict[str, Specification]:
    return {
        f"{title} against k": lines(f"{title} against k", rows_with(rows, measure=name), ("k", "k"), title)
        for name, title in TITLES.items()
    }


def _slow(rows: Rows) -> Judgement:
    powers = {
        (data, measure): _power(rows_with(rows, data=data, measure=measure))
        for data in distinct(of_the_papers(rows) or rows, "data")
        for measure in ("tkd", "re")
    }
    ours = ", ".join(f"{data} {measure} with the power {power:.2f} of k" for (data, measure), power in powers.items())
    if not of_the_papers(rows):
        return Judgement("not comparable", f"{ours} (none of the papers' datasets)")
    return Judgement("met" if max(powers.values()) <= SLOWLY else "not met", ours)


def _power(series: Rows) -> float:
    return exponent([row["k"] for row in series], [max(row["value"], 0.001) for row in series])


EXPERIMENT = Experiment(
    name="loss-by-k",
    title="Information loss against k",
    question="How fast do losses grow with k?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(Claim("TLMS12", "losses grow slowly with k (here: with at most the square root of k)", _slow),),
    shown=LOSSES,
    notes=("Clusters have fewer than 20 k records, so they grow with k.",),
)
