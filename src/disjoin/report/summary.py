"""A report in a few lines: label and words, drawn as plain text or with rich."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from disjoin.model.report import Report
from disjoin.report.unproven import is_proven, shortfalls
from disjoin.report.words import counted

if TYPE_CHECKING:
    from rich.table import Table


def summary_of(report: Report) -> list[tuple[str, str]]:
    """Return what a person wants to know first, as (label, words)."""
    counts, facts = report.counts, report.statistics
    terms, clusters, chunks, universal = (facts[name] for name in ("terms", "clusters", "chunks", "universal_terms"))
    suppressed = counts.get("suppressed_records", 0)
    rows = [
        ("promise", report.sentence),
        ("verdict", _verdict(report)),
        ("records", f"{counts['records']:,}" + (f", {suppressed:,} suppressed" if suppressed else "")),
        ("terms", f"{terms['total']:,}, {terms['only_in_term_chunks']:,} of them in term chunks only"),
        ("clusters", f"{clusters['leaves']:,} of {_range(facts['cluster_sizes'], 'record')}" + _joint(clusters)),
        ("chunks", f"{chunks['record']:,}, {_range(facts['chunk_widths'], 'term')} wide" + _shared(chunks)),
    ]
    rows += [(name.replace("_", " "), _share(name, entry)) for name, entry in report.measures.items()]
    rows.append(("universal terms", f"{universal['entries']:,} in {counted(universal['leaves'], 'cluster')}"))
    if facts["least_slack"] is not None:
        rows.append(("least slack", _slack(facts["least_slack"])))
    return rows


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
    if is_proven(report):
        return f"the promise holds; {checked} invariants checked"
    missing = "; ".join(f"{name}: {words.removesuffix('.')}" for name, words in shortfalls(report))
    return f"not proven; {checked} invariants hold" + (f"; {missing}" if missing else ", all that a proof needs")


def _slack(slack: int) -> str:
    return f"{abs(slack):,} subrecords {'above' if slack >= 0 else 'below'} the limit"


def _range(facts: dict[str, Any], noun: str) -> str:
    if not facts["number"]:
        return f"0 {noun}s"
    least, largest = facts["least"], facts["largest"]
    if least == largest:
        return f"{least:,} {noun}{'s' if least != 1 else ''}"
    return f"{least:,} to {largest:,} {noun}s (median {facts['median']:,})"


def _joint(clusters: dict[str, int]) -> str:
    return f", {counted(clusters['joint'], 'joint cluster')} above them" if clusters["joint"] else ""


def _shared(chunks: dict[str, int]) -> str:
    return f", and {counted(chunks['shared'], 'shared one')}" if chunks["shared"] else ""


def _share(name: str, entry: dict[str, Any]) -> str:
    words = {"term_mass": "at most {} of the term occurrences kept", "pair_mass": "about {} of the pairs of terms kept"}
    said = words.get(name, "{}").format(f"{entry['value']:.1%}")
    if "without_shared_chunks" not in entry:
        return said
    return f"{said}, {entry['without_shared_chunks']:.1%} without the shared chunks"
