"""Classes as the kernels keep them, from labels and back, with word of progress on the way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disjoin.methods.generalization.ancestor_cost import Forest, new_prices
from disjoin.methods.generalization.diversity import Demands, groups_that_hold, new_tally
from disjoin.methods.generalization.encoding import Classes, packed_keys
from disjoin.methods.generalization.kaca_merge import REMEMBERED, Gathering, gather, insert, label_rows
from disjoin.methods.generalization.requirements import combinations_of
from disjoin.model.arrays import Ints32, Ints64
from disjoin.progress import Progress

ROUNDS = 256  # between two looks at the keyboard
GUESTS = 2_000_000  # rows times classes, likewise


def gathering_of(class_of_row: Ints64, vectors: Ints32, demands: Demands, secrets: Ints64) -> Gathering:
    """Return the classes with their rows; a row with class -1 is in none."""
    n_classes = len(vectors)
    order = np.argsort(class_of_row, kind="stable")
    order = order[np.searchsorted(class_of_row[order], 0) :]
    owners = class_of_row[order]
    nexts = np.full(class_of_row.size, -1, dtype=np.int64)
    follows = owners[1:] == owners[:-1]
    nexts[order[:-1][follows]] = order[1:][follows]
    return Gathering(
        vectors=np.array(vectors, dtype=np.int32),
        sizes=np.bincount(owners, minlength=n_classes).astype(np.int64),
        firsts=order[np.searchsorted(owners, np.arange(n_classes))],
        nexts=nexts,
        is_open=~groups_that_hold(demands, secrets, class_of_row, n_classes),
        living=np.array([n_classes], dtype=np.int64),
    )


def merge_open(
    classes: Gathering, forest: Forest, demands: Demands, secrets: Ints64, *, stub: bool, progress: Progress
) -> None:
    """Merge every open class with its nearest, the smallest first, until none is open (or one class is left)."""
    prices, tally = new_prices(forest), new_tally(int(demands.starts[-1]))
    total = int(classes.is_open[: classes.living[0]].sum())
    needed = ROUNDS if total else 0
    while needed == ROUNDS:
        needed = gather(classes, forest, prices, demands, tally, secrets, stub, ROUNDS)
        progress("merging", total - int(classes.is_open[: classes.living[0]].sum()), total)


def insert_rows(
    classes: Gathering, guests: Ints64, leaves: Ints32, forest: Forest, demands: Demands, secrets: Ints64
) -> Iterator[int]:
    """Put rows into the nearest classes that bear them, in order, until one fits nowhere; yield how many are put."""
    prices, tally = new_prices(forest), new_tally(int(demands.starts[-1]))
    combos, _ = combinations_of(secrets[guests])
    refused = np.full((REMEMBERED, len(classes.vectors)), -1, dtype=np.int64)
    step = max(1, GUESTS // len(classes.vectors))
    for begin in range(0, guests.size, step):
        some = slice(begin, begin + step)
        put = insert(
            classes, guests[some], leaves[some], combos[some], refused, forest, prices, demands, tally, secrets
        )
        yield begin + int(put)
        if put < guests[some].size:
            return


def labels_of(classes: Gathering) -> Classes:
    """Return the class of every row, -1 for one in none, and the classes' vectors, in nodes of the forest."""
    class_of_row = np.full(classes.nexts.size, -1, dtype=np.int64)
    label_rows(classes, class_of_row)
    return Classes(class_of_row, classes.vectors[: classes.living[0]].copy())


def joined(found: Classes) -> Classes:
    """Return the same with one class for equal vectors, in the order of the vectors; rows of class -1 stay in none."""
    if not len(found.vectors):
        return found
    keys = packed_keys(list(found.vectors.T))
    order = np.lexsort(keys[::-1])
    vectors = found.vectors[order]
    fresh = np.ones(len(vectors), dtype=np.bool_)
    fresh[1:] = (vectors[1:] != vectors[:-1]).any(axis=1)
    place = np.empty(len(vectors) + 1, dtype=np.int64)
    place[order] = np.cumsum(fresh) - 1
    place[-1] = -1
    return Classes(place[found.class_of_row], vectors[fresh])
