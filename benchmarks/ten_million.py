"""Ten million records: time and memory of the whole command."""

from __future__ import annotations

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import disassociate, run

MOST_TIMES = 12  # as long as one million
MOST_MEMORY, TIMES_INPUT = 1_600, 4


def measure(bars: Bars) -> None:
    """Publish one million records, and ten."""
    one = run(disassociate(bars.quest(MILLION), bars.folder / "release"))
    source = bars.quest(10 * MILLION)
    size = source.stat().st_size / 2**20
    ten = run(disassociate(source, bars.folder / "release"))
    note = f"{ten} against {one}"
    bars.add("10M records / 1M, processors", ten.worked / one.worked, MOST_TIMES, "x", note=note)
    bars.add("10M records, peak memory", ten.megabytes, MOST_MEMORY, "MB")
    bars.add("10M records, peak memory / input", ten.megabytes / size, TIMES_INPUT, "x", note=f"input {size:.0f} MB")
    source.unlink()
