"""The lines of a summary that tell of noisy records."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.distribution import percent, range_of
from disjoin.report.noisy.odds import epsilon_of, surely
from disjoin.report.unproven import is_proven
from disjoin.report.words import counted

EVEN_ODDS = "that a certain record was among the data, held for as likely as not,"


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about what the numbers are, rows, terms, lengths and the promise."""
    facts, single = report.statistics, report.statistics["single_terms"]
    return [
        ("noisy", "the records are made up from noisy counts: no number here is one of the original"),
        ("terms", f"{report.counts['terms']:,} occur"),
        ("rows", f"{facts['rows']:,}" + _each(report)),
        ("record lengths", range_of(facts["record_lengths"], "term")),
        ("single terms", f"{percent(single['share'])} of the records, in {counted(single['rows'], 'row')}"),
        *([("odds", even_odds(report))] if is_proven(report) else []),
    ]


def even_odds(report: Report) -> str:
    """Say how far the promise lets anybody's belief move that a record was there; what it holds is another question."""
    return f"{EVEN_ODDS} can become {surely(epsilon_of(report.guarantee))} sure at most"


def _each(report: Report) -> str:
    counts = report.statistics["counts_of_rows"]
    return f", each for {range_of(counts, 'record')}" if counts["number"] else ""
