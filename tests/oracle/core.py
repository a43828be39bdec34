"""Slow, obvious twins of the k^m core: peeling as one would by hand, and the union of all anonymous parts."""

from __future__ import annotations

from collections import Counter
from itertools import combinations


def sets_up_to(terms, m):
    """All sets of one to m of the terms."""
    return [frozenset(chosen) for size in range(1, m + 1) for chosen in combinations(sorted(terms), size)]


def rare_sets(records, k, m):
    """The sets of one to m terms that fewer than k records hold, and at least one."""
    counts = Counter(chosen for record in records for chosen in sets_up_to(record, m))
    return {chosen for chosen, count in counts.items() if count < k}


def is_anonymous(records, k, m):
    return not rare_sets(records, k, m)


def core_by_peeling(records, k, m):
    """The numbers of the records that remain when those with a rare set are dropped repeatedly."""
    left = list(range(len(records)))
    while True:
        rare = rare_sets([records[r] for r in left], k, m)
        kept = [r for r in left if not any(chosen in rare for chosen in sets_up_to(records[r], m))]
        if kept == left:
            return set(left)
        left = kept


def union_of_anonymous_parts(records, k, m):
    """The numbers of the records that are in some k^m-anonymous part: all subsets are tried."""
    union = set()
    for size in range(len(records), 0, -1):
        for part in combinations(range(len(records)), size):
            if not union.issuperset(part) and is_anonymous([records[r] for r in part], k, m):
                union.update(part)
    return union
