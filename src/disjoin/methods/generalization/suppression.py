"""Suppression of a few outlying rows, which form one class, so that the others keep more. Whole classes with the
highest loss, and rows that raise the loss of their class most, are tried; then the other rows form new classes, and
the loss must fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.generalization.draft import published_texts
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.local_search import Priced, priced
from disjoin.methods.generalization.local_search_classes import NUMBERS, span_losses
from disjoin.methods.generalization.people import population_fit
from disjoin.methods.generalization.requirements import asked_of, groups_that_hold
from disjoin.model.generalized import EVERYTHING, vague_values
from disjoin.model.ragged import Flags, Ints64

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

Form = Callable[[Encoded, Ints64], Classes]  # the second argument has the initial classes


def with_suppression(rows: Encoded, settings: Generalization, formed: Classes, forms: Sequence[Form]) -> Classes:
    """Return classes with at most a share of `suppress` of the rows suppressed; `formed` are without suppression."""
    limit = floor_share(settings.suppress or Fraction(0), len(rows))
    at_first = suppressed_rows(rows, formed)
    if at_first > limit:
        raise GuaranteeUnreachable(
            f"{settings.algorithm} suppresses {at_first:,} rows (* in all quasi-identifiers), but suppress allows "
            f"{limit:,}. Allow more, lower k, or leave suppress out."
        )
    table = priced(rows)
    is_suppressed, lost = at_roots(rows, formed), losses_by_row(rows, table, formed)
    best, least = formed, Fraction(int(lost.sum()), len(rows))
    for choose, form in product((costliest_classes, farthest_rows), forms):
        chosen = is_suppressed | choose(rows, table, formed, is_suppressed, limit - at_first)
        tried = None if (chosen == is_suppressed).all() else _tried(rows, settings, form, formed, chosen)
        if tried is None or suppressed_rows(rows, tried) > limit:
            continue
        others = np.flatnonzero(~(chosen | at_roots(rows, tried)))
        before, after = (int(losses[others].sum()) for losses in (lost, losses_by_row(rows, table, tried)))
        if after < before and Fraction(after, others.size) < least:
            best, least = tried, Fraction(after, others.size)
    return best


def floor_share(share: Fraction, rows: int) -> int:
    return rows * share.numerator // share.denominator


def _tried(rows: Encoded, settings: Generalization, form: Form, formed: Classes, hidden: Flags) -> Classes | None:
    asked = asked_of(settings, rows)
    if hidden.all() or not groups_that_hold(asked, hidden.astype(np.int64), 2).all():
        return None
    kept = np.flatnonzero(~hidden)
    anew = form(part_of(rows, kept), formed.class_of_row[kept])
    number = len(anew.vectors)
    class_of_row = np.full(len(rows), number, dtype=np.int64)
    class_of_row[kept] = anew.class_of_row
    roots = np.array([[tree.root for tree in rows.hierarchies]], dtype=np.int32)
    classes = Classes(class_of_row, np.concatenate([anew.vectors, roots]), stars=number)
    if rows.population is not None and not population_fit(rows, classes)[1].all():
        return None
    # Rows of other classes at the roots are published with the same values, so they count, too.
    group = (hidden | at_roots(rows, classes)).astype(np.int64) - 1
    return classes if groups_that_hold(asked, group, 1).all() else None


def part_of(rows: Encoded, kept: Ints64) -> Encoded:
    """Return some of the rows; requirements still compare them with the whole table."""
    return replace(
        rows,
        leaves=rows.leaves[kept],
        rows=np.arange(kept.size, dtype=np.int64),
        sensitive=rows.sensitive[kept],
        people=None if rows.people is None else rows.people[kept],
        population=None,  # its requirements are about all classes
        whole=rows.sensitive if rows.whole is None else rows.whole,
    )


def at_roots(rows: Encoded, classes: Classes) -> Flags:
    """Return for every row whether it is published as `*`, or as the root, in all quasi-identifiers."""
    is_root = np.ones(len(classes.vectors), dtype=np.bool_)
    for a, tree in enumerate(rows.hierarchies):
        if rows.is_hull[a]:
            is_root &= np.array([text == EVERYTHING for text in published_texts(rows, classes, a)])
        else:  # a node with the root's name counts as the root if it has all leaves
            names = tree.names.to_pylist()
            is_called = np.array([name == names[tree.root] for name in names])
            is_root &= (is_called & (tree.leaf_counts == tree.n_leaves))[classes.vectors[:, a]]
    if classes.stars is not None:
        is_root[classes.stars] = True
    found: Flags = is_root[classes.class_of_row]
    return found


def suppressed_rows(rows: Encoded, classes: Classes) -> int:
    is_vague = np.ones(len(classes.vectors), dtype=np.bool_)
    for a, tree in enumerate(rows.hierarchies):
        texts = published_texts(rows, classes, a)
        vague = vague_values(texts, None if rows.is_hull[a] else tree)
        is_vague &= np.array([text in vague for text in texts], dtype=np.bool_)
    return int(np.count_nonzero(is_vague[classes.class_of_row]))


def farthest_rows(rows: Encoded, table: Priced, classes: Classes, is_suppressed: Flags, room: int) -> Flags:
    """Choose rows, at most one per class, whose removal lowers the loss of their class most."""
    of_row = classes.class_of_row
    sizes = np.bincount(of_row, minlength=len(classes.vectors))[of_row]
    whole, without = span_losses_without(table, of_row)
    assert whole.size == len(rows), "the table and the classes have the same rows"
    gains = np.where(is_suppressed, 0, sizes * whole - (sizes - 1) * without)
    order = np.lexsort((np.arange(gains.size), -gains))
    order = order[gains[order] > 0]
    _, firsts = np.unique(of_row[order], return_index=True)  # the first of each class gains most
    chosen = np.zeros(gains.size, dtype=np.bool_)
    chosen[order[np.sort(firsts)][: max(0, room)]] = True
    return chosen


def costliest_classes(rows: Encoded, table: Priced, classes: Classes, is_suppressed: Flags, room: int) -> Flags:
    of_row = classes.class_of_row
    losses = losses_by_row(rows, table, classes)
    _, firsts, sizes = np.unique(of_row, return_index=True, return_counts=True)
    order = np.lexsort((firsts, -losses[firsts]))
    order = order[(losses[firsts[order]] > 0) & ~is_suppressed[firsts[order]]]
    taken = order[np.cumsum(sizes[order]) <= room]
    return np.isin(of_row, of_row[firsts[taken]])


def span_losses_without(table: Priced, of_row: Ints64) -> tuple[Ints64, Ints64]:
    """Return the loss of a row's class per row, and the same without the row."""
    whole, without = np.zeros((2, of_row.size), dtype=np.int64)
    for column, values in enumerate(table.values.T):
        order = np.lexsort((values, of_row))
        starts = np.flatnonzero(np.diff(of_row[order], prepend=-1))
        ends = np.append(starts[1:], of_row.size) - 1
        ranked, owner = values[order], np.repeat(np.arange(starts.size), ends - starts + 1)
        low, high = ranked[starts], ranked[ends]
        whole[order] += span_losses(table.columns, column, low, high)[owner]
        other_low, other_high = low[owner], high[owner]  # without the row
        other_low[starts] = ranked[np.minimum(starts + 1, ends)]
        other_high[ends] = ranked[np.maximum(ends - 1, starts)]
        without[order] += span_losses(table.columns, column, other_low, other_high)
    return whole, without


def losses_by_row(rows: Encoded, table: Priced, classes: Classes) -> Ints64:
    total = np.zeros(len(classes.vectors), dtype=np.int64)
    for column, a in enumerate(table.order):
        scale, tree = int(table.columns.most[column]), rows.hierarchies[a]
        if table.columns.kind[column] == NUMBERS:
            low, high = classes.bounds(table.values[:, column])
            is_used = high >= 0
            losses = span_losses(table.columns, column, low[is_used], high[is_used])
            total[is_used] += np.minimum(losses, scale)
        else:
            counts = tree.leaf_counts.astype(np.int64)[classes.vectors[:, a]]
            total += (counts - 1) * scale // max(1, tree.n_leaves - 1)
    if classes.stars is not None:
        total[classes.stars] = int(table.columns.most.sum())
    found: Ints64 = total[classes.class_of_row]
    return found
