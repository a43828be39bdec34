"""How groups are made: how many there are, how large the largest is, how many records show nothing."""

from __future__ import annotations

import numpy as np

from disjoin.measure.comparison import Comparison, Finding
from disjoin.measure.group_evidence import GroupEvidence
from disjoin.model.groups import Groups


def number_of_groups(evidence: GroupEvidence) -> Finding:
    """Return how many groups there are, and how many of them have sensitive items."""
    having = int(np.count_nonzero(np.diff(evidence.published.sensitive_offsets)))
    return Finding(len(evidence.published), (f"{having:,} of them have sensitive items.",), {"with_sensitive": having})


def largest_group(evidence: GroupEvidence) -> Finding:
    """Return how many records the largest group has, and how many the largest of those with sensitive items."""
    sizes = evidence.published.sizes
    if not sizes.size:
        return Finding(None, ("There are no groups.",))
    with_sensitive = int(sizes[np.diff(evidence.published.sensitive_offsets) > 0].max(initial=0))
    notes = (f"The largest one with sensitive items has {with_sensitive:,} records.",)
    details = {"least": int(sizes.min()), "median": float(np.median(sizes)), "largest_with_sensitive": with_sensitive}
    return Finding(int(sizes.max()), notes if 0 < with_sensitive < sizes.max() else (), details)


def bare_records(evidence: GroupEvidence) -> Finding:
    """Return how many records have no ordinary items."""
    bare = np.diff(evidence.published.item_offsets) == 0
    found, records = int(evidence.published.counts[bare].sum()), len(evidence.original)
    note = (
        "Who knows that somebody has no ordinary items knows that they have sensitive ones: nothing is promised them."
    )
    return Finding(found, (note,) if found else (), {"records": records})


GROUPS = Comparison(
    name="groups",
    title="Groups",
    direction="neither",
    least=0,
    largest=None,
    unit="groups",
    meaning="The release has so many groups.",
    page="groups",
    compute=number_of_groups,
    forms=(Groups.form,),
)

LARGEST_GROUP = Comparison(
    name="largest_group",
    title="Records of the largest group",
    direction="neither",
    least=0,
    largest=None,
    unit="records",
    meaning="The largest group has so many records, all of which share one summary of their sensitive items.",
    page="groups",
    compute=largest_group,
    forms=(Groups.form,),
)

BARE_RECORDS = Comparison(
    name="bare_records",
    title="Records without ordinary items",
    direction="lower",
    least=0,
    largest=None,
    unit="records",
    meaning="So many records have sensitive items only.",
    page="groups",
    compute=bare_records,
    forms=(Groups.form,),
)
