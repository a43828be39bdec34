"""How wrong the supports of pairs of a sensitive and an ordinary item are, over all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from disjoin.measure.group_evidence import GroupEvidence
from disjoin.measure.record import Finding, Measure
from disjoin.model.groups import Groups

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS_AT_ONCE = 4_000_000  # pairs
ROUNDING = 1e-9  # records


def association_error(evidence: GroupEvidence) -> Finding:
    """Return sum |estimate - support| / sum support over all pairs of a sensitive and an ordinary item."""
    wrong, whole = 0.0, 0
    for estimated, true in _blocks(evidence):
        differences = np.abs((estimated - true).data)
        wrong += float(differences[differences > ROUNDING].sum())  # less is how floats add up, not an error
        whole += int(true.sum())
    details = {"pairs": evidence.sensitive.size * evidence.ordinary.size, "support": whole, "error": round(wrong, 6)}
    if not whole:
        return Finding(0.0, ("No record has a sensitive item and an ordinary one.",), details)
    return Finding(wrong / whole, (), details)


def _blocks(evidence: GroupEvidence) -> Iterator[tuple[csr_array, csr_array]]:
    """Yield estimated and true supports, (some sensitive items, terms) each; sensitive terms have none."""
    in_groups, shares = _published(evidence)
    records, holders = _original(evidence)
    step = max(1, CELLS_AT_ONCE // max(1, evidence.ordinary.size))
    for first in range(0, evidence.sensitive.size, step):
        block = slice(first, first + step)
        yield shares[block] @ in_groups, holders[block] @ records


def _published(evidence: GroupEvidence) -> tuple[csr_array, csr_array]:
    """Return how many records of a group have a term (groups, terms), and which share of a group has each sensitive."""
    from scipy.sparse import csr_array

    published, n_terms = evidence.published, evidence.original.n_terms
    rows, groups = published.counts.size, len(published)
    have = csr_array((np.ones(published.items.size), published.items, published.item_offsets), shape=(rows, n_terms))
    stand_for = csr_array((published.counts.astype(float), np.arange(rows), published.record_offsets), (groups, rows))
    shares = published.sensitive_counts / np.repeat(published.sizes, np.diff(published.sensitive_offsets))
    listed = csr_array((shares, published.sensitive_items, published.sensitive_offsets), shape=(groups, n_terms))
    return stand_for @ have, listed.T.tocsr()[evidence.sensitive]


def _original(evidence: GroupEvidence) -> tuple[csr_array, csr_array]:
    """Return the records' ordinary items (records, terms), and the holders of each sensitive item."""
    from scipy.sparse import csr_array

    original, marks = evidence.original, evidence.published.is_sensitive
    ordinary = np.where(marks[original.items], 0, 1)
    records = csr_array((ordinary, original.items, original.offsets), shape=(len(original), original.n_terms))
    lists = [evidence.records_with(item) for item in evidence.sensitive.tolist()]
    ends = np.cumsum([0, *(len(holders) for holders in lists)])
    holders = np.concatenate([np.zeros(0, dtype=np.int32), *lists])
    return records, csr_array((np.ones(holders.size, dtype=np.int64), holders, ends), (len(lists), len(original)))


ASSOCIATION_ERROR = Measure(
    name="association_error",
    title="Error of associations with sensitive items",
    direction="lower",
    least=0,
    largest=None,
    unit="share",
    meaning="Supports of pairs of a sensitive and an ordinary item are estimated wrong by this share of them.",
    page="association_error",
    compute=association_error,
    forms=(Groups.form,),
)
