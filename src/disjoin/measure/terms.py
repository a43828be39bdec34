"""Term measures: lost terms and suppressed occurrences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.measure.definition import Finding, Measure, Wording, share_of
from disjoin.measure.evidence import Evidence, SetEvidence
from disjoin.measure.mass import occurrences_inside
from disjoin.model.ragged import Flags

LOST = {  # what it means in each form
    "clusters": "in no record chunk and no shared chunk",
    "items": "generalised",
    "noisy": "in no published record",
}


def lost_terms(evidence: SetEvidence, *, more_than_k: bool = False) -> Finding:
    """Return the share of the original's frequent terms that the release does not count; 0 if there are none.

    Frequent is in at least k records (`more_than_k`: in more than k), suppressed ones included.
    """
    return _share_lost(evidence, ~evidence.shown, LOST[evidence.form], more_than_k=more_than_k)


def terms_lost_somewhere(evidence: Evidence) -> Finding:
    """Return the same share; lost is also what is in some term chunk, whatever chunks show."""
    lost = ~evidence.shown | evidence.in_term_chunks
    return _share_lost(evidence, lost, "in a term chunk somewhere, or in no chunk")


def _share_lost(evidence: SetEvidence, lost: Flags, reading: str, *, more_than_k: bool = False) -> Finding:
    k = evidence.frequent_from
    frequent = evidence.supports > k if more_than_k else evidence.supports >= k
    terms, gone = int(frequent.sum()), int((frequent & lost).sum())
    details = {
        "frequent": f"support {'>' if more_than_k else '>='} {k}",
        "lost": reading,
        "frequent_terms": terms,
        "lost_terms": gone,
    }
    note = f"{gone:,} of {terms:,} terms with {details['frequent']} are {reading}."
    return Finding(Fraction(gone, terms) if terms else Fraction(0), (note,), details)


def _more_than_k(evidence: SetEvidence) -> Finding:
    return lost_terms(evidence, more_than_k=True)


def _words(title: str, frequent: str) -> tuple[Wording, ...]:
    """Return the words for forms without chunks."""
    meaning = f"This share of the terms that are in {frequent} k records is"
    return tuple(Wording(form, title, f"{meaning} {LOST[form]}.") for form in ("items", "noisy"))


TLOST = Measure(
    name="tlost",
    title="Terms lost, support k or more",
    meaning="This share of the terms that are in at least k records is in no record chunk and no shared chunk.",
    compute=lost_terms,
    forms=tuple(LOST),
    wordings=_words("Terms lost, support k or more", "at least"),
)

TLOST_MORE_THAN_K = Measure(
    name="tlost_more_than_k",
    title="Terms lost, support above k",
    meaning="This share of the terms that are in more than k records is in no record chunk and no shared chunk.",
    page="tlost",
    compute=_more_than_k,
    forms=tuple(LOST),
    wordings=_words("Terms lost, support above k", "more than"),
)

TLOST_ANY = Measure(
    name="tlost_any",
    title="Terms lost in some cluster",
    meaning="This share of the terms that are in at least k records is in a term chunk somewhere, or in no chunk.",
    page="tlost",
    compute=terms_lost_somewhere,
)


TITLE = "Original terms surviving"
SHOWN = {  # where, in each form
    "clusters": ("in_chunks", "occurs in some chunk, with counts"),
    "items": ("not_generalised", "is published as it is"),
    "noisy": ("in_records", "is in some published record"),
}


def surviving_terms(evidence: SetEvidence) -> Finding:
    """Return the share of the original's terms that the release counts: in chunks, in records, not generalised."""
    survivors, terms = int(evidence.shown.sum()), evidence.original.n_terms
    return Finding(share_of(survivors, terms), (), {"terms": terms, SHOWN[evidence.form][0]: survivors})


def _meaning(form: str) -> str:
    return f"This share of the original's different terms {SHOWN[form][1]}."


SURVIVING_TERMS = Measure(
    name="surviving_terms",
    title=TITLE,
    direction="higher",
    meaning=_meaning("clusters"),
    compute=surviving_terms,
    forms=tuple(SHOWN),
    wordings=tuple(Wording(form, TITLE, _meaning(form)) for form in ("items", "noisy")),
)


# What a release leaves out: records, and the term occurrences in them.


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
    largest=None,
    unit="records",
    meaning="This many records of the original are not in the release at all.",
    page="suppressed",
    compute=suppressed_records,
)

SUPPRESSED_OCCURRENCES = Measure(
    name="suppressed_occurrences",
    title="Occurrences suppressed, at most",
    largest=None,
    unit="occurrences",
    meaning="At most this many term occurrences of the original are in suppressed records.",
    page="suppressed",
    compute=suppressed_occurrences,
)
