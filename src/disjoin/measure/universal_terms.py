"""How much of what record chunks show is no news about anybody: terms that every record of the cluster has."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.kernels.published_chunks import chunks_of
from disjoin.kernels.universal_terms import universal_terms_of
from disjoin.measure.comparison import Comparison, Finding
from disjoin.measure.evidence import Evidence
from disjoin.measure.mass import occurrences_inside
from disjoin.measure.record import Measure, whatever_is_promised
from disjoin.model.clusters import Clusters

TITLE = "Universal terms"


def universal_occurrences(published: Clusters) -> int:
    """Count the occurrences in record chunks of terms that all records of the cluster have."""
    owners = np.repeat(np.arange(len(published)), np.diff(published.chunk_offsets))  # (chunks,)
    sizes = published.sizes[owners]
    terms = universal_terms_of(chunks_of(published), len(published.vocabulary), sizes)
    return int((terms * sizes)[~published.is_joint[owners]].sum())


def universal_share(published: Clusters) -> Fraction:
    """Return the universal occurrences / all in record chunks; 0 if there are none."""
    whole = occurrences_inside(published, shared=False)
    return Fraction(universal_occurrences(published), whole) if whole else Fraction(0)


def universal_terms(published: Clusters, *, shared: bool = True) -> float:
    """Return the share of the occurrences in record chunks whose term all records of the cluster have.

    Shared chunks make no difference: their terms are those of term chunks, which were rare in their clusters.
    """
    return float(universal_share(published))


def _found(evidence: Evidence) -> Finding:
    published = evidence.published
    details = {"universal": universal_occurrences(published)}
    details["in_record_chunks"] = occurrences_inside(published, shared=False)
    return Finding(universal_share(published), (), details)


UNIVERSAL_TERMS = Measure(
    name="universal_terms",
    title=TITLE,
    direction="lower",
    least=0.0,
    largest=1.0,
    sign="",
    meaning="This share of the term occurrences in record chunks are of terms that all records of the cluster have.",
    compute=whatever_is_promised(universal_terms),
    counts_shared=False,
)

UNIVERSAL_TERMS_SHOWN = Comparison(
    name="universal_terms",
    title=TITLE,
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the term occurrences in record chunks are of terms that all records of the cluster have.",
    page="universal_terms",
    compute=_found,
)
