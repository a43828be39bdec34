"""The folder of advice: table, facts, page and chart, whole or not at all."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disjoin.advise.chart import chart_of
from disjoin.advise.columns import columns_for
from disjoin.advise.explaining import VERIFIED, about_the_part, what_exposed_means, why_not
from disjoin.advise.frontier import LEEWAY, TOO_MUCH, frontier, recommended
from disjoin.advise.page import page_of
from disjoin.advise.survey import Rows, Survey
from disjoin.advise.words import advice_in_words
from disjoin.charts.figures import standing_alone
from disjoin.compare.machine import machine_in_words, versions
from disjoin.escaping import json_text
from disjoin.measure.evaluation import PRIVATE
from disjoin.releases.result_folder import ResultFolder

SCHEMA_VERSION = 1
TABLE, FACTS, PAGE, CHART = "advice.csv", "advice.json", "advice.md", "chart.svg"
FOLDER = ResultFolder("The advice", "folder of advice", "|".join(map(re.escape, (TABLE, FACTS, PAGE, CHART))))


def check_place(path: str | Path, *, overwrite: bool = False) -> Path:
    """Raise if advice could not be put at `path`; call it before long work."""
    return FOLDER.check(path, overwrite=overwrite)


def facts_of(survey: Survey) -> dict[str, Any]:
    """Return everything as plain JSON."""
    grid = survey.grid
    columns = columns_for(grid.yardstick)
    notes = [VERIFIED, what_exposed_means(survey), about_the_part(survey), *why_not(survey)]
    return {
        "schema": SCHEMA_VERSION,
        "note": PRIVATE,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_in_words(),
        "versions": versions(),
        "data": {"name": survey.of, "records": survey.records, "of_records": survey.whole, "terms": survey.terms},
        "grid": grid.to_json(),
        "yardstick": grid.yardstick._asdict(),
        "limits": {"leeway": LEEWAY, "too_much": TOO_MUCH},
        "columns": {name: {"title": column.title, "meaning": column.meaning} for name, column in columns.items()},
        "rows": marked_rows(survey),
        "recommended": asdict(recommended(survey).point),
        "advice": advice_in_words(survey),
        "notes": [note for note in notes if note],
    }


def marked_rows(survey: Survey) -> Rows:
    """Return the rows, with whether no other beats a setting, whether it is advised, and why it has no figures."""
    kept, best = frontier(survey.measured), recommended(survey)
    return [
        row | {"on_frontier": entry in kept, "recommended": entry is best, "failure": entry.failure or None}
        for row, entry in zip(survey.rows(), survey.entries, strict=True)
    ]


def write_advice(survey: Survey, facts: dict[str, Any], path: str | Path, *, overwrite: bool = False) -> Path:
    """Write table, facts, page and chart into a folder, whole or not at all, and return its path."""
    chart = chart_of(survey)
    files = {
        TABLE: _table(facts["rows"]),
        FACTS: json_text(facts, indent=1) + "\n",
        PAGE: page_of(survey, facts, {CHART: chart["description"]}),
        CHART: standing_alone(chart),
    }
    return FOLDER.write(files, path, overwrite=overwrite)


def _table(rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
