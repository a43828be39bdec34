"""docs/reference/performance.md, from what `make bench` has measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.bars import MET

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "performance.md"
HEAD = """# Performance

Written by `make bench`, which measures all of this again and fails when a bar is missed or could not
be judged (`python -m benchmarks.bench SECTION` measures a part). *read-and-count* is polars reading the same file and
counting its terms, the least that any tool does with the data; ratios are against it in the same run, interleaved.
Times on the clock vary from machine to machine and from hour to hour: read the ratios. Seconds of processors are those
of all threads together, the least of the runs. Where other programs took more than a tenth of the processors, bars on
the clock are not judged.

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
    "ten-million": "Ten million records",
    "studio": "The studio",
    "spark": "Spark",
}
REMARKS = {
    "start-up": "The first run on large data compiles the loops, once per machine, and takes up to a minute longer; "
    "small data need no compiler ([compile ahead](../how-to/compile-ahead.md)).",
    "cahd": "Data can be made for which grouping as in the paper would take quadratic time: records that chain up so "
    "that each pass over them forms one group, or many records without ordinary items whose sensitive items all differ "
    "but for one. Looks at records are bounded: 24,000 chained records took two minutes without the bound, and take "
    "less than two seconds with it; what is left forms one large group.",
    "tables": "What the algorithms keep of Adult, beside what ARX keeps, is on the page of "
    "[generalisation](../methods/generalization.md).",
}


def section(name: str, facts: dict[str, Any]) -> str:
    """Return the part of the page that tells of one section."""
    rows = "".join(
        f"| {row['what']} | **{row['found']}**{'' if row['judged'] == MET else ', ' + row['judged']} | {row['bar']} "
        f"| {row['note']} |\n"
        for row in facts["bars"]
    )
    measured = (
        f"Measured on {facts['machine']}, {facts['day']}, in {facts['minutes']} minutes, each command {facts['times']} "
        f"times. Load {facts['load']}, these runs included; others took {facts['others']:.0%} of the processors."
    )
    table = f"| what | measured | bar | more |\n|---|---|---|---|\n{rows}"
    remark = f"\n{REMARKS[name]}\n" if name in REMARKS else ""
    return f"\n## {TITLES[name]}\n\n{facts['about'].strip()}\n\n{measured}\n\n{table}{remark}"


def write_page(results: Path, names: list[str]) -> None:
    """Write the page; a section that was never measured is left out."""
    found = {name: results / f"{name}.json" for name in names}
    parts = [section(name, json.loads(path.read_text())) for name, path in found.items() if path.exists()]
    PAGE.write_text(HEAD + "".join(parts), encoding="utf-8")
    print(f"wrote {PAGE.name}")
