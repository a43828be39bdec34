"""Write docs/reference/performance.md and docs/results/performance.csv from what `make bench` has measured."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from benchmarks.bars import MET

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "reference" / "performance.md"
FIGURES = DOCS / "results" / "performance.csv"  # the same figures, with seconds, memory and single runs
HEAD = """# Performance

What disjoin needs in time and memory, on two cores. `make bench` measures it again, writes this page, and fails when a
bar is missed; `python -m benchmarks.bench SECTION` measures a part.
[Details of each figure](../results/performance.csv).

* A whole command reads, publishes, compares with the original record by record, draws the report, writes, and verifies
  the written folder.
* *read-and-count* is polars reading the same file and counting its terms, in the same run.
* Processor seconds add up all threads; the least of the runs counts. Ratios vary less between machines.
* A bar on the clock is not judged if other programs took more than a tenth of the processors.
* *1M* is a million Quest records; *Adult* has 7 quasi-identifiers, k = 10; other rows are made up.
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
    "start-up": "The first run on large data [compiles the loops](../how-to/compile-ahead.md), once per machine, and "
    "takes up to a minute longer.",
    "growth": "An exponent of 1 is linear: twice the records take twice the seconds.",
    "cahd": "The work on each record is bounded: 24,000 chained records take less than two seconds instead of two "
    "minutes, and those that remain form one large group.",
    "tables": "What the algorithms keep of Adult, compared with ARX, is on the page of "
    "[generalisation](../methods/generalization.md).",
}
SHORT = {  # what the head of the page explains, and what a section repeats
    "1,000,000 Quest records": "1M",
    "125K Quest records": "125K",
    "1M Quest records": "1M",
    "10M records": "10M",
    "Adult, 7 quasi-identifiers, k = 10": "Adult",
    "made-up rows": "rows",
    "with compiled loops, warm: all is overhead": "with compiled loops",
}
LONGEST_TITLE = 4  # words before the colon of what a section is about: the heading has them already
COLUMNS = ("section", "what", "measured", "bar", "judged", "details", "machine", "day", "runs", "load")


def section(name: str, facts: dict[str, Any], everywhere: str) -> str:
    """Return a part of the page; `everywhere` is where all sections were measured, if in one place."""
    rows = ""
    for row in facts["bars"]:
        judged = "" if row["judged"] == MET else f", **{row['judged']}**"
        rows += f"|{shortened(row['what'])}|{row['found']}{judged}|{row['bar']}|\n"
    about = without_title(facts["about"].strip().splitlines()[0])
    measured = "" if everywhere else f" Measured on {place_of(facts)}."
    remark = f"\n{REMARKS[name]}\n" if name in REMARKS else ""
    return f"\n## {TITLES[name]}\n\n{about}{measured}\n\n|what|measured|bar|\n|---|---|---|\n{rows}{remark}"


def shortened(what: str) -> str:
    """Return the name of a figure without words that the page explains once."""
    for long, short in SHORT.items():
        what = what.replace(long, short)
    return what


def without_title(about: str) -> str:
    """Return what a section is about, without the words that its heading has."""
    title, colon, rest = about.partition(": ")
    return rest[0].upper() + rest[1:] if colon and len(title.split()) <= LONGEST_TITLE else about


def place_of(facts: dict[str, Any]) -> str:
    """Return where and when a section was measured."""
    return f"{facts['machine']}, {facts['day']}, {facts['times']} runs"


def page(found: dict[str, dict[str, Any]]) -> str:
    """Return the page."""
    places = {place_of(facts) for facts in found.values()}
    everywhere = places.pop() if len(places) == 1 else ""
    measured = f"\nMeasured on {everywhere}.\n" if everywhere else ""
    return HEAD + measured + "".join(section(name, facts, everywhere) for name, facts in found.items())


def figures(found: dict[str, dict[str, Any]]) -> str:
    """Return the CSV file with a row for every figure."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(COLUMNS)
    for name, facts in found.items():
        run = [facts[key] for key in ("machine", "day", "times", "load")]
        for row in facts["bars"]:
            table.writerow([name, row["what"], row["found"], row["bar"], row["judged"], row["note"], *run])
    return written.getvalue()


def write_page(results: Path, names: list[str]) -> None:
    """Write the page and its CSV file; a section that was never measured is left out."""
    places = {name: results / f"{name}.json" for name in names}
    found = {name: json.loads(path.read_text()) for name, path in places.items() if path.exists()}
    PAGE.write_text(page(found), encoding="utf-8")
    FIGURES.write_text(figures(found), encoding="utf-8")
    print(f"wrote {PAGE.name} and {FIGURES.name}")
