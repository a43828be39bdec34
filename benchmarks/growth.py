"""Growth: processor seconds beyond start-up over sizes that double, and memory.

An exponent of 1 is linear: twice the records, twice the seconds. It is that of the smallest and the largest size.
"""

from __future__ import annotations

from math import log

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import Run, disassociate, run
from benchmarks.sets import WAYS

SIZES = (125_000, 250_000, 500_000, MILLION, 2 * MILLION, 4 * MILLION)
FEW = 2_000
MOST_EXPONENT = 1.15
MOST_MEMORY, TIMES_INPUT = 1_600, 4


def measure(bars: Bars) -> None:
    """Publish data of all sizes."""
    sizes = [size for size in SIZES if size <= bars.most]
    for way, more in WAYS.items():
        out = bars.folder / "release"
        start = run(disassociate(bars.quest(FEW), out, *more), {"DISJOIN_COMPILE": "always"}).worked
        found = [run(disassociate(bars.quest(size), out, *more), {"DISJOIN_COMPILE": "always"}) for size in sizes]
        _tell(bars, way, sizes, [ran.worked - start for ran in found], found)
    if bars.most >= 10 * MILLION:
        _memory(bars)


def _tell(bars: Bars, way: str, sizes: list[int], worked: list[float], found: list[Run]) -> None:
    steps = [log(b / a) / log(y / x) for a, b, x, y in zip(worked, worked[1:], sizes, sizes[1:], strict=False)]
    each = ", ".join(f"{size:,}: {seconds:.1f} s" for size, seconds in zip(sizes, worked, strict=True))
    note = f"{each}; step by step {', '.join(f'{step:.2f}' for step in steps)}"
    exponent = log(worked[-1] / worked[0]) / log(sizes[-1] / sizes[0])
    bars.add(f"{way}, exponent of growth", exponent, MOST_EXPONENT, "", note=note)
    peaks = ", ".join(f"{size:,}: {ran.megabytes:.0f} MB" for size, ran in zip(sizes, found, strict=True))
    bars.add(f"{way}, peak memory of the largest", found[-1].megabytes, None, "MB", note=peaks)


def _memory(bars: Bars) -> None:
    source = bars.quest(10 * MILLION)
    size = source.stat().st_size / 2**20
    ran = run(disassociate(source, bars.folder / "release"))
    bars.add("10M records, peak memory", ran.megabytes, MOST_MEMORY, "MB", note=str(ran))
    bars.add("10M records, peak memory / input", ran.megabytes / size, TIMES_INPUT, "x", note=f"input {size:.0f} MB")
    source.unlink()
