"""Table measures: class sizes, discernibility, NCP, ILoss, precision, entropy and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from disjoin.arrays.row_classes import class_sizes
from disjoin.attack.table_risk import keys_of
from disjoin.measure.definition import Finding, measure
from disjoin.measure.evidence_tables import TableEvidence, below_nodes, classes_with, inside_intervals, used
from disjoin.measure.link_error import MixedEvidence
from disjoin.model.generalized import Generalized, NumberColumn, QuasiColumn, TreeColumn, loss_of
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Ints64
from disjoin.model.table import Table

Loss = Callable[[Hierarchy], list[Fraction]]  # of every node

_NO_ROWS = Finding(None, ("There are no published rows.",))
_NO_LABEL = Finding(
    None, ("Needs a label, the column that a classifier would predict: give a label, or a sensitive column.",)
)
table_measure = partial(measure, forms=(Generalized.form,))


@table_measure("Pairs of equal rows (discernibility)", largest=None, unit="pairs")
def discernibility(evidence: TableEvidence) -> Finding:
    """This many pairs of rows, each row with itself too, have the same quasi-identifiers.

    That is the sum of squares of the classes' sizes, and all rows once more for each suppressed one.
    """
    squares = int((evidence.sizes.astype(np.int64) ** 2).sum())
    value = squares + evidence.suppressed * evidence.rows
    roots = _rows_of_roots(evidence.published, evidence.columns)
    if not roots:
        return Finding(value)
    otherwise = value - roots**2 + roots * evidence.rows
    note = (
        f"{roots:,} rows have the root in every quasi-identifier and count as a class. As suppressed rows they would "
        f"make it {otherwise:,}."
    )
    return Finding(value, (note,), {"rows_of_roots": roots, "if_suppressed": otherwise})


def _rows_of_roots(published: Table, columns: tuple[QuasiColumn, ...]) -> int:
    are_roots = np.ones(len(published), dtype=np.bool_)
    for column in columns:
        names = {"*"} if isinstance(column, NumberColumn) else {"*", column.tree.names[column.tree.root].as_py()}
        marks = np.array([value in names for value in published.values_of(column.name).to_pylist()], dtype=np.bool_)
        are_roots &= marks[published.codes_of(column.name)]
    return int(are_roots.sum())


@table_measure("Mean class size, as a multiple of k", largest=None, unit="ratio")
def cavg(evidence: TableEvidence) -> Finding:
    """The mean class has this many times k rows."""
    if evidence.k is None:
        return Finding(None, ("Needs k: give -k, the least size of a class that was asked for.",))
    if not evidence.sizes.size:
        return _NO_ROWS
    return Finding(Fraction(len(evidence.published), evidence.sizes.size * evidence.k))


@table_measure("Equivalence classes", direction="neither", largest=None, unit="classes")
def classes(evidence: TableEvidence) -> Finding:
    """The rows form this many equivalence classes."""
    return Finding(int(evidence.sizes.size), (), {"rows": len(evidence.published)})


class_size = partial(table_measure, direction="neither", least=1, largest=None, unit="records")


@class_size("Rows of the smallest class")
def smallest_class(evidence: TableEvidence) -> Finding:
    """The smallest class has this many rows, so the table is k-anonymous up to this k."""
    if not evidence.sizes.size:
        return _NO_ROWS
    value = int(evidence.sizes.min())
    is_too_small = evidence.k is not None and value < evidence.k
    return Finding(value, (f"That is less than k = {evidence.k}.",) if is_too_small else ())


@class_size("Rows of the largest class")
def largest_class(evidence: TableEvidence) -> Finding:
    """The largest class has this many rows."""
    if not evidence.sizes.size:
        return _NO_ROWS
    return Finding(int(evidence.sizes.max()), (), {"median": float(np.median(evidence.sizes))})


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


def _total(evidence: TableEvidence, loss: Loss, weigh: bool = False) -> tuple[Fraction, dict[str, float]]:
    """Return the sum over all cells of quasi-identifiers, and each column's part of it; weighted by column if asked."""
    parts = {
        column.name: (evidence.weight(column.name) if weigh else 1) * loss_of(column, loss, evidence.suppressed)
        for column in evidence.columns
    }
    return sum(parts.values(), Fraction(0)), {name: float(part) for name, part in parts.items()}


