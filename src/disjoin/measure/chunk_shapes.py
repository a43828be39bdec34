"""How a release is cut: how many clusters and chunks there are, and how large they are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.measure.comparison import Comparison, Finding
from disjoin.measure.evidence import Evidence
from disjoin.model.arrays import Ints64
from disjoin.model.clusters import Clusters


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
    shared = int(np.diff(published.chunk_offsets)[published.is_joint].sum())
    chunks = published.subrecord_offsets.size - 1
    running = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(published.counts)))
    subrecords = _spread(np.diff(running[published.subrecord_offsets]))
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
    owners = np.repeat(np.arange(published.subrecord_offsets.size - 1), np.diff(published.subrecord_offsets))
    owner_of_item = np.repeat(owners, np.diff(published.item_offsets))
    keys = np.sort(owner_of_item * max(1, len(published.vocabulary)) + published.items)
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


CLUSTERS = Comparison(
    name="clusters",
    title="Clusters",
    direction="neither",
    least=0,
    largest=None,
    unit="clusters",
    meaning="The release has so many clusters, those that were joined counted one by one.",
    page="chunks",
    compute=number_of_clusters,
)

CHUNKS = Comparison(
    name="chunks",
    title="Chunks",
    direction="neither",
    least=0,
    largest=None,
    unit="chunks",
    meaning="The release has so many record chunks and shared chunks.",
    page="chunks",
    compute=number_of_chunks,
)

TERMS_PER_CHUNK = Comparison(
    name="terms_per_chunk",
    title="Terms of a chunk, on average",
    direction="higher",
    least=1,
    largest=None,
    unit="terms",
    meaning="A chunk keeps so many different terms together, on average.",
    page="chunks",
    compute=terms_per_chunk,
)
