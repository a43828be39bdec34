"""Frequent terms that a release does not count: tlost, in the readings of the papers."""

from __future__ import annotations

from fractions import Fraction

from disjoin.measure.comparison import Comparison, Finding
from disjoin.measure.evidence import Evidence


def lost_terms(evidence: Evidence, *, more_than_k: bool = False, anywhere: bool = False) -> Finding:
    """Return the share of the original's frequent terms that are lost; 0 if there are none.

    Frequent is in at least k records (`more_than_k`: in more than k), suppressed ones included. Lost is in no record
    chunk and no shared chunk; `anywhere`: also what is in some term chunk, whatever chunks show.
    """
    frequent = evidence.supports > evidence.k if more_than_k else evidence.supports >= evidence.k
    lost = ~evidence.in_chunks
    if anywhere:
        lost = lost | evidence.in_term_chunks
    terms, gone = int(frequent.sum()), int((frequent & lost).sum())
    reading = "in a term chunk somewhere, or in no chunk" if anywhere else "in no record chunk and no shared chunk"
    details = {
        "frequent": f"support {'>' if more_than_k else '>='} {evidence.k}",
        "lost": reading,
        "frequent_terms": terms,
        "lost_terms": gone,
    }
    note = f"{gone:,} of {terms:,} terms with {details['frequent']} are {reading}."
    return Finding(Fraction(gone, terms) if terms else Fraction(0), (note,), details)


def _more_than_k(evidence: Evidence) -> Finding:
    return lost_terms(evidence, more_than_k=True)


def _anywhere(evidence: Evidence) -> Finding:
    return lost_terms(evidence, anywhere=True)


TLOST = Comparison(
    name="tlost",
    title="Terms lost, support k or more",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the terms that are in at least k records is in no record chunk and no shared chunk.",
    page="tlost",
    compute=lost_terms,
)

TLOST_MORE_THAN_K = Comparison(
    name="tlost_more_than_k",
    title="Terms lost, support above k",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the terms that are in more than k records is in no record chunk and no shared chunk.",
    page="tlost",
    compute=_more_than_k,
)

TLOST_ANY = Comparison(
    name="tlost_any",
    title="Terms lost in some cluster",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the terms that are in at least k records is in a term chunk somewhere, or in no chunk.",
    page="tlost",
    compute=_anywhere,
)
