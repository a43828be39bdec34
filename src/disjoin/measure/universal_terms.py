"""Terms of chunks that as many records have as the cluster has."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.attack.exposed_sets import Chunks, chunks_of
from disjoin.jit.compiled import kernel
from disjoin.measure.evidence import Evidence
from disjoin.measure.mass import occurrences_inside
from disjoin.measure.record import Finding, Measure, whatever_is_guaranteed
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64


@kernel
def count_universal(chunks, sizes, supports, found):
    """Count the terms of every chunk (row 0 of `found`), and those whose support is the size of its cluster (row 1).

    `supports` are zero before and after.
    """
    item_offsets, items, counts = chunks.item_offsets, chunks.items, chunks.counts
    for chunk in range(chunks.subrecord_offsets.size - 1):
        first, last = chunks.subrecord_offsets[chunk], chunks.subrecord_offsets[chunk + 1]
        for s in range(first, last):
            for p in range(item_offsets[s], item_offsets[s + 1]):
                supports[items[p]] += counts[s]
        for p in range(item_offsets[first], item_offsets[last]):
            if supports[items[p]] > 0:
                found[0, chunk] += 1
                if supports[items[p]] == sizes[chunk]:
                    found[1, chunk] += 1
            supports[items[p]] = 0


def widths_and_universal(chunks: Chunks, n_terms: int, sizes: Ints64) -> Ints64:
    """Return how many terms each chunk has, and how many of them are in all records of its cluster: two rows.

    `sizes` (chunks,) are those of the clusters.
    """
    found = np.zeros((2, sizes.size), np.int64)
    count_universal(chunks, sizes, np.zeros(n_terms, np.int64), found)
    return found


TITLE = "Universal terms"


def universal_occurrences(published: Clusters) -> int:
    """Count the occurrences in record chunks of terms that all records of the cluster have."""
    return sum(map(_universal_in, published.in_ranges()))


def _universal_in(published: Clusters) -> int:
    owners = published.nodes.owners()  # (chunks,)
    sizes = published.sizes[owners]
    terms = widths_and_universal(chunks_of(published), len(published.vocabulary), sizes)[1]
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
    unit="share",
    page="universal_terms",
    needs_original=False,
    compute=whatever_is_guaranteed(universal_terms),
    counts_shared=False,
)

UNIVERSAL_TERMS_SHOWN = Measure(
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
