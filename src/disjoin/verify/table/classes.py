"""Equivalence classes and value counts, as the verifier counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np

from disjoin.model import Table
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.inspection import Finding

LISTED = 20  # violations of a kind that are listed; the rest are counted
ROOM = 2**62  # more combinations than this do not fit into a 64-bit number


@dataclass(frozen=True, slots=True)
class Classes:
    """Rows with the same values in some columns, numbered by these values in order."""

    table: Table
    columns: tuple[str, ...]
    of_row: Ints64  # (rows,)
    sizes: Ints64  # (classes,)
    rows: Ints64  # (classes,) the first row of each

    @classmethod
    def of(cls, table: Table, columns: tuple[str, ...]) -> Classes:
        """Group rows that are equal in all these columns; without columns all rows are one class."""
        pairs = [(table.codes_of(name), len(table.values_of(name))) for name in columns]
        numbers, first = distinct(combined(pairs, len(table)))
        return cls(table, columns, numbers, np.bincount(numbers, minlength=first.size), first)

    def __len__(self) -> int:
        return int(self.sizes.size)

    def finding(self, invariant: str, message: str, number: int, *more: str) -> Finding:
        row = int(self.rows[number])
        example = (*shown(self.table, self.columns, row), *more)
        return Finding(invariant, message, row, example=example, part="the class of row")

    def findings(self, invariant: str, wrong: Ints64, message: str | Callable[[int], str], what: str) -> list[Finding]:
        numbers = wrong[:LISTED].tolist()
        words = [message if isinstance(message, str) else message(number) for number in numbers]
        found = [self.finding(invariant, each, number) for each, number in zip(words, numbers, strict=True)]
        return listed(found, wrong.size, what)


def listed(findings: Iterable[Finding], total: int, what: str) -> list[Finding]:
    first = list(islice(findings, LISTED))
    if total > LISTED:
        first.append(Finding(first[0].invariant, f"{total - LISTED} more {what}."))
    return first


def largest_share(counts: Ints64, sizes: Ints64) -> Fraction:
    """Return the largest quotient, exactly: floats select candidates, which fractions compare. No size is 0.

    >>> largest_share(np.array([1, 2]), np.array([3, 7]))
    Fraction(1, 3)
    """
    shares = counts / sizes
    close = shares >= shares.max() - abs(shares.max()) * 1e-9
    return max(Fraction(*pair) for pair in set(zip(counts[close].tolist(), sizes[close].tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each value of a column is in each class; entries ascend by class, then count."""

    classes: Ints64  # (entries,)
    values: Ints64  # (entries,)
    counts: Ints64  # (entries,)

    @classmethod
    def of(cls, classes: Classes, codes: Ints32 | Ints64, values: int) -> Tally:
        width = max(1, values)
        keys = np.sort(classes.of_row * width + codes)
        starts = np.flatnonzero(begins(keys))
        counts = np.diff(starts, append=keys.size)
        found = keys[starts]
        order = np.lexsort((counts, found // width))
        return cls((found // width)[order], (found % width)[order], counts[order])

    @property
    def offsets(self) -> Ints64:
        return np.append(np.flatnonzero(begins(self.classes)), self.classes.size)


def shown(table: Table, columns: Iterable[str], row: int) -> tuple[str, ...]:
    """Return a row's values, with the names of their columns.

    >>> shown(Table.from_columns({"age": ["30"], "sex": ["f"]}), ("sex",), 0)
    ('sex: f',)
    """
    return tuple(f"{name}: {table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in columns)


def combined(columns: Iterable[tuple[Ints32 | Ints64, int]], rows: int) -> Ints64:
    """Return one number per row whose equality and order are those of its codes, column by column.

    >>> combined([(np.array([1, 0, 1]), 2), (np.array([2, 0, 2]), 3)], 3).tolist()
    [5, 0, 5]
    """
    keys, space = np.zeros(rows, dtype=np.int64), 1
    for codes, values in columns:
        if space * max(1, values) > ROOM:
            keys, first = distinct(keys)
            space = max(1, first.size)
        keys = keys * max(1, values) + codes
        space *= max(1, values)
    return keys


def descents(columns: Iterable[Ints32 | Ints64], rows: int) -> tuple[Ints64, Ints64]:
    """Return the rows, ascending, that are larger than the next one, column by column, and those that are equal to it.

    >>> [part.tolist() for part in descents([np.array([1, 1, 1]), np.array([3, 2, 2])], 3)]
    [[0], [1]]
    """
    larger, equal = np.zeros(max(0, rows - 1), dtype=np.bool_), np.arange(max(0, rows - 1))
    for codes in columns:
        here, there = codes[equal], codes[equal + 1]
        larger[equal[here > there]] = True
        equal = equal[here == there]
    return np.flatnonzero(larger), equal


def distinct(keys: Ints64) -> tuple[Ints64, Ints64]:
    """Return for each key its rank among the distinct ones, and for each of these where it is first.

    >>> [part.tolist() for part in distinct(np.array([30, 10, 30]))]
    [[1, 0, 1], [1, 0]]
    """
    order = np.argsort(keys, kind="stable")
    is_first = begins(keys[order])
    ranks = np.empty(keys.size, dtype=np.int64)
    ranks[order] = np.cumsum(is_first) - 1
    return ranks, order[is_first]


def begins(numbers: Ints32 | Ints64) -> Flags:
    found = np.ones(numbers.size, dtype=np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=found[1:])
    return found
