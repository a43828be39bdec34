"""Statistics of noisy records, and their summary."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from disjoin.charts.distribution import distribution_of, percent, range_of
from disjoin.forms.clusters.facts import most_frequent
from disjoin.forms.form import MOST_TERMS, is_proven, row_facts, texts_of
from disjoin.forms.noisy.pictures import ranked
from disjoin.model.differential_privacy import readable
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def epsilon_of(guarantee: dict[str, Any]) -> Fraction:
    return Fraction(guarantee["epsilon"])


def factor(epsilon: Fraction, records: int = 1) -> str:
    """Return by how much the chance of an outcome changes at most, with that many records more or less.

    >>> factor(Fraction(1)), factor(Fraction(1), 3), factor(Fraction(1, 10)), factor(Fraction(12))
    ('2.72', '20.1', '1.11', '163,000')
    """
    return readable(math.exp(epsilon * records)) if epsilon * records <= 700 else "more than 10^300"


def certainty(epsilon: Fraction, before: Fraction = Fraction(1, 2)) -> str:
    """Return the largest certainty about something that had this chance before.

    >>> certainty(Fraction(1)), certainty(Fraction(1, 10)), certainty(Fraction(8)), certainty(Fraction(20))
    ('73.1%', '52.5%', '99.97%', 'all but 100%')
    >>> certainty(Fraction(1), Fraction(1, 100))
    '2.7%'
    """
    chance = 1 / (1 + math.exp(-epsilon) * float(1 / before - 1))
    if chance >= 0.9999:
        return "all but 100%"
    return f"{chance:.1%}" if chance < 0.995 else f"{chance:.2%}"


LISTED = 20  # rows; records.parquet has them all


def statistics_of(published: NoisyRecords, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    records = published.records
    lengths, counts, largest = records.sets.lengths, records.counts, ranked(records)
    alone = lengths == 1  # they show nothing about terms that go together
    single, total = int(counts[alone].sum()), records.n_records
    return {
        "rows": len(records),
        "single_terms": {
            "rows": int(alone.sum()),
            "records": single,
            "share": round(single / total, 4) if total else 0.0,
        },
        "occurrences": int((lengths * counts).sum()),
        "frequent_terms": most_frequent(records.vocabulary, records.supports(), records.supports()),
        "largest_rows": [row_facts(largest, row, MOST_TERMS) for row in range(min(LISTED, len(largest)))],
        "counts_of_rows": distribution_of(counts),
        "record_lengths": distribution_of(lengths, counts),
        "supports": distribution_of(records.supports()),
    }


def rows_of(report: Report) -> list[tuple[str, str]]:
    facts, single, records = report.statistics, report.statistics["single_terms"], report.counts["records"]
    kept = (
        f"{counted(report.counts['terms'], 'term')}, {range_of(facts['record_lengths'], 'term')} per record; "
        f"{percent(single['share'])} of the records have one term only."
    )
    rows = [
        ("Records", f"{records:,} synthetic records made from noisy counts, {facts['rows']:,} of them different"),
        ("Kept", kept if records else "Nothing: no combination of terms stood out from the noise."),
    ]
    if is_proven(report):
        sure = certainty(epsilon_of(report.guarantee))
        words = (
            "An attacker who gives even odds that a certain record was in the data can become at most "
            f"{sure} sure of it."
        )
        rows.append(("Still learnable", words))
    return rows


def eyes_only(published: NoisyRecords, private: Mapping[str, Any]) -> list[str]:
    """Return what the data owner alone may know: what was spent, and whether anything is left."""
    if "most_spent" not in private:
        return []
    least, most = (f"{private[name]:.4g}" for name in ("least_spent", "most_spent"))
    spent = least if least == most else f"{least} to {most}"
    words = [f"Parts examined: {private['partitions']:,}. Epsilon spent along a path: {spent}."]
    if private["outside_records"]:
        words.append(f"Records without any term of the domain, which are left out: {private['outside_records']:,}.")
    return words if len(published) else [TEXTS["nothing left"], *words]
