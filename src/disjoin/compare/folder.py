"""The folder of a comparison: table, facts, page and charts, whole or not at all."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disjoin.charts.figures import standing_alone
from disjoin.compare.columns import COLUMNS
from disjoin.compare.comparison import Contest, Entry
from disjoin.compare.machine import machine_in_words, versions
from disjoin.compare.page import NO_VICTORY, PICTURES, page_of, pictures_of
from disjoin.compare.trial import Trial
from disjoin.escaping import json_text
from disjoin.measure.evaluation import PRIVATE
from disjoin.releases.result_folder import ResultFolder

SCHEMA_VERSION = 1
TABLE, FACTS, PAGE = "comparison.csv", "comparison.json", "comparison.md"
FOLDER = ResultFolder("The comparison", "comparison", "|".join(map(re.escape, (TABLE, FACTS, PAGE, *PICTURES))))


def check_place(path: str | Path, *, overwrite: bool = False) -> Path:
    """Raise if a comparison could not be put at `path`; call it before long work."""
    return FOLDER.check(path, overwrite=overwrite)


def facts_of(contest: Contest) -> dict[str, Any]:
    """Return everything as plain JSON."""
    tree = contest.conditions.hierarchy
    return {
        "schema": SCHEMA_VERSION,
        "note": PRIVATE,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_in_words(),
        "versions": versions(),
        "data": {"name": contest.of, "records": contest.records, "terms": contest.terms},
        "settings": contest.conditions.to_json(),
        "hierarchy": {"from": contest.conditions.tree_from, "leaves": tree.n_leaves, "height": tree.height},
        "columns": {name: {**asdict(column), "direction": "lower"} for name, column in COLUMNS.items()},
        "methods": {entry.name: _entry(entry) for entry in contest.entries},
        "rows": contest.rows(),
        "notes": [NO_VICTORY],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    if not isinstance(entry.outcome, Trial):
        return {"title": entry.title, "failed": asdict(entry.outcome)}
    outcome = asdict(entry.outcome)
    del outcome["values"]  # they are the rows
    return {"title": entry.title, **outcome, "notes": list(entry.outcome.notes)}


def write_comparison(contest: Contest, facts: dict[str, Any], path: str | Path, *, overwrite: bool = False) -> Path:
    """Write table, facts, page and charts into a folder, whole or not at all, and return its path."""
    charts = pictures_of(contest)
    page = page_of(contest, facts, {name: chart["description"] for name, chart in charts.items()})
    files = {
        TABLE: _table(contest),
        FACTS: json_text(facts, indent=1) + "\n",
        PAGE: page,
        **{name: standing_alone(chart) for name, chart in charts.items()},
    }
    return FOLDER.write(files, path, overwrite=overwrite)


def _table(contest: Contest) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ("method", "measure", "value"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(contest.rows())
    return text.getvalue()
