"""make bench: is disjoin as fast as it wants to be? Prints every bar with what was measured, and writes JSON.

python -m benchmarks.bars [--times N] [--no-large]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import Run, disassociate, interleaved, machine, python, run
from disjoin.generate.quest import Quest, write_quest

RESULTS = Path(__file__).parent / "results"
DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
REAL = {"wv1": (1.5, 300), "wv2": (3, 500), "retail": (3, 500), "t10i4d100k": (3, 500)}


class Bars:
    """Collects bars as they are measured, and prints each."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []

    def add(self, what: str, found: float, bar: float, unit: str, *, at_least: bool = False, note: str = "") -> None:
        met = found >= bar if at_least else found <= bar
        self.rows.append({"what": what, "found": round(found, 3), "bar": bar, "unit": unit, "met": met, "note": note})
        sign = ">=" if at_least else "<="
        print(
            f"{'met   ' if met else 'MISSED'}  {what:58s} {found:8.2f} {unit:5s} (bar {sign} {bar:g})  {note}",
            flush=True,
        )


def quest(folder: Path, records: int) -> Path:
    """Make T10.I4 data of 5,000 terms."""
    path = folder / f"quest-{records}.dat"
    write_quest(Quest(records), 1, path)
    return path


def against_read_and_count(bars: Bars, source: Path, folder: Path, times: int) -> dict[str, Run]:
    commands = {
        "read-and-count": python("-m", "benchmarks.read_and_count", str(source)),
        "without REFINE": disassociate(source, folder / "release", "--no-refine"),
        "with REFINE": disassociate(source, folder / "release"),
    }
    found = interleaved(commands, times)
    base = found["read-and-count"]
    for way, bar in (("without REFINE", 6), ("with REFINE", 15)):
        ours = found[way]
        note = f"{ours.seconds:.2f} s against {base.seconds:.2f} s; "
        note += f"{ours.megabytes:.0f} MB against {base.megabytes:.0f} MB"
        bars.add(f"1M Quest, verified release {way} / read-and-count", ours.seconds / base.seconds, bar, "x", note=note)
    return found


def against_counting(bars: Bars, source: Path, label: str, times: int) -> None:
    """Find the most frequent itemsets, from reading on, against reading and counting the terms."""
    commands = {
        "read-and-count": python("-m", "benchmarks.read_and_count", str(source)),
        "top itemsets": python("-m", "benchmarks.top_itemsets", "--mine", str(source)),
    }
    run(commands["top itemsets"])  # compiles
    found = interleaved(commands, times)
    base, ours = found["read-and-count"], found["top itemsets"]
    note = f"{ours.seconds:.2f} s against {base.seconds:.2f} s; {ours.megabytes:.0f} MB against {base.megabytes:.0f} MB"
    bars.add(f"top-1000 itemsets of {label} / read-and-count", ours.seconds / base.seconds, 10, "x", note=note)


def growth(bars: Bars, small: dict[str, Run], folder: Path) -> None:
    source = quest(folder, 10_000_000)
    size = source.stat().st_size / 2**20
    for way, more in (("without REFINE", ["--no-refine"]), ("with REFINE", [])):
        large, little = run(disassociate(source, folder / "release", *more)), small[way]
        note = f"{large.seconds:.1f} s, {large.megabytes:.0f} MB for {size:.0f} MB of text"
        bars.add(f"10M against 1M records {way}, time", large.seconds / little.seconds, 12, "x", note=note)
        bars.add(f"10M against 1M records {way}, peak memory", large.megabytes / little.megabytes, 11, "x")
        bars.add(f"10M records {way}, peak memory / input", large.megabytes / size, 6, "x")
    source.unlink()


def two_threads(bars: Bars, source: Path, times: int) -> None:
    command = python("-m", "benchmarks.kernels_only", str(source), str(times))
    one, two = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    note = f"{one:.2f} s on one, {two:.2f} s on two"
    bars.add("1M records, HORPART + VERPART, one thread / two", one / two, 1.6, "x", at_least=True, note=note)


def real_files(bars: Bars, folder: Path, times: int) -> None:
    for name, (seconds, megabytes) in REAL.items():
        source = DATA / f"{name}.dat.gz"
        if not source.exists():
            print(f"skipped  {name}: {DATA} is not here (set DISJOIN_DATA)")
            continue
        found = interleaved({name: disassociate(source, folder / name)}, times)[name]
        bars.add(f"{name}, whole command with REFINE, seconds", found.seconds, seconds, "s")
        bars.add(f"{name}, whole command with REFINE, memory", found.megabytes, megabytes, "MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=5, help="runs of each command; the median counts")
    options.add_argument("--no-large", action="store_true", help="leave the 10M records out")
    options.add_argument("--folder", help="where to put the data (default: a temporary folder)")
    chosen = options.parse_args()
    bars = Bars()
    print(f"Measured on {machine()}; medians of {chosen.times} runs, interleaved.\n")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        folder = Path(temporary)
        help_run = interleaved({"help": python("-m", "disjoin", "--help")}, chosen.times)["help"]
        bars.add("disjoin --help", help_run.seconds, 0.3, "s")
        source = quest(folder, 1_000_000)
        run(disassociate(source, folder / "release"))  # compiles
        real_files(bars, folder, chosen.times)
        found = against_read_and_count(bars, source, folder, chosen.times)
        two_threads(bars, source, chosen.times)
        against_counting(bars, quest(folder, 500_000), "500k baskets", chosen.times)
        if not chosen.no_large:
            growth(bars, found, folder)
    RESULTS.mkdir(exist_ok=True)
    facts = {"machine": machine(), "times": chosen.times, "bars": bars.rows}
    (RESULTS / "bars.json").write_text(json.dumps(facts, indent=2) + "\n")
    missed = sum(not row["met"] for row in bars.rows)
    print(f"\n{len(bars.rows) - missed} of {len(bars.rows)} bars met; figures in {RESULTS / 'bars.json'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
