"""make refining: what REFINE wins and costs on real data, as the table of docs/decisions/0006.

python -m benchmarks.refining [--times N] [--quest FILE]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine
from disjoin.engine import Local
from disjoin.measure import exact_pair_mass, exact_term_mass, weighted_pair_error
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Transactions
from disjoin.readers.read import read

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
NAMES = ("wv1", "wv2", "retail", "groceries", "online-retail", "t10i4d100k")
WAYS: dict[str, dict[str, Any]] = {
    "not refined": {"refine": False},
    "pairs": {"refine_builder": "pairs"},
    "levels": {"refine_builder": "levels"},
}


def seconds(work: Callable[[], Any], times: int) -> float:
    """Return the median time, after one run that compiles and warms up."""
    laps = []
    for _ in range(times + 1):
        start = time.perf_counter()
        work()
        laps.append(time.perf_counter() - start)
    return statistics.median(laps[1:])


def table(name: str, data: Transactions, times: int) -> None:
    """Print one row a way."""
    for way, settings in WAYS.items():
        method = Disassociation(k=5, m=2, **settings)
        published = method.publish(data, Local()).published
        spent = seconds(lambda method=method: method.publish(data, Local()), times)  # type: ignore[misc]
        cells = (
            f"{int(published.is_joint.sum()):,}",
            f"{exact_term_mass(published, data):.3f}",
            f"{exact_pair_mass(published, data):.4f}",
            f"{weighted_pair_error(published, data):.3f}",
            f"{spent:.2f}",
        )
        print(f"| {name} | {way} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=3, help="runs of each; the median counts")
    options.add_argument("--quest", type=Path, help="a Quest file to look at as well")
    chosen = options.parse_args()
    print(f"Measured on {machine()}; k = 5, m = 2; seconds are those of publishing, without reading and verifying.\n")
    print("| data | REFINE | joints | term mass | pair mass | weighted pair error | seconds |")
    print("|---|---|---|---|---|---|---|")
    for name in NAMES:
        source = DATA / f"{name}.dat.gz"
        if source.exists():
            table(name, read(source), chosen.times)
        else:
            print(f"skipped  {name}: {DATA} is not here (set DISJOIN_DATA)")
    if chosen.quest:
        table("quest", read(chosen.quest), chosen.times)


if __name__ == "__main__":
    main()
