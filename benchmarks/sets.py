"""Disassociation of sets: file to written, verified release, against reading and counting the same file.

The baseline is polars reading the file and counting its terms, the least that any tool does with the data.
"""

from __future__ import annotations

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import Run, disassociate, interleaved, read_and_count, run, timed, together
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.readers.read import read

REAL = {"wv1": (1.5, 300), "wv2": (3, 500), "retail": (3, 500), "t10i4d100k": (3, 500)}
WAYS: dict[str, tuple[str, ...]] = {
    "with REFINE": (),
    "without REFINE": ("--no-refine",),
    "core": ("--clustering", "core"),
    "bounded": ("--clustering", "bounded"),
}
CLOCK = {"with REFINE": 7, "without REFINE": 4.5}  # times the baseline
PROCESSORS = {"core": 12, "bounded": 20}


def measure(bars: Bars) -> None:
    """Measure a million made-up records, threads, and real files."""
    source, out = bars.quest(MILLION), bars.folder / "release"
    for more in WAYS.values():
        run(disassociate(bars.quest(2_000), out, *more), {"DISJOIN_COMPILE": "always"})  # compiles
    commands = {way: disassociate(source, out, *more) for way, more in WAYS.items()}
    found = interleaved({"baseline": read_and_count(source), **commands}, bars.times)
    base = found.pop("baseline")
    for way, ours in found.items():
        note = f"{ours} against {base}"
        what = f"1M Quest records, {way} / read-and-count"
        if way in CLOCK:
            bars.add(what, ours.seconds / base.seconds, CLOCK[way], "x", ours, base, note=note)
        else:
            bars.add(f"{what}, processors", ours.worked / base.worked, PROCESSORS[way], "x", note=note)
    for name, (seconds, megabytes) in REAL.items():
        file = bars.real(name)
        if file:
            ran = interleaved({name: disassociate(file, bars.folder / name)}, bars.times)[name]
            bars.add(f"{name}, whole command", ran.seconds, seconds, "s", ran, note=str(ran))
            bars.add(f"{name}, whole command, memory", ran.megabytes, megabytes, "MB")
    _two_threads(bars)  # last: what this process holds counts as its children's, too


def _two_threads(bars: Bars) -> None:
    data = read(bars.quest(MILLION))
    method = Disassociation(k=5, m=2, refine=False)
    laps: dict[int, list[Run]] = {1: [], 2: []}
    for _ in range(bars.times):
        for threads, found in laps.items():
            found.append(timed(lambda threads=threads: method.publish(data, Local(threads))))
    one, two = together(laps[1]), together(laps[2])
    note = f"{one.seconds:.2f} s on one, {two.seconds:.2f} s on two"
    what = "1M Quest records, HORPART + VERPART, one thread / two"
    bars.add(what, one.seconds / two.seconds, 1.6, "x", one, two, at_least=True, note=note)
