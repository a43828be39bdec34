"""Bars: what was measured, how much it may be, and the data that sections measure with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from disjoin.generate.quest import Quest, write_quest

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
MILLION = 1_000_000


@dataclass
class Bars:
    """Collects bars as they are measured, and prints each."""

    folder: Path  # for data and releases
    times: int = 3  # runs of a command; the median counts
    most: int = 10 * MILLION  # records; what needs more is left out
    rows: list[dict[str, object]] = field(default_factory=list)

    def add(
        self, what: str, found: float, bar: float | None, unit: str, *, at_least: bool = False, note: str = ""
    ) -> None:
        """Note a figure, and print it; without a bar it is for information."""
        met = bar is None or (found >= bar if at_least else found <= bar)
        sign = "at least" if at_least else "at most"
        limit = "" if bar is None else f"{sign} {bar:g} {unit}".strip()
        self.rows.append({"what": what, "found": f"{found:.2f} {unit}", "bar": limit, "met": met, "note": note})
        print(f"{'met   ' if met else 'MISSED'}  {what:66s} {found:8.2f} {unit:3s} {limit:18s} {note}", flush=True)

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
