"""Texts of a release folder, put together from what its form provides: README.md, report.html, report.json."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from disjoin.forms.form import TITLE, is_proven
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release, Report
from disjoin.report.facts import checks_of, facts_of, shortfalls
from disjoin.report.html import render_html
from disjoin.text import BY_CONSTRUCTION, in_code, in_markdown, printable, setting

if TYPE_CHECKING:
    from rich.table import Table


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
