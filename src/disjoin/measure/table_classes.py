"""How large classes are: rows that share all their quasi-identifiers cannot be told apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.measure.record import Finding, Measure
from disjoin.measure.table_evidence import TableEvidence
from disjoin.model.generalized import Generalized, NumberColumn, QuasiColumn
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
    direction="lower",
    least=0,
    largest=None,
    unit="pairs",
    meaning="This many pairs of rows, each row with itself too, cannot be told apart by their quasi-identifiers.",
    page="discernibility",
    compute=discernibility,
    forms=(Generalized.form,),
)

CAVG = Measure(
    name="cavg",
    title="Mean class size over k",
    direction="lower",
    least=0,
    largest=None,
    unit="ratio",
    meaning="A class has this many times k rows on average.",
    page="cavg",
    compute=cavg,
    forms=(Generalized.form,),
)

CLASSES = Measure(
    name="classes",
    title="Classes",
    direction="neither",
    least=0,
    largest=None,
    unit="classes",
    meaning="The rows form this many classes that share their quasi-identifiers.",
    page="classes",
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
