"""The deFinetti attack on groups: how often it names a holder of a sensitive item, by grouping, next to KL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from disjoin.experiments.crowds import ALPHA, ANATOMY, QUERIES, Crowding, R, drawn_items, groups_formed, over_draws
from disjoin.experiments.experiment import EXPECTED, Claim, Experiment, Judgement, Measured, Point, Setting
from disjoin.experiments.sources import ExperimentSource
from disjoin.trials.charts import bars
from disjoin.trials.rows import Rows, distinct, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

DRAWN, BY_CHANCE = "10 items", "1 item by chance"
GROUPINGS = ("blind", "paper", ANATOMY)
LARGEST_P = 20  # the draws are those of the experiment cahd-kl
SHARE = 0.02  # of the records get the item that is given by chance
SECRET = "given by chance"
RIGHT, SUREST, AT_RANDOM = "right", "right, surest fifth", "random guess"
EXPECTED_RIGHT, EXPECTED_SUREST = "expected", "expected, surest fifth"
NEAR = 1.25  # times a random guess, without correlation


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    fixed = {"alpha": ALPHA, "r": R, "queries": QUERIES, "draws": 1 if quick else 5}
    return [
        Point(source, {"sensitive": sensitive, "p": p, "grouping": grouping, **fixed})
        for source in sources
        for sensitive in (DRAWN, BY_CHANCE)
        for p in ((4,) if quick else (10, 20))
        for grouping in GROUPINGS
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    """Return means over draws; a draw has the same sensitive items and queries at every p and in every grouping."""
    found: dict[str, list[float]] = {}
    for seed in range(1, setting["draws"] + 1):
        for name, value in _attacked(*_secrets(data, setting["sensitive"], seed), setting, seed).items():
            found.setdefault(name, []).append(value)
    means: Measured = {}
    for name, values in found.items():
        means |= over_draws(name, values)
    return means


def _attacked(data: Transactions, sensitive: tuple[str, ...], setting: Setting, seed: int) -> dict[str, float]:
    """Form groups, measure KL, and attack them with the original to count right guesses."""
    from disjoin.attack.definetti import definetti
    from disjoin.measure.kl import mean_kl

    how = Crowding(setting["p"], setting["alpha"], grouping=setting["grouping"])
    groups = groups_formed(data, sensitive, how, seed)
    attack = definetti(groups, data)
    assert attack.right is not None and attack.right_surest is not None, "the original was given"
    return {
        "kl": mean_kl(groups, data, setting["r"], setting["queries"], seed),
        RIGHT: attack.right,
        SUREST: attack.right_surest,
        EXPECTED_RIGHT: attack.expected,
        EXPECTED_SUREST: attack.expected_surest,
        AT_RANDOM: attack.random,
    }


def _secrets(data: Transactions, sensitive: str, seed: int) -> tuple[Transactions, tuple[str, ...]]:
    """Return the data with their sensitive items: drawn ones, or one more that is given to records by chance."""
    if sensitive == DRAWN:
        return data, drawn_items(data, 10, LARGEST_P, seed)
    import numpy as np

    from disjoin.model import Transactions

    records = data.to_sets()
    drawn = np.random.default_rng(seed).choice(len(records), max(1, round(SHARE * len(records))), replace=False)
    for number in drawn.tolist():
        records[number] = records[number] | {SECRET}
    return Transactions.from_sets(records), (SECRET,)


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for sensitive in distinct(rows, "sensitive"):
        for p in distinct(rows, "p"):
            chosen = rows_with(rows, sensitive=sensitive, p=p, measure=RIGHT)
            title = f"Right guesses, {sensitive}, p = {p}"
            charts[title] = bars(title, chosen, "data", "share of the groups", "grouping")
    return charts


def _compared(
    rows: Rows, sensitive: str, groupings: tuple[str, str], measures: tuple[str, str], times: float
) -> Judgement:
    """Judge whether a measure of one grouping is less than some times that of another, at every setting."""
    words, holds = [], []
    for data in distinct(rows, "data"):
        for p in distinct(rows, "p"):
            one, other = (
                rows_with(rows, data=data, p=p, sensitive=sensitive, grouping=grouping, measure=measure)[0]["value"]
                for grouping, measure in zip(groupings, measures, strict=True)
            )
            holds.append(one < times * other)
            words.append(f"{data}, p = {p}: {one:.3f} and {other:.3f}")
    return Judgement("met" if all(holds) else "not met", f"so at {sum(holds)} of {len(holds)}; {'; '.join(words)}")


EXPERIMENT = Experiment(
    name="cahd-attack",
    title="The deFinetti attack on groups",
    question="How often does an attacker who learns from the release name a holder of a sensitive item?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            EXPECTED,
            "correlation is not hidden: the attacker is right at least twice as often as a random guess (`blind`)",
            lambda rows: _compared(rows, DRAWN, ("blind", "blind"), (AT_RANDOM, RIGHT), 0.5),
        ),
        Claim(
            EXPECTED,
            f"without correlation the attacker is right less than {NEAR} times as often as a random guess (`blind`)",
            lambda rows: _compared(rows, BY_CHANCE, ("blind", "blind"), (RIGHT, AT_RANDOM), NEAR),
        ),
        Claim(
            EXPECTED,
            "grouping by sensitive items alone (`anatomy`) gives the attacker fewer right guesses than `blind`",
            lambda rows: _compared(rows, DRAWN, (ANATOMY, "blind"), (RIGHT, RIGHT), 1),
        ),
        Claim(
            EXPECTED,
            "`anatomy` has at most 1.1 times the KL of `blind`",
            lambda rows: _compared(rows, DRAWN, (ANATOMY, "blind"), ("kl", "kl"), 1.1),
        ),
    ),
    shown=("kl", RIGHT, SUREST, EXPECTED_RIGHT, EXPECTED_SUREST, AT_RANDOM),
    notes=(
        "`right` is the share of the groups' sensitive items for which the record that the attacker names has the "
        "item; `expected` is what the attacker expects from the release alone; `random guess` is the share of "
        "holders. The surest fifth is chosen by the attacker's confidence. Means over draws of sensitive items. KL as "
        "in the experiment cahd-kl.",
        "`anatomy` groups records in a random order by sensitive items alone, as Anatomy does: each group has one "
        "record in p with an item, and its other records are taken without regard to ordinary items. "
        f"The item by chance is given to {SHARE:.0%} of the records.",
    ),
)
