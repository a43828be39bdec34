"""T6, T8-T11: entropy l-diversity, t-closeness and its variants, exactly; logarithms have thirty digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model import KAnonymity, Table
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Flags, Ints64
from disjoin.verify.source import as_read
from disjoin.verify.table.classes import Classes, Tally

DIGITS = 18  # of a logarithm or a power of e
_CONTEXT = Context(prec=DIGITS + 12)
AT_ONCE = 1 << 22  # cells of a table of classes and values


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The counts of each value in each class, and in the whole table."""

    sizes: Ints64  # (classes,)
    tally: Tally
    totals: Ints64  # (values,) counts in the whole table; 0 for other spellings of a value

    @classmethod
    def of(cls, classes: Classes, tally: Tally) -> Shares:
        return cls(classes.sizes, tally, np.bincount(tally.values, tally.counts).astype(np.int64))

    @property
    def rows(self) -> int:
        return int(self.sizes.sum())

    def equal_distances(self) -> list[Fraction]:
        """Return half the sum of |p - P| of every class."""
        sizes, of_entry = self.sizes[self.tally.classes], self.totals[self.tally.values]
        expected = of_entry * sizes  # in rows times rows
        gaps = np.abs(self.tally.counts * self.rows - expected) - expected
        sums = np.add.reduceat(gaps, self.tally.offsets[:-1]) + self.sizes * self.rows
        return [
            Fraction(gap, 2 * size * self.rows) for gap, size in zip(sums.tolist(), self.sizes.tolist(), strict=True)
        ]

    def ordered_distances(self, order: Ints64) -> list[Fraction]:
        """Return the earth mover's distance of every class, relative to the path from first to last in `order`."""
        steps = order.size - 1
        if steps < 1:
            return [Fraction(0)] * self.sizes.size
        return self._moved(order, lambda gaps: np.abs(np.cumsum(gaps, axis=1)[:, :-1]).sum(axis=1), steps)

    def tree_distances(self, tree: Hierarchy, leaves: Ints64, order: Ints64) -> list[Fraction]:
        """Return the earth mover's distance of every class in a tree, relative to the path between leaves via the root.

        The tree is that of the values that occur. The surplus under a node leaves it, a deficit enters it: half a step
        per level and share.
        """
        levels = occurring_levels(tree, leaves)

        def way(gaps: Ints64) -> Ints64:
            total = np.zeros(len(gaps), dtype=np.int64)
            for groups in levels:
                under = np.zeros((int(groups.max()) + 1, len(gaps)), dtype=np.int64)
                np.add.at(under, groups, gaps.T)
                total += np.abs(under).sum(axis=0)
            return total

        return self._moved(order, way, 2 * max(1, len(levels)))

    def _moved(self, order: Ints64, way: Callable[[Ints64], Ints64], whole: int) -> list[Fraction]:
        """Return how far the rows of every class must be moved, of the `whole` path; `way` has surpluses by value."""
        place = np.zeros(self.totals.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        step, offsets = max(1, AT_ONCE // order.size), self.tally.offsets
        moved: list[int] = []
        for first in range(0, self.sizes.size, step):
            last = min(self.sizes.size, first + step)
            entries = slice(int(offsets[first]), int(offsets[last]))
            counts = np.zeros((last - first, order.size), dtype=np.int64)
            counts[self.tally.classes[entries] - first, place[self.tally.values[entries]]] = self.tally.counts[entries]
            moved += way(counts * self.rows - self.totals[order] * self.sizes[first:last, None]).tolist()
        return [Fraction(far, whole * size * self.rows) for far, size in zip(moved, self.sizes.tolist(), strict=True)]

    def above(self, most: list[Fraction]) -> Flags:
        shares, limits = self._products(most)
        return np.bincount(self.tally.classes, (shares > limits).astype(bool), self.sizes.size) > 0

    def below(self, least: list[Fraction]) -> Flags:
        shares, limits = self._products(least)
        lacks = np.diff(self.tally.offsets) < np.count_nonzero(self.totals)
        found: Flags = lacks | (np.bincount(self.tally.classes, (shares < limits).astype(bool), self.sizes.size) > 0)
        return found

    def _products(self, limits: list[Fraction]) -> tuple[NDArray[Any], NDArray[Any]]:
        tops = np.array([limit.numerator for limit in limits], dtype=object)[self.tally.values]
        bottoms = np.array([limit.denominator for limit in limits], dtype=object)[self.tally.values]
        return self.tally.counts.astype(object) * bottoms, tops * self.sizes[self.tally.classes]

    def ratios(self, l: int) -> list[Fraction | None]:  # noqa: E741 - the papers' name
        """Return for every class r1 / (r_l + ... + r_n); None if it has fewer than l values."""
        offsets, counts = self.tally.offsets, self.tally.counts  # entries ascend by count in a class
        found: list[Fraction | None] = []
        for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            left = int(counts[first : max(first, end - l + 1)].sum())
            found.append(Fraction(int(counts[end - 1]), left) if left else None)
        return found

    def shares(self) -> list[Fraction]:
        return [Fraction(total, self.rows) for total in self.totals.tolist()]


def far_classes(shares: Shares, table: Table, name: str, guarantee: KAnonymity) -> dict[str, Flags]:
    limits, found = guarantee.closeness, {}
    if limits.c is not None:
        ratios = shares.ratios(guarantee.l)
        found["T8"] = np.array([ratio is None or ratio >= limits.c for ratio in ratios])
    if limits.t is not None:
        if limits.t_distance == "equal":
            distances = shares.equal_distances()
        elif limits.t_distance == "ordered":
            distances = shares.ordered_distances(numeric_order(shares, table, name))
        else:
            distances = hierarchical_distances(shares, table, name)
        found["T9"] = np.array([distance > limits.t for distance in distances])
    if limits.beta is not None:
        found["T10"] = shares.above([_likeness(share, limits.beta, limits.enhanced_beta) for share in shares.shares()])
    if limits.delta is not None:
        low, high = _power(-limits.delta, ROUND_CEILING), _power(limits.delta, ROUND_FLOOR)
        whole = shares.shares()
        found["T11"] = shares.above([share * high for share in whole]) | shares.below([share * low for share in whole])
    return found


def hierarchical_distances(shares: Shares, table: Table, name: str) -> list[Fraction]:
    """Return the distances of all classes in the column's hierarchy; raise if it has none, or lacks a value."""
    tree = table.hierarchies.get(name)
    if tree is None:
        raise InvalidParameter(f"the hierarchical distance of {name!r} needs its hierarchy, but there is none.")
    tree = tree.with_missing()
    leaves = {text: leaf for leaf, text in enumerate(tree.names.slice(0, tree.n_leaves).to_pylist())}
    order = np.flatnonzero(shares.totals)
    texts = [table.values_of(name)[int(code)].as_py() for code in order]
    lost = sum(text not in leaves for text in texts)
    if lost:
        raise InvalidParameter(f"{lost:,} of the values of {name!r} are not in its hierarchy.")
    return shares.tree_distances(tree, np.array([leaves[text] for text in texts], dtype=np.int64), order)


def occurring_levels(tree: Hierarchy, leaves: Ints64) -> list[Ints64]:
    """Return for every level below the root the group of each leaf; levels that join no groups are skipped."""
    levels: list[Ints64] = []
    for nodes in tree.paths()[leaves].T:
        names, groups = np.unique(nodes, return_inverse=True)
        if names.size > 1 and (not levels or names.size <= int(levels[-1].max())):  # fewer groups than one level below
            levels.append(groups.ravel().astype(np.int64))
    return levels


def numeric_order(shares: Shares, table: Table, name: str) -> Ints64:
    """Return the values that occur, in the order of their numbers; raise if one is not a number."""
    texts = table.values_of(name).to_pylist()
    numbers = {code: number_from(as_read(texts[code])) for code in np.flatnonzero(shares.totals).tolist()}
    if any(number is None for number in numbers.values()):
        raise InvalidParameter(f"the ordered distance is for numbers, but some values of {name!r} are not numbers.")
    return np.array(sorted(numbers, key=lambda code: (numbers[code], code)), dtype=np.int64)


def _likeness(share: Fraction, beta: Fraction, enhanced: bool) -> Fraction:
    """Return the largest share that beta-likeness allows; a logarithm is rounded down."""
    if not enhanced or not share:
        return share * (1 + beta)
    surprise = -_log(share)
    return share * (1 + min(beta, max(Fraction(0), surprise)))


def _log(share: Fraction) -> Fraction:
    """Return the natural logarithm, rounded up."""
    return _rounded(_decimal(share).ln(_CONTEXT), ROUND_CEILING)


def _power(exponent: Fraction, rounding: str) -> Fraction:
    return _rounded(_decimal(exponent).exp(_CONTEXT), rounding)


def _decimal(value: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def _rounded(value: Decimal, rounding: str) -> Fraction:
    return Fraction(value.quantize(Decimal(1).scaleb(-DIGITS), rounding=rounding, context=Context(prec=400)))


def closeness_facts(shares: Shares, table: Table, name: str) -> dict[str, Any]:
    """Return how close all classes are to the whole table: the least t and beta that hold, and c for l = 2."""
    whole = shares.shares()
    tally = shares.tally
    floats = tally.counts / shares.sizes[tally.classes] / (shares.totals[tally.values] / shares.rows)
    near = np.flatnonzero(floats >= floats.max() * (1 - 1e-9))[:1000]  # floats select, fractions compare
    entries = set(zip(*(each[near].tolist() for each in (tally.classes, tally.values, tally.counts)), strict=True))
    gains = [Fraction(count, int(shares.sizes[number])) / whole[value] - 1 for number, value, count in entries]
    ratios = shares.ratios(2)
    apart = {}
    if name in table.hierarchies:
        apart["t_hierarchical"] = list(max(hierarchical_distances(shares, table, name)).as_integer_ratio())
    return apart | {
        "t": list(max(shares.equal_distances()).as_integer_ratio()),
        "beta": list(max(gains).as_integer_ratio()),
        "c": None if None in ratios else list(max(ratio for ratio in ratios if ratio is not None).as_integer_ratio()),
    }


CLOSE = 1e-8  # entropies closer than this are compared with integers
PLACES = 10_000  # the l of an entropy is given in ten-thousandths


def entropies(tally: Tally) -> NDArray[np.float64]:
    """Return the entropy of every class, in nats, up to rounding."""
    offsets = tally.offsets
    sizes = np.add.reduceat(tally.counts, offsets[:-1])
    shares = tally.counts / np.repeat(sizes, np.diff(offsets))
    result: NDArray[np.float64] = -np.add.reduceat(shares * np.log(shares), offsets[:-1])
    return result


def is_even_as(counts: Sequence[int], values: Fraction) -> bool:
    """Return, exactly, whether the entropy of these counts is at least the logarithm of `values`.

    With n rows, -sum(p ln p) >= ln l means n^n >= l^n * product(c^c). A common divisor g of the counts is taken out
    first, because both sides are g-th powers then.

    >>> is_even_as([50, 50], Fraction(2)), is_even_as([51, 49], Fraction(2))
    (True, False)
    """
    divisor = math.gcd(*counts)
    reduced = [count // divisor for count in counts]
    rows = sum(reduced)
    needed: int = values.numerator**rows * math.prod(count**count for count in reduced)
    return bool((rows * values.denominator) ** rows >= needed)


def uneven(tally: Tally, values: Fraction) -> Ints64:
    """Return the classes whose entropy is below the logarithm of `values`, ascending."""
    found = entropies(tally)
    bound = math.log(values.numerator) - math.log(values.denominator)
    close = np.flatnonzero(np.abs(found - bound) < CLOSE)
    below = found < bound
    decided: dict[tuple[int, ...], bool] = {}
    for number, counts in zip(close.tolist(), _counts(tally, close), strict=True):
        if counts not in decided:
            decided[counts] = is_even_as(counts, values)
        below[number] = not decided[counts]
    return np.flatnonzero(below)


def largest_even(tally: Tally) -> int:
    """Return the largest l, in ten-thousandths rounded down, whose logarithm no class's entropy is below.

    >>> one = Classes.of(Table.from_columns({"any": ["1", "1", "1"]}), ())
    >>> largest_even(Tally.of(one, np.array([0, 0, 1], np.int32), 2))
    18898
    """
    found = entropies(tally)
    least = float(found.min())
    near = math.exp(least) * PLACES
    whole = round(near)
    if abs(near - whole) > whole * CLOSE * 10:
        return math.floor(near)
    close = np.flatnonzero(found < least + CLOSE)
    reaches = all(is_even_as(counts, Fraction(whole, PLACES)) for counts in set(_counts(tally, close)))
    return whole if reaches else whole - 1


def _counts(tally: Tally, classes: Ints64) -> list[tuple[int, ...]]:
    offsets = tally.offsets
    return [tuple(tally.counts[offsets[number] : offsets[number + 1]].tolist()) for number in classes]
