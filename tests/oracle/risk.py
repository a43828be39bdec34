"""What known terms do to records, by trying all sets. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def _sets(record: frozenset[str], most: int) -> list[frozenset[str]]:
    return [frozenset(each) for n in range(1, most + 1) for each in combinations(sorted(record), n)]


def share_below(records: Sequence[frozenset[str]], most: int, k: int) -> float:
    """Return the share of records with up to `most` terms that fewer than k records have."""
    few = [any(sum(x <= other for other in records) < k for x in _sets(record, most)) for record in records]
    return sum(few) / len(records)


def singled_out_by(records: Sequence[frozenset[str]], term: str) -> int:
    """Return how many records a term singles out, alone or with one other."""
    return sum(
        any(sum(x <= other for other in records) == 1 for x in _sets(record, 2) if term in x) for record in records
    )
