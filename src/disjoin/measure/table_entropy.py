"""How unsure published values leave their reader about the original ones."""

from __future__ import annotations

import numpy as np

from disjoin.measure.comparison import Comparison, Finding
from disjoin.measure.table_belonging import below_nodes, inside_intervals
from disjoin.measure.table_columns import QuasiColumn, TreeColumn
from disjoin.measure.table_evidence import TableEvidence
from disjoin.model.arrays import Ints64
from disjoin.model.generalized import Generalized
from disjoin.model.table import Table


def entropy_loss(evidence: TableEvidence) -> Finding:
    """Return the share of a column's entropy that is lost, in the mean over quasi-identifiers."""
    lost = {column.name: _share_lost(column, evidence) for column in evidence.columns}
    value = sum(lost.values()) / len(lost)
    constant = [name for name in lost if _entropy(evidence.original, name) == 0]
    notes = (f"{', '.join(constant)}: all rows of the original have one value, so there is nothing to lose.",)
    return Finding(value, notes if constant else (), {"columns": lost})


def _share_lost(column: QuasiColumn, evidence: TableEvidence) -> float:
    """Return the mean of log2(rows that may have the published value / rows with the original one) / entropy."""
    whole = _entropy(evidence.original, column.name)
    if whole == 0:
        return 0.0
    rows = evidence.rows
    unsure = float((column.counts * np.log2(_covered(column, evidence.original))).sum()) / rows
    unsure += evidence.suppressed * float(np.log2(rows)) / rows
    known = float(np.log2(rows)) - whole  # the mean of log2(rows with the original value)
    return min(1.0, max(0.0, (unsure - known) / whole))  # beyond the ends is how floats add up


def _covered(column: QuasiColumn, original: Table) -> Ints64:
    """Return for every published value how many rows of the original it may stand for."""
    if isinstance(column, TreeColumn):
        return below_nodes(column, original)[column.nodes]
    return inside_intervals(column, original)


def _entropy(table: Table, name: str) -> float:
    """Return the entropy of a column's values, in bits."""
    counts = np.bincount(table.codes_of(name))
    counts = counts[counts > 0]
    if counts.size < 2:
        return 0.0
    return float(np.log2(len(table)) - (counts * np.log2(counts)).sum() / len(table))


ENTROPY_LOSS = Comparison(
    name="entropy_loss",
    title="Entropy lost",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the entropy of a column is lost, in the mean over quasi-identifiers.",
    page="entropy_loss",
    compute=entropy_loss,
    forms=(Generalized.form,),
)
