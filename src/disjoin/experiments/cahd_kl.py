"""How much groups tell about sensitive items against p, and what the order of similarity wins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from disjoin.experiments.crowds import (
    ALPHA,
    AT_RANDOM,
    BY_CONTENT,
    ONE_GROUP,
    QUERIES,
    USUAL_P,
    Crowding,
    R,
    drawn_items,
    groups_formed,
    over_draws,
    share_left_over,
)
from disjoin.experiments.experiment import EXPECTED, Claim, Experiment, Judgement, Measured, Point, Setting
from disjoin.experiments.sources import ExperimentSource
from disjoin.trials.charts import lines
from disjoin.trials.rows import Row, Rows, distinct, of_the_papers, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

SIMILAR = "bipartite"
NUMBERS = (10, 20)  # sensitive items


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    degrees, numbers = ((4, 8), NUMBERS[:1]) if quick else (USUAL_P, NUMBERS)
    fixed = {"alpha": ALPHA, "r": R, "queries": QUERIES, "draws": 2 if quick else 10, "largest p": degrees[-1]}
    return [
        Point(source, {"sensitive items": number, "p": p, "order": order, **fixed})
        for source in sources
        for number in numbers
        for p in degrees
        for order in (SIMILAR, BY_CONTENT, AT_RANDOM, ONE_GROUP)
        if order != ONE_GROUP or p in (degrees[0], degrees[-1])  # it is the same for every p
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    """Return means over draws; a draw has the same items and the same queries at every p and in every order."""
    from disjoin.measure.kl import mean_kl

    how = Crowding(setting["p"], setting["alpha"], setting["order"])
    divergences, left = [], []
    for seed in range(1, setting["draws"] + 1):
        sensitive = drawn_items(data, setting["sensitive items"], setting["largest p"], seed)
        groups = groups_formed(data, sensitive, how, seed)
        divergences.append(mean_kl(groups, data, setting["r"], setting["queries"], seed))
        left.append(share_left_over(groups, how.p))
    return over_draws("kl", divergences) | {"share left over": sum(left) / len(left)}


def _charts(rows: Rows) -> dict[str, Specification]:
    similar = rows_with(rows, measure="kl", order=SIMILAR)
    series = [{**row, "series": f"{row['data']}, {row['sensitive items']} items"} for row in similar]
    charts = {"KL against p": lines("KL against p", series, ("p", "p"), "KL (nats)", "series")}
    fewest = rows_with(rows, measure="kl", **{"sensitive items": NUMBERS[0]})
    for data in distinct(rows, "data"):
        title = f"KL by order of the records, {data}"
        charts[title] = lines(title, rows_with(fewest, data=data), ("p", "p"), "KL (nats)", "order")
    return charts


def _series(rows: Rows, order: str) -> dict[tuple[str, int], list[Row]]:
    """Return the divergences of an order by data and number of sensitive items, p ascending."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in sorted(rows_with(rows, measure="kl", order=order), key=lambda row: int(row["p"])):
        found.setdefault((row.get("known_as") or row["data"], row["sensitive items"]), []).append(row)
    return found


def _first_above_second(rows: Rows) -> Judgement:
    """Compare the two datasets at every p, for every number of sensitive items."""
    found = _series(of_the_papers(rows), SIMILAR)
    pairs, worse = [], 0
    for number in distinct(rows, "sensitive items"):
        first, second = (found.get((name, number), []) for name in ("WV1", "WV2"))
        for one, two in zip(first, second, strict=False):
            worse += one["value"] <= two["value"]
            pairs.append((f"{number} items, p = {one['p']}: {one['value']:.3f} against {two['value']:.3f}", number))
    if not pairs:
        return Judgement("not comparable", "WV1 and WV2 are not both among the data")
    shown = {number: words for words, number in pairs}  # at the largest p
    ours = f"WV1 against WV2 at {len(pairs)} settings, {len(pairs) - worse} of them so; {'; '.join(shown.values())}"
    return Judgement("not met" if worse else "met", ours)


def _grows(rows: Rows) -> Judgement:
    """Compare the least p with the largest, and count the steps at which it falls."""
    series = _series(of_the_papers(rows), SIMILAR)
    if not series:
        return Judgement("not comparable", "none of the papers' datasets")
    falls = sum(b["value"] < a["value"] for found in series.values() for a, b in pairwise(found))
    steps = sum(len(found) - 1 for found in series.values())
    ends = {key: (found[0]["value"], found[-1]["value"]) for key, found in series.items()}
    words = [f"{data}, {number} items {a:.3f} to {b:.3f}" for (data, number), (a, b) in ends.items()]
    ours = f"{', '.join(words)}; it falls at {falls} of {steps} steps"
    return Judgement("met" if all(a < b for a, b in ends.values()) else "not met", ours)


def _smaller_than(rows: Rows, other: str) -> Judgement:
    """Compare with another order at every point, and tell by how much on every dataset."""
    ratios: dict[str, list[float]] = {}
    theirs = _series(rows, other)
    for (data, number), found in _series(rows, SIMILAR).items():
        pairs = zip(found, theirs[data, number], strict=True)
        ratios.setdefault(data, []).extend(b["value"] / a["value"] if a["value"] else 1.0 for a, b in pairs)
    settings, smaller = (sum(map(len, ratios.values())), sum(ratio > 1 for every in ratios.values() for ratio in every))
    means = [f"{sum(every) / len(every):.2f} times as large ({data})" for data, every in ratios.items()]
    words = f"smaller at {smaller} of {settings} settings; that of `{other}` is on average {', '.join(means)}"
    return Judgement("met" if smaller == settings else "not met", words)


EXPERIMENT = Experiment(
    name="cahd-kl",
    title="KL divergence of CAHD against p",
    question="How far is what groups say about sensitive items from the truth, for p = 4 to 20?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim("GTK08", "KL on BMS1 (WV1) is above that on BMS2 (WV2)", _first_above_second),
        Claim("GTK08", "KL grows with p (here: from the least p to the largest)", _grows),
        Claim(
            EXPECTED,
            "with similar records together KL is smaller than with shuffled ones",
            lambda rows: _smaller_than(rows, AT_RANDOM),
        ),
        Claim(
            EXPECTED,
            "with similar records together KL is smaller than with records sorted by content",
            lambda rows: _smaller_than(rows, BY_CONTENT),
        ),
    ),
    shown=("kl",),
    across="order",
    notes=(
        "The mean KL divergence, in nats, of 100 random queries, each about one sensitive item and r ordinary ones; "
        "then the mean over the draws of sensitive items, with their standard deviation after ±. Items are drawn at "
        "random among those in no more than 1 in 20 records, so a draw has the same items at every p; its queries are "
        "the same too. The paper's draws are others, so no figure of it is held against ours.",
        "`bipartite` is the method as it is. In the other columns only the order of the records differs, among which "
        "groups are looked for: sorted by content, or shuffled. `one group` is what the counts of items in all "
        "records together say, whatever p.",
    ),
)
