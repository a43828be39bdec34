"""Growth: processor seconds beyond start-up over sizes that double, and memory.

An exponent of 1 is linear: twice the records, twice the seconds. It is that of the smallest and the largest size.
"""

from __future__ import annotations

from math import log

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import Run, disassociate, run, together
from benchmarks.sets import WAYS

SIZES = (MILLION // 8, MILLION // 4, MILLION // 2, MILLION, 2 * MILLION, 4 * MILLION)
GROWING = ("with REFINE", "without REFINE", "core")
FEW = 2_000
SMALL, AGAIN = MILLION // 4, 3  # up to that many records, the least of several runs counts: start-up is most of it
MOST_EXPONENT = 1.15


def measure(bars: Bars) -> None:
    """Publish data of all sizes."""
    sizes = [size for size in SIZES if size <= bars.most]
    for way in GROWING:
        found = [_published(bars, size, WAYS[way]) for size in (FEW, *sizes)]
        _tell(bars, way, sizes, [beyond(ran, found[0]) for ran in found[1:]], found[1:])


def beyond(ran: Run, start: Run) -> float:
    """Return the processor seconds of a run beyond those of a run on next to nothing; never quite none."""
    return max(0.01, ran.worked - start.worked)


def _published(bars: Bars, size: int, more: tuple[str, ...]) -> Run:
    command = disassociate(bars.quest(size), bars.folder / "release", *more)
    return together(run(command, {"DISJOIN_COMPILE": "always"}) for _ in range(AGAIN if size <= SMALL else 1))


def _tell(bars: Bars, way: str, sizes: list[int], worked: list[float], found: list[Run]) -> None:
    steps = [log(b / a) / log(y / x) for a, b, x, y in zip(worked, worked[1:], sizes, sizes[1:], strict=False)]
    each = ", ".join(f"{size:,}: {seconds:.1f} s" for size, seconds in zip(sizes, worked, strict=True))
    note = f"{each}; step by step {', '.join(f'{step:.2f}' for step in steps)}"
    exponent = log(worked[-1] / worked[0]) / log(sizes[-1] / sizes[0])
    bars.add(f"{way}, exponent of growth", exponent, MOST_EXPONENT, "", note=note)
    peaks = ", ".join(f"{size:,}: {ran.megabytes:.0f} MB" for size, ran in zip(sizes, found, strict=True))
    bars.add(f"{way}, peak memory of the largest", found[-1].megabytes, None, "MB", note=peaks)
