"""Our own algorithm: join what is too small where it costs least, then move, dissolve and trade while losses fall.

The loss of a row in a column is the share of the column's other leaves that its published value stands for too. The sum
over all cells is what granularity counts; every step lowers it, and no class is ever less than demanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from disjoin.methods.generalization.diversity import Demands, Tally, groups_that_hold, new_tally
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import runs_of
from disjoin.methods.generalization.kaca_merge import joined
from disjoin.methods.generalization.local_search_classes import Asked, PricedColumns, classes_of
from disjoin.methods.generalization.local_search_classes import FormingClasses as Forming
from disjoin.methods.generalization.local_search_improve import improve_some
from disjoin.methods.generalization.local_search_join import JoinQueue, index_of, join_some
from disjoin.methods.generalization.local_search_losses import Priced, priced
from disjoin.methods.generalization.partition import largest_part, parts_of
from disjoin.methods.generalization.requirements import demands_of, secrets_of
from disjoin.model.ragged import Flags, Ints64
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

PASSES = 20  # at most; fewer when nothing changes any more
ROUNDS = 256  # between two looks at the keyboard
BROKEN = 0.3  # of the classes are broken up by a retry; 0.5 of those in small regions gained as much in the same time

Told = Callable[[str, int, int], None]  # hears of progress
Share = Callable[[Callable[[Any], Any], Iterable[Any], Callable[[int], None]], list[Any]]


def _nobody(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def _in_turn(work: Callable[[Any], Any], parts: Iterable[Any], done: Callable[[int], None]) -> list[Any]:
    """Do the work on one part after the other."""
    found = []
    for part in parts:
        found.append(work(part))
        done(len(found))
    return found


class TablePart(NamedTuple):
    """A part of a table as a value: all that its classes depend on."""

    values: Ints64  # (rows, columns)
    secrets: Ints64  # (rows, sensitive columns)
    columns: PricedColumns
    demands: Demands
    retries: int


def local_search(
    encoded: Encoded, settings: Generalization, progress: Progress = silent, share: Share = _in_turn
) -> Classes:
    """Return classes as demanded, in which the search finds nothing more to gain.

    A large table is cut into parts first, which `share` (an engine's `map`) may search at the same time; what is said
    of classes is true of each part then.
    """
    table = priced(encoded)
    demands = demands_of(settings, encoded)
    secrets = secrets_of(encoded, demands).astype(np.int64)
    parts = parts_of(table, Asked(demands, _tally(demands), secrets), largest_part(table, demands))
    values = (TablePart(table.values[rows], secrets[rows], table.columns, demands, settings.retries) for rows in parts)
    if len(parts) == 1:
        found = [searched_part(part, progress) for part in values]
    else:
        found = share(searched_part, values, lambda done: progress("searching", done, len(parts), "parts of the table"))
    class_of_row = np.empty(len(encoded), dtype=np.int64)
    n_classes = 0
    for rows, classes in zip(parts, found, strict=True):
        class_of_row[rows] = classes + n_classes
        n_classes += int(classes.max()) + 1
    return joined(labelled(encoded, table, class_of_row, n_classes))


def search_on(encoded: Encoded, settings: Generalization, start: Ints64, progress: Progress = silent) -> Classes:
    """Return classes that the search reaches from some of which a few may be too small."""
    table, demands = priced(encoded), demands_of(settings, encoded)
    asked = Asked(demands, _tally(demands), secrets_of(encoded, demands).astype(np.int64))
    begun = numbered(start)
    found = _improved(table.values, table.columns, asked, begun, int(begun.max()) + 1, progress)
    return joined(labelled(encoded, table, found, int(found.max()) + 1))


def searched_part(part: TablePart, progress: Told = _nobody) -> Ints64:
    """Return the class of every row of a part, numbered from 0."""
    asked = Asked(part.demands, _tally(part.demands), part.secrets)
    values, columns = _that_differ(part.values, part.columns)
    found = searched(values, columns, asked, progress)
    return searched_again(values, columns, asked, found, part.retries, progress)


def _that_differ(values: Ints64, columns: PricedColumns) -> tuple[Ints64, PricedColumns]:
    """Return the columns in which rows differ, or the first: the others lose nothing, whoever is in a class."""
    differ = np.flatnonzero((values != values[:1]).any(axis=0))
    if not differ.size:
        differ = np.zeros(1, dtype=np.int64)
    few = {name: getattr(columns, name)[differ] for name in ("kind", "start", "width", "most")}
    return np.ascontiguousarray(values[:, differ]), columns._replace(**few)


def _tally(demands: Demands) -> Tally:
    return new_tally(int(demands.starts[-1]))


def searched(values: Ints64, columns: PricedColumns, asked: Asked, progress: Told) -> Ints64:
    """Return the class of every row, numbered from 0; equal rows stand side by side."""
    class_of_row, vectors = runs_of(values.astype(np.int32))
    return _improved(values, columns, asked, class_of_row, len(vectors), progress)


def searched_again(
    values: Ints64, columns: PricedColumns, asked: Asked, found: Ints64, retries: int, progress: Told
) -> Ints64:
    """Return classes that lose no more than those found: some are broken up, and all is searched anew, every time."""
    equal = runs_of(values.astype(np.int32))[0] if retries else found
    classes = classes_of(values, found.copy(), int(found.max()) + 1, columns)
    for turn in range(retries):
        n_classes = classes.sizes.size
        is_broken = drawn(n_classes, turn) & (classes.losses > 0)
        start = numbered(np.where(is_broken[found], n_classes + equal, found))
        tried = _improved(values, columns, asked, start, int(start.max()) + 1, progress)
        others = classes_of(values, tried.copy(), int(tried.max()) + 1, columns)
        if others.sizes @ others.losses <= classes.sizes @ classes.losses:
            found, classes = tried, others
    return found


def drawn(n_classes: int, turn: int) -> Flags:
    """Return which classes a turn breaks up: always the same, and others in every turn.

    >>> [np.flatnonzero(drawn(8, turn)).tolist() for turn in range(3)]
    [[0, 2, 5], [0, 3], [1, 6]]
    """
    numbers = np.arange(n_classes, dtype=np.int64) + 40503 * turn
    is_drawn: Flags = numbers * 2654435761 % 2**32 < BROKEN * 2**32
    return is_drawn


def _improved(
    values: Ints64, columns: PricedColumns, asked: Asked, class_of_row: Ints64, n_classes: int, progress: Told
) -> Ints64:
    """Join classes that are not as demanded, and improve all."""
    is_open = ~groups_that_hold(asked.demands, asked.secrets, class_of_row, n_classes)
    classes = classes_of(values, class_of_row, n_classes, columns)
    join_open(classes, columns, asked, is_open, progress)
    found = numbered(classes.of_row)
    classes = classes_of(values, found, int(found.max()) + 1, columns)
    improve(classes, columns, asked, progress)
    return numbered(classes.of_row)


def join_open(classes: Forming, columns: PricedColumns, asked: Asked, is_open: Flags, progress: Told) -> None:
    """Join every open class with the cheapest other one, the cheapest joining first, until none is open."""
    n = is_open.size
    zeros, opened = np.zeros((4, n), dtype=np.int64), np.flatnonzero(is_open)
    heap = np.zeros(n, dtype=np.int64)
    heap[: opened.size] = opened
    names = np.arange(n, dtype=np.int64)
    queue = JoinQueue(heap, zeros[0], zeros[1], names, np.full(n, -1, dtype=np.int64), zeros[2], zeros[3], is_open)
    index = index_of(columns, classes)
    size = int(opened.size)
    while size:
        size = join_some(classes, index, columns, asked, queue, size, ROUNDS)
        progress("joining", int(opened.size) - size, int(opened.size))


def improve(classes: Forming, columns: PricedColumns, asked: Asked, progress: Told) -> int:
    """Move, dissolve and trade until nothing changes; return by how much the sum of losses fell."""
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
    firsts[class_of_row[backwards]] = backwards  # the last that is written stays: the first row of a class
    first_of_row = firsts[class_of_row]
    renamed: Ints64 = (np.cumsum(first_of_row == np.arange(class_of_row.size)) - 1)[first_of_row]
    return renamed


def labelled(encoded: Encoded, table: Priced, class_of_row: Ints64, n_classes: int) -> Classes:
    """Return the lowest nodes above the spans of the classes."""
    classes = classes_of(table.values, class_of_row, n_classes, table.columns)
    vectors = np.empty((n_classes, len(encoded.names)), dtype=np.int32)
    for column, a in enumerate(table.order):
        leaves = table.leaves[column]
        ends = leaves[classes.lows[:, column]], leaves[classes.highs[:, column]]
        vectors[:, a] = encoded.hierarchies[a].common_ancestor(*ends)
    return Classes(class_of_row, vectors)
