"""make generalization: how fast local recoding is, against the bars that were set for it.

python -m benchmarks.generalization [--census ROWS]; leaves with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.measuring import machine
from disjoin.engines.local import Local
from disjoin.generate.census import census_blocks
from disjoin.generate.census_values import COLUMNS, census_hierarchies
from disjoin.methods.generalization import ALGORITHM_NAMES, Generalization
from disjoin.model import Hierarchy, Table

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
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
    start = time.perf_counter()
    Generalization(k=k, quasi=quasi, algorithm=algorithm).publish(table, Local())
    return time.perf_counter() - start


def bars_of_adult() -> list[tuple[str, float, float]]:
    """Return what was measured on Adult, each with its limit."""
    table = adult()
    few = Table(table.schema, tuple(c[:500] for c in table.codes), table.values, table.hierarchies)
    for name in ALGORITHM_NAMES:
        seconds(few, ADULT, name, 10)  # compiles
    taken = {name: seconds(table, ADULT, name, 10) for name in ALGORITHM_NAMES}
    half = min(taken["kaca"], taken["top-down-kaca"]) / 2
    limits = {"kaca": 20.0, "two-level": half}
    return [
        (f"Adult, 7 quasi-identifiers, k = 10, {name}", taken[name], limits.get(name, float("inf"))) for name in taken
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--census", type=int, default=1_000_000, help="rows to generate")
    chosen = options.parse_args()
    print(f"Measured on {machine()}; seconds of publishing, without reading, verifying and compiling.\n")
    print("| what | seconds | bar | met |\n|---|---|---|---|")
    rows = []
    if (DATA / "adult_arx.csv.gz").exists():
        rows += bars_of_adult()
    else:
        print(f"skipped Adult: {DATA} is not here (set DISJOIN_DATA)")
    taken = seconds(census(chosen.census), CENSUS, "two-level", 5)
    rows.append((f"{chosen.census:,} generated rows, k = 5, two-level", taken, 60.0))
    for what, spent, limit in rows:
        print(f"| {what} | {spent:.2f} | {limit:.2f} | {'yes' if spent <= limit else 'NO'} |", flush=True)
    sys.exit(any(spent > limit for _, spent, limit in rows))


if __name__ == "__main__":
    main()
