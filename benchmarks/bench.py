"""make bench: is disjoin as fast as it wants to be? Prints every bar with what was measured.

python -m benchmarks.bench [SECTION ...] [--times N] [--most RECORDS] [--page] [--folder FOLDER]

Without a section, all are measured but spark. Results are kept in benchmarks/results, a file per section; --page writes
docs/reference/performance.md from them.
Each section has a process of its own: the memory of a command cannot be told if whoever starts it holds more.

Leaves with 1 when a bar is missed or not judged. Ratios are against a baseline in the same run. Where others keep the
machine busy, bars on the clock are not judged: measure on a quiet one. With DISJOIN_BENCH_MILLION=10000 a million is
ten thousand: everything runs in a few minutes, nothing is kept, and it leaves with 0.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks import analyst, cahd, checking, growth, sets, spark, start_up, studio, tables, ten_million
from benchmarks.bars import IS_TRIAL, MILLION, MISSED, UNJUDGED, Bars
from benchmarks.measuring import machine, others_during
from benchmarks.performance_page import write_page

RESULTS = Path(__file__).parent / "results"
SECTIONS = {
    "start-up": start_up,
    "sets": sets,
    "growth": growth,
    "checking": checking,
    "analyst": analyst,
    "tables": tables,
    "cahd": cahd,
    "ten-million": ten_million,
    "studio": studio,
    "spark": spark,
}
ON_REQUEST = ("spark",)  # takes minutes, and Java


def measured(name: str, bars: Bars) -> list[str]:
    """Measure a section, keep what was found, and return how each bar was judged."""
    began = time.perf_counter()
    print(f"\n{name}: {(SECTIONS[name].__doc__ or '').splitlines()[0]}")
    others = others_during(lambda: SECTIONS[name].measure(bars))
    facts = {
        "about": SECTIONS[name].__doc__,
        "machine": machine(),
        "day": time.strftime("%d %B %Y"),
        "minutes": round((time.perf_counter() - began) / 60, 1),
        "times": bars.times,
        "load": round(os.getloadavg()[1], 2),  # of the last five minutes, these runs among them
        "others": round(others, 2),
        "bars": bars.rows,
    }
    if IS_TRIAL:
        return [row["judged"] for row in bars.rows]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(facts, indent=2) + "\n")
    return [row["judged"] for row in bars.rows]


def main() -> None:
    """Measure the sections that were asked for, or all."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = [name for name in SECTIONS if name not in ON_REQUEST]
    what = f"what to measure: {', '.join(SECTIONS)} (default: all but {', '.join(ON_REQUEST)})"
    options.add_argument("sections", nargs="*", help=what)
    options.add_argument("--times", type=int, default=2, help="runs of each command; the median counts")
    options.add_argument("--most", type=int, default=4 * MILLION, help="no data with more records, where sizes double")
    options.add_argument("--page", action="store_true", help="write docs/reference/performance.md too")
    options.add_argument("--folder", help="where to put the data (default: a temporary folder)")
    chosen = options.parse_args()
    if unknown := set(chosen.sections) - set(SECTIONS):
        options.error(f"expected some of {', '.join(SECTIONS)}, got {', '.join(sorted(unknown))}")
    print(f"Measured on {machine()}; medians of {chosen.times} runs, interleaved with the baseline.")
    judged: list[str] = []
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        for name in chosen.sections or usual:
            bars = Bars(Path(temporary), chosen.times, chosen.most)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
                judged += apart.submit(measured, name, bars).result()
    if chosen.page and not IS_TRIAL:
        write_page(RESULTS, list(SECTIONS))
    missed, unjudged = judged.count(MISSED), judged.count(UNJUDGED)
    kept = "only a trial" if IS_TRIAL else f"kept in {RESULTS.name}"
    print(f"\n{len(judged)} figures, {missed} bars missed, {unjudged} not judged; {kept}")
    sys.exit(1 if (missed or unjudged) and not IS_TRIAL else 0)  # what was not judged was not met


if __name__ == "__main__":
    main()
