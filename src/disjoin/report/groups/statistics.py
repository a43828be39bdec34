"""What can be counted in groups: functions of the published content and of the order that the parameters name."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.model.arrays import Ints64
from disjoin.model.groups import Groups
from disjoin.model.guarantees import Promise
from disjoin.report.distribution import distribution_of, distribution_of_sizes
from disjoin.report.groups.matrix import matrix_facts


def statistics_of(published: Groups, promise: Promise, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers of groups, records and items, how surely a sensitive item is linked, and the matrix pictures."""
    lengths, entries = np.diff(published.item_offsets), np.diff(published.sensitive_offsets)
    ordinary = np.zeros(len(published.vocabulary), dtype=np.bool_)
    ordinary[published.items] = True
    return {
        "groups": {"total": len(published), "without_sensitive_items": int((entries == 0).sum())},
        "bare_records": _bare(published, lengths),
        "distinct_records": published.counts.size,
        "items": {"ordinary": int(ordinary.sum()), "sensitive": int(published.is_sensitive.sum())},
        "sensitive_entries": int(published.sensitive_items.size),
        "sensitive_items": _sensitive_items(published, entries),
        "privacy_degree": _privacy_degree(published, entries),
        "group_sizes": distribution_of_sizes(published.sizes),
        "record_lengths": distribution_of(lengths, published.counts),
        "sensitive_items_of_a_group": distribution_of(entries),
        "matrix": matrix_facts(published, "aat" if parameters.get("order") == "aat" else "bipartite"),
    }


def _bare(published: Groups, lengths: Ints64) -> dict[str, int]:
    """Count the records without ordinary items, and the groups that have some."""
    groups = np.repeat(np.arange(len(published)), np.diff(published.record_offsets))
    bare = lengths == 0
    return {"records": int(published.counts[bare].sum()), "groups": int(np.unique(groups[bare]).size)}


def _privacy_degree(published: Groups, entries: Ints64) -> dict[str, Any] | None:
    """Return the least size / count over groups and their sensitive items; None where nothing is sensitive."""
    if not published.sensitive_items.size:
        return None
    sizes, counts = np.repeat(published.sizes, entries), published.sensitive_counts
    pairs = np.unique(np.stack([sizes, counts], axis=1), axis=0).tolist()
    size, count = min(pairs, key=lambda pair: (Fraction(*pair), pair))
    degree = Fraction(size, count)
    return {"exact": [degree.numerator, degree.denominator], "rounded": round(size / count, 2)}


def _sensitive_items(published: Groups, entries: Ints64) -> list[dict[str, Any]]:
    """Return each sensitive item with its records, its groups and the group in which its share is largest."""
    if not published.sensitive_items.size:
        return []
    sizes, counts, items = np.repeat(published.sizes, entries), published.sensitive_counts, published.sensitive_items
    order = np.lexsort((sizes, -counts / sizes, items))  # an item's largest share first, in the smallest such group
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    records, groups = np.add.reduceat(counts[order], starts), np.diff(np.append(starts, order.size))
    worst = order[starts]
    terms = published.vocabulary.take(items[worst]).to_pylist()
    columns = terms, records.tolist(), groups.tolist(), counts[worst].tolist(), sizes[worst].tolist()
    return [
        {
            "term": term,
            "records": total,
            "groups": spread,
            "largest_share": {"count": count, "size": size, "rounded": round(count / size, 4)},
        }
        for term, total, spread, count, size in zip(*columns, strict=True)
    ]
