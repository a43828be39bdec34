"""Recommendation: which setting, why, and what it costs; in sentences, and as a folder with page, table and chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from disjoin.advise import results
from disjoin.advise.chart import chart_of
from disjoin.advise.results import TrialFolder
from disjoin.advise.survey import (
    LEEWAY,
    TOO_MUCH,
    Survey,
    benchmark,
    careful_limit,
    frontier,
    least_error,
    preference,
    recommended,
)
from disjoin.advise.trial import COLUMNS, ERROR, EXPOSED, HARMED, PAIRS, UNIVERSAL, Tried, columns_for
from disjoin.attack.possible_records import wilson
from disjoin.attack.simulated import draws_for
from disjoin.text import counted, in_markdown, percent

CHART = "chart.svg"
FOLDER = TrialFolder("advice", "The advice", "folder of advice", (CHART,))
FRONTIER = (
    "No other setting is better than one marked *: a setting with less pair error exposes more, and one that exposes "
    "less has more pair error."
)
VERIFIED = (
    "Every setting published them, and the verifier accepted that before it was measured. No release was written."
)


def advice_in_words(survey: Survey) -> list[str]:
    best, bolder = recommended(survey), least_error(survey)
    point = best.point
    settings = f"Its settings: clustering = {point.clustering}, k = {point.k}, m = {point.m}."
    return [
        f"Recommended: {survey.name(best)}. {_why(survey, best)} {settings}",
        *_next_to_the_paper(survey, best),
        *_bolder(survey, best, bolder),
        *_stronger(survey, best, bolder),
        *_against(survey),
    ]


def _why(survey: Survey, best: Tried) -> str:
    paper = benchmark(survey)
    if paper is None and best[EXPOSED] > TOO_MUCH:
        return f"All settings expose more than {TOO_MUCH:.0%} of the records, and this one the fewest."
    if paper is None:
        return f"Of the settings that expose at most {TOO_MUCH:.0%} of the records it has the least pair error."
    if best is paper:
        exists = any(entry[ERROR] < paper[ERROR] for entry in survey.measured)
        others = f"settings with less pair error expose more than {TOO_MUCH:.0%} of the records"
        return f"That is the paper's method: {others if exists else 'no setting has less pair error'}."
    if best[EXPOSED] > careful_limit(paper):
        return (
            "Of the settings with less pair error than the paper's method it comes closest to that method's exposure."
        )
    return (
        "Of the settings that are about as careful as the paper's method (they expose at most "
        f"{LEEWAY * 100:.0f} in 100 records more) it has the least pair error."
    )


def _next_to_the_paper(survey: Survey, best: Tried) -> Iterator[str]:
    paper = survey.paper
    if paper is None or best is paper:
        return
    yield f"Compared with {_the_paper(survey)}, it {_compared(best, paper)}."
    if best[EXPOSED] > careful_limit(paper):
        yield f"If {percent(best[EXPOSED])} of the records is too much, use {_the_paper(survey)}."
    yield (
        f"All records of a cluster share {percent(best[UNIVERSAL])} of the term occurrences in its record chunks (the "
        f"paper's method: {percent(paper[UNIVERSAL])}). An attacker who knows the cluster of a person learns these "
        "terms, whatever k is."
    )


def _the_paper(survey: Survey) -> str:
    return f"the paper's method at {survey.grid.numbers(survey.grid.paper)}"


def _compared(one: Tried, paper: Tried) -> str:
    def than(column: str, more: str, less: str, same: str) -> str:
        return more if one[column] > paper[column] else less if one[column] < paper[column] else same

    def values(column: str) -> str:
        written = COLUMNS[column].written
        return f"{written(one[column])} against {written(paper[column])}"

    pairs = than(PAIRS, "keeps more pairs", "keeps fewer pairs", "keeps as many pairs")
    error = than(ERROR, "estimates pairs worse", "estimates pairs better", "estimates pairs as well")
    shown = than(EXPOSED, "exposes more records", "exposes fewer records", "exposes as many records")
    joint = "but" if one[EXPOSED] > paper[EXPOSED] and one[ERROR] < paper[ERROR] else "and"
    return f"{pairs} ({values(PAIRS)}), {error} (pair error {values(ERROR)}), {joint} {shown} ({values(EXPOSED)})"


def _bolder(survey: Survey, best: Tried, bolder: Tried | None) -> Iterator[str]:
    """Describe the best setting for a data owner who accepts more exposure."""
    if bolder is not None and bolder[ERROR] < best[ERROR]:
        error = COLUMNS[ERROR].written
        yield (
            f"More for analysis: {survey.name(bolder)} exposes {percent(bolder[EXPOSED])} of the records; its pair "
            f"error is {error(bolder[ERROR])}, and it keeps {percent(bolder[PAIRS])} of the pairs."
        )


def _stronger(survey: Survey, best: Tried, bolder: Tried | None) -> Iterator[str]:
    """Report where the largest k keeps more pairs than the paper's method with the smallest, at about its exposure."""
    paper, largest = survey.paper, survey.grid.ks[-1]
    if paper is None or largest == paper.point.k:
        return
    large = [entry for entry in survey.measured if entry.point.k == largest and entry[PAIRS] > paper[PAIRS]]
    careful = [entry for entry in large if entry[EXPOSED] <= careful_limit(paper) and entry not in (best, bolder)]
    if careful:
        entry = max(careful, key=lambda each: each[PAIRS])
        yield (
            f"A larger k does not always keep less: compared with {_the_paper(survey)}, {survey.name(entry)} "
            f"{_compared(entry, paper)}."
        )


