"""How far estimates of pairs of frequent terms are from the truth, in records, over all pairs together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.measure.evidence import estimated_pairs, in_terms_of
from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import count_pairs, terms_by_support
from disjoin.measure.record import Finding, Measure, Wording
from disjoin.measure.set_evidence import SetEvidence
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64
from disjoin.model.transactions import Transactions

TOP_TERMS = 300  # the most frequent: pairs of others are in few records each
TITLE = "Weighted pair error"
_WORDS = "Estimated supports of pairs of the 300 most frequent terms, {}, are off by this share of all they add up to."
NO_PAIRS = "No record of the original has two of the most frequent terms."


class PairsOfOriginal(NamedTuple):
    """The most frequent terms of an original, and in how many records each pair of them is."""

    terms: Ints64
    supports: Ints64


def pairs_of(original: Transactions) -> PairsOfOriginal:
    """Count what estimates are compared with; once, if there are several releases of the same original."""
    terms = terms_by_support(original.supports())[:TOP_TERMS]
    return PairsOfOriginal(terms, _supports(original, terms))


def weighted_pair_error(published: Clusters, original: Transactions, counted: PairsOfOriginal | None = None) -> float:
    """Return sum |estimate - support| / sum support over all pairs of the most frequent terms; 0 without pairs.

    Estimates are those of `release.pairs`: no reconstruction is drawn. Records that were suppressed are in the supports
    and not in the estimates: what they held counts as an error. `counted` is what `pairs_of` the original returns.
    """
    truth = counted or pairs_of(original)
    return _error(estimated_pairs(in_terms_of(original, published), truth.terms), truth.supports)[0]


def _supports(original: Transactions, terms: Ints64) -> Ints64:
    return count_pairs(original.records, original.n_terms, terms)


def _error(estimates: Floats, supports: Ints64) -> tuple[float, float, int]:
    """Return the error, what estimates are off by in all, and what supports add up to."""
    above = np.triu_indices(len(supports), 1)
    off, whole = float(np.abs(estimates[above] - supports[above]).sum()), int(supports[above].sum())
    return (off / whole if whole else 0.0), off, whole


def _found(evidence: SetEvidence) -> Finding:
    terms = evidence.ranked[:TOP_TERMS]
    supports = _supports(evidence.original, terms)
    error, off, whole = _error(evidence.estimated_pairs(terms), supports)
    pairs = int(np.count_nonzero(np.triu(supports, 1)))
    details = {"terms": int(terms.size), "pairs_in_original": pairs, "occurrences_of_pairs": whole, "off_by": off}
    return Finding(error, () if whole else (NO_PAIRS,), details)


WEIGHTED_PAIR_ERROR = Measure(
    name="weighted_pair_error",
    title=TITLE,
    direction="lower",
    least=0,
    largest=None,
    unit="ratio",
    meaning=_WORDS.format("put together from chunks"),
    page="weighted_pair_error",
    compute=_found,
    forms=("clusters", "items", "noisy", "mixed"),
    wordings=(
        Wording("items", TITLE, _WORDS.format("spread over the terms of a category")),
        Wording("noisy", TITLE, _WORDS.format("counted in noisy records")),
    ),
)
