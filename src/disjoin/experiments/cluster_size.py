"""What the limit of cluster sizes and the attacker's knowledge m cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from disjoin.experiments.charts import lines
from disjoin.experiments.experiment import Claim, Experiment, Judgement, Measured, Point, Row, Rows, Setting, rows_with
from disjoin.experiments.information_loss import NEAR_005, WORST_PAIRS, held_against
from disjoin.experiments.publishing import evaluation_of, masses_of, published
from disjoin.experiments.sources import ExperimentSource

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

LOSSES = ("tkd", "tkd_a", "re", "re_1_20", "tlost")
USUAL = 100  # 20 times k, the default


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    sizes = (11, 50) if quick else (11, 20, 50, 100, 200, 400)
    found = []
    for source in sources:
        found += [Point(source, {"against": "size", "k": 5, "m": 2, "max_cluster_size": size}) for size in sizes]
        found += [Point(source, {"against": "m", "k": 5, "m": m, "max_cluster_size": USUAL}) for m in (1, 2, 3)]
    return found


def _measure(data: Transactions, setting: Setting) -> Measured:
    method, draft = published(data, k=setting["k"], m=setting["m"], max_cluster_size=setting["max_cluster_size"])
    return evaluation_of(data, method, draft, LOSSES) | masses_of(data, method, draft)


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for measure, called in (("tkd", "tKd"), ("re_1_20", "re(1-20)"), ("tlost", "tlost"), ("pair mass", "pair mass")):
        title = f"{called} against the cluster size"
        chosen = rows_with(rows, measure=measure, against="size")
        charts[title] = lines(title, chosen, ("max_cluster_size", "max_cluster_size"), called, log=True)
    for measure, called in (("tkd", "tKd"), ("pair mass", "pair mass")):
        title = f"{called} against m"
        charts[title] = lines(title, rows_with(rows, measure=measure, against="m"), ("m", "m"), called)
    return charts


def _best(measure: str, limit: float, rows: Rows) -> Judgement:
    """Hold the best of all limits against what the paper states, as it states none."""
    best: dict[str, Row] = {}
    for row in rows_with(rows, measure=measure, against="size"):
        best[row["data"]] = min(best.get(row["data"], row), row, key=lambda found: found["value"])
    judgement = held_against(measure, limit, list(best.values()))
    return Judgement(judgement.verdict, f"at the best limit of each: {judgement.ours}")


EXPERIMENT = Experiment(
    name="cluster-size",
    title="Cluster size and m",
    question="What do the limit of cluster sizes and the attacker's knowledge m cost?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=tuple(
        Claim("TLMS12", f"{words} at k = 5, m = 2; its limit is not stated", partial(_best, measure, limit))
        for measure, words, limit in (
            ("tkd", f"tKd is close to 0.05 (here: at most {NEAR_005})", NEAR_005),
            ("re_1_20", f"re of the terms ranked 1-20 is no worse than {WORST_PAIRS}", WORST_PAIRS),
        )
    ),
    notes=(
        "TLMS12 states no limit; NAG22 uses 11. `pair mass` is the share of the pairs of terms in records "
        "that chunks show, `term mass` that of the occurrences. Somebody who knows m + 1 terms of one chunk may "
        "find up to the share `exposed records` among fewer than k; `universal terms` is the share of the occurrences "
        "in record chunks of terms that all records of the cluster have.",
    ),
)
