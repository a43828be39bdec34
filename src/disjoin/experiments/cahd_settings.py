"""How KL depends on the items of a query, on alpha, and on the order of the records; and what these cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter
from disjoin.experiments.crowds import ALPHA, QUERIES, Crowding, R, drawn_items, groups_formed, over_draws
from disjoin.experiments.experiment import EXPECTED, Claim, Experiment, Judgement, Measured, Point, Setting
from disjoin.experiments.sources import ExperimentSource
from disjoin.methods.cahd import ORDER_NAMES
from disjoin.trials.charts import bars, lines
from disjoin.trials.cost import seconds_spent
from disjoin.trials.rows import Rows, distinct, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

NUMBER = 10  # sensitive items
SECONDS = "processor seconds"  # as this is about differences, and other programs run too
LARGEST_P = 20  # the draws are those of the experiment cahd-kl
NEAR = 1.1  # KL of the default order is at most this many times that of the other
NOT_MEASURED: Measured = {"kl": None, "kl spread": None, SECONDS: None}


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    usual = {"p": 10, "alpha": ALPHA, "r": R, "order": ORDER_NAMES[0]}
    series: dict[str, tuple[int | str, ...]] = {
        "r": (2, 4) if quick else tuple(range(2, 9)),
        "alpha": (1, 3) if quick else tuple(range(1, 6)),
        "order": ORDER_NAMES,
    }
    fixed = {"queries": QUERIES, "draws": 2 if quick else 10, "runs": 1 if quick else 3}
    return [
        Point(source, {"against": against, **usual, against: value, **fixed})
        for source in sources
        for against, values in series.items()
        for value in values
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    from disjoin.measure.kl import mean_kl

    how = Crowding(setting["p"], setting["alpha"], setting["order"])
    divergences = []
    try:
        for seed in range(1, setting["draws"] + 1):
            sensitive = drawn_items(data, NUMBER, LARGEST_P, seed)
            groups = groups_formed(data, sensitive, how, seed)
            divergences.append(mean_kl(groups, data, setting["r"], setting["queries"], seed))
    except InvalidParameter:  # there are data that are too large for the order 'aat'
        if how.order == ORDER_NAMES[0]:
            raise
        return NOT_MEASURED
    found = over_draws("kl", divergences)
    if setting["against"] != "r":  # queries come after the work that is timed
        found[SECONDS] = seconds_spent(lambda: groups_formed(data, sensitive, how, seed), setting["runs"])[SECONDS]
    return found


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for against, called in (("r", "ordinary items of a query (r)"), ("alpha", "alpha")):
        chosen = rows_with(rows, against=against, measure="kl")
        charts[f"KL against {against}"] = lines(f"KL against {against}", chosen, (against, called), "KL (nats)")
    slow = rows_with(rows, against="alpha", measure=SECONDS)
    charts["Time against alpha"] = lines("Time against alpha", slow, ("alpha", "alpha"), SECONDS)
    for title, measure, unit in (("KL by order", "kl", "KL (nats)"), ("Time by order", SECONDS, SECONDS)):
        charts[title] = bars(title, rows_with(rows, against="order", measure=measure), "data", unit, "order")
    return charts


def _first_to_last(rows: Rows, against: str, *, grows: bool) -> Judgement:
    """Compare the least value of a setting with the largest, on every dataset."""
    words, holds = [], []
    for data in distinct(rows, "data"):
        found = sorted(rows_with(rows, data=data, against=against, measure="kl"), key=lambda row: int(row[against]))
        first, last = found[0], found[-1]
        holds.append(first["value"] < last["value"] if grows else first["value"] > last["value"])
        words.append(f"{data} {first['value']:.3f} to {last['value']:.3f}")
    ends = f"{against} = {first[against]} to {last[against]}"
    return Judgement("met" if all(holds) else "not met", f"{ends}: {', '.join(words)}")


def _default_order_serves(rows: Rows) -> Judgement:
    """Hold the default order against the other one, which costs a matrix of records by records."""
    words, holds = [], []
    for data in distinct(rows, "data"):
        ours, other = (
            rows_with(rows, data=data, against="order", order=order, measure="kl")[0] for order in ORDER_NAMES
        )
        if other["value"] is None:
            words.append(f"{data} is too large for `aat`")
            continue
        holds.append(ours["value"] <= NEAR * other["value"])
        words.append(f"{data} {ours['value']:.3f} against {other['value']:.3f}")
    if not holds:
        return Judgement("not comparable", ", ".join(words))
    return Judgement("met" if all(holds) else "not met", ", ".join(words))


EXPERIMENT = Experiment(
    name="cahd-settings",
    title="KL divergence of CAHD against r and alpha",
    question="How does KL depend on the items of a query, on alpha and on the order, and what does a setting cost?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            EXPECTED,
            "KL grows with r, as more items cut finer cells",
            lambda rows: _first_to_last(rows, "r", grows=True),
        ),
        Claim(
            EXPECTED,
            "KL falls with alpha, as there are more records to choose from",
            lambda rows: _first_to_last(rows, "alpha", grows=False),
        ),
        Claim(EXPECTED, f"the default order has a KL of at most {NEAR} times that of `aat`", _default_order_serves),
    ),
    shown=("kl", "kl spread", SECONDS),
    notes=(
        f"{NUMBER} sensitive items, drawn as in the experiment cahd-kl; `kl spread` is the standard deviation over the "
        "draws. Every r has its own queries. Processor seconds are those of sorting, ordering and grouping in memory, "
        "for the last draw, the median of the runs. GTK08 varies r too; no figure of it is held against these, as its "
        "draws are others.",
    ),
)
