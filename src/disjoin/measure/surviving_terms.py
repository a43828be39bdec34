"""How many of the original's terms are still counted somewhere."""

from __future__ import annotations

from disjoin.measure.comparison import Comparison, Finding, Wording, share_of
from disjoin.measure.set_evidence import SetEvidence

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


SURVIVING_TERMS = Comparison(
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
