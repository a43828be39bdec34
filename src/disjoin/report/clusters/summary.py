"""The lines of a summary that tell of clusters and chunks."""

from __future__ import annotations

from typing import Any

from disjoin.model.report import Report
from disjoin.report.distribution import range_of
from disjoin.report.words import counted


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about terms, clusters, chunks, measures and limits."""
    facts = report.statistics
    terms, clusters, chunks, universal = (facts[name] for name in ("terms", "clusters", "chunks", "universal_terms"))
    rows = [
        ("terms", f"{terms['total']:,}, {terms['only_in_term_chunks']:,} of them in term chunks only"),
        ("clusters", f"{clusters['leaves']:,} of {range_of(facts['cluster_sizes'], 'record')}" + _joint(clusters)),
        ("chunks", f"{chunks['record']:,}, {range_of(facts['chunk_widths'], 'term')} wide" + _shared(chunks)),
    ]
    rows += [(name.replace("_", " "), _share(name, entry)) for name, entry in report.measures.items()]
    rows.append(("universal terms", f"{universal['entries']:,} in {counted(universal['leaves'], 'cluster')}"))
    if facts["least_slack"] is not None:
        rows.append(("least slack", _slack(facts["least_slack"])))
    return rows


def _slack(slack: int) -> str:
    return f"{abs(slack):,} subrecords {'above' if slack >= 0 else 'below'} the limit"


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
