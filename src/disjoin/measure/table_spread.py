"""What generalised values still tell apart: granularity, NCP, ILoss, and entropy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.measure.link_error import MixedEvidence
from disjoin.measure.record import Finding, Measure
from disjoin.measure.table_distortion import Loss
from disjoin.measure.table_evidence import TableEvidence, below_nodes, inside_intervals
from disjoin.model.generalized import Generalized, QuasiColumn, TreeColumn, loss_of
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Ints64
from disjoin.model.table import Table


def iloss_of_nodes(tree: Hierarchy) -> list[Fraction]:
    """Return (leaves below - 1) / all leaves for every node."""
    return [Fraction(leaves - 1, tree.n_leaves) for leaves in tree.leaf_counts.tolist()]


def ncp_of_nodes(tree: Hierarchy) -> list[Fraction]:
    """Return leaves below / all leaves for every node, and 0 for the leaves themselves."""
    shares = [Fraction(leaves, tree.n_leaves) for leaves in tree.leaf_counts.tolist()]
    return [share if node >= tree.n_leaves else Fraction(0) for node, share in enumerate(shares)]


def spread_of_nodes(tree: Hierarchy) -> list[Fraction]:
    """Return (leaves below - 1) / (all leaves - 1) for every node; 0 if there is one leaf only."""
    return [Fraction(leaves - 1, max(1, tree.n_leaves - 1)) for leaves in tree.leaf_counts.tolist()]


def iloss(evidence: TableEvidence) -> Finding:
    """Return the sum of ILoss over all cells, weighted by column."""
    value, columns = _weighted(evidence, iloss_of_nodes)
    return Finding(value, (), {"columns": columns})


def ncp(evidence: TableEvidence) -> Finding:
    """Return the normalised certainty penalty of a cell, in the weighted mean; its sum is in the details."""
    value, columns = _weighted(evidence, ncp_of_nodes)
    return Finding(value / (evidence.rows * evidence.total_weight), (), {"total": float(value), "columns": columns})


def granularity(given: TableEvidence | MixedEvidence) -> Finding:
    """Return the granularity that is kept, on average over cells; not weighted."""
    evidence = given.rows if isinstance(given, MixedEvidence) else given
    parts = {column.name: loss_of(column, spread_of_nodes, evidence.suppressed) for column in evidence.columns}
    kept = {name: float(1 - part / evidence.rows) for name, part in parts.items()}
    return Finding(1 - sum(parts.values(), Fraction(0)) / evidence.cells, (), {"columns": kept})


def _weighted(evidence: TableEvidence, loss: Loss) -> tuple[Fraction, dict[str, float]]:
    """Return the sum over cells, weighted by column, and each column's part of it."""
    parts = {
        column.name: evidence.weight(column.name) * loss_of(column, loss, evidence.suppressed)
        for column in evidence.columns
    }
    return sum(parts.values(), Fraction(0)), {name: float(part) for name, part in parts.items()}


ILOSS = Measure(
    name="iloss",
    title="ILoss",
    direction="lower",
    least=0,
    largest=None,
    unit="cells",
    meaning="Published values cover these shares of all values beyond the one that was true, over all cells.",
    page="iloss",
    compute=iloss,
    forms=(Generalized.form,),
)

NCP = Measure(
    name="ncp",
    title="Certainty penalty of a cell",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="A published value covers this share of all values of its column, on average.",
    page="ncp",
    compute=ncp,
    forms=(Generalized.form,),
)

GRANULARITY = Measure(
    name="granularity",
    title="Granularity kept",
    direction="higher",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of what values tell apart is kept, on average over cells.",
    page="granularity",
    compute=granularity,
    forms=(Generalized.form, "mixed"),
)


def entropy_loss(evidence: TableEvidence) -> Finding:
    """Return the share of a column's entropy that is lost, on average over quasi-identifiers."""
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


ENTROPY_LOSS = Measure(
    name="entropy_loss",
    title="Entropy lost",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the entropy of a column is lost, on average over quasi-identifiers.",
    page="entropy_loss",
    compute=entropy_loss,
    forms=(Generalized.form,),
)
