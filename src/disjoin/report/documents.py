"""Texts of a release folder, put together from what its form provides: README.md, report.html, report.json."""

from __future__ import annotations

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
    from rich.table import Table


def render_readme(report: Report) -> str:
    """Return the text; it names no term of the data, unless one is a parameter (a sensitive term)."""
    form, rows = FORMS[report.form], FORMS[report.form].learned(report)
    learned = f"## What an attacker could still learn\n\n{_titled(rows)}\n\n{form.learned_from}" if rows else ""
    parts = (
        _verdict_on_top(report),
        f"## What is kept\n\n{_listed(form.kept(report))}",
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
    form, sentence, checked = FORMS[report.form], in_markdown(report.sentence), invariants_checked(report)
    again = "Check again with `disjoin verify` and the path of this folder."
    if not is_proven(report):
        missing = _items(shortfalls(report))
        but = f"All of it holds, but it is not enough for a proof. What is missing:\n\n{missing}\n\n" if missing else ""
        return (
            f"# A release that is not proven anonymous\n\n**{TITLE}.** {form.unproven.purpose(report)}\n\n"
            f"## What is aimed at, and not proven\n\n{sentence}\n\n"
            f"The verifier checked {checked}. {but}{again} It asks for the proof."
        )
    how = f"{BY_CONSTRUCTION} It found no error" if form.by_construction else "An independent verifier checked this"
    return (
        f"# Anonymised release: {'made as guaranteed' if form.by_construction else 'verified'}\n\n"
        f"**{sentence}**\n\n{how} on the published tables: {checked}. {again}\n\n"
        f"## What is guaranteed\n\n{_names(report)}More exactly: {form.readme.exactly}"
    )


def _names(report: Report) -> str:
    names = in_markdown(names_of(report.guarantee))
    return f"These tables are {names}. " if names else ""


def invariants_checked(report: Report) -> str:
    """Return how many invariants hold, and which, in words."""
    names = report.verdict["checked"]
    if not names:
        return "0 invariants"
    which = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    return f"{counted(len(names), 'invariant')} ({which}, listed in `report.html`)"


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


# A report in a few lines: label and words, drawn as plain text or with rich.


def summary_of(report: Report) -> list[tuple[str, str]]:
    suppressed = report.counts.get("suppressed_records", 0)
    records = f"{report.counts['records']:,}" + (f", {suppressed:,} suppressed" if suppressed else "")
    return [
        ("promise", printable(report.sentence)),
        ("verdict", _verdict(report)),
        ("records", records),
        *FORMS[report.form].summary(report),
    ]


def summary_table(report: Report) -> Table:
    from rich.table import Table
    from rich.text import Text

    verdict_style = "green" if is_proven(report) else "bold yellow"
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for label, words in summary_of(report):
        table.add_row(label, Text(words, style=verdict_style if label == "verdict" else ""))
    return table


def _verdict(report: Report) -> str:
    checked = len(report.verdict["checked"])
    if FORMS[report.form].by_construction and is_proven(report):
        return f"{checked} invariants of the form hold; the promise is about how it was made, which tables cannot show"
    if is_proven(report):
        return f"the promise holds; {checked} invariants checked"
    missing = "; ".join(f"{name}: {words.removesuffix('.')}" for name, words in shortfalls(report))
    return f"not proven; {checked} invariants hold" + (f"; {missing}" if missing else ", all that a proof needs")
