"""Shape measures: numbers and sizes of clusters, chunks and groups, and NCP of items."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from disjoin.measure.definition import Finding, measure, share_of
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.measure.evidence_items import ItemEvidence
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints64


@measure("Clusters", direction="neither", largest=None, unit="clusters")
def clusters(evidence: Evidence) -> Finding:
    """The release has this many clusters, where joined clusters count one by one."""
    published = evidence.published
    leaves = ~published.is_joint
    joints = int(published.is_joint.sum())
    sizes = _spread(published.sizes[leaves])
    notes = (f"{_in_words(sizes)} records each.", *((f"{joints:,} joint clusters above them.",) if joints else ()))
    return Finding(int(leaves.sum()), notes, {"joint_clusters": joints, "records": sizes})


@measure("Chunks", direction="neither", largest=None, unit="chunks")
def chunks(evidence: Evidence) -> Finding:
    """The release has this many record chunks and shared chunks."""
    published = evidence.published
    whole, shared = len(published.chunks), int(published.nodes.lengths[published.is_joint].sum())
    subrecords = _spread(published.chunks.sums(published.counts))  # records that a chunk shows something of
    notes = (
        f"{whole - shared:,} record chunks, {shared:,} shared chunks.",
        f"{_in_words(subrecords)} subrecords each.",
    )
    details = {"record_chunks": whole - shared, "shared_chunks": shared, "subrecords": subrecords}
    return Finding(whole, notes, details)


@measure("Different terms per chunk, on average", direction="higher", least=1, largest=None, unit="terms")
def terms_per_chunk(evidence: Evidence) -> Finding:
    """A chunk has this many different terms, on average."""
    published = evidence.published
    if not len(published.chunks):
        return Finding(None, ("There are no chunks.",))
    owners = published.chunks.over(published.subrecords).owners()  # (items,)
    different = np.unique(owners * max(1, len(published.vocabulary)) + published.items)
    terms = np.bincount(different // max(1, len(published.vocabulary)), minlength=len(published.chunks))
    spread = _spread(terms)
    return Finding(share_of(int(terms.sum()), terms.size), (f"{_in_words(spread)} terms each.",), {"terms": spread})


def _spread(sizes: Ints64) -> dict[str, Any]:
    if not sizes.size:
        return {"least": 0, "median": 0.0, "mean": 0.0, "largest": 0}
    mean = round(float(sizes.mean()), 4)
    return {"least": int(sizes.min()), "median": float(np.median(sizes)), "mean": mean, "largest": int(sizes.max())}


def _in_words(spread: dict[str, Any]) -> str:
    return f"{spread['least']:,} to {spread['largest']:,} (median {spread['median']:,g})"


group_measure = partial(measure, largest=None, forms=(Groups.form,))


@group_measure("Groups", direction="neither", unit="groups")
def groups(evidence: GroupEvidence) -> Finding:
    """The release has this many groups."""
    having = int(np.count_nonzero(evidence.published.secrets.lengths))
    return Finding(len(evidence.published), (f"{having:,} of them have sensitive items.",), {"with_sensitive": having})


@group_measure("Records of the largest group", direction="neither", unit="records")
def largest_group(evidence: GroupEvidence) -> Finding:
    """The largest group has this many records, whose sensitive items are published as one list with counts."""
    sizes = evidence.published.sizes
    if not sizes.size:
        return Finding(None, ("There are no groups.",))
    with_sensitive = int(sizes[evidence.published.secrets.lengths > 0].max(initial=0))
    notes = (f"The largest one with sensitive items has {with_sensitive:,} records.",)
    details = {"least": int(sizes.min()), "median": float(np.median(sizes)), "largest_with_sensitive": with_sensitive}
    return Finding(int(sizes.max()), notes if 0 < with_sensitive < sizes.max() else (), details)


@group_measure("Records without ordinary items", unit="records")
def bare_records(evidence: GroupEvidence) -> Finding:
    """This many records have sensitive items only."""
    bare = evidence.published.records.lengths == 0
    found, records = int(evidence.published.counts[bare].sum()), len(evidence.original)
    note = (
        "An attacker who knows that a person has no ordinary items knows that they have sensitive ones: the guarantee "
        "does not cover these people."
    )
    return Finding(found, (note,) if found else (), {"records": records})


@measure("Generalisation of an occurrence (NCP)", forms=(GeneralizedItems.form,))
def ncp_items(evidence: ItemEvidence) -> Finding:
    """The published node of a term contains this share of the hierarchy's terms, on average over occurrences.

    That is leaves below the published node / all leaves; 0 for the term itself. An occurrence counts in the original:
    a record that loses one of two terms to the same node still has two.
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
    return Finding(share_of(covered, occurrences * leaves, 0), (), details)
