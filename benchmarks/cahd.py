"""Is CAHD as fast as it wants to be? Prints every bar with what was measured, and writes JSON.

python -m benchmarks.cahd [--times N] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.bars import DATA, RESULTS, Bars, quest
from benchmarks.measuring import machine, python, run

REAL = ("wv1", "wv2")
SECONDS = 3  # for each of them
FEW, SMALL, LARGE = 2_000, 125_000, 1_000_000  # Quest records
TIMES_BASE = 15  # as much as disassociation with REFINE may take
GROWTH = 9.4  # 12 times for ten times the records, as for disassociation, is so much for eight times


def cahd(source: Path, out: Path) -> list[str]:
    """Return the command that publishes a file from reading to the written, verified release."""
    drawn = ("--random-sensitive", "10", "--seed", "1", "-p", "10")
    return python("-m", "disjoin", "cahd", str(source), *drawn, "-o", str(out), "--overwrite", "--quiet")


class Turn(NamedTuple):
    """Several runs of a command: median seconds, least processor seconds, largest memory."""

    seconds: float  # on the clock
    worked: float  # of all threads; the least, as others on the machine can only add to it
    megabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.worked:.2f} s of processors), {self.megabytes:.0f} MB"


def in_turns(commands: dict[str, list[str]], times: int) -> dict[str, Turn]:
    """Run all commands in turn, several times."""
    found: dict[str, list[Turn]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            before = _processor_seconds()
            ran = run(command)
            found[name].append(Turn(ran.seconds, _processor_seconds() - before, ran.megabytes))
    return {
        name: Turn(median(t.seconds for t in turns), min(t.worked for t in turns), max(t.megabytes for t in turns))
        for name, turns in found.items()
    }


def _processor_seconds() -> float:
    """Return what commands that have ended took so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def real_files(bars: Bars, folder: Path, times: int) -> None:
    for name in REAL:
        source = DATA / f"{name}.dat.gz"
        if not source.exists():
            print(f"skipped  {name}: {DATA} is not here (set DISJOIN_DATA)")
            continue
        found = in_turns({name: cahd(source, folder / name)}, times)[name]
        bars.add(f"{name}, whole command", found.seconds, SECONDS, "s", note=str(found))


def quest_files(bars: Bars, folder: Path, times: int) -> None:
    large = quest(folder, LARGE)
    commands = {
        "start": cahd(quest(folder, FEW), folder / "few"),
        "small": cahd(quest(folder, SMALL), folder / "small"),
        "read-and-count": python("-m", "benchmarks.read_and_count", str(large)),
        "large": cahd(large, folder / "large"),
    }
    start, small, base, ours = in_turns(commands, times).values()
    ratio = ours.seconds / base.seconds
    bars.add("1M Quest, verified release / read-and-count", ratio, TIMES_BASE, "x", note=f"{ours} against {base}")
    grown = (ours.worked - start.worked) / (small.worked - start.worked)
    note = f"{ours.worked:.2f} s against {small.worked:.2f} s, less {start.worked:.2f} s for {FEW:,} records"
    bars.add("1M against 125K Quest, processor time beyond start-up", grown, GROWTH, "x", note=note)


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
    load = round(os.getloadavg()[1], 2)  # of the last five minutes, these runs among them
    facts = {"machine": machine(), "times": chosen.times, "load average": load, "bars": bars.rows}
    (RESULTS / "cahd.json").write_text(json.dumps(facts, indent=2) + "\n")
    missed = sum(not row["met"] for row in bars.rows)
    print(f"\n{len(bars.rows) - missed} of {len(bars.rows)} bars met; figures in {RESULTS / 'cahd.json'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
