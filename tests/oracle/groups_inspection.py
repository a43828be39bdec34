"""The invariants P1-P5 and Q1-Q4 word by word on the nested form of groups (section C.4). Standard library only."""

from __future__ import annotations

import unicodedata
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

Group = dict[str, Any]
Row = tuple[str, ...]


def size_of(group: Group) -> int:
    return int(group.get("size", sum(count for _, count in group["records"])))


def sensitive_terms(groups: list[Group], named: tuple[str, ...] = ()) -> set[str]:
    return {term for group in groups for term in group["sensitive"]} | set(named)


def word(text: str) -> str:
    """What a reader takes an item for, whatever its spelling; the spellings here have no invisible letters."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def by_word(group: Group) -> Counter[str]:
    counts: Counter[str] = Counter()
    for term, count in group["sensitive"].items():
        counts[word(term)] += count
    return counts


# ------------------------------------------------------------------ P1-P5


def violated(groups: list[Group], p: int, named: tuple[str, ...] = ()) -> set[str]:
    """Return the names of the invariants that do not hold."""
    if not groups:
        return {"P1"}
    well_formed = all(map(is_well_formed, groups))
    holds = {
        "P1": well_formed,
        "P2": not any(
            set(map(word, terms)) & set(map(word, sensitive_terms(groups, named)))
            for g in groups
            for terms, _ in g["records"]
        ),
        "P3": all(count * p <= size_of(group) for group in groups for count in by_word(group).values()),
        "P4": all(map(is_sorted_inside, groups)) and (not well_formed or is_ascending([key(g) for g in groups])),
        "P5": all(map(has_original, groups)),
    }
    return {name for name, held in holds.items() if not held}


def is_well_formed(group: Group) -> bool:
    rows = [tuple(sorted(terms)) for terms, _ in group["records"]]
    counts = [count for _, count in group["records"]]
    return (
        size_of(group) >= 1
        and len(rows) >= 1
        and sum(counts) == size_of(group)
        and all(count >= 1 for count in [*counts, *group["sensitive"].values()])
        and all(len(set(row)) == len(row) and all(row) for row in rows)
        and len(set(rows)) == len(rows)
        and all(group["sensitive"])
    )


def is_sorted_inside(group: Group) -> bool:
    rows = [list(terms) for terms, _ in group["records"]]
    return all(map(is_ascending, rows)) and is_ascending(rows) and is_ascending(list(group["sensitive"]))


def is_ascending(things: list[Any]) -> bool:
    return all(before <= after for before, after in pairwise(things))


def key(group: Group) -> tuple[int, list[list[str]], list[str]]:
    """What groups are sorted by."""
    rows = [list(terms) for terms, count in group["records"] for _ in range(count)]
    return size_of(group), rows, [term for term, count in group["sensitive"].items() for _ in range(count)]


def has_original(group: Group) -> bool:
    """Return whether the sensitive items can be assigned so that no record is empty; all ways are tried if few."""
    size, counts = size_of(group), list(group["sensitive"].values())
    bare = sum(count for terms, count in group["records"] if not terms)
    if size > 5 or not is_well_formed(group):
        return all(count <= size for count in counts) and bare <= sum(counts)
    ways = product(*(combinations(range(size), count) for count in counts))
    return any(set(range(bare)) <= {record for taken in way for record in taken} for way in ways)


def degree_of(groups: list[Group]) -> list[int] | None:
    quotients = [Fraction(size_of(g), count) for g in groups for count in by_word(g).values() if count >= 1]
    return [min(quotients).numerator, min(quotients).denominator] if quotients else None


def bare_records_of(groups: list[Group]) -> int:
    return sum(count for group in groups for terms, count in group["records"] if not terms)


# ------------------------------------------------------------------ Q1-Q4


def violated_beside(
    groups: list[Group],
    records: list[Row],
    named: tuple[str, ...] = (),
    parts: list[int] | None = None,
    suppressed: int = 0,
) -> set[str]:
    """Return the names of the broken invariants against the original; `parts` has the group of each record."""
    found = set()
    if sum(map(size_of, groups)) + suppressed != len(records) or not all(records):
        found.add("Q1")
    if parts is not None:
        usable = len(parts) == len(records) and all(-1 <= part < len(groups) for part in parts)
        if not usable or parts.count(-1) != suppressed:
            found.add("Q1")
        if usable and any(parts.count(number) != size_of(group) for number, group in enumerate(groups)):
            found.add("Q1")
        parts = parts if usable else None
    kept = [row for number, row in enumerate(records) if parts is None or parts[number] >= 0]
    unknown = suppressed > 0 and parts is None  # which records were left out
    if not same(Counter(terms_of(groups)), Counter({term for row in kept for term in row}), unknown):
        found.add("Q2")
    if all(map(is_well_formed, groups)):
        places = [0] * len(kept) if parts is None else [part for part in parts if part >= 0]
        words = set(map(word, sensitive_terms(groups, named)))
        secret = {term for row in kept for term in row if word(term) in words}
        ordinary = Counter((at, tuple(sorted(set(r) - secret))) for at, r in zip(places, kept, strict=True))
        counted = Counter((at, term) for at, row in zip(places, kept, strict=True) for term in row if term in secret)
        if not same(published_rows(groups, parts is not None), ordinary, unknown):
            found.add("Q3")
        if not same(published_counts(groups, parts is not None), counted, unknown):
            found.add("Q4")
    return found


def same(published: Counter[Any], given: Counter[Any], unknown: bool) -> bool:
    return published <= given if unknown else published == given


def terms_of(groups: list[Group]) -> set[str]:
    return {term for g in groups for terms, _ in g["records"] for term in terms} | sensitive_terms(groups)


def published_rows(groups: list[Group], mapped: bool) -> Counter[tuple[int, Row]]:
    rows: Counter[tuple[int, Row]] = Counter()
    for number, group in enumerate(groups):
        for terms, count in group["records"]:
            rows[number if mapped else 0, tuple(sorted(terms))] += count
    return rows


def published_counts(groups: list[Group], mapped: bool) -> Counter[tuple[int, str]]:
    counts: Counter[tuple[int, str]] = Counter()
    for number, group in enumerate(groups):
        for term, count in group["sensitive"].items():
            counts[number if mapped else 0, term] += count
    return counts


# ------------------------------------------------------------------ how it should be


def publish(records: list[Row], secret: set[str], parts: list[int]) -> tuple[list[Group], list[int]]:
    """Publish records that were put into groups (-1: left out), and return the groups and where each record is now."""
    made = []
    for part in sorted(set(parts) - {-1}):
        members = [row for row, at in zip(records, parts, strict=True) if at == part]
        rows = Counter(tuple(sorted(set(row) - secret)) for row in members)
        counts = Counter(term for row in members for term in row if term in secret)
        group = {"records": [[list(row), rows[row]] for row in sorted(rows)], "sensitive": dict(sorted(counts.items()))}
        made.append((key(group), part, group))
    made.sort(key=lambda entry: entry[:2])
    number = {part: position for position, (_, part, _) in enumerate(made)} | {-1: -1}
    return [group for _, _, group in made], [number[part] for part in parts]
