"""Suppression: a few outlying rows are suppressed, so that the others keep more.

The starred rows are one class, as good as any other. Two choices are tried, whole classes that lose most and rows that
cost their class most; the other rows form classes anew each time, and stars that do not keep more for them are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.local_search import Priced, priced
from disjoin.methods.generalization.local_search_classes import NUMBERS, span_losses
from disjoin.methods.generalization.population import fitting
from disjoin.methods.generalization.requirements import demands_of, groups_that_hold, secrets_of
from disjoin.model.generalized import vague_values
from disjoin.model.ragged import Flags, Ints32, Ints64

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

Form = Callable[[Encoded, Ints64], Classes]  # the second are classes to begin with


class Starred(NamedTuple):
    """Which rows are starred, and classes of all rows, in which these are in a class at the roots."""

    is_starred: Flags  # (rows,)
    classes: Classes


def with_stars(rows: Encoded, settings: Generalization, formed: Classes, forms: Sequence[Form]) -> Classes:
    """Return classes with at most a share of `suppress` of the rows suppressed, starred or not.

    `formed` are those without stars; `forms` are ways to form classes of the other rows.
    """
    limit = floor_share(settings.suppress or Fraction(0), len(rows))
    found = Starred(at_roots(rows, formed), formed)
    at_first = suppressed_rows(rows, formed)
    if at_first > limit:
        raise GuaranteeUnreachable(_too_many(at_first, limit, settings.algorithm))
    table = priced(rows)
    best, least = formed, Fraction(int(losses_by_row(rows, table, formed).sum()), len(rows))
    for choose, form in product((costliest_classes, farthest_rows), forms):
        tried = _tried(rows, settings, form, found, choose(rows, table, found, limit - at_first))
        if tried is None or suppressed_rows(rows, tried.classes) > limit:
            continue
        others = np.flatnonzero(~tried.is_starred)
        before, after = (int(losses_by_row(rows, table, each)[others].sum()) for each in (formed, tried.classes))
        if after < before and Fraction(after, others.size) < least:
            best, least = tried.classes, Fraction(after, others.size)
    return best


def floor_share(share: Fraction, rows: int) -> int:
    """Return how many of the rows the share is, rounded down."""
    return rows * share.numerator // share.denominator


def _too_many(starred: int, limit: int, algorithm: str) -> str:
    return (
        f"{algorithm} leaves {starred:,} rows with nothing but what includes all values, and suppress allows "
        f"{limit:,}. Allow more, lower k, or leave suppress out."
    )


def _tried(rows: Encoded, settings: Generalization, form: Form, found: Starred, chosen: Flags) -> Starred | None:
    """Star the chosen rows, too, and form classes of all others anew; None if that leaves either not as demanded."""
    is_starred = found.is_starred | chosen
    if not chosen.any() or is_starred.all():
        return None
    demands = demands_of(settings, rows)
    secrets = secrets_of(rows, demands)
    if not groups_that_hold(demands, secrets, is_starred.astype(np.int64), 2).all():
        return None
    tried = _formed_anew(rows, form, found.classes, is_starred)
    if rows.crowd is not None and not fitting(rows, tried.classes).is_kept.all():
        return None
    # Rows of other classes at the roots are published alike: they count, too.
    return tried if groups_that_hold(demands, secrets, tried.is_starred.astype(np.int64) - 1, 1).all() else None


def _formed_anew(rows: Encoded, form: Form, before: Classes, is_starred: Flags) -> Starred:
    """Form classes of the rows that are not starred, and put the others into one class at the roots."""
    kept = np.flatnonzero(~is_starred)
    formed = form(part_of(rows, kept), before.class_of_row[kept])
    number = len(formed.vectors)
    class_of_row = np.full(len(rows), number, dtype=np.int64)
    class_of_row[kept] = formed.class_of_row
    roots = np.array([[tree.root for tree in rows.hierarchies]], dtype=np.int32)
    classes = Classes(class_of_row, np.concatenate([formed.vectors, roots]), stars=number)
    return Starred(is_starred | at_roots(rows, classes), classes)


def part_of(rows: Encoded, kept: Ints64) -> Encoded:
    """Return some of the rows; what is asked beside the whole table stays beside the whole table."""
    return replace(
        rows,
        leaves=rows.leaves[kept],
        rows=np.arange(kept.size, dtype=np.int64),
        sensitive=rows.sensitive[kept],
        people=None if rows.people is None else rows.people[kept],
        crowd=None,  # what it asks is about all classes
        whole=rows.sensitive if rows.whole is None else rows.whole,
    )


def at_roots(rows: Encoded, classes: Classes) -> Flags:
    """Tell of every row whether it is published as `*`, or its like, in all quasi-identifiers."""
    is_root = np.ones(len(classes.vectors), dtype=np.bool_)
    for a in range(len(rows.names)):
        if not rows.is_hull[a]:
            is_root &= root_names(rows, a)[classes.vectors[:, a]]
        else:
            is_root &= _is_anything(rows, classes, a)
    if classes.stars is not None:
        is_root[classes.stars] = True
    found: Flags = is_root[classes.class_of_row]
    return found


def suppressed_rows(rows: Encoded, classes: Classes) -> int:
    """Count the rows that are published as `*`, or as what includes all values, in all quasi-identifiers."""
    from disjoin.methods.generalization.draft import hulls, node_names

    is_vague = np.ones(len(classes.vectors), dtype=np.bool_)
    for a in range(len(rows.names)):
        texts = hulls(rows, classes, a) if rows.is_hull[a] else node_names(rows, classes, a)
        vague = vague_values(texts, None if rows.is_hull[a] else rows.hierarchies[a])
        is_vague &= np.array([text in vague for text in texts], dtype=np.bool_)
    return int(np.count_nonzero(is_vague[classes.class_of_row]))


def root_names(rows: Encoded, a: int) -> Flags:
    """Tell of every node whether it is called as the root is, and no lower node that has other leaves is."""
    tree = rows.hierarchies[a]
    names = tree.names.to_pylist()
    is_called = np.array([name == names[tree.root] for name in names])
    found: Flags = is_called & (tree.leaf_counts == tree.n_leaves)
    return found


def _is_anything(rows: Encoded, classes: Classes, a: int) -> Flags:
    """Tell of every class whether it has numbers and a missing value: its hull is `*`."""
    from disjoin.methods.generalization.draft import EVERYTHING, hulls

    return np.array([text == EVERYTHING for text in hulls(rows, classes, a)])


def farthest_rows(rows: Encoded, table: Priced, found: Starred, room: int) -> Flags:
    """Choose rows, at most one per class, without which their class would lose least."""
    of_row = found.classes.class_of_row
    sizes = np.bincount(of_row, minlength=len(found.classes.vectors))[of_row]
    whole, without = span_losses_without(table, of_row)
    assert whole.size == len(rows), "a row of the table is a row of the classes"
    gains = np.where(found.is_starred, 0, sizes * whole - (sizes - 1) * without)
    order = np.lexsort((np.arange(gains.size), -gains))
    order = order[gains[order] > 0]
    _, firsts = np.unique(of_row[order], return_index=True)  # the first of each class gains most
    return _flags(gains.size, order[np.sort(firsts)][: max(0, room)])


def costliest_classes(rows: Encoded, table: Priced, found: Starred, room: int) -> Flags:
    """Choose whole classes, those whose rows lose most first, as long as there is room."""
    of_row = found.classes.class_of_row
    losses = losses_by_row(rows, table, found.classes)
    _, firsts, sizes = np.unique(of_row, return_index=True, return_counts=True)
    order = np.lexsort((firsts, -losses[firsts]))
    order = order[(losses[firsts[order]] > 0) & ~found.is_starred[firsts[order]]]
    taken = order[np.cumsum(sizes[order]) <= room]
    return np.isin(of_row, of_row[firsts[taken]])


def span_losses_without(table: Priced, of_row: Ints64) -> tuple[Ints64, Ints64]:
    """Return what a row's class loses per row, and what it would lose without the row."""
    whole, without = np.zeros((2, of_row.size), dtype=np.int64)
    for column, values in enumerate(table.values.T):
        order = np.lexsort((values, of_row))
        starts = np.flatnonzero(np.diff(of_row[order], prepend=-1))
        ends = np.append(starts[1:], of_row.size) - 1
        ranked, owner = values[order], np.cumsum(np.diff(of_row[order], prepend=-1) != 0) - 1
        low, high = ranked[starts], ranked[ends]
        next_low, next_high = ranked[np.minimum(starts + 1, ends)], ranked[np.maximum(ends - 1, starts)]
        is_first, is_last = np.zeros((2, of_row.size), dtype=np.bool_)
        is_first[starts], is_last[ends] = True, True
        all_of = span_losses(table.columns, column, low, high)[owner]
        rest = span_losses(
            table.columns,
            column,
            np.where(is_first, next_low[owner], low[owner]),
            np.where(is_last, next_high[owner], high[owner]),
        )
        whole[order] += all_of
        without[order] += rest
    return whole, without


