"""Tables: processor seconds of forming classes and generalising, without reading, verifying, writing and compiling.

The default algorithm is judged against the fastest one by the work alone, and by whole commands too.
"""

from __future__ import annotations

import csv
import gzip
from math import log

import numpy as np
import pyarrow as pa

from benchmarks.bars import DATA, MILLION, Bars
from benchmarks.growth import MOST_EXPONENT
from benchmarks.measuring import disjoin, interleaved, run, timed
from disjoin.engine import Local
from disjoin.generate.census import COLUMNS, census_blocks, census_hierarchies
from disjoin.methods.generalization import ALGORITHM_NAMES, Generalization
from disjoin.model import Hierarchy, Table

ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
CENSUS_ROWS = (MILLION // 8, MILLION)
CENSUS = ("age", "sex", "postcode", "education", "marital_status", "occupation", "hours")


def adult() -> Table:
    """Read Adult as ARX has it, with its hierarchies."""
    with gzip.open(DATA / "adult_arx.csv.gz", "rt", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=";")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    hierarchies = {}
    for name in header:
        with gzip.open(DATA / f"adult_hierarchy_{name}.csv.gz", "rt", encoding="utf-8") as file:
            hierarchies[name] = Hierarchy.from_rows(csv.reader(file, delimiter=";"))
    return Table.from_columns(columns).with_hierarchies(hierarchies)


def census(records: int) -> Table:
    """Make up a census, with its hierarchies."""
    blocks = list(census_blocks(records, seed=0))
    columns = {
        name: pa.array(list(map(str, values))).take(pa.array(np.concatenate([block[name] for block in blocks])))
        for name, values in COLUMNS.items()
    }
    trees = {name: Hierarchy.from_rows(rows) for name, rows in census_hierarchies().items()}
    return Table.from_columns(columns).with_hierarchies(trees)


def seconds(table: Table, quasi: tuple[str, ...], algorithm: str, k: int) -> float:
    """Publish and return the time."""
    return timed(
        lambda: Generalization(k=k, quasi=quasi, algorithm=algorithm, drop_unassigned=True).publish(table, Local())
    ).worked


def on_adult(bars: Bars) -> None:
    """Measure every algorithm on Adult."""
    if not (DATA / "adult_arx.csv.gz").exists():
        print(f"skipped  Adult: {DATA} is not here (set DISJOIN_DATA)")
        return
    table = adult()
    few = Table(table.schema, tuple(c[:500] for c in table.codes), table.values, table.hierarchies)
    for name in ALGORITHM_NAMES:
        seconds(few, ADULT, name, 10)  # compiles
    taken = {name: seconds(table, ADULT, name, 10) for name in ALGORITHM_NAMES}
    limits = {"kaca": 20.0, "two-level": min(taken["kaca"], taken["top-down-kaca"]) / 2}
    for name, found in taken.items():
        bars.add(f"Adult, 7 quasi-identifiers, k = 10, {name}", found, limits.get(name), "s")


def on_a_census(bars: Bars) -> None:
    """Measure the fastest and the default algorithm on made-up rows."""
    default, taken = Generalization(k=5, quasi=CENSUS).algorithm, []
    for rows in CENSUS_ROWS:
        table, names = census(rows), ("two-level", default)
        runs = [[seconds(table, CENSUS, name, 5) for name in names] for _ in range(bars.times)]
        base, least = (min(found) for found in zip(*runs, strict=True))
        taken.append(least)
        bars.add(f"{rows:,} made-up rows, two-level", base, 60 if rows == MILLION else None, "s")
        note = f"{taken[-1]:.1f} s, {default}"
        bars.add(f"{rows:,} made-up rows, the default / two-level", taken[-1] / base, 8, "x", note=note)
    exponent = log(taken[-1] / taken[0]) / log(CENSUS_ROWS[-1] / CENSUS_ROWS[0])
    bars.add("made-up rows, the default, exponent of growth", exponent, MOST_EXPONENT, "")


def whole_commands(bars: Bars) -> None:
    """Measure the default algorithm against the fastest one from the file to the written, verified release."""
    source, trees, rows = bars.folder / "census.csv", bars.folder / "hierarchies", CENSUS_ROWS[0]
    run(disjoin("generate", "census", "--records", rows, "--seed", 0, "-o", source, "--hierarchies", trees))
    reading = ("--quasi", ",".join(CENSUS), "--hierarchies", trees, "--one-row-per-person", "--drop-unassigned")
    what = ("generalize", source, "-k", 5, *reading)
    written = ("-o", bars.folder / "table", "--overwrite", "--quiet")
    ways: dict[str, tuple[str, ...]] = {"default": (), "two-level": ("--method", "two-level")}
    commands = {name: disjoin(*what, *written, *more) for name, more in ways.items()}
    interleaved(commands, 1)  # compiles
    found = interleaved(commands, bars.times)
    ours, base = found["default"], found["two-level"]
    note = f"{ours} against {base}"
    bars.add(
        f"{rows:,} made-up rows, whole command, the default / two-level", ours.worked / base.worked, 8, "x", note=note
    )


def measure(bars: Bars) -> None:
    """Measure whole commands, Adult and made-up rows."""
    whole_commands(bars)
    on_adult(bars)
    on_a_census(bars)
