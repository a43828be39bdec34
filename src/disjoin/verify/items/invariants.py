"""What is checked of generalised items: names, words, what a check needs and what a breach means."""

from __future__ import annotations

from disjoin.verify.inspection import Invariant

INVARIANTS = (
    Invariant("A1", "The tables are well formed: counts are at least 1, nothing is empty, repeated or unknown."),
    Invariant("A2", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant(
        "A3", "Every leaf of the hierarchy is published as itself or as something above it, and all leaves are listed."
    ),
    Invariant("A4", "Where a term is published as something above it, so is every term below that."),
    Invariant("A5", "The records hold nothing but what terms are published as."),
    Invariant("A6", "A combination of up to {m} terms is in at least {k} records, or in none."),
    Invariant("B1", "There are as many records as in the original.", "original", "fit"),
    Invariant("B2", "Every term of the original is a leaf of the hierarchy.", "original", "fit"),
    Invariant(
        "B3",
        "The records are exactly those of the original, with every term replaced by what it is published as.",
        "original",
        "fit",
    ),
)
