"""Texts of a release folder, put together from what its form provides: README.md, report.html, report.json."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from disjoin.forms.form import TITLE, is_proven
from disjoin.forms.registry import FORMS
from disjoin.model.guarantees import names_of
from disjoin.model.release import Release, Report
from disjoin.report.facts import facts_of, shortfalls
from disjoin.report.html import LIMITS, render_html
from disjoin.text import BY_CONSTRUCTION, counted, in_code, in_markdown, printable, setting

if TYPE_CHECKING:
    from rich.console import Group


def render_readme(report: Report) -> str:
    """Return the text; it names no term of the data, unless one is a parameter (a sensitive term)."""
    form = FORMS[report.form]
    kept, rows = form.kept(report), form.learned(report)
    learned = f"## What an attacker could still learn\n\n{_titled(rows)}\n\n{form.learned_from}" if rows else ""
    parts = (
        _verdict_on_top(report),
        f"## What is kept\n\n{_listed(kept)}" if kept else "",
        learned,
        f"## Limits\n\n{LIMITS}\n\n{_titled(form.limits(report))}",
        "## How to read the tables",
        *(form.in_words(text, report) for text in form.readme.tables(report)),
        f"In Python:\n\n```python\n{form.in_words(form.reading.python, report)}```\n\n"
        f"In DuckDB:\n\n```sql\n{form.in_words(form.reading.sql, report)}```\n\n{form.readme.reading}",
        _how_it_was_made(report),
    )
    return "\n\n".join(filter(None, parts)) + "\n"


def _titled(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"* **{in_markdown(title)}.** {in_markdown(text)}" for title, text in rows)


def _items(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"* {name}: {words}" for name, words in rows)


def _listed(sentences: Iterable[str]) -> str:
    return "\n".join(f"* {in_markdown(sentence)}" for sentence in sentences)


def _verdict_on_top(report: Report) -> str:
    form, sentence, checked = (
        FORMS[report.form],
        in_markdown(report.sentence),
        counted(len(report.verdict["checked"]), "invariant"),
    )
    again = "Check again with `disjoin verify` and the path of this folder."
    if not is_proven(report):
        missing = _items(shortfalls(report))
        but = f"All of it holds, but it is not enough for a proof. What is missing:\n\n{missing}\n\n" if missing else ""
        return (
            f"# A release that is not proven anonymous\n\n**{TITLE}.** {form.unproven.purpose(report)}\n\n"
            f"## What is aimed at, and not proven\n\n{sentence}\n\n"
            f"The verifier checked {checked}, listed in `report.html`. {but}{again} It asks for the proof."
        )
    how = f"{BY_CONSTRUCTION} It found no error" if form.by_construction else "An independent verifier checked this"
    return (
        f"# Anonymised release: {'made as guaranteed' if form.by_construction else 'verified'}\n\n"
        f"**{sentence}**\n\n{how} on the published tables: {checked}, listed in `report.html`. {again}\n\n"
        f"## What is guaranteed\n\n{_names(report)}More exactly: {form.readme.exactly}"
    )


def _names(report: Report) -> str:
    names = in_markdown(names_of(report.guarantee))
    return f"Formally: {names}. " if names else ""


def _how_it_was_made(report: Report) -> str:
    readme = FORMS[report.form].readme
    left_out = report.counts.get("suppressed_records", 0)
    why = "they have rare terms only" if "min_people" in report.guarantee else "they could not be hidden"
    were = "1 record was" if left_out == 1 else f"{left_out:,} records were"
    suppressed = f" {were} left out: {why}." if left_out else ""
    settings = [f"{in_code(name)} = {in_code(setting(value))}" for name, value in sorted(report.parameters.items())]
    made = f"Method: {in_markdown(report.method)}{', with ' if settings else ''}{', '.join(settings)}."
    return f"## How it was made\n\n{readme.done(report)}{suppressed}\n\n{made}\n\n{_OTHER_FILES}"


_OTHER_FILES = """\
`report.html` and `report.json` contain the facts of this release. `datapackage.json` describes the files (Frictionless
Data Package) with their sizes and SHA-256 sums."""


def documents_of(release: Release) -> dict[str, str]:
    """Return README.md, report.html and report.json as texts; equal releases give equal texts."""
    report = facts_of(release)
    page = render_html(report, FORMS[report.form].pictures(release.published))
    return {"README.md": render_readme(report), "report.json": report.to_json(), "report.html": page}


# The summary on a screen, in its order: verdict, what is kept, what an attacker could still learn. Each form words its
# own rows; a screen adds private facts and the next step.

LONGEST_SENTENCE = 215  # characters of a guarantee on a screen; README.md has all of it


def summary_of(report: Report) -> list[tuple[str, str]]:
    return [(headline_of(report), _guarantee_in_short(report)), *FORMS[report.form].summary(report)]


def headline_of(report: Report) -> str:
    if not is_proven(report):
        return TITLE
    return "Guaranteed by construction" if FORMS[report.form].by_construction else "Verified"


def _guarantee_in_short(report: Report) -> str:
    """Return the guarantee, or of a long one the first sentences, with what is missing for a proof."""
    whole = printable(report.sentence).removeprefix(f"{TITLE}: ")
    first, *others = re.split(r"(?<=\.) (?=[A-Z])", whole)
    words = [first[:1].lower() + first[1:]]
    while others and len(" ".join([*words, others[0]])) <= LONGEST_SENTENCE:
        words.append(others.pop(0))
    if others:
        words.append("README.md has the rest of the guarantee and its limits.")
    if not is_proven(report):
        words += [f"Missing for a proof: {what.removesuffix('.')} ({name})." for name, what in shortfalls(report)]
    elif not others:
        words.append("(limits: README.md)")
    return " ".join(words)


def summary_table(report: Report, more: Iterable[tuple[str, str]] = ()) -> Group:
    """Return the summary as it is drawn: the verdict as a paragraph, then a table of rows, `more` at its end."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    (verdict, guarantee), *rows = summary_of(report)
    style = "bold green" if is_proven(report) else "bold yellow"
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for label, words in (*rows, *more):
        table.add_row(label, Text(words))
    return Group(Text.assemble((f"{verdict}:", style), f" {guarantee}"), table)
