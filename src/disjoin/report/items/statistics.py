"""What can be counted in records of generalised terms: functions of the published content alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantees import Promise
from disjoin.report.distribution import distribution_of
from disjoin.report.items.cut import Cut, cut_of
from disjoin.report.items.tree import Tree

LISTED = 20  # categories; mapping.parquet has them all


def statistics_of(published: GeneralizedItems, promise: Promise, parameters: Mapping[str, Any]) -> dict[str, Any]:
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
        "occurrences": _occurrences(cut),
        "distinct_records": len(records),
        "smallest_support": int(cut.supports[found].min()) if found.any() else None,
        "largest_categories": _largest(cut, levels.tolist()),
        "supports": distribution_of(cut.supports[found]),
        "terms_of_a_category": distribution_of(cut.leaf_counts[cut.is_category]),
        "record_lengths": distribution_of(np.diff(records.offsets), records.counts),
    }


def _terms(cut: Cut) -> dict[str, int]:
    """Count the terms of the hierarchy, and those that are published as a category."""
    generalised = int(cut.leaf_counts[cut.is_category].sum())
    return {"total": len(cut.published.terms), "as_themselves": len(cut.published.terms) - generalised} | {
        "generalised": generalised
    }


def _occurrences(cut: Cut) -> dict[str, Any]:
    """Count what the records hold, and how much of it is categories."""
    total, general = int(cut.supports.sum()), int(cut.supports[cut.is_category].sum())
    return {"total": total, "of_categories": general, "share": round(general / total, 4) if total else 0.0}


def _largest(cut: Cut, levels: list[int]) -> list[dict[str, Any]]:
    """Return the categories that stand for most terms."""
    number = min(LISTED, int(cut.is_category.sum()))  # they come first
    columns = cut.names[:number].to_pylist(), levels[:number], cut.leaf_counts[:number].tolist()
    return [
        {"category": name, "level": level, "terms": terms, "records": records}
        for name, level, terms, records in zip(*columns, cut.supports[:number].tolist(), strict=True)
    ]
