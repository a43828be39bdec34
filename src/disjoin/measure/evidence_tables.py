"""Evidence for measures of tables."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain
from math import lcm
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.arrays.row_classes import class_sizes, counted_values
from disjoin.attack.table_risk import keys_of
from disjoin.errors import InvalidParameter
from disjoin.model.generalized import (
    EVERYTHING,
    MISSING,
    Generalized,
    NumberColumn,
    QuasiColumn,
    TreeColumn,
    quasi_column,
)
from disjoin.model.intervals import number_from
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.table import Table
from disjoin.progress import Progress, silent

ADVICE = "they do not belong together. Give the table that was published, and the one that it was made from."


def require_possible(column: QuasiColumn, original: Table) -> None:
    """Raise unless the original has enough values for the published ones: below each node (which is exact, by Hall's
    condition, because subtrees are nested), or some in an interval."""
    if isinstance(column, TreeColumn):
        there, wanted = below_nodes(column, original), np.zeros(len(column.tree), dtype=np.int64)
        np.add.at(wanted, column.nodes, column.counts)
        _add_up(wanted, column.tree.parents)
        lacking = np.flatnonzero(wanted > there)
        names = column.tree.names
    else:
        there = inside_intervals(column, original)
        lacking = np.flatnonzero(there == 0)
        names = pa.array(column.values)
    if lacking.size:
        raise InvalidParameter(
            f"the published column {column.name!r} has more rows with {names[int(lacking[0])].as_py()!r} than the "
            f"original can have: {ADVICE}"
        )


def below_nodes(column: TreeColumn, original: Table) -> Ints64:
    """Return the number of the original's rows with a leaf below it, for every node of the hierarchy."""
    leaves = {leaf: number for number, leaf in enumerate(column.tree.names.slice(0, column.tree.n_leaves).to_pylist())}
    there = np.zeros(len(column.tree), dtype=np.int64)
    for value, count in used(original, column.name).items():
        if value not in leaves:
            raise InvalidParameter(
                f"every value of {column.name!r} needs a leaf in its hierarchy, and one of the original has none; "
                "add a row for it (`disjoin hierarchy check` lists them)."
            )
        there[leaves[value]] = count
    _add_up(there, column.tree.parents)
    return there


