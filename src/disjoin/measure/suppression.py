"""What a release leaves out: records, and the term occurrences in them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.measure.evidence import Evidence
from disjoin.measure.mass import occurrences_inside
from disjoin.measure.record import Finding, Measure


def suppressed_records(evidence: Evidence) -> Finding:
    """Return how many records are left out, and why."""
    left_out, records = evidence.suppressed_records, len(evidence.original)
    share = float(Fraction(left_out, records)) if records else 0.0
    return Finding(left_out, _why(evidence), {"records": records, "share": share})


def suppressed_occurrences(evidence: Evidence) -> Finding:
    """Return how many term occurrences are left out with them: exactly if there are none, else the most there can be.

    The release does not say which records it leaves out, nor how often terms of term chunks occur. An occurrence of
    the original is in a chunk, in a term chunk, or left out.
    """
    if not evidence.suppressed_records or _have_rare_terms_only(evidence):
        return Finding(0, _why(evidence), {"at_least": 0, "at_most": 0})
    published, original = evidence.published, evidence.original
    most = int(original.items.size) - occurrences_inside(published) - int(published.term_items.size)
    room = published.term_chunks.supports(published.sizes, original.n_terms)  # records that could have the term
    beyond = int(np.maximum(0, evidence.supports - evidence.chunk_supports - room).sum())
    least = max(evidence.suppressed_records, beyond)
    note = f"Between {least:,} and {most:,}: a release does not say how often terms of term chunks occur."
    return Finding(most, (note, *_why(evidence)), {"at_least": least, "at_most": most})


def _why(evidence: Evidence) -> tuple[str, ...]:
    if not evidence.suppressed_records:
        return ()
    if _have_rare_terms_only(evidence):
        return ("They have no term that enough people have.",)
    strategy = f"The strategy {evidence.strategy}" if evidence.strategy else "The method"
    return (f"{strategy} leaves out records that would be in clusters of fewer than {evidence.k}.",)


def _have_rare_terms_only(evidence: Evidence) -> bool:
    """Tell whether a threshold of people emptied records of the original: the release leaves out these."""
    return bool((np.diff(evidence.original.offsets) == 0).any())


SUPPRESSED_RECORDS = Measure(
    name="suppressed_records",
    title="Records suppressed",
    direction="lower",
    least=0,
    largest=None,
    unit="records",
    meaning="This many records of the original are not in the release at all.",
    page="suppressed",
    compute=suppressed_records,
)

SUPPRESSED_OCCURRENCES = Measure(
    name="suppressed_occurrences",
    title="Occurrences suppressed, at most",
    direction="lower",
    least=0,
    largest=None,
    unit="occurrences",
    meaning="At most this many term occurrences of the original are in suppressed records.",
    page="suppressed",
    compute=suppressed_occurrences,
)
