"""How many records are expected to have both terms of a pair, from the published form alone (closed form of A.8).

Two terms of one chunk are counted. Terms of different chunks are expected to meet as often as if each chunk were laid
on the slots of its node at random: on a node of s slots, g of them with one and h with the other, g h / s times. A
term of the term chunk is taken to be on one slot. A term that is shared further up meets whatever lies below.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.jit.compiled import inner, kernel
from disjoin.model import Clusters, Transactions
from disjoin.model.arrays import Ints32

Floats = NDArray[np.float64]


@inner
def add_pairs(items, start, end, column, weight, out):
    """Add `weight` for each pair of columns of a list of items, in both directions."""
    for p in range(start, end):
        a = column[items[p]]
        if a >= 0:
            for q in range(p + 1, end):
                b = column[items[q]]
                if b >= 0:
                    out[a, b] += weight
                    out[b, a] += weight


@inner
def add_product(masses, columns, n, weight, out):
    """Add weight x mass x mass for each pair of the first n `columns`."""
    for i in range(n):
        for j in range(n):
            if i != j:
                out[columns[i], columns[j]] += weight * masses[columns[i]] * masses[columns[j]]


@kernel
def count_pairs(offsets, items, column, out):
    """Add 1 for each pair of columns of each record."""
    for record in range(offsets.size - 1):
        add_pairs(items, offsets[record], offsets[record + 1], column, 1.0, out)


@inner
def add_chunk(forest, chunk, column, size, masses, columns, out):
    """Add the pairs of a chunk, and take away what they would be if its terms were laid apart; gather its masses.

    `masses` (2, width) are those of the chunk, zero before and after, and those of the node; returns nothing else.
    """
    n = 0
    for s in range(forest.subrecord_offsets[chunk], forest.subrecord_offsets[chunk + 1]):
        weight = np.float64(forest.counts[s])
        add_pairs(forest.items, forest.item_offsets[s], forest.item_offsets[s + 1], column, weight, out)
        for p in range(forest.item_offsets[s], forest.item_offsets[s + 1]):
            a = column[forest.items[p]]
            if a >= 0:
                if masses[0, a] == 0.0:
                    columns[n] = a
                    n += 1
                masses[0, a] += weight
    add_product(masses[0], columns, n, -1.0 / size, out)
    for i in range(n):
        masses[1, columns[i]] += masses[0, columns[i]]
        masses[0, columns[i]] = 0.0


@kernel
def meet_in_forest(forest, parents, joint, column, masses, columns, below, out):
    """Add the expected number of records with both columns, over all nodes; a parent comes before its children.

    `joint` numbers the joint clusters, -1 for a leaf; `below` (joints, width) gathers what lies under each of them.
    """
    width = out.shape[0]
    for node in range(parents.size - 1, -1, -1):
        size = np.float64(forest.sizes[node])
        for chunk in range(forest.chunk_offsets[node], forest.chunk_offsets[node + 1]):
            add_chunk(forest, chunk, column, size, masses, columns, out)
        for p in range(forest.term_offsets[node], forest.term_offsets[node + 1]):
            if column[forest.term_items[p]] >= 0:
                masses[1, column[forest.term_items[p]]] += 1.0
        n = 0
        for a in range(width):
            if masses[1, a] > 0.0:
                columns[n] = a
                n += 1
        add_product(masses[1], columns, n, 1.0 / size, out)
        if joint[node] >= 0:
            for i in range(n):
                a = columns[i]
                for b in range(width):
                    if a != b:
                        more = masses[1, a] * below[joint[node], b] / size
                        out[a, b] += more
                        out[b, a] += more
        if parents[node] >= 0:
            above = joint[parents[node]]
            for a in range(width):
                below[above, a] += masses[1, a]
                if joint[node] >= 0:
                    below[above, a] += below[joint[node], a]
        for i in range(n):
            masses[1, columns[i]] = 0.0


def expected_pairs(published: Clusters, column: Ints32, width: int) -> Floats:
    """Return the expected records with both terms, as a (width, width) matrix with zeros on its diagonal.

    `column` has the row and column of each term of the published vocabulary, -1 for one that is not asked for. Where
    a tree shares a term that is also in a chunk below (mode paper), the result is an approximation.
    """
    from disjoin.methods.disassociation.leaves import Leaves

    forest = Leaves(*(getattr(published, name) for name in Leaves._fields))
    is_joint = published.is_joint
    joint = np.where(is_joint, np.cumsum(is_joint) - 1, -1)
    out = np.zeros((width, width))
    below = np.zeros((max(1, int(is_joint.sum())), width))
    room: Any = np.empty(width, np.int64)
    meet_in_forest(forest, published.parents, joint, column, np.zeros((2, width)), room, below, out)
    return out


def true_pairs(data: Transactions, column: Ints32, width: int) -> Floats:
    """Return the number of records with both terms, as a matrix like that of `expected_pairs`."""
    out = np.zeros((width, width))
    count_pairs(data.offsets, data.items, column, out)
    return out