def _against(survey: Survey) -> Iterator[str]:
    """Name the settings that expose too much, and better ones."""
    bad = [entry for entry in survey.measured if entry[EXPOSED] > TOO_MUCH]
    if not bad:
        return
    names = _listed(f"{survey.name(entry)} ({percent(entry[EXPOSED])})" for entry in bad)
    why = f"because more than {TOO_MUCH:.0%} of the records are exposed"
    yield f"Not recommended, {why}: {names}. {_instead_of(bad, survey)}"


def _instead_of(bad: list[Tried], survey: Survey) -> str:
    """Name the best setting of the same clusterings; if only one m was tried, a larger one."""
    best: dict[str, Tried] = {}
    for entry in sorted(survey.measured, key=preference):
        if entry[EXPOSED] <= TOO_MUCH and any(entry.point.clustering == other.point.clustering for other in bad):
            best.setdefault(entry.point.clustering, entry)
    more = f"m = {survey.grid.ms[-1] + 1}"
    if not best:
        return f"Try a larger k, or {more}."
    untried = f", or try {more}" if len(survey.grid.ms) == 1 else ""
    return f"Prefer {_listed(map(survey.name, best.values()), 'or')}{untried}."


def _listed(names: Iterable[str], joint: str = "and") -> str:
    """Return names as a list in words; empty for no names.

    >>> _listed(["a"]), _listed("abc"), _listed("ab", "or")
    ('a', 'a, b and c', 'a or b')
    """
    *first, last = [*names] or [""]
    return f"{', '.join(first)} {joint} {last}" if first else last


def what_was_tried(survey: Survey) -> str:
    grid = survey.grid
    m = f"m = {grid.ms[0]}" if len(grid.ms) == 1 else f"m = {', '.join(map(str, grid.ms))}"
    hidden = f", {counted(len(grid.sensitive), 'sensitive term')}" if grid.sensitive else ""
    limited = f", l = {grid.l}" if grid.l else ""
    return f"{counted(survey.records, 'record')} with {counted(survey.terms, 'term')}; {m}{hidden}{limited}."


def about_the_part(survey: Survey) -> str:
    """Return a warning if only a part of the records was tried; empty if all were."""
    if survey.records == survey.whole:
        return ""
    return (
        f"These are {survey.records:,} of {survey.whole:,} records, chosen by a hash of their terms. A part has fewer "
        "similar records, so less of it can be kept, and its core differs from that of the whole. Try all records "
        "before you decide."
    )


