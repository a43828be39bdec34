"""Shape measures: numbers and sizes of clusters, chunks and groups, and NCP of items."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.measure.definition import Finding, Measure
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.measure.evidence_items import ItemEvidence
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints64


def number_of_clusters(evidence: Evidence) -> Finding:
    """Return how many clusters there are, joint ones aside, with their sizes in records."""
    published = evidence.published
    leaves = ~published.is_joint
    joints = int(published.is_joint.sum())
    sizes = _spread(published.sizes[leaves])
    notes = (f"{_in_words(sizes)} records each.", *((f"{joints:,} joint clusters above them.",) if joints else ()))
    return Finding(int(leaves.sum()), notes, {"joint_clusters": joints, "records": sizes})


def number_of_chunks(evidence: Evidence) -> Finding:
    """Return how many record and shared chunks there are, with how many records each one shows something of."""
    published = evidence.published
    shared = int(published.nodes.lengths[published.is_joint].sum())
    chunks = len(published.chunks)
    subrecords = _spread(published.chunks.sums(published.counts))
    details = {"record_chunks": chunks - shared, "shared_chunks": shared, "subrecords": subrecords}
    notes = (
        f"{chunks - shared:,} record chunks, {shared:,} shared chunks.",
        f"{_in_words(subrecords)} subrecords each.",
    )
    return Finding(chunks, notes, details)


def terms_per_chunk(evidence: Evidence) -> Finding:
    """Return how many different terms a chunk has, on average."""
    terms = _domain_sizes(evidence.published)
    if not terms.size:
        return Finding(None, ("There are no chunks.",))
    spread = _spread(terms)
    notes = (f"{_in_words(spread)} terms each.",)
    return Finding(Fraction(int(terms.sum()), int(terms.size)), notes, {"terms": spread})


def _domain_sizes(published: Clusters) -> Ints64:
    """Count the different terms of every chunk."""
    owners = published.chunks.over(published.subrecords).owners()  # (items,)
    keys = np.sort(owners * max(1, len(published.vocabulary)) + published.items)
    first = np.ones(keys.size, dtype=np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    chunks = keys[first] // max(1, len(published.vocabulary))
    return np.bincount(chunks, minlength=published.subrecord_offsets.size - 1)


def _spread(sizes: Ints64) -> dict[str, Any]:
    if not sizes.size:
        return {"least": 0, "median": 0.0, "mean": 0.0, "largest": 0}
    return {
        "least": int(sizes.min()),
        "median": float(np.median(sizes)),
        "mean": round(float(sizes.mean()), 4),
        "largest": int(sizes.max()),
    }


def _in_words(spread: dict[str, Any]) -> str:
    return f"{spread['least']:,} to {spread['largest']:,} (median {spread['median']:,g})"


CLUSTERS = Measure(
    name="clusters",
    title="Clusters",
    direction="neither",
    largest=None,
    unit="clusters",
    meaning="The release has this many clusters, those that were joined counted one by one.",
    page="chunks",
    compute=number_of_clusters,
)

CHUNKS = Measure(
    name="chunks",
    title="Chunks",
    direction="neither",
    largest=None,
    unit="chunks",
    meaning="The release has this many record chunks and shared chunks.",
    compute=number_of_chunks,
)

TERMS_PER_CHUNK = Measure(
    name="terms_per_chunk",
    title="Terms of a chunk, on average",
    direction="higher",
    least=1,
    largest=None,
    unit="terms",
    meaning="A chunk keeps this many different terms together, on average.",
    page="chunks",
    compute=terms_per_chunk,
)


def number_of_groups(evidence: GroupEvidence) -> Finding:
    """Return how many groups there are, and how many of them have sensitive items."""
    having = int(np.count_nonzero(evidence.published.secrets.lengths))
    return Finding(len(evidence.published), (f"{having:,} of them have sensitive items.",), {"with_sensitive": having})


def largest_group(evidence: GroupEvidence) -> Finding:
    """Return how many records the largest group has, and how many the largest of those with sensitive items."""
    sizes = evidence.published.sizes
    if not sizes.size:
        return Finding(None, ("There are no groups.",))
    with_sensitive = int(sizes[evidence.published.secrets.lengths > 0].max(initial=0))
    notes = (f"The largest one with sensitive items has {with_sensitive:,} records.",)
    details = {"least": int(sizes.min()), "median": float(np.median(sizes)), "largest_with_sensitive": with_sensitive}
    return Finding(int(sizes.max()), notes if 0 < with_sensitive < sizes.max() else (), details)


def bare_records(evidence: GroupEvidence) -> Finding:
    """Return how many records have no ordinary items."""
    bare = evidence.published.records.lengths == 0
    found, records = int(evidence.published.counts[bare].sum()), len(evidence.original)
    note = (
        "Anyone who knows that somebody has no ordinary items knows that they have sensitive ones: nothing is promised "
        "to these people."
    )
    return Finding(found, (note,) if found else (), {"records": records})


GROUPS = Measure(
    name="groups",
    title="Groups",
    direction="neither",
    largest=None,
    unit="groups",
    meaning="The release has this many groups.",
    compute=number_of_groups,
    forms=(Groups.form,),
)

LARGEST_GROUP = Measure(
    name="largest_group",
    title="Records of the largest group",
    direction="neither",
    largest=None,
    unit="records",
    meaning="The largest group has this many records, all of which share one summary of their sensitive items.",
    page="groups",
    compute=largest_group,
    forms=(Groups.form,),
)

BARE_RECORDS = Measure(
    name="bare_records",
    title="Records without ordinary items",
    largest=None,
    unit="records",
    meaning="This many records have sensitive items only.",
    page="groups",
    compute=bare_records,
    forms=(Groups.form,),
)


# How many terms a published item may stand for: NCP of generalised records.


def ncp_items(evidence: ItemEvidence) -> Finding:
    """Return the mean, over the original's occurrences, of leaves below the published node / all leaves; 0 for itself.

    An occurrence counts in the original: a record that loses one of two terms to the same node still has two.
    """
    is_lifted = evidence.images != evidence.original_items
    covered = int((evidence.supports * np.where(is_lifted, evidence.leaves, 0)).sum())
    occurrences, leaves = int(evidence.original.items.size), evidence.published.hierarchy.n_leaves
    details = {
        "occurrences": occurrences,
        "generalised_occurrences": int(evidence.supports[is_lifted].sum()),
        "terms": evidence.original.n_terms,
        "generalised_terms": int(is_lifted.sum()),
        "leaves": leaves,
    }
    return Finding(Fraction(covered, occurrences * leaves) if occurrences else Fraction(0), (), details)


NCP_ITEMS = Measure(
    name="ncp_items",
    title="Certainty penalty of an occurrence",
    meaning="What a term is published as covers this share of the hierarchy's terms, on average over occurrences.",
    page="ncp",
    compute=ncp_items,
    forms=(GeneralizedItems.form,),
)