def losses_by_row(rows: Encoded, table: Priced, classes: Classes) -> Ints64:
    """Return what every row loses as it is published, in parts of the scale."""
    total = np.zeros(len(classes.vectors), dtype=np.int64)
    for column, a in enumerate(table.order):
        scale, tree = int(table.columns.most[column]), rows.hierarchies[a]
        if table.columns.kind[column] == NUMBERS:
            total += np.minimum(_hull_losses(table, column, classes), scale)
        else:
            counts = tree.leaf_counts.astype(np.int64)[classes.vectors[:, a]]
            total += (counts - 1) * scale // max(1, tree.n_leaves - 1)
    if classes.stars is not None:
        total[classes.stars] = int(table.columns.most.sum())
    found: Ints64 = total[classes.class_of_row]
    return found


def _hull_losses(table: Priced, column: int, classes: Classes) -> Ints64:
    n = len(classes.vectors)
    low, high = np.full(n, np.iinfo(np.int64).max), np.full(n, -1, dtype=np.int64)
    np.minimum.at(low, classes.class_of_row, table.values[:, column])
    np.maximum.at(high, classes.class_of_row, table.values[:, column])
    is_used = high >= 0
    losses = np.zeros(n, dtype=np.int64)
    losses[is_used] = span_losses(table.columns, column, low[is_used], high[is_used])
    return losses


def _flags(size: int, chosen: Ints64 | Ints32) -> Flags:
    flags = np.zeros(size, dtype=np.bool_)
    flags[chosen] = True
    return flags
