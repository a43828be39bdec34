"""CAHD: ten sensitive items drawn at random, p = 10, file to written, verified release."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bars import MILLION, Bars
from benchmarks.growth import beyond
from benchmarks.measuring import disjoin, interleaved, read_and_count, run

REAL = ("wv1", "wv2")
SECONDS = 3  # for each of them
FEW, SMALL = 2_000, MILLION // 8  # Quest records
GROWTH = 9.4  # 12 times for ten times the records, as for disassociation, is that much for eight times
TIMES_BASE = 15  # as much as disassociation with REFINE may take


def cahd(source: Path, out: Path) -> list[str]:
    """Return the command that publishes a file."""
    drawn = ("--random-sensitive", "10", "--seed", "1", "-p", "10")
    return disjoin("cahd", source, *drawn, "-o", out, "--overwrite", "--quiet")


def measure(bars: Bars) -> None:
    """Measure real files, a million made-up records, and how time grows to there."""
    out = bars.folder / "cahd"
    run(cahd(bars.quest(FEW), out), {"DISJOIN_COMPILE": "always"})  # compiles
    for name in REAL:
        source = bars.real(name)
        if source:
            found = interleaved({name: cahd(source, out)}, bars.times)[name]
            bars.add(f"{name}, whole command", found.seconds, SECONDS, "s", found, note=str(found))
    large = bars.quest(MILLION)
    commands = {
        "start": cahd(bars.quest(FEW), out),
        "small": cahd(bars.quest(SMALL), out),
        "baseline": read_and_count(large),
        "large": cahd(large, out),
    }
    # As for disassociation: what a start with interpreted loops takes must not be taken off runs with compiled ones.
    start, small, base, ours = interleaved(commands, bars.times, {"DISJOIN_COMPILE": "always"}).values()
    what = "1M Quest records / read-and-count"
    bars.add(what, ours.seconds / base.seconds, TIMES_BASE, "x", ours, base, note=f"{ours} against {base}")
    grown = beyond(ours, start) / beyond(small, start)
    note = f"{ours.worked:.2f} s against {small.worked:.2f} s, less {start.worked:.2f} s for {FEW:,} records"
    bars.add("1M against 125K Quest records, processors beyond start-up", grown, GROWTH, "x", note=note)
