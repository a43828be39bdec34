"""The invariants A1-A6, B1-B3 and N1-N3 word by word on lists and dicts (section E.2). Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

Row = tuple[list[str], int]
Record = frozenset[str]


@dataclass
class Items:
    """Generalised records as they are listed; `paths` has the names from each leaf to the root."""

    rows: list[Row]
    mapping: list[tuple[str, str]]
    paths: dict[str, list[str]]
    extra: list[str] = field(default_factory=list)  # terms of the vocabulary that no row has
    is_vocabulary_reversed: bool = False

    def vocabulary(self) -> list[str]:
        used = {term for terms, _ in self.rows for term in terms}
        return sorted([*used, *self.extra], reverse=self.is_vocabulary_reversed)


# ------------------------------------------------------------------ rows, for any guarantee


def are_well_formed(items: Items) -> bool:
    sets = [tuple(sorted(terms)) for terms, _ in items.rows]
    return (
        all(count >= 1 for _, count in items.rows)
        and all(terms and all(terms) and len(set(terms)) == len(terms) for terms, _ in items.rows)
        and len(set(sets)) == len(sets)
        and is_list_of_names(items.vocabulary())
    )


def are_in_order(items: Items) -> bool:
    listed = items.vocabulary()
    return (
        all(is_ascending(terms) for terms, _ in items.rows)
        and is_ascending([sorted(terms) for terms, _ in items.rows])
        and is_ascending(listed)
        and set(listed) <= {term for terms, _ in items.rows for term in terms}
    )


def is_list_of_names(names: list[str]) -> bool:
    return all(names) and len(set(names)) == len(names)


def is_ascending(things: list[Any]) -> bool:
    return all(before <= after for before, after in pairwise(things))


def violated_by_noise(items: Items, suppressed: int = 0) -> set[str]:
    holds = {"N1": are_well_formed(items), "N2": are_in_order(items), "N3": suppressed == 0}
    return {name for name, held in holds.items() if not held}


# ------------------------------------------------------------------ A1-A6


def violated(items: Items, k: int, m: int, suppressed: int = 0) -> set[str]:
    """Return the names of the invariants that do not hold."""
    terms, images = [term for term, _ in items.mapping], [image for _, image in items.mapping]
    holds = {
        "A1": bool(items.rows)
        and suppressed == 0
        and are_well_formed(items)
        and is_list_of_names(terms)
        and all(images),
        "A2": are_in_order(items) and is_ascending(terms),
        "A3": set(terms) == set(items.paths)
        and all(image in items.paths[term] for term, image in items.mapping if term in items.paths),
        "A4": are_whole_subtrees(items),
        "A5": all(term in images for row, _ in items.rows for term in row),
        "A6": all(support >= k for support in supports(items, m).values()),
    }
    return {name for name, held in holds.items() if not held}


def are_whole_subtrees(items: Items) -> bool:
    return all(
        (leaf, image) in items.mapping
        for term, image in items.mapping
        if term in items.paths
        for leaf, path in items.paths.items()
        if image in path
    )


def supports(items: Items, m: int) -> Counter[Record]:
    """Count in how many records each set of 1 to m terms is that occurs."""
    found: Counter[Record] = Counter()
    for terms, count in items.rows:
        if count >= 1:
            for known in subsets(frozenset(terms), m):
                found[known] += count
    return found


def subsets(terms: Record, m: int) -> Iterator[Record]:
    for size in range(1, m + 1):
        yield from map(frozenset, combinations(sorted(terms), size))


def facts_of(items: Items, m: int) -> dict[str, Any]:
    return {
        "smallest_support": min(supports(items, m).values(), default=None),
        "generalised_terms": sum(term != image for term, image in items.mapping),
    }


def keeps_the_promise(items: Items, records: list[Record], k: int, m: int) -> bool:
    """Test literally: with up to m known terms of a record, and the mapping, there are at least k candidates."""
    image = dict(items.mapping)
    return all(
        sum(count for terms, count in items.rows if {image[term] for term in known} <= set(terms)) >= k
        for record in records
        for known in subsets(record, m)
    )


# ------------------------------------------------------------------ B1-B3


def violated_beside(items: Items, records: list[Record], parts: list[int] | None = None) -> set[str]:
    """Return the names of the broken invariants against the original; `parts` has the row of each record."""
    found = set()
    if sum(count for _, count in items.rows) != len(records):
        found.add("B1")
    if parts is not None:
        usable = len(parts) == len(records) and all(-1 <= part < len(items.rows) for part in parts)
        expected = Counter({number: count for number, (_, count) in enumerate(items.rows)})
        if not usable or Counter(parts) != expected:
            found.add("B1")
        parts = parts if usable else None
    if not {term for record in records for term in record} <= set(items.paths):
        found.add("B2")
    if not same_records(items, records, parts):
        found.add("B3")
    return found


def same_records(items: Items, records: list[Record], parts: list[int] | None) -> bool:
    image = dict(items.mapping)
    places = [0] * len(records) if parts is None else parts
    made = Counter(
        (at, frozenset(image.get(term, f"no image of {term}") for term in record))
        for at, record in zip(places, records, strict=True)
        if at >= 0
    )
    listed: Counter[Any] = Counter()
    for number, (terms, count) in enumerate(items.rows):
        listed[0 if parts is None else number, frozenset(terms)] += count
    return made == listed


# ------------------------------------------------------------------ how it should be


def generalised(records: list[Record], mapping: dict[str, str], paths: dict[str, list[str]]) -> tuple[Items, list[int]]:
    """Publish records under a mapping, and return where each of them is now."""
    made = [tuple(sorted({mapping[term] for term in record})) for record in records]
    counts = Counter(made)
    order = sorted(counts)
    items = Items([(list(row), counts[row]) for row in order], sorted(mapping.items()), paths)
    return items, [order.index(row) for row in made]
