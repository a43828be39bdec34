"""How far the sensitive values of classes are from those of the whole table, as it is: the limits that would hold."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from disjoin.model.generalized import with_missing
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.spelling import folded
from disjoin.model.table import Table


@dataclass(frozen=True, slots=True)
class ColumnCloseness:
    """The least limits that all classes keep; None where no limit would do."""

    t: Fraction  # t-closeness, equal distance
    t_ordered: Fraction | None  # t-closeness, ordered distance; None if some values are no numbers
    t_hierarchical: Fraction | None  # t-closeness in the column's hierarchy; None if it has none that has all values
    beta: Fraction  # basic beta-likeness
    delta: float | None  # delta-disclosure holds for every larger one; None if a class lacks a value
    c: Fraction | None  # recursive (c,2)-diversity holds for every larger one; None if a class has one value only


MOST_CELLS = 1 << 24  # classes times values, up to which the ordered distance is told


def closeness_of(table: Table, name: str, classes: Ints64, words: Ints32) -> ColumnCloseness:
    """Return the limits of a column whose values, in one spelling each, are `words`; `classes` are from 0."""
    values, codes = np.unique(words, return_inverse=True)
    found, counts = np.unique(classes * values.size + codes.ravel(), return_counts=True)
    owners, places = np.divmod(found, values.size)
    sizes, totals, rows = np.bincount(classes), np.bincount(codes.ravel()), classes.size
    expected = totals[places] * sizes[owners]  # of an entry, in rows times rows
    gaps = counts * rows - expected
    apart = np.bincount(owners, np.abs(gaps) - expected, sizes.size).astype(np.int64) + sizes * rows
    gains = gaps / expected
    order = _numeric_order(table, name, values) if sizes.size * values.size <= MOST_CELLS else None
    return ColumnCloseness(
        t=_largest(apart, 2 * sizes * rows),
        t_ordered=None if order is None else _moved((owners, places, counts), sizes, totals[order], order),
        t_hierarchical=_climbed(table, name, values, (owners, places, counts), sizes, totals),
        beta=_largest(gaps, expected),
        delta=None if found.size < sizes.size * values.size else float(np.abs(np.log1p(gains)).max()),
        c=_recursive(owners, counts, sizes),
    )


def _numeric_order(table: Table, name: str, codes: Ints32) -> Ints64 | None:
    texts = table.values_of(name).to_pylist()
    read = [number_from(folded(texts[code])) for code in codes.tolist()]
    numbers = [number for number in read if number is not None]
    if len(numbers) < len(read):
        return None
    return np.array(sorted(range(len(numbers)), key=numbers.__getitem__), dtype=np.int64)


def _largest(tops: Ints64, bottoms: Ints64) -> Fraction:
    """Return the largest quotient, exactly: floats only choose which ones are compared."""
    shares = tops / bottoms
    near = np.flatnonzero(shares >= shares.max() - 1e-9 * abs(shares.max()))
    pairs = {*zip(tops[near].tolist(), bottoms[near].tolist(), strict=True)}
    return max(Fraction(top, bottom) for top, bottom in pairs)


def _moved(entries: tuple[Ints64, Ints64, Ints64], sizes: Ints64, totals: Ints64, order: Ints64) -> Fraction:
    """Return the largest ordered distance; `totals` are in the order of the numbers, `order` is that of the codes."""
    steps, rows = order.size - 1, int(sizes.sum())
    if steps < 1:
        return Fraction(0)
    owners, places, counts = entries
    rank = np.argsort(order)
    dense = np.zeros((sizes.size, order.size), dtype=np.int64)
    dense[owners, rank[places]] = counts
    far = np.cumsum(dense * rows - totals * sizes[:, None], axis=1)
    return _largest(np.abs(far).sum(axis=1), steps * sizes * rows)


def _climbed(
    table: Table, name: str, codes: Ints32, entries: tuple[Ints64, Ints64, Ints64], sizes: Ints64, totals: Ints64
) -> Fraction | None:
    """Return the largest distance in the column's hierarchy: half a step per level, node and share that leaves it."""
    if name not in table.hierarchies or sizes.size * codes.size > MOST_CELLS:
        return None
    tree = with_missing(table.hierarchies[name])
    leaves = {text: leaf for leaf, text in enumerate(tree.names.slice(0, tree.n_leaves).to_pylist())}
    texts = table.values_of(name).to_pylist()
    if any(texts[code] not in leaves for code in codes.tolist()):
        return None
    owners, places, counts = entries
    rows = int(sizes.sum())
    dense = np.zeros((sizes.size, codes.size), dtype=np.int64)
    dense[owners, places] = counts
    gaps = dense * rows - totals * sizes[:, None]
    paths = tree.paths()[[leaves[texts[code]] for code in codes.tolist()]]
    way, height, before = np.zeros(sizes.size, dtype=np.int64), 0, codes.size + 1
    for nodes in paths.T:
        names = np.unique(nodes)
        if 1 < names.size < before:  # a level of the tree of values that occur
            height, before = height + 1, names.size
            for node in names:
                way += np.abs(gaps[:, nodes == node].sum(axis=1))
    return _largest(way, 2 * max(1, height) * sizes * rows)


def _recursive(owners: Ints64, counts: Ints64, sizes: Ints64) -> Fraction | None:
    most = np.zeros(sizes.size, dtype=np.int64)
    np.maximum.at(most, owners, counts)
    left = sizes - most
    return None if not left.all() else _largest(most, left)
