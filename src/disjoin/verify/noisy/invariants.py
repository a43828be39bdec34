"""What is checked of noisy records: names, words, what a check needs and what a breach means."""

from __future__ import annotations

from disjoin.verify.inspection import Invariant

INVARIANTS = (
    Invariant("N1", "The table is well formed: counts are at least 1, nothing is empty, repeated or unknown."),
    Invariant("N2", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant("N3", "The release states no exact number about the original."),
    Invariant("N4", "The release states that the list of all terms was known apart from the data.", breaks="proof"),
)
