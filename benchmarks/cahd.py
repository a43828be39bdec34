"""Is CAHD as fast as it wants to be? Prints every bar with what was measured, and writes JSON.

python -m benchmarks.cahd [--times N] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.bars import DATA, RESULTS, Bars, quest
from benchmarks.measuring import interleaved, machine, python, run

REAL = ("wv1", "wv2")
SECONDS = 3  # for each of them
FEW, SMALL, LARGE = 2_000, 125_000, 1_000_000  # Quest records
TIMES_BASE = 15  # as much as disassociation with REFINE may take
GROWTH = 9.4  # 12 times for ten times the records, as for disassociation, is so much for eight times


def cahd(source: Path, out: Path) -> list[str]:
    """Return the command that publishes a file from reading to the written, verified release."""
    drawn = ("--random-sensitive", "10", "--seed", "1", "-p", "10")
    return python("-m", "disjoin", "cahd", str(source), *drawn, "-o", str(out), "--overwrite", "--quiet")


def real_files(bars: Bars, folder: Path, times: int) -> None:
    for name in REAL:
        source = DATA / f"{name}.dat.gz"
        if not source.exists():
            print(f"skipped  {name}: {DATA} is not here (set DISJOIN_DATA)")
            continue
        found = interleaved({name: cahd(source, folder / name)}, times)[name]
        bars.add(f"{name}, whole command", found.seconds, SECONDS, "s", note=f"{found.megabytes:.0f} MB")


def quest_files(bars: Bars, folder: Path, times: int) -> None:
    large = quest(folder, LARGE)
    commands = {
        "start": cahd(quest(folder, FEW), folder / "few"),
        "small": cahd(quest(folder, SMALL), folder / "small"),
        "read-and-count": python("-m", "benchmarks.read_and_count", str(large)),
        "large": cahd(large, folder / "large"),
    }
    found = interleaved(commands, times)
    start, little, base, ours = (found[name] for name in commands)
    note = f"{ours.seconds:.2f} s against {base.seconds:.2f} s; {ours.megabytes:.0f} MB against {base.megabytes:.0f} MB"
    bars.add("1M Quest, verified release / read-and-count", ours.seconds / base.seconds, TIMES_BASE, "x", note=note)
    grown = (ours.seconds - start.seconds) / (little.seconds - start.seconds)
    note = f"{ours.seconds:.2f} s against {little.seconds:.2f} s, less {start.seconds:.2f} s for {FEW:,} records"
    bars.add("1M against 125K Quest records, time beyond start-up", grown, GROWTH, "x", note=note)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=5, help="runs of each command; the median counts")
    options.add_argument("--folder", help="where to put the data (default: a temporary folder)")
    chosen = options.parse_args()
    bars = Bars()
    print(f"Measured on {machine()}; medians of {chosen.times} runs, interleaved.\n")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        folder = Path(temporary)
        run(cahd(quest(folder, FEW), folder / "first"))  # compiles
        real_files(bars, folder, chosen.times)
        quest_files(bars, folder, chosen.times)
    RESULTS.mkdir(exist_ok=True)
    facts = {"machine": machine(), "times": chosen.times, "bars": bars.rows}
    (RESULTS / "cahd.json").write_text(json.dumps(facts, indent=2) + "\n")
    missed = sum(not row["met"] for row in bars.rows)
    print(f"\n{len(bars.rows) - missed} of {len(bars.rows)} bars met; figures in {RESULTS / 'cahd.json'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
