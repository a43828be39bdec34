"""Local search (ours): small classes are joined, then rows are moved while the loss falls. The loss of a cell is the
share of the column's other leaves that its published value covers. Every step lowers the sum; classes stay valid (they
satisfy the requirements)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization import local_search_classes
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import joined, runs_of
from disjoin.methods.generalization.local_search_classes import NUMBERS, FormingClasses, PricedColumns, span_loss
from disjoin.methods.generalization.local_search_moves import JoinQueue, improve_some, index_of, join_some
from disjoin.methods.generalization.requirements import Asked, Demands, asked_of, groups_that_hold, new_tally
from disjoin.model import Hierarchy
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


LARGEST_TABLE = 1024  # values of a column for which all spans are priced in advance
FINE = 2**20  # least number of parts of a whole column, the unit of intervals


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """Rows as numbers of values, and how kernels compute the losses of spans; columns with few values come first."""

    values: Ints64  # (rows, columns)
    columns: PricedColumns
    order: list[int]  # column -> its quasi-identifier
    leaves: list[Ints32]  # by column: the leaf of every value


def priced(encoded: Encoded) -> Priced:
    scale = scale_of(encoded)
    found = [np.unique(encoded.leaves[:, a]) for a in range(len(encoded.names))]
    order = sorted(range(len(found)), key=lambda a: (found[a].size, a))
    leaves = [in_tree_order(encoded.hierarchies[a], found[a]) for a in order]
    values = np.empty((len(encoded), len(order)), dtype=np.int64)
    prices = []
    for column, a in enumerate(order):
        number_of = np.zeros(encoded.hierarchies[a].n_leaves, dtype=np.int64)
        number_of[leaves[column]] = np.arange(leaves[column].size)
        values[:, column] = number_of[encoded.leaves[:, a]]
        price = _price_numbers if encoded.is_hull[a] else _price_tree
        prices.append(price(encoded.hierarchies[a], leaves[column], scale))
    kinds, losses, parents, ends = zip(*prices, strict=True)
    columns = PricedColumns(
        kind=np.array(kinds, dtype=np.int64),
        start=np.cumsum([0, *map(len, losses[:-1])]).astype(np.int64),
        width=np.array([listed.size for listed in leaves], dtype=np.int64),
        losses=np.concatenate(losses),
        parents=np.concatenate(parents),
        ends=np.concatenate(ends),
        most=np.full(len(order), scale, dtype=np.int64),
    )
    return Priced(values, columns, order, leaves)


def scale_of(encoded: Encoded) -> int:
    """Return the number of parts of a whole column: every loss is an integer number of them, if they fit."""
    whole = lcm(*(max(1, tree.n_leaves - 1) for tree in encoded.hierarchies))
    if encoded.is_hull.any():
        whole *= -(-FINE // whole)
    return min(whole, 2**58 // (max(1, len(encoded)) * len(encoded.names)))


def in_tree_order(tree: Hierarchy, leaves: Ints32) -> Ints32:
    """Return the leaves so that those under any node are neighbours.

    >>> tree = Hierarchy.from_rows([["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"]])
    >>> in_tree_order(tree, np.array([0, 1, 2])).tolist()
    [0, 2, 1]
    """
    return leaves[np.lexsort(tree.paths()[leaves].T)]  # the last key, the root, is the primary one


def _price_numbers(tree: Hierarchy, leaves: Ints32, scale: int) -> tuple[int, Ints64, Ints64, Ints64]:
    numbers = [number_from(tree.names[leaf].as_py()) for leaf in leaves.tolist()]
    known = [number for number in numbers if number is not None]
    first = min(known, default=Fraction(0))
    length = max(known, default=first) - first
    places = [2 * scale if number is None else int((number - first) / (length or 1) * scale) for number in numbers]
    losses = np.array(places, dtype=np.int64)
    return NUMBERS, losses, np.zeros_like(losses), np.zeros_like(losses)


def _price_tree(tree: Hierarchy, leaves: Ints32, scale: int) -> tuple[int, Ints64, Ints64, Ints64]:
    loss_of_node = (tree.leaf_counts.astype(np.int64) - 1) * scale // max(1, tree.n_leaves - 1)
    if leaves.size <= LARGEST_TABLE:
        losses = loss_of_node[tree.common_ancestor(leaves[:, None], leaves[None, :])].ravel()
        return local_search_classes.TABLE, losses, np.zeros_like(losses), np.zeros_like(losses)
    shift = leaves.size - tree.n_leaves  # nodes above the leaves follow the leaves that occur
    parents = np.concatenate([tree.parents[leaves], tree.parents[tree.n_leaves :]]).astype(np.int64) + shift
    losses = np.concatenate([loss_of_node[leaves], loss_of_node[tree.n_leaves :]])
    ends = np.full(losses.size, -1, dtype=np.int64)
    ends[: leaves.size] = np.arange(leaves.size)
    for node in range(losses.size - 1):  # parents follow children
        ends[parents[node]] = max(ends[parents[node]], ends[node])
    return local_search_classes.TREE, losses, parents, ends


LARGEST_PART = 2**13  # rows; with four times as many the search takes 50 % longer and keeps no more
LARGEST_DIVERSE_PART = 2**15  # rows, if there are requirements on sensitive values: smaller parts leave less choice
SMALL_PART = 2**11  # rows of a wide table
PART_OF_LARGE = 2**9  # rows of a large table
WIDE = 6  # number columns with nearly as many values as rows: the search compares nearly all pairs of classes
LARGE = 2**16  # rows; 125,000 take a third less time in parts of 512 than of 2,048, and keep 0.922 instead of 0.923
LEAST_SIDE = 16  # no side of a cut has less than one in this many rows


def parts_of(table: Priced, asked: Asked, largest: int) -> list[Ints64]:
    """Return the rows of every part, ascending: all parts are valid, and small if cuts can make them so."""
    waiting: list[Ints64] = [np.arange(len(table.values), dtype=np.int64)]
    parts = []
    while waiting:
        rows = waiting.pop()
        is_above = _best_cut_of(table, asked, rows) if rows.size > largest else None
        if is_above is None:
            parts.append(rows)
        else:
            waiting += [rows[is_above], rows[~is_above]]
    return parts


def _best_cut_of(table: Priced, asked: Asked, rows: Ints64) -> Flags | None:
    saved, values = best_cuts(table.columns, table.values, rows)
    for column in np.lexsort((np.arange(saved.size), -saved)).tolist():
        is_above: Flags = table.values[rows, column] > values[column]
        sides = is_above.astype(np.int64)
        if values[column] >= 0 and groups_that_hold(asked.of(rows), sides, 2).all():
            return is_above
    return None


def largest_part(table: Priced, demands: Demands) -> int:
    """Return how many rows are searched at once: few if bounds prune nothing, because time grows with the square."""
    fine = (table.columns.kind == NUMBERS) & (10 * table.columns.width > len(table.values))
    if np.count_nonzero(fine) >= WIDE:
        return SMALL_PART
    if not demands.only_k:
        return LARGEST_DIVERSE_PART
    return LARGEST_PART if len(table.values) <= LARGE else PART_OF_LARGE


@kernel
def best_cuts(columns, values, rows):
    """Return the loss saved by each column's best cut (the lowest among equals), and the value below; -1 if none."""
    saved, highest = np.empty(columns.start.size, np.int64), np.empty(columns.start.size, np.int64)
    counts = np.zeros(max(1, columns.width.max()), np.int64)
    for column in range(columns.start.size):
        saved[column], highest[column] = _best_cut(columns, values, rows, column, counts)
    return saved, highest


