"""What is promised, what is checked and what is not promised, in words for the person who receives a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.escaping import legible

SHARED = (
    "A shared chunk speaks of all records of its joint cluster: it does not say which of the clusters in it a row "
    "comes from."
)

INVARIANTS: dict[str, str] = {
    "V1": "The tables are well formed: sizes and counts are at least 1, nothing is empty, repeated or unknown.",
    "V2": "No chunk speaks of more records than its cluster has.",
    "V3": "In a cluster, every term is in one chunk only.",
    "V4": "In a joint cluster, every shared term is in one shared chunk and in no term chunk below.",
    "V5": "In every record chunk, a combination of up to {m} terms occurs at least {k} times or not at all.",
    "V6": "Every cluster has at least {crowd} records to hide in.",
    "V7": "Every cluster has a term chunk, or subrecords enough to fill all its records, whichever share the known.",
    "V8": "In every shared chunk, a combination of up to {m} terms occurs at least {k} times or not at all.",
    "V9": "A shared term is nowhere else below its joint cluster.",
    "V10": "At least one original can be put together from the chunks.",
    "V11": "Sensitive terms are in term chunks only.",
    "V12": "Everything is sorted, so that the order tells nothing about the original.",
    "P1": "The tables are well formed: sizes and counts are at least 1 and add up, nothing is repeated or unknown.",
    "P2": "No sensitive item is among the ordinary items of any record.",
    "P3": "In every group, at most one record in {p} has the same sensitive item.",
    "P4": "Everything is sorted, so that the order tells nothing about the original.",
    "P5": "At least one original can be put together from the groups.",
    "T1": "The table is well formed: it has rows, the columns of the promise and none that names people; no value is "
    "empty or unused.",
    "T2": "Every quasi-identifier holds names of its hierarchy, or numbers and intervals.",
    "T3": "Every class of rows with the same quasi-identifiers has at least {k} rows.",
    "T4": "In every class, at most a share of {alpha} has the same sensitive value.",
    "T5": "In every class there are at least {l} different sensitive values.",
    "T6": "In every class the sensitive values are as even as {entropy_l} equally frequent ones.",
    "T7": "The rows are sorted, so that the order tells nothing about the original.",
    "A1": "The tables are well formed: counts are at least 1, nothing is empty, repeated or unknown.",
    "A2": "Everything is sorted, so that the order tells nothing about the original.",
    "A3": "Every leaf of the hierarchy is published as itself or as something above it, and all leaves are listed.",
    "A4": "Where a term is published as something above it, so is every term below that.",
    "A5": "The records hold nothing but what terms are published as.",
    "A6": "A combination of up to {m} terms is in at least {k} records, or in none.",
    "N1": "The table is well formed: counts are at least 1, nothing is empty, repeated or unknown.",
    "N2": "Everything is sorted, so that the order tells nothing about the original.",
    "N3": "The release states no exact number about the original.",
    "N4": "The release states that the list of all terms was known apart from the data.",
    "X1": "Whoever has the same values in the first columns has at least {k} different ones in the second.",
    "F1": "The files are the ones that were described: same bytes, nothing added.",
    "O1": "The clusters account for every record of the original.",
    "O2": "Every cluster has the terms of its records and no others.",
    "O3": "Every record chunk is exactly what its records have in common with it.",
    "O4": "Every term of a term chunk occurs in its cluster.",
    "O5": "Every shared chunk is exactly what the records below have in common with it.",
    "O6": "No term of the original is missing and none is new.",
    "O7": "The supports that can be derived from the release enclose the true ones.",
    "Q1": "The groups account for every record of the original.",
    "Q2": "No term of the original is missing and none is new.",
    "Q3": "The records, without their sensitive items, are exactly those of the original.",
    "Q4": "The sensitive items occur exactly as often as in the original.",
    "U1": "The rows account for every row of the original, and the columns for its columns.",
    "U2": "Every value is the original one, or one that includes it; other columns are unchanged.",
    "U3": "The rows of the original can be matched with the published rows, each with one that includes it.",
    "U4": "Where people are promised, the rows of every class belong to at least k different ones.",
    "U5": "Where people are promised, no sensitive value is had by too many of a class's people.",
    "B1": "There are as many records as in the original.",
    "B2": "Every term of the original is a leaf of the hierarchy.",
    "B3": "The records are exactly those of the original, with every term replaced by what it is published as.",
    "G1": "The promise itself was tested by trying all possible originals.",
}

BY_CONSTRUCTION = (
    "The promise is about how the tables were made: it is proven on paper, and no inspection of the tables can show "
    "it. Inspected was their form."
)


def invariant_in_words(name: str, guarantee: Mapping[str, Any]) -> str:
    """Say what an invariant means for this promise.

    >>> invariant_in_words("V6", {"k": 5, "m": 2})
    'Every cluster has at least 5 records to hide in.'
    """
    k, m = guarantee.get("k", "k"), guarantee.get("m", "m")
    crowd = max(k, guarantee.get("l", 1)) if isinstance(k, int) else k
    others = {letter: guarantee.get(letter, letter) for letter in ("p", "l", "alpha", "entropy_l")}
    return INVARIANTS.get(name, "Checked.").format(k=k, m=m, crowd=crowd, **others)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural where there is not just one.

    >>> counted(1, "record"), counted(2000, "record"), counted(3, "class", "classes")
    ('1 record', '2,000 records', '3 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def setting(value: object) -> str:
    """Return the value of a parameter as words.

    >>> setting(True), setting(5), setting(["b", "a"]), setting(None)
    ('yes', '5', 'b, a', 'none')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(legible(str(part)) for part in value) or "none"
    return "none" if value is None else legible(str(value))


def in_order(invariants: list[str]) -> list[str]:
    """Sort names like V2, V10, O1 by letter (what the release alone shows first) and number.

    >>> in_order(["V10", "O1", "V2"])
    ['V2', 'V10', 'O1']
    """
    letters = "VPTXANFOQUBG"
    return sorted(invariants, key=lambda name: (letters.find(name[:1]), len(name), name))


def share_in_words(entry: dict[str, Any]) -> str:
    """Return a measure of a report with its sign, as a percentage; or that it was not computed.

    >>> share_in_words({"value": 0.25, "sign": "≤"}), share_in_words({"value": None, "sign": "≤"})
    ('≤25.0%', 'not computed')
    """
    return "not computed" if entry["value"] is None else f"{entry['sign']}{entry['value']:.1%}"
