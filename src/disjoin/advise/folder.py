"""Result folder of `disjoin advise`: page, table, chart and JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from disjoin.advise.chart import chart_of
from disjoin.advise.recommendation import (
    FRONTIER,
    VERIFIED,
    about_the_part,
    advice_in_words,
    how_sure_harm_is,
    what_exposed_means,
    what_was_tried,
    why_not,
)
from disjoin.advise.results import (
    Results,
    Rows,
    TrialFolder,
    cells,
    circumstances,
    made,
    markdown_table,
    meanings,
    page_of_parts,
    pictures,
    titles,
)
from disjoin.advise.survey import LEEWAY, TOO_MUCH, Survey, frontier, recommended
from disjoin.advise.trial import COLUMNS, columns_for
from disjoin.text import in_markdown

CHART = "chart.svg"
FOLDER = TrialFolder("advice", "The advice", "folder of advice", (CHART,))


def facts_of(survey: Survey) -> dict[str, Any]:
    """Return everything as plain JSON."""
    grid = survey.grid
    columns = columns_for(grid.yardstick)
    notes = [VERIFIED, what_exposed_means(survey), how_sure_harm_is(survey), about_the_part(survey), *why_not(survey)]
    return {
        **circumstances(),
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
    page = page_of(survey, facts, {CHART: chart.description})
    return FOLDER.write(Results(facts["rows"], facts, page, {CHART: chart}), path, overwrite=overwrite)


def page_of(survey: Survey, facts: dict[str, Any], charts: dict[str, str]) -> str:
    """Return the page; `charts` are file names with what can be seen."""
    best, *rest = advice_in_words(survey)
    parts = [
        f"{what_was_tried(survey)} {VERIFIED}",
        about_the_part(survey),
        f"**{best}**",
        "\n".join(f"* {sentence}" for sentence in rest),
        table_of(survey),
        FRONTIER.replace("*", "\\*"),
        "\n".join(f"* {in_markdown(sentence)}" for sentence in why_not(survey)),
        pictures(charts),
        "## What is measured",
        what_exposed_means(survey),
        how_sure_harm_is(survey),
        meanings(columns_for(survey.grid.yardstick)),
    ]
    heading = f"Advice{f' on {in_markdown(survey.of)}' if survey.of else ''}"
    return page_of_parts(heading, parts, made("advise", facts))


def table_of(survey: Survey) -> str:
    """Return a line for every setting; * marks what none beats."""
    kept = frontier(survey.measured)
    lines = []
    for entry in survey.entries:
        point, mark = entry.point, "\\*" if entry in kept else ""
        lines.append([point.clustering, f"{point.k}", f"{point.m}", *cells(COLUMNS, entry.values), mark])
    head = ["clustering", "k", "m", *titles(COLUMNS), ""]
    return markdown_table(head, lines, "|---|" + "---:|" * (len(COLUMNS) + 2) + "---|")
