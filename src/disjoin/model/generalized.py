"""Generalised table, published by local recoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import interval_from
from disjoin.model.published import Published, Violation
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.table import Role, Table


@dataclass(frozen=True, slots=True, eq=False)
class Generalized(Published):
    """A published table; without identifiers, source order or other facts about the original.

    Quasi-identifiers have names of nodes of their hierarchies (`table.hierarchies`), or numbers and intervals
    (`disjoin.model.intervals`) where a column has no hierarchy. Other columns are unchanged.

    >>> Generalized(Table.from_columns({"age": ["[20, 29]"] * 2}, {"age": Role.QUASI_IDENTIFIER})).extent
    {'records': 2, 'columns': 1}
    """

    form: ClassVar[str] = "table"
    in_words: ClassVar[str] = "a table"
    inspection: ClassVar[str] = "disjoin.verify.table.inspection"

    table: Table
    anomalies: tuple[Violation, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"Generalized({self.n_records:,} rows, {len(self.table.schema.columns)} columns)"

    def __len__(self) -> int:
        return len(self.table)

    @property
    def n_records(self) -> int:
        return len(self.table)

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.table.schema.with_role(Role.QUASI_IDENTIFIER)

    @property
    def extent(self) -> dict[str, int]:
        return {"records": self.n_records, "columns": len(self.table.schema.columns)}


MISSING = "?"
EVERYTHING = "*"
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """A column of names of nodes; `nodes` has the lowest node of each published value."""

    name: str
    counts: Ints64  # (values,), rows of each published value
    tree: Hierarchy
    nodes: Ints32  # (values,)


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers and intervals; `ends` has those of each published value, None for `?` and for `*`."""

    name: str
    counts: Ints64  # (values,), rows of each published value
    values: tuple[str, ...]
    ends: tuple[Ends | None, ...]

    @cached_property
    def cost(self) -> Fraction:
        """The sum over rows of the share of all published numbers that a value covers: 0 for one of them, 1 for `*`."""
        known = [ends for ends in self.ends if ends is not None]
        span = max((high for _, high in known), default=0) - min((low for low, _ in known), default=0)
        wide = [at for at, ends in enumerate(self.ends) if ends is not None and ends[0] != ends[1]]  # usually few
        widths = [(ends[1] - ends[0]) / span for at in wide if (ends := self.ends[at]) is not None]
        stars = [n for value, n in zip(self.values, self.counts.tolist(), strict=True) if value == EVERYTHING]
        return total(self.counts[wide], widths) + int(sum(stars))


QuasiColumn = TreeColumn | NumberColumn


def quasi_column(table: Table, name: str) -> QuasiColumn:
    """Return a quasi-identifier of a published table; raise `InvalidParameter` for a value without meaning."""
    counts = np.bincount(table.codes_of(name), minlength=len(table.values_of(name)))
    used = np.flatnonzero(counts)
    counts, values = counts[used], table.values_of(name).take(pa.array(used)).to_pylist()
    tree = table.hierarchies.get(name)
    if tree is None:
        return NumberColumn(name, counts, tuple(values), tuple(_ends(name, value) for value in values))
    return TreeColumn(name, counts, tree, _nodes(name, tree, values))


def _nodes(name: str, tree: Hierarchy, values: list[str]) -> Ints32:
    """Return the lowest node of each name; `*` is the root, whatever its name."""
    lowest = {EVERYTHING: tree.root}
    for node, called in reversed(list(enumerate(tree.names.to_pylist()))):
        lowest[called] = node
    for value in values:
        if value not in lowest:
            found = f"column {name!r} has the value {value!r}, which is not in its hierarchy"
            raise InvalidParameter(f"the published {found}. Give the hierarchy that the table was made with.")
    return np.array([lowest[value] for value in values], dtype=np.int32)


def _ends(name: str, value: str) -> Ends | None:
    if value in (MISSING, EVERYTHING):
        return None
    ends = interval_from(value)
    if ends is None:
        needed = f"column {name!r} has no hierarchy, so its values must be numbers or intervals such as [20, 29]"
        raise InvalidParameter(f"the published {needed}, but {value!r} is neither. Give its hierarchy.")
    return ends


def loss_of(column: QuasiColumn, of_nodes: Callable[[Hierarchy], list[Fraction]], suppressed: int = 0) -> Fraction:
    """Return the column's exact cost: `of_nodes` for nodes, widths for numbers; a suppressed row costs as the root."""
    if isinstance(column, NumberColumn):
        return column.cost + suppressed
    by_node = of_nodes(column.tree)
    return total(column.counts, [by_node[node] for node in column.nodes.tolist()]) + suppressed * by_node[-1]


def total(counts: Ints64, of_values: list[Fraction]) -> Fraction:
    """Return the sum over all rows, exactly.

    >>> total(np.array([3, 1]), [Fraction(1, 2), Fraction(1, 4)])
    Fraction(7, 4)
    """
    parts: Counter[int] = Counter()  # by denominator: there are few, and integers are fast to add
    for count, loss in zip(counts.tolist(), of_values, strict=True):
        parts[loss.denominator] += count * loss.numerator
    return sum((Fraction(part, denominator) for denominator, part in parts.items()), Fraction(0))


def vague_values(values: list[str], tree: Hierarchy | None) -> set[str]:
    """Return the published values that include every value: `*`, a node above all leaves except `?`, one interval.

    >>> sorted(vague_values(["[20, 39]", "[20, 29]", "[30, 39]", "*"], None))
    ['*', '[20, 39]']
    """
    if tree is None:
        ends = {value: found for value in values if (found := interval_from(value)) is not None}
        hull = (min(low for low, _ in ends.values()), max(high for _, high in ends.values())) if ends else None
        return {EVERYTHING, *(value for value in ends if ends[value] == hull and ends[value][0] < ends[value][1])}
    names = tree.names.to_pylist()
    leaves = names[: tree.n_leaves]
    covers_all = tree.leaf_counts >= tree.n_leaves - (MISSING in leaves)
    above = {name for name, covers in zip(names[tree.n_leaves :], covers_all[tree.n_leaves :], strict=True) if covers}
    lower = {name for name, covers in zip(names, covers_all, strict=True) if not covers}
    return (above - lower - {*leaves}) | ({EVERYTHING} - {*names})
