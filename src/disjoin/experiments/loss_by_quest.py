"""How losses depend on the shape of the data: records, terms, and the length of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from disjoin.experiments.charts import lines
from disjoin.experiments.experiment import Experiment, Measured, Point, Rows, Setting, rows_with
from disjoin.experiments.publishing import losses_of
from disjoin.experiments.sources import ExperimentSource, quest_source

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

LOSSES = ("tkd", "tkd_a", "re", "re_a", "re_1_20", "tlost")
SHOWN = {"tkd": "tKd", "tkd_a": "tKd-a", "re": "re", "re_1_20": "re(1-20)", "tlost": "tlost"}


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    from disjoin.generate.quest import Quest

    usual = Quest(3_000, terms=400, patterns=200) if quick else Quest(200_000)
    series: dict[str, tuple[int, ...]] = {
        "records": (1_500, 3_000) if quick else (50_000, 100_000, 200_000, 400_000),
        "terms": (200, 400) if quick else (1_000, 2_500, 5_000, 10_000),
        "length": (5, 10) if quick else (5, 10, 15, 20),
    }
    fixed = {"k": 5, "m": 2}
    return [
        Point(quest_source(replace(usual, **{name: size})), {"against": name, "asked": size, **fixed})
        for name, sizes in series.items()
        for size in sizes
    ]


def _measure(data: Transactions, setting: Setting) -> Measured:
    return losses_of(data, LOSSES, k=setting["k"], m=setting["m"])


def _charts(rows: Rows) -> dict[str, Specification]:
    called = {"records": "records", "terms": "terms asked for", "length": "mean length of a record"}
    charts = {}
    for against, words in called.items():
        title = f"Losses on Quest data against {against}"
        chosen = [
            {**row, "loss": SHOWN[row["measure"]]}
            for row in rows_with(rows, against=against)
            if row["measure"] in SHOWN
        ]
        charts[title] = lines(title, chosen, ("asked", words), "loss", "loss")
    return charts


EXPERIMENT = Experiment(
    name="loss-by-quest",
    title="Information loss on Quest data",
    question="How do losses depend on the number of records, the number of terms and the length of records?",
    points=_points,
    measure=_measure,
    charts=_charts,
    shown=LOSSES,
    notes=(
        "TLMS12 varies the same three, around 1,000,000 records, 5,000 terms and length 10. No single figure of the "
        "papers is held against these.",
    ),
    own_data=True,
)
