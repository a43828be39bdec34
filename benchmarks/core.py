"""Is the k^m core as fast as it wants to be? Prints every bar with what was measured, and writes JSON.

python -m benchmarks.core [--times N] [--folder FOLDER] [--ten]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bars import RESULTS, Bars, quest
from benchmarks.cahd import in_turns
from benchmarks.measuring import disassociate, machine, python, run

FEW, SMALL, LARGE, HUGE = 2_000, 100_000, 1_000_000, 10_000_000  # Quest records
TIMES_BASE = 10  # for peeling and packing; the whole command reads, verifies and writes as well
GROWTH = 12  # for ten times the records


def published(source: Path, out: Path, clustering: str) -> list[str]:
    """Return the command that publishes a file with a clustering."""
    return disassociate(source, out, "-k", "5", "-m", "2", "--clustering", clustering)


def in_memory(source: Path, clustering: str) -> float:
    """Return the seconds of publishing alone, after compiling."""
    command = python("-m", "benchmarks.core_only", str(source), clustering)
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def one_million(bars: Bars, folder: Path, times: int) -> None:
    source = quest(folder, LARGE)
    base = in_turns({"base": python("-m", "benchmarks.read_and_count", str(source))}, times)["base"]
    for clustering in ("core", "core-horpart"):
        seconds = in_memory(source, clustering)
        note = f"{seconds:.2f} s against {base}"
        bars.add(
            f"1M Quest, {clustering} in memory / read-and-count", seconds / base.seconds, TIMES_BASE, "x", note=note
        )
        whole = in_turns({"whole": published(source, folder / "release", clustering)}, 1)["whole"]
        print(f"         whole command, {clustering}: {whole}, {whole.seconds / base.seconds:.1f}x read-and-count")


def growth(bars: Bars, folder: Path, smaller: int, larger: int) -> None:
    commands = {
        "start": published(quest(folder, FEW), folder / "few", "core"),
        "smaller": published(quest(folder, smaller), folder / "smaller", "core"),
        "larger": published(quest(folder, larger), folder / "larger", "core"),
    }
    start, small, large = in_turns(commands, 1).values()
    grown = (large.worked - start.worked) / (small.worked - start.worked)
    note = f"{large} against {small}"
    bars.add(f"{larger:,} against {smaller:,} records, core, processor time", grown, GROWTH, "x", note=note)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=3, help="runs of the baseline; the median counts")
    options.add_argument("--folder", help="where to put the data (default: a temporary folder)")
    options.add_argument("--ten", action="store_true", help="also ten million records")
    chosen = options.parse_args()
    bars = Bars()
    print(f"Measured on {machine()}.\n")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        folder = Path(temporary)
        for clustering in ("core", "core-horpart"):
            run(published(quest(folder, FEW), folder / "first", clustering))  # compiles
        one_million(bars, folder, chosen.times)
        growth(bars, folder, SMALL, LARGE)
        if chosen.ten:
            growth(bars, folder, LARGE, HUGE)
    RESULTS.mkdir(exist_ok=True)
    facts = {"machine": machine(), "load average": round(os.getloadavg()[1], 2), "bars": bars.rows}
    (RESULTS / "core.json").write_text(json.dumps(facts, indent=2) + "\n")
    missed = sum(not row["met"] for row in bars.rows)
    print(f"\n{len(bars.rows) - missed} of {len(bars.rows)} bars met; figures in {RESULTS / 'core.json'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
