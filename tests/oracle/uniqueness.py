"""Uniqueness by listing every set of terms of every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations


def supports_up_to(records: list[frozenset[str]], size: int) -> Counter[tuple[str, ...]]:
    """Count the records of every set of 1 to `size` terms that occurs."""
    return Counter(found for record in records for found in _subsets(record, size))


def unique_records(records: list[frozenset[str]], size: int) -> list[int]:
    """List the records that contain a set of at most `size` terms that no other record contains."""
    supports = supports_up_to(records, size)
    return [
        number for number, record in enumerate(records) if any(supports[found] == 1 for found in _subsets(record, size))
    ]


def largest_k(records: list[frozenset[str]], size: int) -> int:
    """Return the largest k for which every set of at most `size` terms that occurs is in k records or more."""
    return min(supports_up_to(records, size).values())


def _subsets(record: frozenset[str], size: int) -> Iterable[tuple[str, ...]]:
    return (found for length in range(1, size + 1) for found in combinations(sorted(record), length))
