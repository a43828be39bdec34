"""What joining clusters (REFINE) wins, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from disjoin.experiments.experiment import (
    EXPECTED,
    Claim,
    Experiment,
    Judgement,
    Measured,
    Point,
    Setting,
    evaluation_of,
    masses_of,
    published,
    seconds_of,
)
from disjoin.experiments.sources import ExperimentSource
from disjoin.trials.charts import bars
from disjoin.trials.rows import Rows, distinct, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

WAYS: dict[str, dict[str, Any]] = {
    "not refined": {"refine": False},
    "levels": {"refine_builder": "levels"},
    "pairs": {"refine_builder": "pairs"},
}


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    fixed = {"k": 5, "m": 2, "runs": 1 if quick else 3}
    return [Point(source, {"way": way, **fixed}) for source in sources for way in WAYS]


def _measure(data: Transactions, setting: Setting) -> Measured:
    from disjoin.measure import weighted_pair_error

    parameters = {"k": setting["k"], "m": setting["m"], **WAYS[setting["way"]]}
    method, draft = published(data, **parameters)
    found: Measured = {"joint clusters": int(draft.published.is_joint.sum()), **masses_of(data, method, draft)}
    found["weighted pair error"] = weighted_pair_error(draft.published, data)
    found |= evaluation_of(data, method, draft, ("tkd_a", "re_a"))
    return found | {"seconds": seconds_of(data, setting["runs"], **parameters)["seconds"]}


def _charts(rows: Rows) -> dict[str, Specification]:
    shown = {
        "term mass": ("term mass", "share kept"),
        "pair mass": ("pair mass", "share kept"),
        "weighted pair error": ("weighted pair error", "error"),
        "tkd_a": ("tKd-a", "share lost"),
    }
    return {
        f"REFINE: {title}": bars(f"REFINE: {title}", rows_with(rows, measure=measure), "data", unit, "way")
        for measure, (title, unit) in shown.items()
    }


def _estimates_better(rows: Rows) -> Judgement:
    """Compare the error of estimates with and without."""
    worse, ours = [], []
    for data in distinct(rows, "data"):
        error = {row["way"]: row["value"] for row in rows_with(rows, data=data, measure="weighted pair error")}
        ours.append(f"{data} {error['not refined']:.3f} to {error['levels']:.3f}")
        worse += [data] if error["levels"] >= error["not refined"] else []
    return Judgement("not met" if worse else "met", f"weighted pair error: {', '.join(ours)}")


EXPERIMENT = Experiment(
    name="refine",
    title="Effect of REFINE",
    question="What does joining clusters that share rare terms win, and what does it cost?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(Claim(EXPECTED, "with shared chunks, estimates of pairs are nearer to the truth", _estimates_better),),
    notes=(
        "The weighted pair error is the sum of |estimate - support| over the sum of supports, for all pairs of the 300 "
        "most frequent terms; estimates are those of `release.pairs`. `pairs` is the paper's way to choose what to "
        "join, `levels` ours (the default). Somebody who knows three terms of one chunk may find up to the share "
        "`exposed records` among fewer than five; `universal terms` is the share of the occurrences in record chunks "
        "of terms that all records of the cluster have.",
    ),
)
