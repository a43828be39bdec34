"""How many terms a published item may stand for: NCP of generalised records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.measure.item_evidence import ItemEvidence
from disjoin.measure.record import Finding, Measure
from disjoin.model.generalized_items import GeneralizedItems


def ncp_items(evidence: ItemEvidence) -> Finding:
    """Return the mean, over the original's occurrences, of leaves below the published node / all leaves; 0 for itself.

    An occurrence counts in the original: a record that loses one of two terms to the same node still has two.
    """
    is_lifted = evidence.images != evidence.original_items
    covered = int((evidence.supports * np.where(is_lifted, evidence.leaves, 0)).sum())
    occurrences, leaves = int(evidence.original.items.size), evidence.published.hierarchy.n_leaves
    details = {
        "occurrences": occurrences,
        "generalised_occurrences": int(evidence.supports[is_lifted].sum()),
        "terms": evidence.original.n_terms,
        "generalised_terms": int(is_lifted.sum()),
        "leaves": leaves,
    }
    return Finding(Fraction(covered, occurrences * leaves) if occurrences else Fraction(0), (), details)


NCP_ITEMS = Measure(
    name="ncp_items",
    title="Certainty penalty of an occurrence",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="What a term is published as covers this share of the hierarchy's terms, on average over occurrences.",
    page="ncp",
    compute=ncp_items,
    forms=(GeneralizedItems.form,),
)
