"""Measures of any published table compared with its original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from disjoin.errors import InvalidParameter
from disjoin.measure import EVALUATIONS
from disjoin.measure.evaluation import Evaluation, chosen, evaluated, known
from disjoin.measure.evidence_tables import TableEvidence
from disjoin.model.generalized import MISSING, Generalized, with_missing
from disjoin.model.guarantee import fraction_from
from disjoin.model.table import Table
from disjoin.progress import Progress, silent


def evaluate_tables(
    published: Table,
    original: Table,
    quasi: Iterable[str] | str,
    sensitive: Iterable[str] | str = (),
    *,
    k: int | None = None,
    label: str | None = None,
    weights: Mapping[str, Fraction | float | str] | None = None,
    measures: Iterable[str] | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Measure what a published table costs; it need not be a release of ours.

    Hierarchies of the columns `quasi` are those of either table; a column without one must be numbers, published as
    numbers or intervals. `*` means the root. Columns `sensitive` must be published as they were. If there are
    fewer published rows than original ones, the others count as suppressed. `label` (the first sensitive column, if not
    given) is what a classifier would predict; `weights` of columns (1, if not given) are for `iloss` and `ncp`.
    """
    columns, secret = ((given,) if isinstance(given, str) else tuple(given) for given in (quasi, sensitive))
    for name in secret:
        if name in columns:
            raise InvalidParameter(f"a column has one role, {name!r} is named as quasi and as sensitive.")
    wanted = chosen(EVALUATIONS, known(EVALUATIONS, measures), Generalized.form)
    trees = {name: tree for name, tree in {**original.hierarchies, **published.hierarchies}.items() if name in columns}
    for name, tree in trees.items():  # with a leaf for missing values where there are any
        tables = (table for table in (original, published) if name in table.schema.names)
        if any(MISSING in table.values_of(name).to_pylist() for table in tables):
            trees[name] = with_missing(tree)
    evidence = TableEvidence(
        original=original,
        published=published.with_hierarchies(trees),
        quasi=columns,
        unchanged=secret,
        k=k,
        label=label or next(iter(secret), None),
        weights={name: fraction_from("a weight", weight) for name, weight in (weights or {}).items()},
        progress=progress,
    )
    return evaluated(evidence, wanted)