@inner
def _best_cut(columns, values, rows, column, counts):
    """Return the loss saved by the best cut and the highest value below it; `counts` is empty before and after."""
    lowest = highest = values[rows[0], column]
    for i in range(rows.size):
        value = values[rows[i], column]
        counts[value] += 1
        lowest, highest = min(lowest, value), max(highest, value)
    whole = rows.size * span_loss(columns, column, lowest, highest)
    best, best_value, below, last = -1, -1, 0, lowest
    for value in range(lowest, highest + 1):
        if counts[value] == 0:
            continue
        if below * LEAST_SIDE >= rows.size and (rows.size - below) * LEAST_SIDE >= rows.size:
            kept = below * span_loss(columns, column, lowest, last)
            kept += (rows.size - below) * span_loss(columns, column, value, highest)
            if whole - kept > best:
                best, best_value = whole - kept, last
        below += counts[value]
        counts[value] = 0
        last = value
    return best, best_value


PASSES = 20  # at most; fewer if nothing changes
ROUNDS = 256  # between two checks for an interrupt
BROKEN = 0.3  # share of classes that a retry dissolves; 0.5 of those in small regions gained as much in equal time

Share = Callable[[Callable[[Any], Any], Iterable[Any], Callable[[int], None]], list[Any]]


class TablePart(NamedTuple):
    """A part of a table as a value, with everything that its classes depend on."""

    values: Ints64  # (rows, columns)
    secrets: Ints64  # (rows, sensitive columns)
    columns: PricedColumns
    demands: Demands
    retries: int


def local_search(
    encoded: Encoded, settings: Generalization, progress: Progress = silent, share: Share | None = None
) -> Classes:
    """Return valid classes that the search cannot improve, in each part of a large table; `share` is a `map`."""
    table = priced(encoded)
    asked = asked_of(settings, encoded)
    parts = parts_of(table, asked, largest_part(table, asked.demands))
    rest = table.columns, asked.demands, settings.retries
    values = (TablePart(table.values[rows], asked.secrets[rows], *rest) for rows in parts)
    if len(parts) == 1 or share is None:
        found = [searched_part(part, progress) for part in values]
    else:
        found = share(searched_part, values, lambda done: progress("searching", done, len(parts), "parts of the table"))
    class_of_row = np.empty(len(encoded), dtype=np.int64)
    n_classes = 0
    for rows, classes in zip(parts, found, strict=True):
        class_of_row[rows] = classes + n_classes
        n_classes += int(classes.max()) + 1
    return joined(labelled(encoded, table, class_of_row))


