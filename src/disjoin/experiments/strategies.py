"""What becomes of terms under the strategies for parts that are too small to publish."""

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
    Row,
    Rows,
    Setting,
    distinct,
    of_the_papers,
    rows_with,
)
from disjoin.experiments.publishing import losses_of
from disjoin.experiments.sources import Source
from disjoin.methods.disassociation import STRATEGY_NAMES

if TYPE_CHECKING:
    from disjoin.model import Transactions
    from disjoin.report.charts import Specification

LOSSES = ("tlost", "tlost_more_than_k", "tlost_any")
ORIGINAL = "abandon"
ABOUT_35 = 0.30  # still "about 35 %"


def _points(sources: Sequence[Source], quick: bool) -> list[Point]:
    steps, joined = ((2, 4), (False,)) if quick else ((2, 3, 4, 5, 6), (False, True))
    return [
        Point(source, {"strategy": strategy, "k": k, "m": 2, "refined": refined})
        for source in sources
        for refined in joined
        for strategy in STRATEGY_NAMES
        for k in steps
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    parameters = {"k": setting["k"], "m": setting["m"], "strategy": setting["strategy"], "refine": setting["refined"]}
    return losses_of(data, LOSSES, **parameters)


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for data in distinct(rows, "data"):
        title = f"tlost of the strategies, {data}, not refined"
        chosen = rows_with(rows, data=data, measure="tlost", refined=False)
        charts[title] = lines(title, chosen, ("k", "k"), "tlost", "strategy")
    return charts


def _lower(rows: Rows) -> Judgement:
    """Look for the largest relative gain over `abandon`, at the same data and k, without REFINE."""
    base = rows_with(rows, measure="tlost", refined=False, strategy=ORIGINAL)
    others = [row for row in rows_with(rows, measure="tlost", refined=False) if row["strategy"] != ORIGINAL]
    known = of_the_papers(others)
    gain, where = max((_gain(row, base) for row in known or others), key=lambda found: found[0])
    change = f"at most {gain:.0%} lower" if gain > 0 else f"never lower, at best {-gain:.0%} higher"
    if not known:
        return Judgement("not comparable", f"{change} ({where}; none of the papers' datasets)")
    return Judgement("met" if gain >= ABOUT_35 else "not met", f"{change} on the papers' datasets ({where})")


def _gain(row: Row, originals: Rows) -> tuple[float, str]:
    """Return by how much of itself tlost is lower than with `abandon`, in a number and in words."""
    [base] = rows_with(originals, data=row["data"], k=row["k"])
    gain = 1 - row["value"] / base["value"] if base["value"] else 0.0
    return gain, f"{row['data']}, {row['strategy']}, k = {row['k']}: {base['value']:.3f} to {row['value']:.3f}"


EXPERIMENT = Experiment(
    name="strategies",
    title="Terms lost by strategy",
    question="Which strategy for small parts loses the fewest terms, for k = 2 to 6?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            "AS23, figures 3-5",
            "the strategies lower tlost by up to about 35 % against `abandon` (here: relatively, by 30 % or more)",
            _lower,
        ),
    ),
    shown=("tlost",),
    across="strategy",
    notes=(
        "`tlost`: share of the terms in at least k records that are in no record chunk and no shared chunk; the "
        "readings `tlost_more_than_k` and `tlost_any` are in the tables.",
    ),
)
