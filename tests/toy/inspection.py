"""The inspection: what the spans show by themselves, and against the original. It shares no code with the method."""

from __future__ import annotations

import numpy as np

from disjoin.model import KmAnonymity, Transactions, Verdict
from disjoin.verify.inspection import Finding, Inspection, Invariant, Known
from toy.noun import Lengths

INVARIANTS = (
    Invariant("L1", "The table is well formed: spans ascend and do not overlap, counts are at least 1."),
    Invariant("L2", "Every span of lengths has at least {k} records."),
    Invariant("M1", "The spans have exactly the records of the original.", needs="original", breaks="fit"),
)


def inspect_lengths(published: Lengths, guarantee: KmAnonymity, known: Known) -> Verdict:
    """Inspect spans: L1 and L2, and M1 with the original."""
    least, largest, counts = published.least, published.largest, published.counts
    findings, checked = [], ["L1", "L2"]
    if not len(published) or (least > largest).any() or (least[1:] <= largest[:-1]).any() or (counts < 1).any():
        findings.append(Finding("L1", "the spans do not ascend, or one is empty."))
    findings += [
        Finding("L2", f"{counts[span]} records, but at least {guarantee.k} are needed.", node=int(span), part="span")
        for span in np.flatnonzero(counts < guarantee.k)
    ]
    if isinstance(known.original, Transactions):
        checked.append("M1")
        lengths = np.diff(known.original.offsets)
        there = [int(((lengths >= low) & (lengths <= high)).sum()) for low, high in zip(least, largest, strict=True)]
        if there != counts.tolist() or sum(there) != lengths.size:
            findings.append(Finding("M1", "the original has other lengths."))
    violations = tuple(finding.violation() for finding in findings)
    return Verdict(guarantee, (*published.anomalies, *violations), tuple(checked), {})


INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_lengths, INVARIANTS)
