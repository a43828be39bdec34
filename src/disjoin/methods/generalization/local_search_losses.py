"""The columns of a table priced by what rows lose: values in the order of trees, and the loss of every span of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from disjoin.methods.generalization.encoding import Encoded
from disjoin.methods.generalization.local_search_classes import NUMBERS, TABLE, TREE, PricedColumns
from disjoin.model import Hierarchy
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Ints32, Ints64

LARGEST_TABLE = 1024  # values of a column for which all spans are priced in advance
FINE = 2**20  # parts of a whole column in which hulls are measured, at least


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """Rows as numbers of values, and how kernels price spans of these; columns with few values come first."""

    values: Ints64  # (rows, columns)
    columns: PricedColumns
    order: list[int]  # the quasi-identifier that each column is
    leaves: list[Ints32]  # by column: the leaf of every value


def priced(encoded: Encoded) -> Priced:
    """Return the table with its losses in parts of one scale."""
    scale = scale_of(encoded)
    found = [np.unique(encoded.leaves[:, a]) for a in range(len(encoded.names))]
    order = sorted(range(len(found)), key=lambda a: (found[a].size, a))
    leaves = [in_tree_order(encoded.hierarchies[a], found[a]) for a in order]
    values = np.empty((len(encoded), len(order)), dtype=np.int64)
    parts: list[tuple[int, Ints64, Ints64, Ints64]] = []
    for column, a in enumerate(order):
        number_of = np.zeros(encoded.hierarchies[a].n_leaves, dtype=np.int64)
        number_of[leaves[column]] = np.arange(leaves[column].size)
        values[:, column] = number_of[encoded.leaves[:, a]]
        price = _price_numbers if encoded.is_hull[a] else _price_tree
        parts.append(price(encoded.hierarchies[a], leaves[column], scale))
    return Priced(values, _columns(parts, leaves, scale), order, leaves)


def scale_of(encoded: Encoded) -> int:
    """Return the number of parts that a whole column is: every loss is a whole number of them, if they fit."""
    whole = lcm(*(max(1, tree.n_leaves - 1) for tree in encoded.hierarchies))
    if encoded.is_hull.any():
        whole *= -(-FINE // whole)
    return min(whole, 2**58 // (max(1, len(encoded)) * len(encoded.names)))


def in_tree_order(tree: Hierarchy, leaves: Ints32) -> Ints32:
    """Return the leaves so that those under any node stand side by side.

    >>> tree = Hierarchy.from_rows([["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"]])
    >>> in_tree_order(tree, np.array([0, 1, 2])).tolist()
    [0, 2, 1]
    """
    return leaves[np.lexsort(tree.paths()[leaves].T)]  # the last key, the root, is the first to decide


def _columns(parts: list[tuple[int, Ints64, Ints64, Ints64]], leaves: list[Ints32], scale: int) -> PricedColumns:
    sizes = [losses.size for _, losses, _, _ in parts]
    return PricedColumns(
        kind=np.array([kind for kind, _, _, _ in parts], dtype=np.int64),
        start=np.cumsum([0, *sizes[:-1]]).astype(np.int64),
        width=np.array([listed.size for listed in leaves], dtype=np.int64),
        losses=np.concatenate([losses for _, losses, _, _ in parts]),
        parents=np.concatenate([parents for _, _, parents, _ in parts]),
        ends=np.concatenate([ends for _, _, _, ends in parts]),
        most=np.full(len(parts), scale, dtype=np.int64),
    )


def _price_numbers(tree: Hierarchy, leaves: Ints32, scale: int) -> tuple[int, Ints64, Ints64, Ints64]:
    """Return places of numbers on a line as long as the scale; a missing value stands one whole line above."""
    numbers = [number_from(tree.names[leaf].as_py()) for leaf in leaves.tolist()]
    known = [number for number in numbers if number is not None]
    first, length = min(known, default=Fraction(0)), max(known, default=Fraction(0)) - min(known, default=Fraction(0))
    places = [2 * scale if number is None else int((number - first) / (length or 1) * scale) for number in numbers]
    losses = np.array(places, dtype=np.int64)
    return NUMBERS, losses, np.zeros_like(losses), np.zeros_like(losses)


def _price_tree(tree: Hierarchy, leaves: Ints32, scale: int) -> tuple[int, Ints64, Ints64, Ints64]:
    """Return the losses of all spans, or those of all nodes if there are too many spans."""
    loss_of_node = (tree.leaf_counts.astype(np.int64) - 1) * scale // max(1, tree.n_leaves - 1)
    if leaves.size <= LARGEST_TABLE:
        losses = loss_of_node[tree.common_ancestor(leaves[:, None], leaves[None, :])].ravel()
        return TABLE, losses, np.zeros_like(losses), np.zeros_like(losses)
    shift = leaves.size - tree.n_leaves  # nodes above the leaves follow the leaves that occur
    parents = np.concatenate([tree.parents[leaves], tree.parents[tree.n_leaves :]]).astype(np.int64) + shift
    losses = np.concatenate([loss_of_node[leaves], loss_of_node[tree.n_leaves :]])
    ends = np.full(losses.size, -1, dtype=np.int64)
    ends[: leaves.size] = np.arange(leaves.size)
    for node in range(losses.size - 1):  # parents follow children
        ends[parents[node]] = max(ends[parents[node]], ends[node])
    return TREE, losses, parents, ends
