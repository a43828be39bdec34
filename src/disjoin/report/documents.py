"""Texts of a release folder, put together from what its form provides: README.md, report.html, report.json."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from disjoin.forms.form import TITLE, is_proven
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release, Report
from disjoin.report.facts import checks_of, facts_of, shortfalls
from disjoin.report.html import render_html
from disjoin.text import BY_CONSTRUCTION, in_code, in_markdown, printable, setting

if TYPE_CHECKING:
    from rich.console import Group


def render_readme(report: Report) -> str:
    """Return the text; it names no term of the data, unless one is a parameter (a sensitive term)."""
    form, rows = FORMS[report.form], FORMS[report.form].learned(report)
    learned = f"## What somebody could learn\n\n{form.learned_from}\n\n{_titled(rows)}" if rows else ""
    limits = f"## What is not promised\n\n{_titled(form.limits(report))}"
    about = filter(None, (_what_this_is(report), _guarantee(report), learned, limits))
    tables = (form.in_words(text, report) for text in form.readme.tables(report))
    reading = (
        f"## How to read the tables\n\nIn Python:\n\n```python\n{form.in_words(form.reading.python, report)}```\n\n"
        f"In DuckDB:\n\n```sql\n{form.in_words(form.reading.sql, report)}```\n\n{form.readme.reading}"
    )
    return "\n\n".join((*about, *tables, reading, _OTHER_FILES)) + "\n"


def _titled(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"* **{in_markdown(title)}.** {in_markdown(text)}" for title, text in rows)


def _items(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"* {name}: {words}" for name, words in rows)


def _what_this_is(report: Report) -> str:
    readme = FORMS[report.form].readme
    left_out = report.counts.get("suppressed_records", 0)
    why = "they have rare terms only" if "min_people" in report.guarantee else "they could not be hidden"
    were = "1 record was" if left_out == 1 else f"{left_out:,} records were"
    suppressed = f" {were} left out: {why}." if left_out else ""
    settings = _items((in_code(name), in_code(setting(value))) for name, value in sorted(report.parameters.items()))
    title = "# An anonymised release" if is_proven(report) else "# A release that is not proven anonymous"
    doubt = "" if is_proven(report) else f"**{TITLE}.** {FORMS[report.form].unproven.purpose(report)}\n\n"
    return (
        f"{title}\n\n{doubt}"
        f"{readme.about(report)}{suppressed} {readme.done(report)}\n\n"
        f"Method: {in_markdown(report.method)}, with\n\n{settings}"
    )


_BY_ANOTHER = "was checked on these tables by a program that knows nothing of the method"


def _guarantee(report: Report) -> str:
    checked = _items(checks_of(report))
    if not is_proven(report):
        return _aim(report, checked)
    follows, again = f" This follows from the list below, which {_BY_ANOTHER}:", "it"
    if FORMS[report.form].by_construction:
        follows, again = f"\n\n{BY_CONSTRUCTION} This was checked:", "that"
    return (
        f"## What is promised\n\n{in_markdown(report.sentence)}\n\n"
        f"More exactly: {FORMS[report.form].readme.exactly}{follows}\n\n{checked}\n\n"
        f"You can check {again} again: `disjoin verify` with the path of this folder."
    )


def _aim(report: Report, checked: str) -> str:
    missing = _items(shortfalls(report))
    needs = f"What stands in the way of a proof:\n\n{missing}\n\n" if missing else ""
    but = ", and it is not enough for a proof" if missing else ""
    return (
        f"## What is aimed at, and not proven\n\n{in_markdown(report.sentence)}\n\n"
        f"{needs}This {_BY_ANOTHER}. All of it holds{but}:\n\n{checked}\n\n"
        "You can check it again: `disjoin verify` with the path of this folder asks for the proof."
    )


_OTHER_FILES = """\
## The other files

`report.html` and `report.json` have the facts of this release, `datapackage.json` describes the files (it is a
Frictionless Data Package) with their sizes and SHA-256 sums."""


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
