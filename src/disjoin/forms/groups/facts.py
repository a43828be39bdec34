"""What is counted in groups, and how a summary says it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.attack.possible_records import by_content
from disjoin.charts.display_text import shorten
from disjoin.charts.distribution import distribution_of, distribution_of_sizes, range_of
from disjoin.escaping import legible
from disjoin.forms.clusters.facts import most_frequent
from disjoin.forms.groups.density import matrix_facts
from disjoin.methods.cahd.choices import ORDER_NAMES
from disjoin.model.groups import Groups
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.ragged import Ints64
from disjoin.model.release import Report
from disjoin.words import counted


def statistics_of(published: Groups, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers of groups, records and items, how surely a sensitive item is linked, and the matrix pictures."""
    lengths, entries = published.records.lengths, published.secrets.lengths
    ordinary = published.records.used(len(published.vocabulary))
    return {
        "groups": {"total": len(published), "without_sensitive_items": int((entries == 0).sum())},
        "bare_records": _bare(published, lengths),
        "distinct_records": published.counts.size,
        "items": {"ordinary": int(ordinary.sum()), "sensitive": int(published.is_sensitive.sum())},
        "frequent_terms": _frequent(published),
        "sensitive_entries": int(published.sensitive_items.size),
        "sensitive_items": _sensitive_items(published, entries),
        "privacy_degree": _privacy_degree(published, entries),
        "alone": _alone(published),
        "records_without_sensitive_items": int(published.sizes[entries == 0].sum()),
        "most_sensitive_group": _most_sensitive(published, entries),
        "group_sizes": distribution_of_sizes(published.sizes),
        "record_lengths": distribution_of(lengths, published.counts),
        "sensitive_items_of_a_group": distribution_of(entries),
        "matrix": matrix_facts(published, _order_in(parameters)),
    }


def _frequent(published: Groups) -> list[dict[str, Any]]:
    """Return the most frequent items and the records that have them, which are counted exactly."""
    supports = np.zeros(len(published.vocabulary), dtype=np.int64)
    np.add.at(supports, published.items, np.repeat(published.counts, published.records.lengths))
    np.add.at(supports, published.sensitive_items, published.sensitive_counts)
    return most_frequent(published.vocabulary, supports, supports)


def _order_in(parameters: Mapping[str, Any]) -> str:
    """Return the order that a release states, or the usual one if it states none that is known."""
    return next((name for name in ORDER_NAMES if name == parameters.get("order")), ORDER_NAMES[0])


def _bare(published: Groups, lengths: Ints64) -> dict[str, int]:
    """Count the records without ordinary items, and the groups that have some."""
    groups = published.groups.owners()
    bare = lengths == 0
    return {"records": int(published.counts[bare].sum()), "groups": int(np.unique(groups[bare]).size)}


def _alone(published: Groups) -> int:
    """Count the records whose ordinary items no other record of any group has; those without any are left out."""
    rows = published.records
    order = by_content(rows)  # equal ones come together
    distinct, numbers = rows.take(order).distinct()
    counts = np.bincount(numbers, published.counts[order], minlength=len(distinct))
    return int(((counts == 1) & (distinct.lengths > 0)).sum())


def _most_sensitive(published: Groups, entries: Ints64) -> dict[str, int] | None:
    """Return in how many records of a group sensitive items can be at most, where that is the largest share."""
    if not published.sensitive_items.size:
        return None
    listed = np.minimum(published.secrets.sums(published.sensitive_counts), published.sizes)
    pairs = np.unique(np.stack([published.sizes, listed], axis=1)[entries > 0], axis=0).tolist()
    size, count = max(pairs, key=lambda pair: (Fraction(pair[1], pair[0]), -pair[0]))
    return {"count": count, "size": size}


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


NAMED = 10


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about items, groups, the privacy degree and the order of the records."""
    facts = report.statistics
    items, groups, bare = facts["items"], facts["groups"], facts["bare_records"]
    rows = [
        ("items", f"{items['ordinary']:,} ordinary, {items['sensitive']:,} sensitive"),
        ("sensitive", _named([entry["term"] for entry in facts["sensitive_items"]])),
        ("groups", f"{groups['total']:,} of {range_of(facts['group_sizes'], 'record')}" + _without(groups)),
        ("privacy degree", degree_of(facts["privacy_degree"], exactly=True)),
        ("bare records", f"{bare['records']:,} in {counted(bare['groups'], 'group')}" if bare["records"] else "none"),
    ]
    if facts["matrix"] is not None:
        rows.append(("bandwidth", _bandwidth(facts["matrix"])))
    return rows


def _named(terms: list[str]) -> str:
    """Name the first terms: a steward shall see what was hidden, and what was not."""
    named = ", ".join(shorten(legible(term), 30) for term in terms[:NAMED])
    return named + (f" and {len(terms) - NAMED:,} more" if len(terms) > NAMED else "")


def _bandwidth(matrix: dict[str, Any]) -> str:
    before, after = matrix["before"], matrix["after"]
    return (
        f"{before['bandwidth']:,.0f} before the records were ordered, {after['bandwidth']:,.0f} after; a record spans "
        f"{before['mean_spread']:,.1f} and {after['mean_spread']:,.1f} of {matrix['columns']:,} columns"
    )


def degree_of(degree: dict[str, Any] | None, *, exactly: bool = False) -> str:
    """Return the privacy degree in words, with its fraction where it is not whole.

    >>> degree_of({"exact": [10, 1], "rounded": 10.0}), degree_of({"exact": [7, 2], "rounded": 3.5}, exactly=True)
    ('10', '3.5 (7 records for 2 with the same item)')
    """
    if degree is None:
        return "no limit: nothing is sensitive" if exactly else "∞"
    size, count = degree["exact"]
    if count == 1:
        return f"{size:,}"
    return f"{degree['rounded']:,}" + (f" ({size:,} records for {count:,} with the same item)" if exactly else "")


def _without(groups: dict[str, int]) -> str:
    number = groups["without_sensitive_items"]
    return f", {number:,} without sensitive items" if number else ""
