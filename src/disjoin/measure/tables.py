"""Table measures: class sizes, discernibility, NCP, ILoss, precision, entropy and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from disjoin.arrays.row_classes import class_sizes
from disjoin.measure.definition import Finding, Measure
from disjoin.measure.evidence_tables import TableEvidence, below_nodes, classes_with, inside_intervals, keys_of
from disjoin.measure.link_error import MixedEvidence
from disjoin.model.generalized import Generalized, NumberColumn, QuasiColumn, TreeColumn, loss_of
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Ints64
from disjoin.model.table import Table

_NO_ROWS = ("There are no published rows.",)


def discernibility(evidence: TableEvidence) -> Finding:
    """Return the sum of squares of the classes' sizes, and all rows once more for each suppressed one."""
    squares = int((evidence.sizes.astype(np.int64) ** 2).sum())
    value = squares + evidence.suppressed * evidence.rows
    starred = _rows_of_roots(evidence.published, evidence.columns)
    if not starred:
        return Finding(value)
    otherwise = value - starred**2 + starred * evidence.rows
    note = (
        f"{starred:,} rows say nothing in any quasi-identifier and count as a class. As suppressed rows they would "
        f"make it {otherwise:,}."
    )
    return Finding(value, (note,), {"rows_of_roots": starred, "if_suppressed": otherwise})


def _rows_of_roots(published: Table, columns: tuple[QuasiColumn, ...]) -> int:
    """Count the rows that have the root everywhere, or `*` for numbers."""
    says_nothing = np.ones(len(published), dtype=np.bool_)
    for column in columns:
        names = {"*"} if isinstance(column, NumberColumn) else {"*", column.tree.names[column.tree.root].as_py()}
        marks = np.array([value in names for value in published.values_of(column.name).to_pylist()], dtype=np.bool_)
        says_nothing &= marks[published.codes_of(column.name)]
    return int(says_nothing.sum())


def cavg(evidence: TableEvidence) -> Finding:
    """Return how many times k rows a class has on average."""
    if evidence.k is None:
        return Finding(None, ("Needs k: give -k, the least size of a class that was asked for.",))
    if not evidence.sizes.size:
        return Finding(None, _NO_ROWS)
    return Finding(Fraction(len(evidence.published), evidence.sizes.size * evidence.k))


def number_of_classes(evidence: TableEvidence) -> Finding:
    """Return how many classes there are."""
    return Finding(int(evidence.sizes.size), (), {"rows": len(evidence.published)})


def smallest_class(evidence: TableEvidence) -> Finding:
    """Return how many rows the smallest class has."""
    if not evidence.sizes.size:
        return Finding(None, _NO_ROWS)
    value = int(evidence.sizes.min())
    if evidence.k is not None and value < evidence.k:
        return Finding(value, (f"That is less than k = {evidence.k}.",))
    return Finding(value)


def largest_class(evidence: TableEvidence) -> Finding:
    """Return how many rows the largest class has; the median of all is in the details."""
    if not evidence.sizes.size:
        return Finding(None, _NO_ROWS)
    return Finding(int(evidence.sizes.max()), (), {"median": float(np.median(evidence.sizes))})


DISCERNIBILITY = Measure(
    name="discernibility",
    title="Discernibility penalty",
    largest=None,
    unit="pairs",
    meaning="This many pairs of rows, each row with itself too, cannot be told apart by their quasi-identifiers.",
    compute=discernibility,
    forms=(Generalized.form,),
)

CAVG = Measure(
    name="cavg",
    title="Mean class size over k",
    largest=None,
    unit="ratio",
    meaning="A class has this many times k rows on average.",
    compute=cavg,
    forms=(Generalized.form,),
)

CLASSES = Measure(
    name="classes",
    title="Classes",
    direction="neither",
    largest=None,
    unit="classes",
    meaning="The rows form this many classes that share their quasi-identifiers.",
    compute=number_of_classes,
    forms=(Generalized.form,),
)

SMALLEST_CLASS = Measure(
    name="smallest_class",
    title="Rows of the smallest class",
    direction="neither",
    least=1,
    largest=None,
    unit="records",
    meaning="The smallest class has this many rows, so the table is k-anonymous up to this k.",
    page="classes",
    compute=smallest_class,
    forms=(Generalized.form,),
)

LARGEST_CLASS = Measure(
    name="largest_class",
    title="Rows of the largest class",
    direction="neither",
    least=1,
    largest=None,
    unit="records",
    meaning="The largest class has this many rows.",
    page="classes",
    compute=largest_class,
    forms=(Generalized.form,),
)


# How far values were generalised: steps up the hierarchies, as VER13 weighs them.

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
    largest=None,
    unit="cells",
    meaning="The cells were generalised by as many steps in all as if this many had gone up to the root.",
    compute=distortion,
    forms=(Generalized.form,),
)

DISTORTION_HEIGHT = Measure(
    name="distortion_height",
    title="Distortion, steps near the root counting more",
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
    meaning="A value was generalised by this share of the way to its root, on average.",
    page="distortion",
    compute=distortion_per_cell,
    forms=(Generalized.form,),
)

PRECISION = Measure(
    name="precision",
    title="Precision",
    direction="higher",
    meaning="This share of the steps up to the roots was not taken.",
    compute=precision,
    forms=(Generalized.form,),
)


