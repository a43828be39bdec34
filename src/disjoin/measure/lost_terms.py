"""Terms that are lost, and terms that survive."""

from __future__ import annotations

from fractions import Fraction

from disjoin.measure.evidence import Evidence
from disjoin.measure.record import Finding, Measure, Wording, share_of
from disjoin.measure.set_evidence import SetEvidence
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
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the terms that are in at least k records is in no record chunk and no shared chunk.",
    page="tlost",
    compute=lost_terms,
    forms=tuple(LOST),
    wordings=_words("Terms lost, support k or more", "at least"),
)

TLOST_MORE_THAN_K = Measure(
    name="tlost_more_than_k",
    title="Terms lost, support above k",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the terms that are in more than k records is in no record chunk and no shared chunk.",
    page="tlost",
    compute=_more_than_k,
    forms=tuple(LOST),
    wordings=_words("Terms lost, support above k", "more than"),
)

TLOST_ANY = Measure(
    name="tlost_any",
    title="Terms lost in some cluster",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
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
    least=0,
    largest=1,
    unit="share",
    meaning=_meaning("clusters"),
    page="surviving_terms",
    compute=surviving_terms,
    forms=tuple(SHOWN),
    wordings=tuple(Wording(form, TITLE, _meaning(form)) for form in ("items", "noisy")),
)