def search_on(encoded: Encoded, settings: Generalization, start: Ints64, progress: Progress = silent) -> Classes:
    table, asked = priced(encoded), asked_of(settings, encoded)
    found = _improved(table.values, table.columns, asked, numbered(start), progress)
    return joined(labelled(encoded, table, found))


def searched_part(part: TablePart, progress: Progress = silent) -> Ints64:
    """Return the class of every row, from 0; equal rows are neighbours. Retries keep the lower loss."""
    asked = Asked(part.demands, new_tally(part.demands), part.secrets)
    differ = np.flatnonzero((part.values != part.values[:1]).any(axis=0))
    if not differ.size:  # columns without differences lose nothing in any class
        differ = np.zeros(1, dtype=np.int64)
    few = {name: getattr(part.columns, name)[differ] for name in ("kind", "start", "width", "most")}
    values, columns = np.ascontiguousarray(part.values[:, differ]), part.columns._replace(**few)
    equal, _ = runs_of(values.astype(np.int32))
    found = _improved(values, columns, asked, equal.copy(), progress)
    classes = local_search_classes.classes_of(values, found.copy(), columns)
    for turn in range(part.retries):
        n_classes = classes.sizes.size
        is_broken = drawn(n_classes, turn) & (classes.losses > 0)
        start = numbered(np.where(is_broken[found], n_classes + equal, found))
        tried = _improved(values, columns, asked, start, progress)
        others = local_search_classes.classes_of(values, tried.copy(), columns)
        if others.sizes @ others.losses <= classes.sizes @ classes.losses:
            found, classes = tried, others
    return found


def drawn(n_classes: int, turn: int) -> Flags:
    """Return which classes a retry dissolves: the same in every run, different ones in every retry.

    >>> [np.flatnonzero(drawn(8, turn)).tolist() for turn in range(3)]
    [[0, 2, 5], [0, 3], [1, 6]]
    """
    numbers = np.arange(n_classes, dtype=np.int64) + 40503 * turn
    is_drawn: Flags = numbers * 2654435761 % 2**32 < BROKEN * 2**32
    return is_drawn


def _improved(values: Ints64, columns: PricedColumns, asked: Asked, class_of_row: Ints64, progress: Progress) -> Ints64:
    is_open = ~groups_that_hold(asked, class_of_row, int(class_of_row.max()) + 1)
    classes = local_search_classes.classes_of(values, class_of_row, columns)
    join_open(classes, columns, asked, is_open, progress)
    classes = local_search_classes.classes_of(values, numbered(classes.of_row), columns)
    improve(classes, columns, asked, progress)
    return numbered(classes.of_row)


def join_open(classes: FormingClasses, columns: PricedColumns, asked: Asked, unmet: Flags, progress: Progress) -> None:
    opened = np.flatnonzero(unmet)
    queue = new_state(JoinQueue, unmet.size)._replace(is_open=unmet, names=np.arange(unmet.size))
    queue.heap[: opened.size] = opened
    queue.partners.fill(-1)
    index = index_of(columns, classes)
    size = opened.size
    while size:
        size = int(join_some(classes, index, columns, asked, queue, size, ROUNDS))
        progress("joining", opened.size - size, opened.size)


def improve(classes: FormingClasses, columns: PricedColumns, asked: Asked, progress: Progress) -> int:
    fallen = 0
    for turn in range(PASSES):
        before = fallen
        index = index_of(columns, classes)
        for begin in range(0, classes.sizes.size, ROUNDS):
            fallen += improve_some(classes, index, columns, asked, begin, min(begin + ROUNDS, classes.sizes.size))
            progress(f"improving, turn {turn + 1}", begin, classes.sizes.size)
        if fallen == before:
            break
    return fallen


def numbered(class_of_row: Ints64) -> Ints64:
    """Return the same classes numbered from 0 in the order of their first rows.

    >>> numbered(np.array([7, 3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    backwards = np.arange(class_of_row.size - 1, -1, -1, dtype=np.int64)
    firsts = np.zeros(int(class_of_row.max()) + 1, dtype=np.int64)
    firsts[class_of_row[backwards]] = backwards  # the last write remains: the first row of a class
    first_of_row = firsts[class_of_row]
    renamed: Ints64 = (np.cumsum(first_of_row == np.arange(class_of_row.size)) - 1)[first_of_row]
    return renamed


def labelled(encoded: Encoded, table: Priced, class_of_row: Ints64) -> Classes:
    classes = local_search_classes.classes_of(table.values, class_of_row, table.columns)
    vectors = np.empty((classes.sizes.size, len(encoded.names)), dtype=np.int32)
    for column, a in enumerate(table.order):
        leaves = table.leaves[column]
        ends = leaves[classes.lows[:, column]], leaves[classes.highs[:, column]]
        vectors[:, a] = encoded.hierarchies[a].common_ancestor(*ends)
    return Classes(class_of_row, vectors)
