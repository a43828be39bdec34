"""Original values that a generalised cell may contain.

A question asks for a set of values: a number, an interval, a node of a hierarchy, `?` (missing) or `*` (any value). A
cell is a set of values, too. It possibly matches if the two sets overlap, and certainly if its set is a subset
of the question's. Only the estimated share assumes anything: that the values of a cell are spread evenly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model.generalized import EVERYTHING, MISSING, Ends
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import interval_from, number_from
from disjoin.model.parameters import CATEGORY, OTHER
from disjoin.model.ragged import Flags
from disjoin.model.table import Role, Table


@dataclass(frozen=True, slots=True)
class Values:
    """A set of original values: all of them, or those from one end of a span to the other, and some words. A span is of
    numbers or, in a column with a hierarchy, of leaves in the order of the tree."""

    span: Ends | None = None
    words: frozenset[str] = frozenset()
    is_all: bool = False

    def overlaps(self, other: Values) -> bool:
        return self.is_all or other.is_all or bool(self.words & other.words) or self._common(other) is not None

    def is_within(self, other: Values) -> bool:
        if self.is_all or other.is_all:
            return other.is_all
        return self.words <= other.words and (self.span is None or self._common(other) == self.span)

    def share_in(self, other: Values, unit: Fraction) -> float:
        """Return the share of the span that is in the other set, counted in units; 0 for a set without a span."""
        common = self._common(other)
        if common is None or self.span is None:
            return 0.0
        return float(_count(common, unit) / _count(self.span, unit))

    def _common(self, other: Values) -> Ends | None:
        if self.span is None or other.span is None:
            return None
        low, high = max(self.span[0], other.span[0]), min(self.span[1], other.span[1])
        return (low, high) if low <= high else None


def _count(span: Ends, unit: Fraction) -> Fraction:
    return (span[1] - span[0]) / unit + 1


class Matches(NamedTuple):
    """Of each row, or of each value of a column: whether it possibly and certainly matches, and the estimated share."""

    possibly: Flags
    certainly: Flags
    share: NDArray[np.float64]


def rows_matching(table: Table, asked: Mapping[str, str], rare: str | None = None) -> Matches:
    """Return which rows match a value of every column that is asked for. `rare` is the treatment of values of too few
    people in columns that are no quasi-identifiers (None: nothing was done)."""
    possibly, certainly, share = np.ones(len(table), np.bool_), np.ones(len(table), np.bool_), np.ones(len(table))
    for name, value in asked.items():
        cells, codes = cells_matching(table, name, value, rare), table.codes_of(name)
        possibly, certainly = possibly & cells.possibly[codes], certainly & cells.certainly[codes]
        share = share * cells.share[codes]
    return Matches(possibly, certainly, share)


def cells_matching(table: Table, name: str, value: str, rare: str | None = None) -> Matches:
    """Return which of the published values of a column match a value that is asked for.

    >>> table = Table.from_columns({"bmi": ["[21.5, 21.9]", "*", "21.5"]}, {"bmi": Role.QUASI_IDENTIFIER})
    >>> found = cells_matching(table, "bmi", "21.5")
    >>> found.possibly.tolist(), found.certainly.tolist(), found.share.tolist()
    ([True, True, True], [False, True, False], [0.2, 1.0, 0.2])
    """
    texts = table.values_of(name).to_pylist()
    reader = _reader(table, name, value, rare)
    asked, cells = reader.asked(value), [reader.cell(text) for text in texts]
    spans = [each.span for each in (asked, *cells) if each.span is not None]
    unit = Fraction(1, lcm(*(end.denominator for span in spans for end in span)))
    known = [each.span for each in cells if each.span is not None]
    hull = Values((min(low for low, _ in known), max(high for _, high in known))) if known else Values()

    def share(cell: Values) -> float:
        if cell.is_within(asked):
            return 1.0
        return (hull if cell.is_all else cell).share_in(asked, unit)

    return Matches(
        np.array([cell.overlaps(asked) for cell in cells], np.bool_),
        np.array([cell.is_within(asked) for cell in cells], np.bool_),
        np.array([share(cell) for cell in cells], np.float64),
    )


def _reader(table: Table, name: str, value: str, rare: str | None) -> _Plain | _Tree:
    texts, tree = table.values_of(name).to_pylist(), table.hierarchies.get(name)
    if tree is not None:
        return _Tree(name, tree, frozenset(texts))
    if name in table.schema.with_role(Role.QUASI_IDENTIFIER):
        return _Plain(frozenset({EVERYTHING}), name)
    if rare == CATEGORY and value not in texts:
        return _Plain(frozenset(texts))  # the categories are not published
    return _Plain(frozenset({EVERYTHING, OTHER} if rare == OTHER else {EVERYTHING}))


@dataclass(frozen=True, slots=True)
class _Plain:
    """A column without a hierarchy: a cell is a number, an interval or a word, but for the vague ones. In a generalised
    column of numbers, which has a name here, a cell may also be `?`, and only numbers are asked for."""

    vague: frozenset[str]  # these may be any value
    name: str = ""

    def cell(self, text: str) -> Values:
        if text in self.vague:
            return Values(is_all=True)
        ends = interval_from(text)
        return Values(words=frozenset({text})) if ends is None else Values(ends)

    def asked(self, value: str) -> Values:
        ends = _interval(value)
        if value == EVERYTHING:
            return Values(is_all=True)
        if not self.name:
            return Values(ends, frozenset({value}))
        if ends is None and value != MISSING:
            raise InvalidParameter(
                f"{self.name} has numbers: ask for one, or for an interval such as {self.name}=20..29."
            )
        return Values(ends) if ends is not None else self.cell(value)


class _Tree:
    """A column with a hierarchy: a cell contains the leaves under its node, the root also a missing value."""

    def __init__(self, name: str, tree: Hierarchy, texts: frozenset[str]) -> None:
        self.name, self.texts = name, texts
        called = tree.names.to_pylist()
        self.nodes = {text: node for node, text in reversed(list(enumerate(called)))}  # the lowest of a name
        self.root, self.root_name = tree.root, called[tree.root]
        self.sets = _leaves_below(tree)
        self.everything = Values(self.sets[tree.root].span, frozenset({MISSING} - self.nodes.keys()))

    def cell(self, text: str) -> Values:
        if text == self.root_name or (text == EVERYTHING and text not in self.nodes):
            return self.everything
        return self.sets[self.nodes[text]] if text in self.nodes else Values(words=frozenset({text}))

    def asked(self, value: str) -> Values:
        node = self.root if value == EVERYTHING and value not in self.nodes else self.nodes.get(value)
        if node is None and value not in {MISSING, *self.texts}:
            near = get_close_matches(value, list(self.nodes), n=2, cutoff=0.6)
            meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise InvalidParameter(f"{value!r} is no value of {self.name} and no name in its hierarchy.{meant}")
        return self.cell(value) if node is None else Values(is_all=True) if node == self.root else self.sets[node]


def _leaves_below(tree: Hierarchy) -> list[Values]:
    """Return the leaves under every node as a span of places: those under one node are neighbours."""
    first = np.zeros(len(tree), np.int64)
    free = first.copy()  # where the next child of a node begins
    for node in range(len(tree) - 2, -1, -1):  # parents first
        parent = tree.parents[node]
        first[node] = free[node] = free[parent]
        free[parent] += tree.leaf_counts[node]
    ends = zip(first.tolist(), (first + tree.leaf_counts - 1).tolist(), strict=True)
    return [Values((Fraction(low), Fraction(high))) for low, high in ends]


def _interval(value: str) -> Ends | None:
    """Return the ends of a number or an interval that is asked for, such as 20..29."""
    low, dots, high = value.partition("..")
    if not dots:
        return interval_from(value)
    ends = number_from(low), number_from(high)
    return (ends[0], ends[1]) if ends[0] is not None and ends[1] is not None and ends[0] <= ends[1] else None
