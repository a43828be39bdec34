"""docs/reference/performance.md, from what `make bench` has measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "performance.md"
HEAD = """# Performance

Written by `make bench`, which measures all of this again and fails when a bar is missed. *read-and-count* is polars
reading the same file and counting its terms, the least that any tool does with the data; ratios are against it in the
same run, interleaved. Times on the clock vary from machine to machine and from hour to hour: read the ratios.

A whole command reads, publishes, holds the result against the original record by record, draws the report, writes, and
inspects the written folder again.
"""
TITLES = {
    "start-up": "The first minute",
    "sets": "Disassociation",
    "growth": "Growth and memory",
    "checking": "Checking",
    "analyst": "Asking a release",
    "tables": "Tables",
    "cahd": "CAHD",
}


def section(name: str, facts: dict[str, Any]) -> str:
    """Return the part of the page that tells of one section."""
    rows = "".join(
        f"| {row['what']} | **{row['found']}**{'' if row['met'] else ', missed'} | {row['bar']} | {row['note']} |\n"
        for row in facts["bars"]
    )
    measured = f"{facts['machine']}, {facts['day']}; medians of {facts['times']} runs, load {facts['load']}."
    table = f"| what | measured | bar | more |\n|---|---|---|---|\n{rows}"
    return f"\n## {TITLES[name]}\n\n{facts['about'].strip()}\n{measured}\n\n{table}"


def write_page(results: Path, names: list[str]) -> None:
    """Write the page; a section that was never measured is left out."""
    found = {name: results / f"{name}.json" for name in names}
    parts = [section(name, json.loads(path.read_text())) for name, path in found.items() if path.exists()]
    PAGE.write_text(HEAD + "".join(parts), encoding="utf-8")
    print(f"wrote {PAGE.name}")
