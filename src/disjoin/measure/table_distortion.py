"""How far values were generalised: steps up the hierarchies, as VER13 weighs them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from disjoin.measure.record import Finding, Measure
from disjoin.measure.table_evidence import TableEvidence
from disjoin.model.generalized import Generalized, loss_of
from disjoin.model.hierarchy import Hierarchy

Loss = Callable[[Hierarchy], list[Fraction]]


def level_shares(tree: Hierarchy) -> list[Fraction]:
    """Return for every node the share of the steps from a leaf to the root that lead to it (uniform weights).

    >>> level_shares(Hierarchy.from_rows([["a", "A", "*"], ["b", "B", "*"]]))[-2:]
    [Fraction(1, 2), Fraction(1, 1)]
    """
    shares = [Fraction(level, max(1, tree.height)) for level in range(tree.height + 1)]
    return [shares[level] for level in tree.levels.tolist()]


def weighted_level_shares(tree: Hierarchy) -> list[Fraction]:
    """Return the same where the step to depth d from the root weighs 1/d (height weights, beta = 1).

    >>> weighted_level_shares(Hierarchy.from_rows([["a", "A", "*"], ["b", "B", "*"]]))[-2:]
    [Fraction(1, 3), Fraction(1, 1)]
    """
    shares = [Fraction(0)]
    for depth in range(tree.height, 0, -1):
        shares.append(shares[-1] + Fraction(1, depth))
    return [shares[level] / (shares[-1] or 1) for level in tree.levels.tolist()]


def total_loss(evidence: TableEvidence, loss: Loss) -> Finding:
    """Return the sum over all cells of quasi-identifiers, and each column's part of it."""
    parts = {column.name: loss_of(column, loss, evidence.suppressed) for column in evidence.columns}
    value = sum(parts.values(), Fraction(0))
    return Finding(value, (), {"columns": {name: float(part) for name, part in parts.items()}})


def distortion(evidence: TableEvidence) -> Finding:
    """Return how far all values were generalised together, every step counting the same."""
    return total_loss(evidence, level_shares)


def distortion_height(evidence: TableEvidence) -> Finding:
    """Return the same where steps near the root count more."""
    return total_loss(evidence, weighted_level_shares)


def distortion_per_cell(evidence: TableEvidence) -> Finding:
    """Return how far a value was generalised on average."""
    return _mean(evidence, distortion(evidence), 1)


def precision(evidence: TableEvidence) -> Finding:
    """Return which share of all steps up to the roots was not taken."""
    return _mean(evidence, distortion(evidence), -1)


def _mean(evidence: TableEvidence, whole: Finding, sign: int) -> Finding:
    assert whole.value is not None, "a sum has a value"
    columns = {name: float(part) / evidence.rows for name, part in whole.details["columns"].items()}
    if sign < 0:
        columns = {name: 1 - part for name, part in columns.items()}
    value = Fraction(whole.value) / evidence.cells
    return Finding(value if sign > 0 else 1 - value, (), {"columns": columns})


DISTORTION = Measure(
    name="distortion",
    title="Distortion",
    direction="lower",
    least=0,
    largest=None,
    unit="cells",
    meaning="The cells were generalised by as many steps in all as if this many had gone up to the root.",
    page="distortion",
    compute=distortion,
    forms=(Generalized.form,),
)

DISTORTION_HEIGHT = Measure(
    name="distortion_height",
    title="Distortion, steps near the root counting more",
    direction="lower",
    least=0,
    largest=None,
    unit="cells",
    meaning="All steps up the hierarchies, weighed more near the root, weigh as much as this many cells at the root.",
    page="distortion",
    compute=distortion_height,
    forms=(Generalized.form,),
)

DISTORTION_PER_CELL = Measure(
    name="distortion_per_cell",
    title="Distortion of a cell",
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="A value was generalised by this share of the way to its root, on average.",
    page="distortion",
    compute=distortion_per_cell,
    forms=(Generalized.form,),
)

PRECISION = Measure(
    name="precision",
    title="Precision",
    direction="higher",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the steps up to the roots was not taken.",
    page="precision",
    compute=precision,
    forms=(Generalized.form,),
)
