"""Experiment: running time by k, p and data size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from disjoin.advise.results import Rows
from disjoin.charts.svg import Chart
from disjoin.generate.quest import Quest
from disjoin.lab.cahd import ALPHA, USUAL_P, FormingGroups, drawn_items, groups_formed
from disjoin.lab.claims import Claim, Judgement, expect, judged
from disjoin.lab.cost import Measured, exponent, seconds_of, seconds_spent
from disjoin.lab.drawing import by_title, lines
from disjoin.lab.experiment import Experiment, Point, Setting, notes_on
from disjoin.lab.rows import rows_with
from disjoin.lab.sources import ExperimentSource, quest_source
from disjoin.model import Transactions

LONG_ENOUGH = 50_000  # from this number of records, seconds are meaningful
LINEAR = 1.1  # largest exponent of the growth of seconds with the input
WORKED = "processor seconds"
CHARTED = ("seconds", WORKED)
NUMBERS = (10, 20)  # sensitive items
LARGEST_P = 20
PEER = 251  # seconds of a published program on WV1
OCCURRENCES = "item occurrences"


def _quest(quick: bool) -> tuple[Quest, tuple[int, ...]]:
    if quick:
        return Quest(4_000, terms=500, patterns=200), (1_000, 2_000, 4_000)
    return Quest(250_000), (125_000, 250_000, 500_000, 1_000_000)


def _judged(power: float, records: int, ours: str) -> Judgement:
    if records < LONG_ENOUGH:
        return Judgement("not comparable", f"{ours} (too few records to time)")
    return judged(power <= LINEAR, ours)


def _points_of_disassociation(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    usual, records = _quest(quick)
    terms = (250, 500) if quick else (1_000, 2_500, 5_000, 10_000)
    fixed = {"m": 2, "runs": 1 if quick else 3}
    ks = (2, 5) if quick else (2, 5, 10, 25, 50)
    found = [Point(quest_source(usual), {"against": "k", "k": k, **fixed}) for k in ks]
    for against, sizes in {"records": records, "terms": terms}.items():
        sources = [quest_source(replace(usual, **{against: size})) for size in sizes]
        found += [Point(source, {"against": against, "k": 5, **fixed}) for source in sources]
    return found


def _charts_of_disassociation(rows: Rows) -> dict[str, Chart]:
    chosen = [row for row in rows if row["measure"] in CHARTED]
    return by_title(
        lines(f"Time against {name}", rows_with(chosen, against=name), (name, name), "seconds", "measure")
        for name in ("k", "records", "terms")
    )


def _linear_in_records(rows: Rows) -> Judgement:
    clock, worked = (rows_with(rows, against="records", measure=name) for name in CHARTED)
    power = _power(worked)
    first, last = worked[0], worked[-1]
    ours = (
        f"processor seconds grow with the power {power:.2f} of the records: {first['value']:.2f} s for "
        f"{first['records']:,}, {last['value']:.2f} s for {last['records']:,}; seconds on the clock with the power "
        f"{_power(clock):.2f}"
    )
    return _judged(power, last["records"], ours)


def _power(series: Rows) -> float:
    return exponent([row["records"] for row in series], [max(row["value"], 1e-6) for row in series])


TIME = Experiment(
    name="time",
    title="Time",
    question="How long does publishing take, by k, number of records and number of terms?",
    points=_points_of_disassociation,
    measure=lambda data, setting: seconds_of(data, setting["runs"], k=setting["k"], m=setting["m"]),
    charts=_charts_of_disassociation,
    claims=(
        Claim("TLMS12", "time is linear in the number of records (here: at most the power 1.1)", _linear_in_records),
    ),
    notes=notes_on("time"),
    own_data=True,
)


def _points_of_cahd(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    usual, records = _quest(quick)
    lengths = (5, 10) if quick else (5, 10, 20, 40)
    fixed = {"alpha": ALPHA, "seed": 1, "runs": 1 if quick else 7}
    found = [
        Point(source, {"against": "p", "sensitive items": number, "p": p, **fixed})
        for source in sources
        for number in (NUMBERS[:1] if quick else NUMBERS)
        for p in ((4, 8) if quick else USUAL_P)
    ]
    fixed = {"sensitive items": NUMBERS[0], "p": 10, **fixed}
    for against, sizes in {"records": records, "length": lengths}.items():
        for size in sizes:
            setting = {"against": against, "asked": size, **fixed}
            found.append(Point(quest_source(replace(usual, **{against: size})), setting))
    return found


def _measure_of_cahd(data: Transactions, setting: Setting) -> Measured:
    sensitive = drawn_items(data, setting["sensitive items"], LARGEST_P, setting["seed"])
    how = FormingGroups(setting["p"], setting["alpha"])
    spent = seconds_spent(lambda: groups_formed(data, sensitive, how, setting["seed"]), setting["runs"])
    return {OCCURRENCES: data.items.size, **spent}


def _charts_of_cahd(rows: Rows) -> dict[str, Chart]:
    against_p = rows_with(rows, against="p", measure=WORKED)
    series = [{**row, "series": f"{row['data']}, {row['sensitive items']} items"} for row in against_p]
    found = [lines("Time against p", series, ("p", "p"), WORKED, "series")]
    grown = {"records": "records", "length": "mean length of a record"}
    for against, called in grown.items():
        chosen = [row for row in rows_with(rows, against=against) if row["measure"] in CHARTED]
        title = f"Time against the {against} of Quest data"
        found.append(lines(title, chosen, ("asked", called), "seconds", "measure"))
    return by_title(found)


def _sized(rows: Rows, against: str) -> Rows:
    chosen = rows_with(rows, against=against)
    sizes = {(row["data"], row["records"]): row["value"] for row in rows_with(chosen, measure=OCCURRENCES)}
    return [{**row, OCCURRENCES: sizes[row["data"], row["records"]]} for row in chosen]


def _linear_in_occurrences(against: str, rows: Rows) -> Judgement:
    worked = rows_with(_sized(rows, against), measure=WORKED)
    power = exponent([row[OCCURRENCES] for row in worked], [max(row["value"], 1e-6) for row in worked])
    first, last = worked[0], worked[-1]
    ours = (
        f"processor seconds grow with the power {power:.2f} of the occurrences: {first['value']:.2f} s for "
        f"{first[OCCURRENCES]:,} in {first['records']:,} records, {last['value']:.2f} s for {last[OCCURRENCES]:,} in "
        f"{last['records']:,}"
    )
    return _judged(power, last["records"], ours)


def _ahead_of_the_peer(rows: Rows) -> Judgement:
    """Compare with another program; its machine also had two cores, but it also reads a file."""
    found = rows_with(rows, against="p", known_as="WV1", measure="seconds", **{"sensitive items": NUMBERS[0]})
    if not found:
        return Judgement("not comparable", "WV1 is not among the data")
    slowest = max(row["value"] for row in found)
    return judged(slowest < PEER, f"WV1, 10 sensitive items: at most {slowest:.2f} s")


CAHD_TIME = Experiment(
    name="cahd-time",
    title="Time of CAHD",
    question="How long does forming groups take, by p, number of records and their length?",
    points=_points_of_cahd,
    measure=_measure_of_cahd,
    charts=_charts_of_cahd,
    claims=(
        expect(
            f"time is linear in the number of records (here: at most the power {LINEAR})",
            partial(_linear_in_occurrences, "records"),
        ),
        expect(
            f"time is linear in the length of records (here: at most the power {LINEAR})",
            partial(_linear_in_occurrences, "length"),
        ),
        expect(f"less than the {PEER} s that a published program takes on WV1", _ahead_of_the_peer),
    ),
    shown=(OCCURRENCES, "seconds", WORKED, "least seconds", "most seconds", "load average"),
    notes=notes_on("cahd-time", peer=PEER),
)
