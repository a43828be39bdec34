"""What becomes of terms under the strategies for parts that are too small to publish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from disjoin.experiments.experiment import Claim, Experiment, Judgement, Measured, Point, Setting, losses_of
from disjoin.experiments.sources import ExperimentSource
from disjoin.methods.disassociation import STRATEGY_NAMES
from disjoin.trials.charts import lines
from disjoin.trials.rows import Row, Rows, distinct, of_the_papers, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

LOSSES = ("tlost", "tlost_more_than_k", "tlost_any")
ORIGINAL = "abandon"
ABOUT_35 = 0.30  # still "about 35 %"
# The limit of cluster sizes that AS23 used is not known to us: ours, and the one of NAG22 (11 at k = 5).
LIMITS: dict[str, Callable[[int], int]] = {"20 k": lambda k: 20 * k, "2 k + 1": lambda k: 2 * k + 1}


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    steps = (2, 4) if quick else (2, 3, 4, 5, 6)
    ways = [(limit, refined) for limit in LIMITS for refined in (False, True)]
    return [
        Point(source, {"strategy": strategy, "k": k, "m": 2, "limit": limit, "refined": refined})
        for source in sources
        for limit, refined in (ways[::2] if quick else ways)
        for strategy in STRATEGY_NAMES
        for k in steps
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    parameters = {"k": setting["k"], "m": setting["m"], "strategy": setting["strategy"], "refine": setting["refined"]}
    return losses_of(data, LOSSES, max_cluster_size=LIMITS[setting["limit"]](setting["k"]), **parameters)


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for data in distinct(rows, "data"):
        for limit in LIMITS:
            title = f"tlost, {data}, clusters below {limit}"
            chosen = rows_with(rows, data=data, limit=limit, measure="tlost", refined=False)
            charts[title] = lines(title, chosen, ("k", "k"), "tlost", "strategy")
    return charts


def _lower(limit: str, rows: Rows) -> Judgement:
    """Look for the largest relative gain over `abandon`, at the same data and k, without REFINE."""
    chosen = rows_with(rows, measure="tlost", refined=False, limit=limit)
    base = rows_with(chosen, strategy=ORIGINAL)
    others = [row for row in chosen if row["strategy"] != ORIGINAL]
    known = of_the_papers(others)
    gain, where = max((_gain(row, base) for row in known or others), key=lambda found: found[0])
    change = f"at most {gain:.0%} lower" if gain > 0 else f"never lower, at best {-gain:.0%} higher"
    if not known:
        return Judgement("not comparable", f"{change} ({where}; none of the papers' datasets)")
    return Judgement("met" if gain >= ABOUT_35 else "not met", f"{change} on the papers' datasets ({where})")


def _gain(row: Row, originals: Rows) -> tuple[float, str]:
    """Return by which share tlost is lower than with `abandon`, as a number and in words."""
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
    claims=tuple(
        Claim(
            "AS23, figures 3-5",
            "the strategies lower tlost by up to about 35 % against `abandon` "
            f"(here: relatively, by 30 % or more; clusters below {limit})",
            partial(_lower, limit),
        )
        for limit in LIMITS
    ),
    shown=("tlost",),
    across="strategy",
    notes=(
        "`tlost`: share of the terms in at least k records that are in no record chunk and no shared chunk; the "
        "readings `tlost_more_than_k` and `tlost_any` are in the tables. The limit of cluster sizes that AS23 used is "
        "not known to us, so there are two: ours, 20 k, and 2 k + 1, which NAG22 used (11 at k = 5). Where lines lie "
        "on one another, the last hides the others.",
    ),
)
