"""The folder of a comparison: its facts, its page, and bars of what was lost and what it took."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from disjoin.charts.figures import bars
from disjoin.charts.specifications import Specification
from disjoin.compare.comparison import Contest, Entry
from disjoin.compare.conditions import COLUMNS
from disjoin.compare.trial import Trial
from disjoin.escaping import in_markdown
from disjoin.measure.pair_counts import RANGES
from disjoin.trials.folder import Results, TrialFolder, circumstances, made, page_of_parts, pictures
from disjoin.trials.rows import cells, markdown_table, meanings, titles

# File name: the title, what the bars are, and the measures that are side by side in it.
PICTURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "losses.svg": ("Shares lost", "share (lower is better)", ("tkd", "tkd_ml2", "tlost")),
    "errors.svg": ("Relative error of pairs", "re, 0 to 2 (lower is better)", ("re", "re_present")),
    "attacks.svg": ("What attacks find", "share of records (lower is better)", ("harmed_records", "sure_inference")),
    "time.svg": ("Time", "seconds (lower is better)", ("seconds", "processor_seconds")),
    "memory.svg": ("Memory", "MB (lower is better)", ("memory_mb",)),
}


NO_VICTORY = (
    "Where promises differ, no number says which is worth more: a method that loses less while it promises something "
    "else has not won."
)
FOLDER = TrialFolder("comparison", "The comparison", "comparison", tuple(PICTURES))


def facts_of(contest: Contest) -> dict[str, Any]:
    """Return everything as plain JSON."""
    tree = contest.conditions.hierarchy
    return {
        **circumstances(),
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
    return FOLDER.write(Results(contest.rows(), facts, page, charts), path, overwrite=overwrite)


def pictures_of(contest: Contest) -> dict[str, Specification]:
    """Return the charts by file name; one that has nothing to show is left out."""
    return {
        name: bars(title, rows, "method", what)
        for name, (title, what, measures) in PICTURES.items()
        if (rows := _rows(contest, measures))
    }


def _rows(contest: Contest, measures: tuple[str, ...]) -> list[dict[str, object]]:
    return [
        {"method": entry.name, "measure": COLUMNS[name].title, "value": value}
        for entry, _ in contest.finished
        for name in measures
        if (value := entry.value(name)) is not None
    ]


def page_of(contest: Contest, facts: dict[str, Any], charts: dict[str, str]) -> str:
    """Return the page; `charts` are file names with what can be seen."""
    parts = [
        in_words(contest, facts),
        _table(contest),
        _failures(contest),
        pictures(charts),
        "## What is compared",
        "Lower is better everywhere.",
        _meanings(contest),
        _HOW,
        "## What is promised",
        promises(contest),
        NO_VICTORY,
    ]
    heading = f"Head to head{f': {in_markdown(contest.of)}' if contest.of else ''}"
    return page_of_parts(heading, parts, made("compare", facts))


_HOW = (
    "Clusters stand for many possible originals; their figures are of one of these, drawn with a fixed seed. A "
    "generalised term counts for its leaves in equal shares in re, and for itself in tKd-ML2. Each method worked in a "
    "process of its own, one after the other, after a trial run on the first records, so that neither reading nor "
    "compiling nor verifying is in the figures. Time and memory are of one run: on a machine that others use too they "
    "differ by a quarter and more."
)


def _meanings(contest: Contest) -> str:
    usual = RANGES[0]
    taken = usual.within(contest.terms)
    few = "" if taken == usual else f" (here {taken}, as there are no more terms)"
    return meanings(
        {
            name: replace(column, meaning=column.meaning.replace(f"{usual}", f"{usual}{few}"))
            for name, column in COLUMNS.items()
        }
    )


def in_words(contest: Contest, facts: dict[str, Any]) -> str:
    """Say what was compared under which conditions."""
    conditions = contest.conditions
    tree = facts["hierarchy"]
    return (
        f"{contest.records:,} records with {contest.terms:,} terms; k = {conditions.k}, m = {conditions.m}, "
        f"epsilon = {float(conditions.epsilon):g}, the {conditions.top:,} most frequent itemsets. The hierarchy, the "
        f"same for all, was {in_markdown(tree['from'])}: {tree['leaves']:,} leaves, height {tree['height']}."
    )


def _table(contest: Contest) -> str:
    lines = [[entry.name, *cells(COLUMNS, {name: entry.value(name) for name in COLUMNS})] for entry in contest.entries]
    return markdown_table(["method", *titles(COLUMNS)], lines, "|---|" + "---:|" * len(COLUMNS))


def _failures(contest: Contest) -> str:
    return "\n".join(
        f"* **{entry.name}** has no figures. {in_markdown(failure.reason)}" for entry, failure in contest.failed
    )


def promises(contest: Contest) -> str:
    """Say what each method promised, how far that was verified, and what else is to be known about it."""
    lines = []
    for entry, trial in contest.finished:
        notes = "".join(f" {note}" for note in trial.notes)
        lines.append(f"* **{entry.name}** ({entry.title}): {in_markdown(trial.promise)} {_verified(trial)}{notes}")
    return "\n".join(lines)


def _verified(trial: Trial) -> str:
    if not trial.guarantee.get("proven", True):
        return "(Verified is the form only.)" if trial.by_construction else "(Verified for what it claims.)"
    if trial.by_construction:
        return "(No table can show that: verified is the form, the promise rests on how they were made.)"
    return "(Verified, record by record.)"
