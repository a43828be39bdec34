"""Bars: what was measured, how much it may be, and the data that sections measure with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measuring import Run
from disjoin.generate.quest import Quest, write_quest

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
MILLION = int(os.environ.get("DISJOIN_BENCH_MILLION", 1_000_000))  # fewer, to try whether everything runs
IS_TRIAL = MILLION != 1_000_000  # nothing is kept of it
MET, MISSED, UNJUDGED = "met", "missed", "not judged: others kept the machine busy"


@dataclass
class Bars:
    """Collects bars as they are measured, and prints each."""

    folder: Path  # for data and releases
    times: int = 3  # runs of a command; the median counts
    most: int = 4 * MILLION  # records; what needs more is left out
    rows: list[dict[str, str]] = field(default_factory=list)

    def add(
        self, what: str, found: float, bar: float | None, unit: str, *runs: Run, at_least: bool = False, note: str = ""
    ) -> None:
        """Note a figure, and print it; without a bar it is for information.

        If it was read off the clock, in `runs`, and others kept the machine busy, the bar is not judged.
        """
        met = bar is None or (found >= bar if at_least else found <= bar)
        judged = MET if met else MISSED
        if bar is not None and not all(run.is_quiet for run in runs):
            judged = UNJUDGED
        limit = "" if bar is None else f"{'at least' if at_least else 'at most'} {bar:g} {unit}".strip()
        figure = f"{found:.2f} {unit}".strip()
        self.rows.append({"what": what, "found": figure, "bar": limit, "judged": judged, "note": note})
        said = {MET: "met", MISSED: "MISSED", UNJUDGED: "busy"}[judged]
        print(f"{said:6s}  {what:66s} {figure:>12s} {limit:18s} {note}", flush=True)

    def real(self, name: str) -> Path | None:
        """Return a real file, or say that it is not here."""
        source = DATA / f"{name}.dat.gz"
        if source.exists():
            return source
        print(f"skipped  {name}: {DATA} is not here (set DISJOIN_DATA)")
        return None

    def quest(self, records: int) -> Path:
        """Make T10.I4 data of 5,000 terms, once."""
        path = self.folder / f"quest-{records}.dat"
        if not path.exists():
            write_quest(Quest(records), 1, path)
        return path
