"""How long forming groups takes: against p, against the number of records, and against their length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from disjoin.experiments.charts import lines
from disjoin.experiments.crowds import ALPHA, USUAL_P, Crowding, drawn_items, groups_formed
from disjoin.experiments.experiment import (
    EXPECTED,
    Claim,
    Experiment,
    Judgement,
    Measured,
    Point,
    Rows,
    Setting,
    rows_with,
)
from disjoin.experiments.growth import exponent
from disjoin.experiments.publishing import seconds_spent
from disjoin.experiments.sources import ExperimentSource, quest_source

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

NUMBERS = (10, 20)  # sensitive items
LARGEST_P = 20
LONG_ENOUGH = 50_000  # records from which on seconds say something
LINEAR = 1.1  # seconds grow with at most this power of what there is to read
PEER = 251  # seconds of a published program on WV1
OCCURRENCES = "item occurrences"
WORKED = "processor seconds"


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    from disjoin.generate.quest import Quest

    usual = Quest(4_000, terms=500, patterns=200) if quick else Quest(250_000)
    records = (1_000, 2_000, 4_000) if quick else (125_000, 250_000, 500_000, 1_000_000)
    lengths = (5, 10) if quick else (5, 10, 20, 40)
    fixed = {"alpha": ALPHA, "seed": 1, "runs": 1 if quick else 7}
    found = [
        Point(source, {"against": "p", "sensitive items": number, "p": p, **fixed})
        for source in sources
        for number in (NUMBERS[:1] if quick else NUMBERS)
        for p in ((4, 8) if quick else USUAL_P)
    ]
    fixed = {"sensitive items": NUMBERS[0], "p": 10, **fixed}
    found += [Point(quest_source(replace(usual, records=n)), _asked("records", n, fixed)) for n in records]
    found += [Point(quest_source(replace(usual, length=n)), _asked("length", n, fixed)) for n in lengths]
    return found


def _asked(against: str, size: int, fixed: Setting) -> Setting:
    return {"against": against, "asked": size, **fixed}


def _measure(data: Transactions, setting: Setting) -> Measured:
    sensitive = drawn_items(data, setting["sensitive items"], LARGEST_P, setting["seed"])
    how = Crowding(setting["p"], setting["alpha"])
    spent = seconds_spent(lambda: groups_formed(data, sensitive, how, setting["seed"]), setting["runs"])
    return {OCCURRENCES: data.items.size, **spent}


def _charts(rows: Rows) -> dict[str, Specification]:
    against_p = rows_with(rows, against="p", measure=WORKED)
    series = [{**row, "series": f"{row['data']}, {row['sensitive items']} items"} for row in against_p]
    charts = {"Time against p": lines("Time against p", series, ("p", "p"), WORKED, "series")}
    grown = {"records": "records", "length": "mean length of a record"}
    for against, called in grown.items():
        chosen = [row for row in rows_with(rows, against=against) if row["measure"] in ("seconds", WORKED)]
        title = f"Time against the {against} of Quest data"
        charts[title] = lines(title, chosen, ("asked", called), "seconds", "measure")
    return charts


def _sized(rows: Rows, against: str) -> Rows:
    """Return the rows of a series, each with the number of occurrences of items in its data."""
    chosen = rows_with(rows, against=against)
    sizes = {(row["data"], row["records"]): row["value"] for row in rows_with(chosen, measure=OCCURRENCES)}
    return [{**row, OCCURRENCES: sizes[row["data"], row["records"]]} for row in chosen]


def _linear(rows: Rows, against: str) -> Judgement:
    """Judge by processor seconds: those on the clock are also about what else the machine does."""
    worked = rows_with(_sized(rows, against), measure=WORKED)
    power = exponent([row[OCCURRENCES] for row in worked], [max(row["value"], 1e-6) for row in worked])
    first, last = worked[0], worked[-1]
    ours = (
        f"processor seconds grow with the power {power:.2f} of the occurrences: {first['value']:.2f} s for "
        f"{first[OCCURRENCES]:,} in {first['records']:,} records, {last['value']:.2f} s for {last[OCCURRENCES]:,} in "
        f"{last['records']:,}"
    )
    if last["records"] < LONG_ENOUGH:
        return Judgement("not comparable", f"{ours} (too few records to time)")
    return Judgement("met" if power <= LINEAR else "not met", ours)


def _ahead_of_the_peer(rows: Rows) -> Judgement:
    """Compare with what another program takes; its machine had two cores too, but it also reads its file."""
    found = rows_with(rows, against="p", known_as="WV1", measure="seconds", **{"sensitive items": NUMBERS[0]})
    if not found:
        return Judgement("not comparable", "WV1 is not among the data")
    slowest = max(row["value"] for row in found)
    return Judgement("met" if slowest < PEER else "not met", f"WV1, 10 sensitive items: at most {slowest:.2f} s")


EXPERIMENT = Experiment(
    name="cahd-time",
    title="Time of CAHD",
    question="How long does forming groups take, against p, the number of records and their length?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            EXPECTED,
            f"time is linear in the number of records (here: at most the power {LINEAR})",
            lambda rows: _linear(rows, "records"),
        ),
        Claim(
            EXPECTED,
            f"time is linear in the length of records (here: at most the power {LINEAR})",
            lambda rows: _linear(rows, "length"),
        ),
        Claim(EXPECTED, f"less than the {PEER} s that a published program takes on WV1", _ahead_of_the_peer),
    ),
    shown=(OCCURRENCES, "seconds", WORKED, "least seconds", "most seconds", "load average"),
    notes=(
        "Seconds are those of sorting, ordering and grouping in memory, in one thread, without reading, verifying and "
        "writing: the median of the runs, with the least and the most beside it. GTK08 reports time against p as well, "
        "on a machine of its day; its seconds are not compared.",
        "Of two published programs one stops at 10,000 records, so there is no time of it for WV1 or WV2. The other, "
        f"in C++, took {PEER} s for WV1 with 10 sensitive items when it was measured on two cores, and its time grows "
        "with about the power 2.3 of the records; reading and writing a file of WV1's size is little of that.",
    ),
)
