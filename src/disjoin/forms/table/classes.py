"""The classes of a published table, and how surely each tells the sensitive values of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.row_classes import counted_keys, numbered, row_keys
from disjoin.model.generalized import Generalized
from disjoin.model.ragged import Ints32, Ints64, offsets_of
from disjoin.model.spelling import first_alike, folded_value
from disjoin.model.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class TableClasses:
    """Classes numbered by their values, column by column in the order of the table; in a class, rows in their order."""

    table: Table
    quasi: tuple[str, ...]
    class_of_row: Ints64  # (rows,)
    sizes: Ints64  # (classes,)
    rows: Ints64  # (rows,), class by class
    offsets: Ints64  # (classes + 1,), into `rows`

    def __len__(self) -> int:
        return int(self.sizes.size)

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the columns that are not quasi-identifiers."""
        return tuple(name for name in self.table.schema.names if name not in self.quasi)

    def rows_of(self, number: int) -> Ints64:
        """Return the rows of a class."""
        return self.rows[self.offsets[number] : self.offsets[number + 1]]

    def values_of(self, number: int) -> dict[str, str]:
        """Return what all rows of a class have in the quasi-identifiers, by column."""
        row = int(self.rows[self.offsets[number]])
        return {name: self.table.values_of(name)[int(self.table.codes_of(name)[row])].as_py() for name in self.quasi}


def classes_of(published: Generalized) -> TableClasses:
    """Return the classes of a table; without quasi-identifiers all rows are one class.

    >>> from disjoin.model.table import Role
    >>> table = Table.from_columns({"sex": ["m", "f", "m"]}, {"sex": Role.QUASI_IDENTIFIER})
    >>> classes_of(Generalized(table)).sizes.tolist()
    [1, 2]
    """
    table, quasi = published.table, published.quasi
    classes, number = numbered(*row_keys(*_codes(table, quasi)))
    sizes = np.bincount(classes, minlength=number)
    return TableClasses(table, quasi, classes, sizes, np.argsort(classes, kind="stable"), offsets_of(sizes))


def different_rows(classes: TableClasses, number: int) -> tuple[Ints64, Ints64]:
    """Return a row for each combination of other values that a class has, by these values, and how often it occurs."""
    rows = classes.rows_of(number)
    codes, bounds = _codes(classes.table, classes.others)
    keys, _ = row_keys([column[rows] for column in codes], bounds)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return rows[first], counts


def _codes(table: Table, names: tuple[str, ...]) -> tuple[list[Ints32], list[int]]:
    """Return the codes of the columns, and bounds above them; one column of zeros where no column is named."""
    if not names:
        return [np.zeros(len(table), dtype=np.int32)], [1]
    return [table.codes_of(name) for name in names], [len(table.values_of(name)) for name in names]


WORST = 10  # values of a column with the largest shares
_CLOSE = 1e-9  # entropies that floats may put in the wrong order
_DIGITS, _TINY = 50, Decimal("1e-30")
_PLACES = Decimal("0.0001")

Shape = tuple[tuple[int, int], ...]  # (count, how many values have it)


class Entries(NamedTuple):
    """For every value in every class: the class, the value, and how many rows of the class have it."""

    classes: Ints64  # ascending
    values: Ints64
    counts: Ints64


def sensitive_facts(classes: TableClasses, name: str) -> dict[str, Any]:
    """Return the facts of a sensitive column of a table that has rows."""
    entries = entries_of(classes, name)
    starts = np.flatnonzero(np.diff(entries.classes, prepend=-1))
    different = np.diff(np.append(starts, entries.classes.size))
    most = np.maximum.reduceat(entries.counts, starts)
    size, count = _largest(classes.sizes, most)
    alike = classes.sizes[different == 1]
    return {
        "column": name,
        "values": int(np.unique(entries.values).size),
        "largest_share": share(count, size),
        "least_values": int(different.min()),
        "least_effective_values": least_effective_values(classes.sizes, entries, starts),
        "alike": {"classes": alike.size, "rows": int(alike.sum())},
        "guessed": {"by_class": int(most.sum()), "by_table": int(np.bincount(entries.values, entries.counts).max())},
        "worst": worst_values(classes, name, entries),
    }


