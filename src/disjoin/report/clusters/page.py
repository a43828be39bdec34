"""The parts of report.html that tell of clusters and chunks."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.clusters.charts import figures_of
from disjoin.report.clusters.html import example_html
from disjoin.report.form import Page


def _head(report: Report) -> dict[str, str]:
    counts, facts = report.counts, report.statistics
    return {
        "records": _n(counts["records"]),
        "distinct terms": _n(counts["terms"]),
        "clusters": _n(facts["clusters"]["leaves"]),
        "chunks": _n(facts["chunks"]["record"] + facts["chunks"]["shared"]),
    }


def _made_of(report: Report) -> str:
    words = "The records were grouped into clusters, and the terms of a cluster were divided among chunks."
    if not report.statistics["clusters"]["joint"]:
        return words
    return f"{words} Clusters with rare terms in common were joined; these terms are in chunks that they share."


def _numbers(report: Report) -> dict[str, str]:
    facts = report.statistics
    terms, universal, slack = facts["terms"], facts["universal_terms"], facts["least_slack"]
    return {
        "clusters": _n(facts["clusters"]["leaves"]),
        "joint clusters above them": _n(facts["clusters"]["joint"]),
        "record chunks": _n(facts["chunks"]["record"]),
        "shared chunks": _n(facts["chunks"]["shared"]),
        "subrecords": f"{_n(facts['subrecords']['total'])}, {_n(facts['subrecords']['distinct'])} of them distinct",
        "terms in term chunks only": f"{_n(terms['only_in_term_chunks'])} of {_n(terms['total'])}",
        "entries of term chunks": _n(terms["term_chunk_entries"]),
        "terms that all records of a cluster have": f"{_n(universal['entries'])} in {_n(universal['leaves'])} clusters",
        "subrecords to spare in the tightest cluster": _to_spare(slack),
    }


def _to_spare(slack: int | None) -> str:
    if slack is None:
        return "every cluster has a term chunk"
    return _n(slack) if slack >= 0 else f"none, {_n(-slack)} are missing"


def _n(number: int) -> str:
    return f"{number:,}"


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers)
