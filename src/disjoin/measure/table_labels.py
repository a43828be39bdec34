"""How well a label can still be told from the quasi-identifiers: classification metric and information gain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from disjoin.jit.row_classes import class_sizes
from disjoin.measure.record import Finding, Measure
from disjoin.measure.table_evidence import TableEvidence, classes_with, keys_of
from disjoin.model.generalized import Generalized
from disjoin.model.ragged import Ints64
from disjoin.model.table import Table

_NEEDS_LABEL = ("Needs a label, the column that a classifier would predict: give --label, or a sensitive column.",)


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
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the rows has another label than most rows of their class, or is suppressed.",
    page="classification_metric",
    compute=classification_metric,
    forms=(Generalized.form,),
)

IGPL = Measure(
    name="igpl",
    title="Information gained per anonymity lost",
    direction="higher",
    least=0,
    largest=None,
    unit="bits",
    meaning="Against a table of roots, the label is this many bits surer per row that the smallest class has lost.",
    page="igpl",
    compute=igpl_from_nothing,
    forms=(Generalized.form,),
)