def what_exposed_means(survey: Survey) -> str:
    """Explain exposure, and that the guarantee is about something else."""
    yardstick, least = survey.grid.yardstick, survey.grid.ms[0]
    beyond = (
        f" Settings with m = {yardstick.terms} or more guarantee that no record is exposed in this way. These numbers "
        "do not include attackers who know still more."
    )
    more = beyond if survey.grid.ms[-1] >= yardstick.terms else ""
    return (
        f"A record is exposed if {yardstick.in_words()}. All settings keep their guarantee against an attacker who "
        f"knows up to {counted(least, 'term')} of a record; one who knows {yardstick.terms} may find exposed records. "
        f"All settings are measured with the same {yardstick.terms} and {yardstick.below}, whatever their own m and k. "
        f"For clusters with several chunks the share is an upper bound.{more}"
    )


def how_sure_harm_is(survey: Survey) -> str:
    """Return the intervals of the shares of harmed records, which are estimated from a sample."""
    with_harm = [entry for entry in survey.measured if HARMED in entry.values]
    if not with_harm:
        return ""
    draws = draws_for(survey.records)
    spans = (wilson(round(entry[HARMED] * draws), draws) for entry in with_harm)
    shares = (f"{survey.name(e)} {low:.1%} to {high:.1%}" for e, (low, high) in zip(with_harm, spans, strict=True))
    return f"Harmed is counted in {draws:,} records that are drawn. With 95 % confidence it is: {', '.join(shares)}."


def why_not(survey: Survey) -> list[str]:
    return [f"{survey.name(entry)} has no figures. {entry.failure}" for entry in survey.entries if entry.failure]


def facts_of(survey: Survey) -> dict[str, Any]:
    grid = survey.grid
    columns = columns_for(grid.yardstick)
    notes = [VERIFIED, what_exposed_means(survey), how_sure_harm_is(survey), about_the_part(survey), *why_not(survey)]
    return {
        **results.circumstances(),
        "data": {"name": survey.of, "records": survey.records, "of_records": survey.whole, "terms": survey.terms},
        "grid": grid.to_json(),
        "yardstick": grid.yardstick._asdict(),
        "limits": {"leeway": LEEWAY, "too_much": TOO_MUCH},
        "columns": {name: {"title": column.title, "meaning": column.meaning} for name, column in columns.items()},
        "rows": survey.marked_rows(),
        "recommended": asdict(recommended(survey).point),
        "advice": advice_in_words(survey),
        "notes": [note for note in notes if note],
    }


def write_advice(survey: Survey, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write table, facts, page and chart into a folder, whole or not at all, and return its path."""
    chart, facts = chart_of(survey), facts_of(survey)
    page = page_of(survey, facts, {CHART: chart.description})
    return FOLDER.write(facts["rows"], facts, page, {CHART: chart}, path, overwrite=overwrite)


def page_of(survey: Survey, facts: dict[str, Any], charts: dict[str, str]) -> str:
    best, *rest = advice_in_words(survey)
    parts = [
        f"{what_was_tried(survey)} {VERIFIED}",
        about_the_part(survey),
        f"**{best}**",
        "\n".join(f"* {sentence}" for sentence in rest),
        table_of(survey),
        FRONTIER.replace("*", "\\*"),
        "\n".join(f"* {in_markdown(sentence)}" for sentence in why_not(survey)),
        results.pictures(charts),
        "## What is measured",
        what_exposed_means(survey),
        how_sure_harm_is(survey),
        results.meanings(columns_for(survey.grid.yardstick)),
    ]
    heading = f"Advice{f' on {in_markdown(survey.of)}' if survey.of else ''}"
    return results.page_of_parts(heading, parts, results.made("advise", facts))


def table_of(survey: Survey) -> str:
    """Return a line for every setting; * marks the Pareto-optimal ones."""
    kept = frontier(survey.measured)
    lines = []
    for entry in survey.entries:
        point, mark = entry.point, "\\*" if entry in kept else ""
        lines.append([point.clustering, f"{point.k}", f"{point.m}", *results.cells(COLUMNS, entry.values), mark])
    head = ["clustering", "k", "m", *results.titles(COLUMNS), ""]
    return results.markdown_table(head, lines, "|---|" + "---:|" * (len(COLUMNS) + 2) + "---|")
