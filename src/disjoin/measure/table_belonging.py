"""Whether a published table can have been made from an original: rows, columns, and values one by one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate, chain
from math import lcm
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model.arrays import Ints32, Ints64
from disjoin.model.intervals import number_from
from disjoin.model.quasi_columns import EVERYTHING, MISSING, NumberColumn, QuasiColumn, TreeColumn
from disjoin.model.table import Table

ADVICE = "they do not belong together. Give the table that was published, and the one that it was made from."


def require_columns(published: Table, original: Table, names: Iterable[str]) -> None:
    """Raise unless both tables have the columns."""
    for name in names:
        published.schema.position(name)  # complains
        if name not in original.schema.names:
            raise InvalidParameter(f"the published table has the column {name!r}, the original does not: {ADVICE}")


def require_rows(published: Table, original: Table) -> None:
    """Raise if rows were added, or there are none."""
    if not len(original):
        raise InvalidParameter("the original has no rows, so nothing can be said of it.")
    if len(published) > len(original):
        raise InvalidParameter(
            f"the published table has {len(published):,} rows, the original only {len(original):,}: {ADVICE}"
        )


def require_kept(name: str, published: Table, original: Table) -> None:
    """Raise unless a column that is published as it was has the original's values, or some of them if rows lack."""
    theirs = _used(original, name)
    for value, count in _used(published, name).items():
        if count > theirs.get(value, 0):
            raise InvalidParameter(
                f"{value!r} is in {count:,} published rows of column {name!r} and in {theirs.get(value, 0):,} of the "
                f"original: {ADVICE}"
            )


def require_possible(column: QuasiColumn, original: Table) -> None:
    """Raise unless the original has enough values for what is published: enough below each node, some in an interval.

    For a hierarchy that is exact: if no node has more published values at or below it than the original has leaves
    below it, every published value can be given a leaf of its own (Hall's condition, as subtrees are nested).
    """
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
    """Count, for every node of the hierarchy, the original's rows that have a leaf below it."""
    leaves = {leaf: number for number, leaf in enumerate(column.tree.names.slice(0, column.tree.n_leaves).to_pylist())}
    there = np.zeros(len(column.tree), dtype=np.int64)
    for value, count in _used(original, column.name).items():
        if value not in leaves:
            raise InvalidParameter(
                f"every value of {column.name!r} needs a leaf in its hierarchy, and one of the original has none; "
                "add a row for it (`disjoin hierarchy check` says for which)."
            )
        there[leaves[value]] = count
    _add_up(there, column.tree.parents)
    return there


def inside_intervals(column: NumberColumn, original: Table) -> Ints64:
    """Count, for every published value, the original's rows that it can stand for."""
    numbers: list[tuple[Fraction, int]] = []
    missing = 0
    for value, count in _used(original, column.name).items():
        number = number_from(value)
        if number is not None:
            numbers.append((number, count))
        elif value == MISSING:
            missing = count
        else:
            raise InvalidParameter(
                f"column {column.name!r} has no hierarchy, so its values must be numbers, and one of the original is "
                "none. Give its hierarchy."
            )
    return _counted_inside(column, numbers, {EVERYTHING: len(original), MISSING: missing})


def _counted_inside(column: NumberColumn, numbers: list[tuple[Fraction, int]], alone: dict[str, int]) -> Ints64:
    """Count rows by their numbers inside each interval; on a common scale, as whole numbers are quick to compare."""
    ends = [end for pair in column.ends if pair is not None for end in pair]
    scale = lcm(*{number.denominator for number in chain(ends, (number for number, _ in numbers))})

    def scaled(number: Fraction) -> int:
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


def _used(table: Table, name: str) -> dict[str, int]:
    """Return in how many rows each value of a column is that is in any."""
    counts = np.bincount(table.codes_of(name), minlength=len(table.values_of(name))).tolist()
    return {value: n for value, n in zip(table.values_of(name).to_pylist(), counts, strict=True) if n}


def _add_up(counts: NDArray[Any], parents: Ints32) -> None:
    """Add to every node what its children have; a parent comes after its children."""
    for node, parent in enumerate(parents[:-1].tolist()):
        counts[parent] += counts[node]
