"""What is checked of tables: names, words, what a check needs and what a breach means."""

from __future__ import annotations

from disjoin.verify.inspection import Invariant

INVARIANTS = (
    Invariant(
        "T1",
        "The table is well formed: it has rows, the columns of the promise and none that names people; no value is "
        "empty or unused.",
    ),
    Invariant("T2", "Every quasi-identifier holds names of its hierarchy, or numbers and intervals."),
    Invariant("T3", "Every class of rows with the same quasi-identifiers has at least {k} rows."),
    Invariant("T4", "In every class, at most a share of {alpha} has the same sensitive value."),
    Invariant("T5", "In every class there are at least {l} different sensitive values."),
    Invariant("T6", "In every class the sensitive values are as even as {entropy_l} equally frequent ones."),
    Invariant("T7", "The rows are sorted, so that the order tells nothing about the original."),
    Invariant("X1", "Whoever has the same values in the first columns has at least {k} different ones in the second."),
    Invariant(
        "U1", "The rows account for every row of the original, and the columns for its columns.", "original", "fit"
    ),
    Invariant(
        "U2",
        "Every value is the original one, or one that includes it; other columns are unchanged.",
        "original",
        "fit",
    ),
    Invariant(
        "U3",
        "The rows of the original can be matched with the published rows, each with one that includes it.",
        "original",
        "fit",
    ),
    Invariant(
        "U4", "Where people are promised, the rows of every class belong to at least k different ones.", "original"
    ),
    Invariant(
        "U5", "Where people are promised, no sensitive value is had by too many of a class's people.", "original"
    ),
)
