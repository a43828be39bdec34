"""How the error of pairs depends on the number of reconstructions, and on how frequent the terms are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from disjoin.experiments.experiment import (
    EXPECTED,
    Claim,
    Experiment,
    Judgement,
    Point,
    Setting,
    evaluation_rows,
    published,
)
from disjoin.experiments.sources import ExperimentSource
from disjoin.trials.charts import lines
from disjoin.trials.rows import Rows, distinct, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

RANKS = {"1-20": "_1_20", "100-120": "_100_120", "200-220": "", "300-320": "_300_320", "400-420": "_400_420"}
DRAWN = {1: "", 2: "_r2", 5: "_r5", 10: "_r10"}
USUAL = "200-220"


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    return [Point(source, {"k": 5, "m": 2}) for source in sources]


def _measure(data: Transactions, setting: Setting) -> Rows:
    names = {
        f"re{source}{ranks}": {"terms ranked": shown, "reconstructions": drawn}
        for shown, ranks in RANKS.items()
        for drawn, source in DRAWN.items()
    }
    method, draft = published(data, k=setting["k"], m=setting["m"])
    rows: Rows = []
    for row in evaluation_rows(data, method, draft, names, reconstructions=max(DRAWN)):
        there = row.details.get("error_of_pairs_in_original")
        rows.append({**names[row.name], "measure": "re", "value": row.value})
        rows.append({**names[row.name], "measure": "re of pairs in the original", "value": there})
    return rows


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for ranks in ("1-20", USUAL):
        title = f"re of terms {ranks} against reconstructions"
        chosen = rows_with(rows, measure="re", **{"terms ranked": ranks})
        charts[title] = lines(title, chosen, ("reconstructions", "reconstructions averaged"), "re")
    title = "re against the rank of terms"
    one = [
        {**row, "rank": int(row["terms ranked"].split("-")[0])}
        for row in rows_with(rows, measure="re", reconstructions=1)
    ]
    charts[title] = lines(title, one, ("rank", "first rank of the range"), "re")
    return charts


def _averaging_helps(rows: Rows) -> Judgement:
    """Hold 10 reconstructions against 1, as `re` is defined; the pairs that the original has are told beside it."""
    ours, worse = [], []
    for data in distinct(rows, "data"):
        chosen = rows_with(rows, data=data, **{"terms ranked": USUAL})
        error = {(row["measure"], row["reconstructions"]): row["value"] for row in chosen}
        one, ten = error["re", 1], error["re", 10]
        there = " to ".join(f"{error['re of pairs in the original', drawn] or 0:.3f}" for drawn in (1, 10))
        ours.append(f"{data} {one:.3f} to {ten:.3f} (pairs in the original: {there})")
        worse += [data] if ten > one else []
    return Judgement("not met" if worse else "met", f"re from 1 to 10 reconstructions: {', '.join(ours)}")


EXPERIMENT = Experiment(
    name="loss-by-reconstructions",
    title="Error of pairs against reconstructions and ranks",
    question="Does the mean of several reconstructions come nearer to the truth, and for which terms?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(Claim(EXPECTED, "supports averaged over 10 reconstructions have a smaller error", _averaging_helps),),
    shown=("re",),
    across="reconstructions",
    notes=(
        "Where the data have too few terms, a range is moved in proportion. A pair that the original does not have "
        "counts as right as long as no reconstruction has it, and as wholly wrong (2) as soon as one of them has: with "
        "more reconstructions more such pairs turn up, and `re` grows where many pairs of the range are in no record. "
        "The error of the pairs that the original has is `re of pairs in the original`, in the tables.",
    ),
)
