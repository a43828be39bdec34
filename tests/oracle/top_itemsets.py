"""The most frequent itemsets by looking at every itemset there is. Standard library only."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

Itemset = tuple[int, ...]


def every_itemset(rows: list[tuple[frozenset[int], int]], parents: dict[int, int] | None = None) -> Counter[Itemset]:
    """Return the support of every itemset that occurs, without those that have an item and its ancestor."""
    supports: Counter[Itemset] = Counter()
    for items, weight in rows:
        for size in range(1, len(items) + 1):
            for itemset in combinations(sorted(items), size):
                if not any(is_above(parents or {}, a, b) for a in itemset for b in itemset):
                    supports[itemset] += weight
    return supports


def is_above(parents: dict[int, int], ancestor: int, item: int) -> bool:
    """Return whether one item is an ancestor of the other."""
    while (item := parents.get(item, -1)) >= 0:
        if item == ancestor:
            return True
    return False


def best(supports: Counter[Itemset], top: int) -> list[tuple[Itemset, int]]:
    """Return the best in order: support from the largest, then size, then items."""
    return sorted(supports.items(), key=lambda found: (-found[1], len(found[0]), found[0]))[:top]


def ties(supports: Counter[Itemset], top: int) -> tuple[int, int]:
    """Return how many itemsets have the support of the last one of the best, and how many of them are not listed."""
    listed = best(supports, top)
    if not listed:
        return 0, 0
    last = listed[-1][1]
    tied = sum(support == last for support in supports.values())
    return tied, tied - sum(support == last for _, support in listed)
