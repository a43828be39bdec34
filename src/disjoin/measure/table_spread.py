"""How many values a published one may stand for: ILoss, NCP and the granularity that is kept."""

from __future__ import annotations

from fractions import Fraction

from disjoin.measure.comparison import Comparison, Finding
from disjoin.measure.table_columns import loss_of
from disjoin.measure.table_distortion import Loss
from disjoin.measure.table_evidence import TableEvidence
from disjoin.model.generalized import Generalized
from disjoin.model.hierarchy import Hierarchy


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


def granularity(evidence: TableEvidence) -> Finding:
    """Return the granularity that is kept, in the mean over cells; not weighted."""
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


ILOSS = Comparison(
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

NCP = Comparison(
    name="ncp",
    title="Certainty penalty of a cell",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="A published value covers this share of all values of its column, in the mean.",
    page="ncp",
    compute=ncp,
    forms=(Generalized.form,),
)

GRANULARITY = Comparison(
    name="granularity",
    title="Granularity kept",
    direction="higher",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of what values tell apart is kept, in the mean over cells.",
    page="granularity",
    compute=granularity,
    forms=(Generalized.form,),
)
