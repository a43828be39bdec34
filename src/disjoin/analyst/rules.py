"""Rules `when -> then`, with bounds of their confidence that hold whatever the original was."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from disjoin.analyst.mining import mine
from disjoin.model import Release

SCHEMA = pa.schema(
    [
        ("when", pa.list_(pa.string())),
        ("then", pa.string()),
        ("confidence", pa.float64()),
        ("at_least", pa.float64()),
        ("at_most", pa.float64()),
        ("lift", pa.float64()),
    ]
)


def rules(release: Release, *, min_support: float = 0.015, min_confidence: float = 0.3, max_size: int = 3) -> pa.Table:
    """Return rules from frequent itemsets of up to `max_size` terms, the largest certain confidence first.

    `confidence` is an estimate. `at_least` and `at_most` bound it for every possible original: a confidence is least
    when the numerator is least and the denominator largest. `min_confidence` is about the estimate.
    """
    mined = mine(release, None, min_support=min_support, max_size=max_size)
    known = {tuple(row["itemset"]): row for row in mined.to_pylist()}
    records = release.counts["records"]
    found = [
        rule
        for itemset in known
        for then in (itemset if len(itemset) > 1 else ())
        if (rule := _rule(known, itemset, then, records))["confidence"] >= min_confidence
    ]
    found.sort(key=lambda rule: (-rule["at_least"], -rule["confidence"], rule["when"], rule["then"]))
    return pa.Table.from_pylist(found, schema=SCHEMA)


def _rule(known: dict[tuple[str, ...], Any], itemset: tuple[str, ...], then: str, records: int) -> dict[str, Any]:
    when = tuple(term for term in itemset if term != then)
    both, first, second = known[itemset], known[when], known[then,]
    confidence = both["estimate"] / first["estimate"]
    return {
        "when": list(when),
        "then": then,
        "confidence": confidence,
        "at_least": both["sharp_lower"] / first["upper"],
        "at_most": min(1.0, both["upper"] / max(1, first["sharp_lower"])),  # a bound may be 0
        "lift": confidence * records / second["estimate"],
    }
