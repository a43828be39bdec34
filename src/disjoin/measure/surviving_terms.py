"""How many of the original's terms are still counted somewhere."""

from __future__ import annotations

from disjoin.measure.comparison import Comparison, Finding, share_of
from disjoin.measure.evidence import Evidence


def surviving_terms(evidence: Evidence) -> Finding:
    """Return the share of the original's terms that occur in a record chunk or a shared chunk."""
    survivors, terms = int(evidence.in_chunks.sum()), evidence.original.n_terms
    return Finding(share_of(survivors, terms), (), {"terms": terms, "in_chunks": survivors})


SURVIVING_TERMS = Comparison(
    name="surviving_terms",
    title="Original terms surviving",
    direction="higher",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the original's different terms occurs in some chunk, with counts.",
    page="surviving_terms",
    compute=surviving_terms,
)
