"""Term measures: lost terms and suppressed occurrences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from disjoin.measure.definition import Finding, Measure, measure, share_of
from disjoin.measure.evidence import Evidence, SetEvidence
from disjoin.measure.mass import occurrences_inside
from disjoin.model.ragged import Flags

LOST = {  # what it means in each form
    "clusters": "in no record chunk and no shared chunk",
    "items": "generalised",
    "noisy": "in no published record",
}
SHOWN = {  # where surviving terms are, in each form
    "clusters": ("in_chunks", "is counted in some chunk"),
    "items": ("not_generalised", "is published unchanged"),
    "noisy": ("in_records", "is in some published record"),
}


def _share_lost(evidence: SetEvidence, lost: Flags, reading: str, sign: str = ">=") -> Finding:
    """Return the share of lost terms among the original's terms in at least k records (`sign` >: more)."""
    k = evidence.frequent_from
    frequent = evidence.supports > k if sign == ">" else evidence.supports >= k
    terms, gone, rule = int(frequent.sum()), int((frequent & lost).sum()), f"support {sign} {k}"
    details = {"frequent": rule, "lost": reading, "frequent_terms": terms, "lost_terms": gone}
    return Finding(share_of(gone, terms, 0), (f"{gone:,} of {terms:,} terms with {rule} are {reading}.",), details)


def _lost_measure(title: str, frequent: str, **facts: Any) -> Callable[[Callable[..., Finding]], Measure]:
    meaning = f"This share of the terms that are in {frequent} k records is"
    wordings = {form: (title, f"{meaning} {LOST[form]}.") for form in ("items", "noisy")}
    return measure(title, forms=tuple(LOST), wordings=wordings, **facts)


@_lost_measure("Terms lost, of those in k records or more", "at least")
def tlost(evidence: SetEvidence) -> Finding:
    """This share of the terms that are in at least k records is in no record chunk and no shared chunk."""
    return _share_lost(evidence, ~evidence.shown, LOST[evidence.form])


@_lost_measure("Terms lost, of those in more than k records", "more than")
def tlost_more_than_k(evidence: SetEvidence) -> Finding:
    """This share of the terms that are in more than k records is in no record chunk and no shared chunk."""
    return _share_lost(evidence, ~evidence.shown, LOST[evidence.form], ">")


@measure("Terms listed without counts in some cluster")
def tlost_any(evidence: Evidence) -> Finding:
    """This share of the terms that are in at least k records is in a term chunk somewhere, or in no chunk."""
    in_term_chunks = np.bincount(evidence.published.term_items, minlength=evidence.original.n_terms) > 0
    return _share_lost(evidence, ~evidence.shown | in_term_chunks, "in a term chunk somewhere, or in no chunk")


@measure(
    "Different terms kept",
    direction="higher",
    forms=tuple(SHOWN),
    wordings={
        form: ("Different terms kept", f"This share of the original's different terms {SHOWN[form][1]}.")
        for form in ("items", "noisy")
    },
)
def surviving_terms(evidence: SetEvidence) -> Finding:
    """This share of the original's different terms is counted in some chunk."""
    survivors, terms = int(evidence.shown.sum()), evidence.original.n_terms
    return Finding(share_of(survivors, terms), (), {"terms": terms, SHOWN[evidence.form][0]: survivors})


@measure("Suppressed records", largest=None, unit="records")
def suppressed_records(evidence: Evidence) -> Finding:
    """This many records of the original are not in the release."""
    left_out, records = evidence.suppressed_records, len(evidence.original)
    share = float(share_of(left_out, records, 0))
    return Finding(left_out, _why(evidence), {"records": records, "share": share})


@measure("Suppressed occurrences, at most", largest=None, unit="occurrences")
def suppressed_occurrences(evidence: Evidence) -> Finding:
    """At most this many term occurrences of the original are in suppressed records.

    That is exact if there are none. The release does not show which records it leaves out, nor how often terms of term
    chunks occur. An occurrence of the original is in a chunk, in a term chunk, or left out.
    """
    if not evidence.suppressed_records or _have_rare_terms_only(evidence):
        return Finding(0, _why(evidence), {"at_least": 0, "at_most": 0})
    published, original = evidence.published, evidence.original
    most = int(original.items.size) - occurrences_inside(published) - int(published.term_items.size)
    room = published.term_chunks.supports(published.sizes, original.n_terms)  # records that could have the term
    beyond = int(np.maximum(0, evidence.supports - evidence.chunk_supports - room).sum())
    least = max(evidence.suppressed_records, beyond)
    note = f"Between {least:,} and {most:,}: a release does not show how often terms of term chunks occur."
    return Finding(most, (note, *_why(evidence)), {"at_least": least, "at_most": most})


def _why(evidence: Evidence) -> tuple[str, ...]:
    if not evidence.suppressed_records:
        return ()
    if _have_rare_terms_only(evidence):
        return ("They have no term that enough people have.",)
    strategy = f"The strategy {evidence.strategy}" if evidence.strategy else "The method"
    return (f"{strategy} leaves out records that would be in clusters of fewer than {evidence.k}.",)


def _have_rare_terms_only(evidence: Evidence) -> bool:
    return bool((np.diff(evidence.original.offsets) == 0).any())
