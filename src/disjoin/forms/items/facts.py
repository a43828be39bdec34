"""What is counted in generalised items, and how a summary says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disjoin.charts.display_text import shorten
from disjoin.charts.distribution import distribution_of, percent, range_of
from disjoin.escaping import legible
from disjoin.forms.clusters.facts import most_frequent
from disjoin.forms.items.cut import PublishedCut, Tree, cut_of
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.ragged import Ints64
from disjoin.model.release import Report
from disjoin.words import counted

LISTED = 20  # categories; mapping.parquet has them all


def statistics_of(
    published: GeneralizedItems, guarantee: AnyGuarantee, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what became of the terms, which categories stand for most of them, supports and record lengths."""
    cut, tree, records = cut_of(published), Tree(published.hierarchy), published.records
    levels = np.array([tree.level(name) for name in cut.names.to_pylist()], dtype=np.int64)
    found = cut.supports > 0
    return {
        "terms": _terms(cut),
        "published": {
            "total": len(cut),
            "categories": int(cut.is_category.sum()),
            "in_records": int(found.sum()),
            "categories_in_records": int((found & cut.is_category).sum()),
        },
        "levels": [
            {
                "level": level,
                "nodes": int((levels == level).sum()),
                "terms": int(cut.leaf_counts[levels == level].sum()),
            }
            for level in range(published.hierarchy.height + 1)
        ],
        "frequent_terms": _frequent(cut),
        "occurrences": _occurrences(cut),
        "distinct_records": len(records),
        "alike": _alike(records.counts, getattr(guarantee, "k", 1)),
        "smallest_support": int(cut.supports[found].min()) if found.any() else None,
        "largest_categories": _largest(cut, levels.tolist()),
        "supports": distribution_of(cut.supports[found]),
        "terms_of_a_category": distribution_of(cut.leaf_counts[cut.is_category]),
        "record_lengths": distribution_of(records.sets.lengths, records.counts),
    }


def _terms(cut: PublishedCut) -> dict[str, int]:
    """Count the terms of the hierarchy, and those that are published as a category."""
    generalised = int(cut.leaf_counts[cut.is_category].sum())
    return {"total": len(cut.published.terms), "as_themselves": len(cut.published.terms) - generalised} | {
        "generalised": generalised
    }


def _frequent(cut: PublishedCut) -> list[dict[str, Any]]:
    """Return the most frequent terms: their records, or of those that became a category none to all of its records."""
    most, least = np.zeros((2, len(cut.published.terms)), dtype=np.int64)
    most[cut.members] = np.repeat(cut.supports, cut.leaf_counts)
    least[cut.members] = np.repeat(np.where(cut.is_category, 0, cut.supports), cut.leaf_counts)
    return most_frequent(cut.published.terms, least, most)


def _alike(counts: Ints64, k: int) -> dict[str, int]:
    """Count the records that no other is equal to, and those that are equal to fewer than k - 1 others."""
    return {"alone": int((counts == 1).sum()), "below_k": int(counts[counts < k].sum())}


def _occurrences(cut: PublishedCut) -> dict[str, Any]:
    """Count what the records hold, and how much of it is categories."""
    total, general = int(cut.supports.sum()), int(cut.supports[cut.is_category].sum())
    return {"total": total, "of_categories": general, "share": round(general / total, 4) if total else 0.0}


def _largest(cut: PublishedCut, levels: list[int]) -> list[dict[str, Any]]:
    """Return the categories that stand for most terms."""
    number = min(LISTED, int(cut.is_category.sum()))  # they come first
    columns = cut.names[:number].to_pylist(), levels[:number], cut.leaf_counts[:number].tolist()
    return [
        {"category": name, "level": level, "terms": terms, "records": records}
        for name, level, terms, records in zip(*columns, cut.supports[:number].tolist(), strict=True)
    ]


NAMED = 5


def rows_of(report: Report) -> list[tuple[str, str]]:
    """Return (label, words) about terms, categories, what records hold, supports and lengths."""
    facts = report.statistics
    rows = [
        ("hierarchy", became(facts)),
        ("in records", _in_records(facts["published"])),
        ("generalised", f"{percent(facts['occurrences']['share'])} of what the records hold are categories"),
    ]
    if facts["largest_categories"]:
        rows.append(("categories", _named(facts)))
    if facts["smallest_support"] is not None:
        rows.append(("least support", f"{counted(facts['smallest_support'], 'record')} with the same term or category"))
    return [*rows, ("record lengths", range_of(facts["record_lengths"], "term"))]


def became(facts: dict[str, Any]) -> str:
    """Say what became of the terms of the hierarchy.

    >>> became({"terms": {"total": 5, "as_themselves": 3, "generalised": 2}, "published": {"categories": 1}})
    '5 terms: 3 published as themselves, 2 generalised to 1 category'
    """
    terms, categories = facts["terms"], facts["published"]["categories"]
    words = f"{counted(terms['total'], 'term')}: {terms['as_themselves']:,} published as themselves"
    if not categories:
        return f"{words}, none generalised"
    return f"{words}, {terms['generalised']:,} generalised to {counted(categories, 'category', 'categories')}"


def _in_records(published: dict[str, int]) -> str:
    categories = published["categories_in_records"]
    terms = published["in_records"] - categories
    return f"{counted(terms, 'term')} and {counted(categories, 'category', 'categories')} occur"


def _named(facts: dict[str, Any]) -> str:
    """Name the categories that stand for most terms."""
    listed, rest = facts["largest_categories"][:NAMED], facts["published"]["categories"] - NAMED
    named = ", ".join(f"{shorten(legible(entry['category']), 30)} ({entry['terms']:,})" for entry in listed)
    what = "the terms behind the largest: " if rest > 0 else "the terms behind each: "
    return what + named + (f" and {rest:,} more" if rest > 0 else "")


def eyes_only(published: GeneralizedItems, private: Mapping[str, Any]) -> list[str]:
    """Say what the steward alone may know: how much was generalised."""
    if "ncp" not in private:
        return []
    number = private["generalized_terms"]
    terms = "No term that occurs is generalised" if not number else f"Generalised: {number:,} of the terms that occur"
    return [f"{terms}. NCP is {private['ncp']:.3f}: 0 if nothing is generalised, 1 if everything becomes the root."]