@table_measure("Distortion", largest=None, unit="cells")
def distortion(evidence: TableEvidence) -> Finding:
    """The generalisation of all cells equals that of this many cells at the root."""
    value, parts = _total(evidence, level_shares)
    return Finding(value, (), {"columns": parts})


@table_measure("Distortion, weighted towards the root", largest=None, unit="cells")
def distortion_height(evidence: TableEvidence) -> Finding:
    """The generalisation of all cells, weighted towards the root, equals that of this many cells at the root."""
    value, parts = _total(evidence, weighted_level_shares)
    return Finding(value, (), {"columns": parts})


@table_measure("Distortion per cell")
def distortion_per_cell(evidence: TableEvidence) -> Finding:
    """A value is generalised by this share of the levels up to its root, on average."""
    value, parts = _total(evidence, level_shares)
    columns = {name: part / evidence.rows for name, part in parts.items()}
    return Finding(value / evidence.cells, (), {"columns": columns})


@table_measure("Precision", direction="higher")
def precision(evidence: TableEvidence) -> Finding:
    """This share of the levels up to the roots is kept, on average over cells."""
    value, parts = _total(evidence, level_shares)
    columns = {name: 1 - part / evidence.rows for name, part in parts.items()}
    return Finding(1 - value / evidence.cells, (), {"columns": columns})


@table_measure("Rows with a minority label in their class")
def classification_metric(evidence: TableEvidence) -> Finding:
    """This share of the rows has another label than most rows of their class, or is suppressed."""
    if evidence.label is None:
        return _NO_LABEL
    classes_of_labels, counts = classes_with(evidence.published, evidence.keys, evidence.label)
    most = np.zeros(evidence.sizes.size, dtype=np.int64)
    np.maximum.at(most, classes_of_labels, counts)
    outvoted = len(evidence.published) - int(most.sum())
    details = {"label": evidence.label, "outvoted": outvoted, "suppressed": evidence.suppressed}
    return Finding(Fraction(outvoted + evidence.suppressed, evidence.rows), (), details)


def igpl(
    before: Table, after: Table, label: str, quasi: Sequence[str], qids: Iterable[Sequence[str]] | None = None
) -> float:
    """Return information gain in bits / (anonymity lost + 1) of a specialisation from `before` to `after` (the same
    rows). The gain is the fall of the label's entropy, given the class of a row. Anonymity lost is the fall of the
    smallest class size, on average over those `qids` (sets of columns; default: `quasi`) that have a changed column."""
    gain = _uncertainty(before, label, quasi) - _uncertainty(after, label, quasi)
    changed = {name for name in quasi if used(before, name) != used(after, name)}
    touched = [tuple(qid) for qid in (qids or [quasi]) if changed & set(qid)]
    lost = sum(_smallest(before, qid) - _smallest(after, qid) for qid in touched) / max(1, len(touched))
    return gain / (lost + 1)


def _smallest(table: Table, names: Sequence[str]) -> int:
    return int(class_sizes(*keys_of(table, names)).min(initial=len(table)))


def _uncertainty(table: Table, label: str, quasi: Sequence[str]) -> float:
    keys = keys_of(table, quasi)
    _, counts = classes_with(table, keys, label)
    return (_times_log(class_sizes(*keys)) - _times_log(counts)) / max(1, len(table))


def _times_log(counts: Ints64) -> float:
    """Return the sum of n log2 n; equal numbers are added together, so that the order does not matter."""
    different, times = np.unique(counts, return_counts=True)
    return float((times * different * np.log2(different)).sum())