def entries_of(classes: TableClasses, name: str) -> Entries:
    """Return how often every value of a column occurs in every class; spellings of a value are the first of them."""
    words = first_alike(classes.table.values_of(name).to_pylist(), folded_value)[classes.table.codes_of(name)]
    bound = max(1, len(classes.table.values_of(name)))
    keys = classes.class_of_row * bound + words
    both, counts = counted_keys(keys, len(classes) * bound)
    return Entries(both // bound, both % bound, counts)


def share(count: int, size: int) -> dict[str, Any]:
    """Return a share of a class, exactly and to four places.

    >>> share(2, 6)
    {'count': 2, 'size': 6, 'exact': '1/3', 'rounded': 0.3333}
    """
    return {"count": count, "size": size, "exact": str(Fraction(count, size)), "rounded": round(count / size, 4)}


def worst_values(classes: TableClasses, name: str, entries: Entries) -> list[dict[str, Any]]:
    """Return the values with the largest shares of a class, each with its rows and the smallest such class."""
    sizes, counts = classes.sizes[entries.classes], entries.counts
    order = np.lexsort((sizes, -counts / sizes, entries.values))
    starts = np.flatnonzero(np.diff(entries.values[order], prepend=-1))
    rows, first = np.add.reduceat(counts[order], starts), order[starts]
    ranked = np.lexsort((entries.values[first], -rows, -counts[first] / sizes[first]))[:WORST]
    words = classes.table.values_of(name)
    return [
        {
            "value": words[int(entries.values[first[at]])].as_py(),
            "rows": int(rows[at]),
            "largest_share": share(int(counts[first[at]]), int(sizes[first[at]])),
        }
        for at in ranked
    ]


def least_effective_values(sizes: Ints64, entries: Entries, starts: Ints64) -> float:
    """Return the least exp(entropy) of a class, rounded down to four places, the same on every machine.

    Floats find the classes that may have the least; which has it, and its digits, is told with fifty digits.
    """
    counts = entries.counts[np.lexsort((entries.counts, entries.classes))]
    entropies = np.log(sizes) - np.add.reduceat(counts * np.log(counts), starts) / sizes
    least = np.flatnonzero(entropies <= entropies.min() + _CLOSE)
    ends = np.append(starts[1:], counts.size)
    different = {counts[a:b].tobytes() for a, b in zip(starts[least].tolist(), ends[least].tolist(), strict=True)}
    return min(_effective_values(shape) for shape in {_shape(np.frombuffer(found, np.int64)) for found in different})


def _shape(counts: Ints64) -> Shape:
    """Return how often each count occurs; the entropy is that of the shares, so the counts are made small."""
    distinct, times = np.unique(counts // np.gcd.reduce(counts), return_counts=True)
    return tuple(zip(distinct.tolist(), times.tolist(), strict=True))


def _effective_values(shape: Shape) -> float:
    """Return exp(entropy), rounded down, of `times` values with `count` rows each, for (count, times) in the shape.

    >>> _effective_values(((1, 1), (2, 1))), _effective_values(((1, 3),))
    (1.8898, 3.0)
    """
    with localcontext(Context(prec=_DIGITS)):
        size = Decimal(sum(count * times for count, times in shape))
        logs = sum((count * times * Decimal(count).ln() for count, times in shape), Decimal(0))
        exact = (size.ln() - logs / size).exp() + _TINY  # three equal values are 3, not a little less
        return float(exact.quantize(_PLACES, rounding=ROUND_FLOOR))


def _largest(sizes: Ints64, most: Ints64) -> tuple[int, int]:
    """Return size and count of the class in which one value has the largest share; of equal ones the smallest."""
    pairs = np.unique(np.stack([sizes, most], axis=1), axis=0).tolist()
    size, count = max(pairs, key=lambda pair: (Fraction(pair[1], pair[0]), -pair[0]))
    return size, count
