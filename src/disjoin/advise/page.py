"""The advice in Markdown: the sentences, the table, the chart, and what its numbers mean."""

from __future__ import annotations

from typing import Any

from disjoin.advise.columns import COLUMNS
from disjoin.advise.explaining import (
    VERIFIED,
    about_the_part,
    meanings,
    what_exposed_means,
    what_was_tried,
    why_not,
)
from disjoin.advise.frontier import frontier
from disjoin.advise.survey import Survey
from disjoin.advise.words import FRONTIER, advice_in_words
from disjoin.compare.page import made
from disjoin.escaping import in_markdown
from disjoin.measure.evaluation import PRIVATE


def page_of(survey: Survey, facts: dict[str, Any], pictures: dict[str, str]) -> str:
    """Return the page; `pictures` are file names with what can be seen."""
    best, *rest = advice_in_words(survey)
    parts = [
        f"# Advice{f' on {in_markdown(survey.of)}' if survey.of else ''}",
        f"**{PRIVATE}**",
        f"{what_was_tried(survey)} {VERIFIED}",
        about_the_part(survey),
        f"**{best}**",
        "\n".join(f"* {sentence}" for sentence in rest),
        table_of(survey),
        FRONTIER.replace("*", "\\*"),
        "\n".join(f"* {in_markdown(sentence)}" for sentence in why_not(survey)),
        "\n".join(f"![{seen}]({name})" for name, seen in pictures.items()),
        "## What is measured",
        what_exposed_means(survey),
        "\n".join(f"* **{title}**: {meaning}." for title, meaning in meanings(survey)),
        made("advise", facts),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def table_of(survey: Survey) -> str:
    """Return a line for every setting; * marks what none beats."""
    lines = [
        f"| clustering | k | m | {' | '.join(column.title for column in COLUMNS.values())} | |",
        "|---|" + "---:|" * (len(COLUMNS) + 2) + "---|",
    ]
    kept = frontier(survey.measured)
    for entry in survey.entries:
        cells = [column.written(entry.values.get(name)) for name, column in COLUMNS.items()]
        point = entry.point
        mark = "\\*" if entry in kept else ""
        lines.append(f"| {point.clustering} | {point.k} | {point.m} | {' | '.join(cells)} | {mark} |")
    return "\n".join(lines)
