"""What is checked of clusters of chunks: names, words, what a check needs and what a breach means."""

from __future__ import annotations

from disjoin.verify.inspection import Invariant

INVARIANTS = (
    Invariant(
        "V1", "The tables are well formed: sizes and counts are at least 1, nothing is empty, repeated or unknown."
    ),
    Invariant("V2", "No chunk speaks of more records than its cluster has."),
    Invariant("V3", "In a cluster, every term is in one chunk only."),
    Invariant("V4", "In a joint cluster, every shared term is in one shared chunk and in no term chunk below."),
    Invariant("V5", "In every record chunk, a combination of up to {m} terms occurs at least {k} times or not at all."),
    Invariant("V6", "Every cluster has at least {crowd} records to hide in."),
    Invariant(
        "V7",
        "Every cluster has a term chunk, or subrecords enough to fill all its records, whichever share the known.",
        breaks="proof",
    ),
    Invariant("V8", "In every shared chunk, a combination of up to {m} terms occurs at least {k} times or not at all."),
    Invariant("V9", "A shared term is nowhere else below its joint cluster.", breaks="proof"),
    Invariant("V10", "At least one original can be put together from the chunks."),
    Invariant("V11", "Sensitive terms are in term chunks only."),
    Invariant("V12", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant("O1", "The clusters account for every record of the original.", "original", "fit"),
    Invariant("O2", "Every cluster has the terms of its records and no others.", "original", "fit"),
    Invariant("O3", "Every record chunk is exactly what its records have in common with it.", "original", "fit"),
    Invariant("O4", "Every term of a term chunk occurs in its cluster.", "original", "fit"),
    Invariant("O5", "Every shared chunk is exactly what the records below have in common with it.", "original", "fit"),
    Invariant("O6", "No term of the original is missing and none is new.", "original", "fit"),
    Invariant("O7", "The supports that can be derived from the release enclose the true ones.", "original", "fit"),
    Invariant("G1", "The promise itself was tested by trying all possible originals.", "original"),
)