# How well a label can still be told from the quasi-identifiers: classification metric and information gain.

_NEEDS_LABEL = ("Needs a label, the column that a classifier would predict: give a label, or a sensitive column.",)


def classification_metric(evidence: TableEvidence) -> Finding:
    """Return the share of rows that are suppressed or lack the most frequent label of their class."""
    if evidence.label is None:
        return Finding(None, _NEEDS_LABEL)
    classes, counts = evidence.classes_with(evidence.label)
    most = np.zeros(evidence.sizes.size, dtype=np.int64)
    np.maximum.at(most, classes, counts)
    outvoted = len(evidence.published) - int(most.sum())
    details = {"label": evidence.label, "outvoted": outvoted, "suppressed": evidence.suppressed}
    return Finding(Fraction(outvoted + evidence.suppressed, evidence.rows), (), details)


def igpl(
    before: Table, after: Table, label: str, quasi: Sequence[str], qids: Iterable[Sequence[str]] | None = None
) -> float:
    """Return what a specialisation gains for what it costs: information gain in bits / (anonymity lost + 1).

    `before` and `after` are the same rows, `after` with more special values in some columns of `quasi`. The gain is
    how much the entropy of the label falls, given the class of a row. What is lost is the size of the smallest class
    before less that after, on average over those `qids` (sets of columns; all of `quasi`, if not given) that have a
    column which differs.
    """
    gain = uncertainty(before, label, quasi) - uncertainty(after, label, quasi)
    changed = {name for name in quasi if _histogram(before, name) != _histogram(after, name)}
    touched = [tuple(qid) for qid in (qids or [quasi]) if changed & set(qid)]
    lost = sum(_smallest(before, qid) - _smallest(after, qid) for qid in touched) / max(1, len(touched))
    return gain / (lost + 1)


def uncertainty(table: Table, label: str, quasi: Sequence[str]) -> float:
    """Return the entropy of the label in a class, in bits, on average over rows."""
    keys = keys_of(table, tuple(quasi))
    _, counts = classes_with(table, keys, label)
    return (_times_log(class_sizes(*keys)) - _times_log(counts)) / max(1, len(table))


def igpl_from_nothing(evidence: TableEvidence) -> Finding:
    """Return it for the step from a table of roots to the published one."""
    if evidence.label is None or not len(evidence.published):
        return Finding(None, _NEEDS_LABEL if evidence.label is None else ("There are no published rows.",))
    roots = all_roots(evidence.published, evidence.quasi)
    gain = uncertainty(roots, evidence.label, evidence.quasi)
    gain -= uncertainty(evidence.published, evidence.label, evidence.quasi)
    details = {"label": evidence.label, "gain": gain, "anonymity_lost": len(roots) - int(evidence.sizes.min())}
    return Finding(igpl(roots, evidence.published, evidence.label, evidence.quasi), (), details)


def all_roots(table: Table, quasi: Sequence[str]) -> Table:
    """Return the table with nothing said in any of the columns."""
    codes, values = list(table.codes), list(table.values)
    for name in quasi:
        place = table.schema.position(name)
        codes[place], values[place] = np.zeros(len(table), dtype=np.int32), pa.array(["*"], pa.string())
    return replace(table, codes=tuple(codes), values=tuple(values))


def _smallest(table: Table, names: Sequence[str]) -> int:
    return int(class_sizes(*keys_of(table, tuple(names))).min(initial=len(table)))


def _histogram(table: Table, name: str) -> dict[str, int]:
    counts = np.bincount(table.codes_of(name), minlength=len(table.values_of(name))).tolist()
    return {value: n for value, n in zip(table.values_of(name).to_pylist(), counts, strict=True) if n}


def _times_log(counts: Ints64) -> float:
    """Return the sum of n log2 n; equal numbers are taken together, so that sums of the same numbers are the same."""
    different, times = np.unique(counts, return_counts=True)
    return float((times * different * np.log2(different)).sum())


CLASSIFICATION_METRIC = Measure(
    name="classification_metric",
    title="Rows outvoted in their class",
    meaning="This share of the rows has another label than most rows of their class, or is suppressed.",
    compute=classification_metric,
    forms=(Generalized.form,),
)

IGPL = Measure(
    name="igpl",
    title="Information gained per anonymity lost",
    direction="higher",
    largest=None,
    unit="bits",
    meaning="Against a table of roots, the label is this many bits surer per row that the smallest class has lost.",
    compute=igpl_from_nothing,
    forms=(Generalized.form,),
)


# What generalised values still tell apart: granularity, NCP, ILoss, and entropy.


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
    largest=None,
    unit="cells",
    meaning="Published values cover these shares of all values beyond the one that was true, over all cells.",
    compute=iloss,
    forms=(Generalized.form,),
)

NCP = Measure(
    name="ncp",
    title="Certainty penalty of a cell",
    meaning="A published value covers this share of all values of its column, on average.",
    compute=ncp,
    forms=(Generalized.form,),
)

GRANULARITY = Measure(
    name="granularity",
    title="Granularity kept",
    direction="higher",
    meaning="This share of what values tell apart is kept, on average over cells.",
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
    meaning="This share of the entropy of a column is lost, on average over quasi-identifiers.",
    compute=entropy_loss,
    forms=(Generalized.form,),
)
