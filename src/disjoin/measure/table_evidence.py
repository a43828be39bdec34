"""A published table beside its original: what measures of tables look at, made when the first of them asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from disjoin.errors import InvalidParameter
from disjoin.jit.row_classes import class_sizes, counted_values, row_keys
from disjoin.measure.table_belonging import require_columns, require_kept, require_possible, require_rows
from disjoin.model.arrays import Ints64
from disjoin.model.generalized import Generalized
from disjoin.model.guarantee import require_integer
from disjoin.model.quasi_columns import QuasiColumn, quasi_column
from disjoin.model.table import Table
from disjoin.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class TableEvidence:
    """A published table, with the hierarchies of its quasi-identifiers, beside the table that it was made from.

    Which published row was which original row is not asked: no measure needs it, as the original's values are leaves.
    If the published table has fewer rows, the others are suppressed. `label` is the column that a classifier would
    predict. Raises `InvalidParameter` if the two cannot belong together.
    """

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
            raise InvalidParameter("quasi must name at least one column: what somebody may know of a person.")
        if self.k is not None:
            require_integer("k", self.k, 1, "it is the least number of rows of a class.")
        require_columns(self.published, self.original, (*self.quasi, *self.unchanged))
        self._require_label()
        self._require_weights()
        require_rows(self.published, self.original)
        for column in self.columns:
            require_possible(column, self.original)
        for name in self.unchanged:
            require_kept(name, self.published, self.original)

    def _require_label(self) -> None:
        if self.label is not None:
            self.published.schema.position(self.label)  # complains
            if self.label in self.quasi:
                raise InvalidParameter(f"the label must be published as it was, and {self.label!r} is generalised.")

    def _require_weights(self) -> None:
        for name, weight in self.weights.items():
            if name not in self.quasi or weight < 0:
                raise InvalidParameter(f"weights are numbers from 0 for columns of quasi, got {weight} for {name!r}.")
        if not self.total_weight:
            raise InvalidParameter("at least one quasi-identifier must weigh more than 0.")

    @property
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""
        facts: dict[str, Any] = {"quasi": list(self.quasi), "k": self.k, "label": self.label}
        if self.weights:
            facts["weights"] = {name: str(weight) for name, weight in self.weights.items()}
        return facts | {"suppressed_records": self.suppressed}

    @property
    def rows(self) -> int:
        """How many rows the original has."""
        return len(self.original)

    @property
    def suppressed(self) -> int:
        """How many of them are not in the published table."""
        return len(self.original) - len(self.published)

    @property
    def cells(self) -> int:
        """How many cells of the original are those of quasi-identifiers."""
        return self.rows * len(self.quasi)

    def weight(self, name: str) -> Fraction:
        """Return how much a quasi-identifier counts."""
        return self.weights.get(name, Fraction(1))

    @property
    def total_weight(self) -> Fraction:
        """The weight of all quasi-identifiers."""
        return sum((self.weight(name) for name in self.quasi), Fraction(0))

    @cached_property
    def columns(self) -> tuple[QuasiColumn, ...]:
        """The published quasi-identifiers."""
        return tuple(quasi_column(self.published, name) for name in self.quasi)

    @cached_property
    def keys(self) -> tuple[Ints64, int]:
        """A number for each published row, the same for rows of the same class; and a bound above all."""
        return keys_of(self.published, self.quasi)

    @cached_property
    def sizes(self) -> Ints64:
        """How many published rows each class has."""
        return class_sizes(*self.keys)

    def classes_with(self, name: str) -> tuple[Ints64, Ints64]:
        """Return for every value of a column in every class: the class, from 0, and how many rows have the value."""
        return classes_with(self.published, self.keys, name)


def keys_of(table: Table, names: tuple[str, ...]) -> tuple[Ints64, int]:
    """Return keys of the rows that are equal where the rows are, in these columns; and a bound above all."""
    return row_keys([table.codes_of(name) for name in names], [len(table.values_of(name)) for name in names])


def classes_with(table: Table, keys: tuple[Ints64, int], name: str) -> tuple[Ints64, Ints64]:
    """Return for every value of a column in every class: the class, from 0, and how many rows have the value."""
    return counted_values(*keys, table.codes_of(name), len(table.values_of(name)))
