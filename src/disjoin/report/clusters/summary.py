"""The lines of a summary that tell of clusters and chunks."""

from __future__ import annotations

from typing import Any

from disjoin.model.report import Report
from disjoin.report.distribution import range_of
from disjoin.report.words import counted


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about terms, clusters, chunks, measures and limits."""
    facts = report.statistics
    terms, clusters, chunks = (facts[name] for name in ("terms", "clusters", "chunks"))
    rows = [
        ("terms", f"{terms['total']:,}, {terms['only_in_term_chunks']:,} of them in term chunks only"),
        ("clusters", f"{clusters['leaves']:,} of {range_of(facts['cluster_sizes'], 'record')}" + _joint(clusters)),
        ("chunks", f"{chunks['record']:,}, {range_of(facts['chunk_widths'], 'term')} wide" + _shared(chunks)),
    ]
    rows += [(name.replace("_", " "), _share(name, entry, report)) for name, entry in report.measures.items()]
    if facts["least_slack"] is not None:
        rows.append(("least slack", _slack(facts["least_slack"])))
    return rows


def _slack(slack: int) -> str:
    return f"{abs(slack):,} subrecords {'above' if slack >= 0 else 'below'} the limit"


def _joint(clusters: dict[str, int]) -> str:
    return f", {counted(clusters['joint'], 'joint cluster')} above them" if clusters["joint"] else ""


def _shared(chunks: dict[str, int]) -> str:
    return f", and {counted(chunks['shared'], 'shared one')}" if chunks["shared"] else ""


_WORDS = {
    "term_mass": "at most {} of the term occurrences kept",
    "pair_mass": "about {} of the pairs of terms kept",
    "exposed_records": "who knows {more} terms of one chunk may find up to {} of the records among fewer than {k}",
    "universal_terms": "{} of what record chunks show is in all records of its cluster ({entries} in {leaves})",
}


def _share(name: str, entry: dict[str, Any], report: Report) -> str:
    """Say a measure in words."""
    if entry["value"] is None:
        return f"not computed. {entry['meaning']}"
    universal, promise = report.statistics["universal_terms"], report.guarantee
    said = _WORDS.get(name, "{}").format(
        f"{entry['value']:.1%}",
        k=promise["k"],
        more=promise["m"] + 1,
        entries=f"{universal['entries']:,}",
        leaves=counted(universal["leaves"], "cluster"),
    )
    if "without_shared_chunks" not in entry:
        return said
    return f"{said}, {entry['without_shared_chunks']:.1%} without the shared chunks"