@table_measure("Information gain per anonymity lost (IGPL)", "igpl", direction="higher", largest=None, unit="bits")
def igpl_from_nothing(evidence: TableEvidence) -> Finding:
    """Compared to a table of roots, the label gains this many bits per row that the smallest class loses."""
    label, published, quasi = evidence.label, evidence.published, evidence.quasi
    if label is None or not len(published):
        return _NO_LABEL if label is None else _NO_ROWS
    roots = all_roots(published, quasi)
    gain = _uncertainty(roots, label, quasi) - _uncertainty(published, label, quasi)
    details = {"label": label, "gain": gain, "anonymity_lost": len(roots) - int(evidence.sizes.min())}
    return Finding(igpl(roots, published, label, quasi), (), details)


def all_roots(table: Table, quasi: Sequence[str]) -> Table:
    codes, values = list(table.codes), list(table.values)
    for name in quasi:
        place = table.schema.position(name)
        codes[place], values[place] = np.zeros(len(table), dtype=np.int32), pa.array(["*"], pa.string())
    return replace(table, codes=tuple(codes), values=tuple(values))


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


@table_measure("Values added by generalisation (ILoss)", largest=None, unit="cells")
def iloss(evidence: TableEvidence) -> Finding:
    """The sum over all cells of the share of the column's values that generalisation adds."""
    value, parts = _total(evidence, iloss_of_nodes, weigh=True)
    return Finding(value, (), {"columns": parts})


@table_measure("Generalisation of a cell (NCP)")
def ncp(evidence: TableEvidence) -> Finding:
    """A published value contains this share of all values of its column, on average.

    That is the mean weighted by column; its sum is in the details.
    """
    value, parts = _total(evidence, ncp_of_nodes, weigh=True)
    details = {"total": float(value), "columns": parts}
    return Finding(value / (evidence.rows * evidence.total_weight), (), details)


@measure("Detail kept (granularity)", direction="higher", forms=(Generalized.form, "mixed"))
def granularity(given: TableEvidence | MixedEvidence) -> Finding:
    """This share of the detail of values is kept, on average over cells (1 if no value is generalised)."""
    evidence = given.rows if isinstance(given, MixedEvidence) else given
    value, parts = _total(evidence, spread_of_nodes)
    kept = {name: 1 - part / evidence.rows for name, part in parts.items()}
    return Finding(1 - value / evidence.cells, (), {"columns": kept})


@table_measure("Entropy of columns lost")
def entropy_loss(evidence: TableEvidence) -> Finding:
    """This share of the entropy of a column is lost, on average over quasi-identifiers."""
    lost = {column.name: _share_lost(column, evidence) for column in evidence.columns}
    constant = [name for name in lost if _entropy(evidence.original, name) == 0]
    notes = (f"{', '.join(constant)}: all rows of the original have one value, so there is nothing to lose.",)
    return Finding(sum(lost.values()) / len(lost), notes if constant else (), {"columns": lost})


def _share_lost(column: QuasiColumn, evidence: TableEvidence) -> float:
    """Return the mean of log2(rows that may have the published value / rows with the original one) / entropy."""
    whole = _entropy(evidence.original, column.name)
    if whole == 0:
        return 0.0
    if isinstance(column, TreeColumn):
        covered = below_nodes(column, evidence.original)[column.nodes]
    else:
        covered = inside_intervals(column, evidence.original)
    rows = evidence.rows
    unsure = float((column.counts * np.log2(covered)).sum()) / rows
    unsure += evidence.suppressed * float(np.log2(rows)) / rows
    known = float(np.log2(rows)) - whole  # the mean of log2(rows with the original value)
    return min(1.0, max(0.0, (unsure - known) / whole))  # beyond the ends is how floats add up


def _entropy(table: Table, name: str) -> float:
    counts = np.bincount(table.codes_of(name))
    counts = counts[counts > 0]
    if counts.size < 2:
        return 0.0
    return float(np.log2(len(table)) - (counts * np.log2(counts)).sum() / len(table))
