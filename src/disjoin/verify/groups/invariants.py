"""What is checked of groups of records: names, words, what a check needs and what a breach means."""

from __future__ import annotations

from disjoin.verify.inspection import Invariant

INVARIANTS = (
    Invariant(
        "P1", "The tables are well formed: sizes and counts are at least 1 and add up, nothing is repeated or unknown."
    ),
    Invariant("P2", "No sensitive item is among the ordinary items of any record."),
    Invariant("P3", "In every group, at most one record in {p} has the same sensitive item."),
    Invariant("P4", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant("P5", "At least one original can be put together from the groups."),
    Invariant("Q1", "The groups account for every record of the original.", "original", "fit"),
    Invariant("Q2", "No term of the original is missing and none is new.", "original", "fit"),
    Invariant(
        "Q3", "The records, without their sensitive items, are exactly those of the original.", "original", "fit"
    ),
    Invariant("Q4", "The sensitive items occur exactly as often as in the original.", "original", "fit"),
)
