"""What can be counted in noisy records: functions of the published content alone, and nothing about the original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disjoin.model.bag import Bag
from disjoin.model.guarantees import Promise
from disjoin.model.noisy_records import NoisyRecords
from disjoin.report.distribution import distribution_of
from disjoin.report.noisy.ranked import ranked

LISTED = 20  # rows; records.parquet has them all
_TERMS = 64  # of a row that is listed


def statistics_of(published: NoisyRecords, promise: Promise, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return counts of the rows, record lengths, supports of the terms, and the rows with the largest counts."""
    records = published.records
    lengths = np.diff(records.offsets)
    return {
        "rows": len(records),
        "single_terms": _single(records),
        "occurrences": int((lengths * records.counts).sum()),
        "largest_rows": _largest(records),
        "counts_of_rows": distribution_of(records.counts),
        "record_lengths": distribution_of(lengths, records.counts),
        "supports": distribution_of(records.supports()),
    }


def _single(records: Bag) -> dict[str, Any]:
    """Count the rows and records that have one term only: of company these tell nothing."""
    alone = np.diff(records.offsets) == 1
    number, total = int(records.counts[alone].sum()), records.n_records
    return {"rows": int(alone.sum()), "records": number, "share": round(number / total, 4) if total else 0.0}


def _largest(records: Bag) -> list[dict[str, Any]]:
    rows = ranked(records)
    return [
        {"terms": list(rows.terms_of(number, _TERMS)), "count": rows.count_of(number)}
        for number in range(min(LISTED, len(rows)))
    ]
