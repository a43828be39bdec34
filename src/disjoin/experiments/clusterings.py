"""What is left for science at the same promise: clusters of similar records, or the k^m core of all records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from disjoin.experiments.experiment import EXPECTED, Claim, Experiment, Judgement, Measured, Point, Setting
from disjoin.experiments.sources import ExperimentSource
from disjoin.methods.disassociation.choices import settled
from disjoin.trials.charts import bars
from disjoin.trials.rows import Rows, distinct, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

MEASURES = (
    "weighted_pair_error",
    "pair_mass",
    "exposed_records",
    "universal_terms",
    "sure_inference",
    "harmed_records",
    "term_mass",
    "tkd_a",
    "re_1_20",
    "re",
)


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    promises = [(5, 2)] if quick else [(k, m) for m in (2, 3) for k in (5, 10, 20)]
    return [
        Point(source, {"m": m, "k": k, "clustering": clustering})
        for source in sources
        for k, m in promises
        for clustering in settled()
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    """Publish and verify against the original, then measure."""
    from disjoin.forms.registry import evidence_of
    from disjoin.measure import EVALUATIONS
    from disjoin.measure.evaluation import evaluated
    from disjoin.measure.evidence import Settings
    from disjoin.methods.disassociation import Disassociation
    from disjoin.pipeline import publish

    method = Disassociation(k=setting["k"], m=setting["m"], clustering=setting["clustering"])
    outcome = publish(data, method)
    evidence = evidence_of(outcome.release, data, None, Settings(reconstructions=1))
    found = evaluated(evidence, [EVALUATIONS[name] for name in MEASURES])
    return {name: found[name] for name in MEASURES} | {"seconds": outcome.private["seconds"]["publish"]}


def _charts(rows: Rows) -> dict[str, Specification]:
    shown = {
        "weighted_pair_error": ("Weighted pair error", "error"),
        "pair_mass": ("Pair mass", "share kept"),
        "exposed_records": ("Records with a rare set of three terms", "share of records"),
        "harmed_records": ("Records harmed by three known terms (H)", "share of records"),
        "sure_inference": ("Records with a sure inference", "share of records"),
        "re": ("Relative error, terms 200-220", "error"),
    }
    chosen = rows_with(rows, k=5, m=2)
    return {
        title: bars(f"{title} (k = 5, m = 2)", rows_with(chosen, measure=measure), "data", unit, "clustering")
        for measure, (title, unit) in shown.items()
    }


def _settings(rows: Rows, measure: str) -> list[tuple[str, dict[str, float]]]:
    """Return for every dataset and promise the values by clustering."""
    found = []
    for data in distinct(rows, "data"):
        for m in distinct(rows, "m"):
            for k in distinct(rows, "k"):
                there = rows_with(rows, data=data, m=m, k=k, measure=measure)
                if there:
                    found.append((f"{data} k={k} m={m}", {row["clustering"]: row["value"] for row in there}))
    return found


def _counted(measure: str, is_so: Callable[[dict[str, float]], bool]) -> Callable[[Rows], Judgement]:
    """Judge a claim that should be so at every setting; exceptions are named."""

    def judge(rows: Rows) -> Judgement:
        settings = _settings(rows, measure)
        against = [f"{name} ({_told(value)})" for name, value in settings if not is_so(value)]
        ours = f"so at {len(settings) - len(against)} of {len(settings)} settings"
        return Judgement("not met" if against else "met", "; not ".join([ours, *against[:6]]) + _more(against[6:]))

    return judge


def _told(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


def _more(left: list[str]) -> str:
    return f"; and {len(left)} more" if left else ""


def _either(values: dict[str, float]) -> float:
    return min(values["core"], values["core-horpart"])


EXPERIMENT = Experiment(
    name="clusterings",
    title="Clusterings: HORPART and the k^m core",
    question="What does publishing the k^m core as one cluster keep, and what does it show beyond the promise?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            EXPECTED,
            "the core keeps at least twice the pair mass of HORPART",
            _counted("pair_mass", lambda value: value["core"] >= 2 * value["horpart"]),
        ),
        Claim(
            EXPECTED,
            "core or core-horpart has a lower weighted pair error than HORPART",
            _counted("weighted_pair_error", lambda value: _either(value) < value["horpart"]),
        ),
        Claim(
            EXPECTED,
            "the core loses fewer of the top itemsets in chunks than HORPART",
            _counted("tkd_a", lambda value: value["core"] < value["horpart"]),
        ),
        Claim(
            EXPECTED,
            "the core is worse than HORPART for pairs of the terms ranked 200-220",
            _counted("re", lambda value: value["core"] > value["horpart"]),
        ),
        Claim(
            EXPECTED,
            "the core shows more records with a rare set of m + 1 terms than HORPART",
            _counted("exposed_records", lambda value: value["core"] > value["horpart"]),
        ),
    ),
    notes=(
        "Every release was verified against its original before it was measured. `exposed_records` is the share of "
        "records with m + 1 terms in one chunk that are there fewer than k times: what somebody finds who knows one "
        "term more than is promised. `universal_terms` is the share of occurrences in chunks whose term everybody in "
        "the cluster has. "
        "Seconds are those of publishing, a single run.",
    ),
)