def inside_intervals(column: NumberColumn, original: Table) -> Ints64:
    numbers: list[tuple[Fraction, int]] = []
    alone = {EVERYTHING: len(original), MISSING: 0}
    for value, count in used(original, column.name).items():
        number = number_from(value)
        if number is not None:
            numbers.append((number, count))
        elif value == MISSING:
            alone[MISSING] = count
        else:
            raise InvalidParameter(
                f"column {column.name!r} has no hierarchy, so its values must be numbers, and one of the original is "
                "none. Give its hierarchy."
            )
    ends = [end for pair in column.ends if pair is not None for end in pair]
    scale = lcm(*{number.denominator for number in chain(ends, (number for number, _ in numbers))})

    def scaled(number: Fraction) -> int:  # whole numbers on a common scale are quick to compare
        return number.numerator * (scale // number.denominator)

    ordered = sorted((scaled(number), count) for number, count in numbers)
    places, running = [place for place, _ in ordered], [0, *accumulate(count for _, count in ordered)]
    found = [
        alone[value]
        if pair is None
        else running[bisect_right(places, scaled(pair[1]))] - running[bisect_left(places, scaled(pair[0]))]
        for value, pair in zip(column.values, column.ends, strict=True)
    ]
    return np.array(found, dtype=np.int64)


def used(table: Table, name: str) -> dict[str, int]:
    counts = np.bincount(table.codes_of(name), minlength=len(table.values_of(name))).tolist()
    return {value: n for value, n in zip(table.values_of(name).to_pylist(), counts, strict=True) if n}


def _add_up(counts: NDArray[Any], parents: Ints32) -> None:
    """Add to every node the counts of its children; a parent comes after its children."""
    for node, parent in enumerate(parents[:-1].tolist()):
        counts[parent] += counts[node]


def classes_with(table: Table, keys: tuple[Ints64, int], name: str) -> tuple[Ints64, Ints64]:
    """Return for every value of a column in every class: the class, from 0, and its number of rows with the value."""
    return counted_values(*keys, table.codes_of(name), len(table.values_of(name)))


@dataclass(frozen=True, eq=False)
class TableEvidence:
    """A published table with its hierarchies, and the original; missing rows are suppressed. Raises `InvalidParameter`
    if the two cannot belong together. `label` is the column that a classifier would predict."""

    form: ClassVar[str] = Generalized.form
    notes: ClassVar[tuple[str, ...]] = ()

    original: Table
    published: Table
    quasi: tuple[str, ...]
    unchanged: tuple[str, ...] = ()  # columns that must be as they were
    k: int | None = None
    label: str | None = None
    weights: Mapping[str, Fraction] = field(default_factory=dict)  # of quasi-identifiers; 1 if not given
    progress: Progress = field(default=silent, repr=False)

    def __post_init__(self) -> None:
        if not self.quasi:
            raise InvalidParameter("quasi must name at least one column that an attacker may know.")
        if self.k is not None:
            require_integer("k", self.k, 1, "it is the least number of rows of a class.")
        self._require_columns()
        self._require_weights()
        self._require_rows()
        for column in self.columns:
            require_possible(column, self.original)
        for name in self.unchanged:
            self._require_kept(name)

    def _require_columns(self) -> None:
        for name in (*self.quasi, *self.unchanged):
            self.published.schema.position(name)  # complains
            if name not in self.original.schema.names:
                raise InvalidParameter(f"the published table has the column {name!r}, the original does not: {ADVICE}")
        if self.label is not None:
            self.published.schema.position(self.label)
            if self.label in self.quasi:
                raise InvalidParameter(f"the label must be published unchanged, and {self.label!r} is generalised.")

    def _require_weights(self) -> None:
        for name, weight in self.weights.items():
            if name not in self.quasi or weight < 0:
                raise InvalidParameter(f"weights are numbers from 0 for columns of quasi, got {weight} for {name!r}.")
        if not self.total_weight:
            raise InvalidParameter("at least one quasi-identifier must weigh more than 0.")

    def _require_rows(self) -> None:
        if not self.rows:
            raise InvalidParameter("the original has no rows.")
        if self.suppressed < 0:
            raise InvalidParameter(
                f"the published table has {len(self.published):,} rows, the original only {self.rows:,}: {ADVICE}"
            )

    def _require_kept(self, name: str) -> None:
        theirs = used(self.original, name)
        for value, count in used(self.published, name).items():
            if count > theirs.get(value, 0):
                raise InvalidParameter(
                    f"{value!r} is in {count:,} published rows of column {name!r} and in {theirs.get(value, 0):,} of "
                    f"the original: {ADVICE}"
                )

    @property
    def taken(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"quasi": list(self.quasi), "k": self.k, "label": self.label}
        if self.weights:
            facts["weights"] = {name: str(weight) for name, weight in self.weights.items()}
        return facts | {"suppressed_records": self.suppressed}

    @property
    def rows(self) -> int:
        return len(self.original)

    @property
    def suppressed(self) -> int:
        return len(self.original) - len(self.published)

    @property
    def cells(self) -> int:
        return self.rows * len(self.quasi)

    def weight(self, name: str) -> Fraction:
        return self.weights.get(name, Fraction(1))

    @property
    def total_weight(self) -> Fraction:
        return sum((self.weight(name) for name in self.quasi), Fraction(0))

    @cached_property
    def columns(self) -> tuple[QuasiColumn, ...]:
        return tuple(quasi_column(self.published, name) for name in self.quasi)

    @cached_property
    def keys(self) -> tuple[Ints64, int]:
        return keys_of(self.published, self.quasi)

    @cached_property
    def sizes(self) -> Ints64:
        return class_sizes(*self.keys)
