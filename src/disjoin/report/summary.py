"""A report in a few lines: label and words, drawn as plain text or with rich."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from disjoin.escaping import legible
from disjoin.forms.form import is_proven
from disjoin.forms.registry import FORMS
from disjoin.model.release import Report
from disjoin.report.facts import shortfalls

if TYPE_CHECKING:
    from rich.table import Table


def summary_of(report: Report) -> list[tuple[str, str]]:
    """Return what a person wants to know first, as (label, words)."""
    suppressed = report.counts.get("suppressed_records", 0)
    return [
        ("promise", legible(report.sentence)),
        ("verdict", _verdict(report)),
        ("records", f"{report.counts['records']:,}" + (f", {suppressed:,} suppressed" if suppressed else "")),
        *FORMS[report.form].summary(report),
    ]


def summary_text(report: Report, width: int = 80) -> str:
    """Return the summary as plain text in at most `width` columns."""
    rows = summary_of(report)
    margin = max(len(label) for label, _ in rows) + 2
    lines = [
        textwrap.fill(
            words, max(width, margin + 20), initial_indent=label.ljust(margin), subsequent_indent=" " * margin
        )
        for label, words in rows
    ]
    return "\n".join(lines)


def summary_table(report: Report) -> Table:
    """Return the summary as a table for rich."""
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
