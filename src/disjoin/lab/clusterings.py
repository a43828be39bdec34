"""Experiments on clusterings: HORPART and the k^m core, REFINE, and resistance to stronger attackers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from disjoin.advise import publisher_of
from disjoin.advise.results import Rows
from disjoin.advise.trial import measured
from disjoin.attack.elimination import elimination
from disjoin.attack.minimality import is_defined, minimality
from disjoin.charts.svg import Chart
from disjoin.forms.registry import evidence_of
from disjoin.lab.claims import Judgement, everywhere, expect, judged, judged_by_data
from disjoin.lab.cost import Measured, evaluation_of, masses_of, published, seconds_of
from disjoin.lab.drawing import bars_by
from disjoin.lab.experiment import Experiment, Point, Setting, grid, notes_on
from disjoin.lab.rows import distinct, rows_with
from disjoin.lab.sources import ExperimentSource
from disjoin.measure import EVALUATIONS, weighted_pair_error
from disjoin.measure.definition import Settings
from disjoin.measure.evaluation import evaluated
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import settled
from disjoin.model.release import Release
from disjoin.model.transactions import Transactions
from disjoin.pipeline import publish

MEASURES_CLUSTERINGS = (
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


def _points_clusterings(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    guarantees = {"m": (2,), "k": (5,)} if quick else {"m": (2, 3), "k": (5, 10, 20)}
    return grid(sources, guarantees | {"clustering": settled()}, {})


def _measure_clusterings(data: Transactions, setting: Setting) -> Measured:
    method = Disassociation(k=setting["k"], m=setting["m"], clustering=setting["clustering"])
    outcome = publish(data, method)
    evidence = evidence_of(outcome.release, data, None, Settings(reconstructions=1))
    found = evaluated(evidence, [EVALUATIONS[name] for name in MEASURES_CLUSTERINGS])
    return {name: found[name] for name in MEASURES_CLUSTERINGS} | {"seconds": outcome.private["seconds"]["publish"]}


def _charts_clusterings(rows: Rows) -> dict[str, Chart]:
    shown = {
        "weighted_pair_error": ("Weighted pair error", "error"),
        "pair_mass": ("Pair mass", "share kept"),
        "exposed_records": ("Records with a rare set of three terms", "share of records"),
        "harmed_records": ("Records harmed by three known terms (H)", "share of records"),
        "sure_inference": ("Records with a sure inference", "share of records"),
        "re": ("Relative error, terms 200-220", "error"),
    }
    return bars_by("clustering", rows_with(rows, k=5, m=2), shown, " (k = 5, m = 2)")


def _settings(rows: Rows, measure: str) -> list[tuple[str, dict[str, float]]]:
    found: dict[str, dict[str, float]] = {}
    for data, m, k in product(*(distinct(rows, name) for name in ("data", "m", "k"))):
        for row in rows_with(rows, data=data, m=m, k=k, measure=measure):
            found.setdefault(f"{data} k={k} m={m}", {})[row["clustering"]] = row["value"]
    return list(found.items())


def _counted(measure: str, is_so: Callable[[dict[str, float]], bool]) -> Callable[[Rows], Judgement]:
    def judge(rows: Rows) -> Judgement:
        settings = _settings(rows, measure)
        against = [
            f"{name} ({', '.join(f'{way} {one:.3f}' for way, one in values.items())})"
            for name, values in settings
            if not is_so(values)
        ]
        ours = f"so at {len(settings) - len(against)} of {len(settings)} settings"
        more = f"; and {len(against) - 6} more" if len(against) > 6 else ""
        return judged(not against, "; not ".join([ours, *against[:6]]) + more)

    return judge


CLUSTERINGS = Experiment(
    name="clusterings",
    title="Clusterings: HORPART and the k^m core",
    question="What does publishing the k^m core as one cluster keep, and what does it show beyond the guarantee?",
    points=_points_clusterings,
    measure=_measure_clusterings,
    charts=_charts_clusterings,
    claims=(
        expect(
            "the core keeps at least twice the pair mass of HORPART",
            _counted("pair_mass", lambda value: value["core"] >= 2 * value["horpart"]),
        ),
        expect(
            "core or core-horpart has a lower weighted pair error than HORPART",
            _counted("weighted_pair_error", lambda value: min(value["core"], value["core-horpart"]) < value["horpart"]),
        ),
        expect(
            "the core loses fewer of the top itemsets in chunks than HORPART",
            _counted("tkd_a", lambda value: value["core"] < value["horpart"]),
        ),
        expect(
            "the core is worse than HORPART for pairs of the terms ranked 200-220",
            _counted("re", lambda value: value["core"] > value["horpart"]),
        ),
        expect(
            "the core shows more records with a rare set of m + 1 terms than HORPART",
            _counted("exposed_records", lambda value: value["core"] > value["horpart"]),
        ),
    ),
    notes=notes_on("clusterings"),
)


WAYS_REFINE: dict[str, dict[str, Any]] = {
    "not refined": {"refine": False},
    "levels": {"refine_builder": "levels"},
    "pairs": {"refine_builder": "pairs"},
}


def _points_refine(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    return grid(sources, {"way": WAYS_REFINE}, {"k": 5, "m": 2, "runs": 1 if quick else 3})


def _measure_refine(data: Transactions, setting: Setting) -> Measured:
    parameters = {"k": setting["k"], "m": setting["m"], **WAYS_REFINE[setting["way"]]}
    method, draft = published(data, **parameters)
    found: Measured = {
        "joint clusters": int(draft.published.is_joint.sum()),
        **masses_of(data, method, draft),
    }
    found["weighted pair error"] = weighted_pair_error(draft.published, data)
    found |= evaluation_of(data, method, draft, ("tkd_a", "re_a"))
    return found | {"seconds": seconds_of(data, setting["runs"], **parameters)["seconds"]}


def _charts_refine(rows: Rows) -> dict[str, Chart]:
    shown = {
        "term mass": ("REFINE: term mass", "share kept"),
        "pair mass": ("REFINE: pair mass", "share kept"),
        "weighted pair error": ("REFINE: weighted pair error", "error"),
        "tkd_a": ("REFINE: tKd-a", "share lost"),
    }
    return bars_by("way", rows, shown)


def _estimates_better(rows: Rows) -> Judgement:
    def compared(data: str, rows: Rows) -> tuple[bool, str]:
        error = {row["way"]: row["value"] for row in rows_with(rows, measure="weighted pair error")}
        without, refined = error["not refined"], error["levels"]
        return refined < without, f"{data} {without:.3f} to {refined:.3f}"

    return judged_by_data(rows, compared, before="weighted pair error: ")


REFINE = Experiment(
    name="refine",
    title="Effect of REFINE",
    question="What does joining clusters that share rare terms gain, and what does it cost?",
    points=_points_refine,
    measure=_measure_refine,
    charts=_charts_refine,
    claims=(expect("with shared chunks, estimates of pairs are closer to the truth", _estimates_better),),
    notes=notes_on("refine"),
)


K, M = 5, 2
MEASURES_RESISTANCE = (
    "pair_mass",
    "term_mass",
    "weighted_pair_error",
    "harmed_records",
    "sure_inference",
    "exposed_records",
    "universal_terms",
)
WAYS_RESISTANCE: dict[str, dict[str, Any]] = {
    "horpart": {"clustering": "horpart"},
    "horpart, cover-aware 1": {"clustering": "horpart", "cover_aware": "1"},
    "horpart, slack 1": {"clustering": "horpart", "slack": 1},
    "core": {"clustering": "core"},
    "core, cover-aware 1": {"clustering": "core", "cover_aware": "1"},
    "core, cover-aware 0.8": {"clustering": "core", "cover_aware": "0.8"},
    "core, slack 1": {"clustering": "core", "slack": 1},
    "core, cover-aware 1, slack 1": {"clustering": "core", "cover_aware": "1", "slack": 1},
    "bounded": {"clustering": "bounded"},
    "bounded, max-exposed 0.05": {"clustering": "bounded", "max_exposed": "0.05"},
    "bounded, cover-aware 1": {"clustering": "bounded", "cover_aware": "1"},
}
CHARTED = (
    "horpart",
    "horpart, cover-aware 1",
    "core",
    "core, cover-aware 1",
    "core, slack 1",
    "bounded",
)  # the charted settings
QUICK = ("horpart", "core", "core, cover-aware 1", "core, slack 1")


def _measure_resistance(data: Transactions, setting: Setting) -> Measured:
    method = Disassociation(k=K, m=M, **WAYS_RESISTANCE[setting["way"]])
    outcome = publish(data, method, publisher=publisher_of(method))
    settings = Settings(reconstructions=1)
    rows = measured(outcome.release.published, data, MEASURES_RESISTANCE, k=K, m=M, settings=settings)
    attacked = _attacked(outcome.release, data)
    return {row.name: row.value for row in rows} | attacked


def _attacked(release: Release, data: Transactions) -> Measured:
    known = elimination(release, 1, k=K, m=M)
    backwards = minimality(release, data).concerned if is_defined(release) else None
    return {
        "clusters failing if a record is known": known.share,
        "records concerned by a known record": known.at_least / known.records,
        "records found backwards": None if backwards is None else backwards / len(data),
    }


def _charts_resistance(rows: Rows) -> dict[str, Chart]:
    shown = {
        "pair_mass": ("Pair mass", "share kept"),
        "weighted_pair_error": ("Weighted pair error", "error"),
        "harmed_records": ("Records harmed by three known terms (H)", "share of records"),
        "sure_inference": ("Records with a sure inference", "share of records"),
        "records concerned by a known record": ("Records concerned by one known record", "share of records, at least"),
    }
    return bars_by("way", [row for row in rows if row["way"] in CHARTED], shown, f" (k = {K}, m = {M})")


def _named(values: dict[str, float], part: str) -> list[float]:
    return [value for way, value in values.items() if part in way]


RESISTANCE = Experiment(
    name="resistance",
    title="Resistance: no covers, known records, bounded exposure",
    question="What does resistance to stronger attackers cost, and what do attackers find then?",
    points=lambda sources, quick: grid(sources, {"way": QUICK if quick else WAYS_RESISTANCE}, {}),
    measure=_measure_resistance,
    charts=_charts_resistance,
    claims=(
        expect(
            "with cover-aware 1 no two known terms reveal another with certainty",
            everywhere("sure_inference", lambda value: not any(_named(value, "cover-aware"))),
        ),
        expect(
            "with slack 1 no cluster fails if one record is known",
            everywhere("clusters failing if a record is known", lambda value: not any(_named(value, "slack"))),
        ),
        expect(
            "slack 1 keeps 90 % of the core's pair mass",
            everywhere("pair_mass", lambda value: value["core, slack 1"] >= 0.9 * value["core"]),
        ),
        expect(
            "the core without covers keeps more pairs than HORPART with them",
            everywhere("pair_mass", lambda value: value["core, cover-aware 1"] > value["horpart"]),
        ),
    ),
    notes=notes_on("resistance", k=K, m=M),
)
