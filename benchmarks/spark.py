"""Spark on one machine: a million records on `local[2]`, against the same command without Spark.

What Spark costs where it is not needed: it pays when records do not fit into the memory of one machine.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import disassociate, run

ON_SPARK = ("--engine", "spark", "--master", "local[2]", "--format", "fimi", "--no-ledger")
TIMES_LOCAL = 4  # as long, on the clock


def measure(bars: Bars) -> None:
    """Publish the same records on Spark and without, once each, after next to nothing on Spark."""
    if shutil.which("java") is None or find_spec("pyspark") is None:
        print("skipped  Spark: it needs Java 17 or newer, and pip install 'disjoin[spark]'")
        return
    source, out = bars.quest(MILLION), bars.folder / "spark"
    start = run(disassociate(bars.quest(2_000), out, *ON_SPARK), {"DISJOIN_COMPILE": "always"})
    here, there = run(disassociate(source, out)), run(disassociate(source, out, *ON_SPARK))
    note = f"{there.seconds:.0f} s against {here.seconds:.0f} s; 2,000 records take {start.seconds:.0f} s on Spark"
    # Java works in processes of its own, which look like others': the run without Spark tells whether it was quiet.
    what = "1M Quest records, local[2] / without Spark, on the clock"
    bars.add(what, there.seconds / here.seconds, TIMES_LOCAL, "x", here, note=note)
