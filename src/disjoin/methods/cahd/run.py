"""CAHD from records to a draft: sort, order by similarity, form groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.decision import prepare
from disjoin.methods.cahd import GROUPINGS
from disjoin.methods.cahd.cahd_groups import CahdRows, Prepared, blind_groups_of, groups_of, prepared, spread
from disjoin.methods.cahd.cuthill_mckee import rows_and_columns
from disjoin.model import Draft, Groups, Transactions
from disjoin.model.ragged import Ints32, Ints64, offsets_of
from disjoin.model.spelling import first_alike
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.cahd import Cahd

INTERPRETED = 20e-6  # seconds per occurrence


class Counted(NamedTuple):
    """How often something is in a group, sorted by group and thing."""

    groups: Ints64
    things: Ints64
    counts: Ints64

    def moved(self, place: Ints64) -> Counted:
        """Return the same with other numbers of groups."""
        order = np.lexsort((self.things, place[self.groups]))
        return Counted(place[self.groups][order], self.things[order], self.counts[order])


def draft_of(prepared: Prepared, group_of_row: Ints64, n_groups: int) -> Draft[Groups]:
    """Return the published groups, and the group of every record."""
    sensitive = prepared.rows.sensitive
    records = _counted(group_of_row, prepared.same)
    secrets = _counted(sensitive.spread(group_of_row), sensitive.items.astype(np.int64))
    place = _canonical_places(records, secrets, n_groups)
    part_of_record = np.empty(group_of_row.size, dtype=np.int64)
    part_of_record[prepared.records] = place[group_of_row]
    published = _published(prepared, records.moved(place), secrets.moved(place), n_groups)
    return Draft(published, part_of_record, sensitive=published.sensitive_terms())


def _counted(groups: Ints64, things: Ints64) -> Counted:
    order = np.lexsort((things, groups))
    groups, things = groups[order], things[order]
    fresh = np.ones(groups.size, dtype=np.bool_)
    fresh[1:] = (groups[1:] != groups[:-1]) | (things[1:] != things[:-1])
    starts = np.flatnonzero(fresh)
    return Counted(groups[starts], things[starts], np.diff(np.append(starts, groups.size)))


def _canonical_places(records: Counted, secrets: Counted, n_groups: int) -> Ints64:
    """Return the place of every group among all by size, records with repeats, sensitive items with repeats."""
    sizes = np.bincount(records.groups, records.counts, n_groups).astype(np.int64)
    firsts = records.things[np.searchsorted(records.groups, np.arange(n_groups))]
    order = np.lexsort((firsts, sizes))
    alike = (np.diff(sizes[order]) == 0) & (np.diff(firsts[order]) == 0)  # these differ further on, if at all
    starts = np.flatnonzero(np.append(True, ~alike))
    for first, last in zip(starts.tolist(), np.append(starts[1:], n_groups).tolist(), strict=True):
        if last - first > 1:
            order[first:last] = sorted(
                order[first:last].tolist(), key=lambda group: (_key(records, group), _key(secrets, group))
            )
    place = np.empty(n_groups, dtype=np.int64)
    place[order] = np.arange(n_groups)
    return place


def _key(of: Counted, group: int) -> list[int]:
    """Return the things of a group, with repeats."""
    here = slice(*np.searchsorted(of.groups, [group, group + 1]).tolist())
    repeated: list[int] = np.repeat(of.things[here], of.counts[here]).tolist()
    return repeated


def _published(prepared: Prepared, records: Counted, secrets: Counted, n_groups: int) -> Groups:
    first = np.searchsorted(prepared.same, records.things)  # one row of each distinct record
    rows = prepared.rows.ordinary.take(first).renumbered(prepared.ordinary)
    return Groups(
        vocabulary=prepared.vocabulary,
        sizes=np.bincount(records.groups, records.counts, n_groups).astype(np.int64),
        record_offsets=offsets_of(np.bincount(records.groups, minlength=n_groups)),
        item_offsets=rows.offsets,
        items=rows.items,
        counts=records.counts,
        sensitive_offsets=offsets_of(np.bincount(secrets.groups, minlength=n_groups)),
        sensitive_items=prepared.sensitive[secrets.things],
        sensitive_counts=secrets.counts,
    )


def hide_in_crowds(method: Cahd, data: Transactions, progress: Progress) -> Draft[Groups]:
    """Run the method on records whose sensitive terms are marked."""
    prepare(INTERPRETED * data.items.size)
    progress("ordering", 0, 0)
    sorted_rows = prepared(data)
    rows = sorted_rows.rows
    order, _ = rows_and_columns(rows.ordinary.offsets, rows.ordinary.items, rows.n_items, method.order)
    grouping = GROUPINGS[method.grouping]
    if grouping.spreads:
        order = spread(order, sorted_rows.same)
    progress("ordering", 1, 1)
    in_one_spelling = replace(rows, sensitive=rows.sensitive.renumbered(_first_spelling(sorted_rows)))
    grouped, n_groups = grouping.load()(method, in_one_spelling.in_order(order), progress)
    group_of_row = np.empty(len(rows), dtype=np.int64)
    group_of_row[order] = grouped
    return draft_of(sorted_rows, group_of_row, n_groups)


def around_sensitive(method: Cahd, rows: CahdRows, progress: Progress) -> tuple[Ints64, int]:
    """Return the group of every row, and how many groups there are: one around each row with a sensitive item."""
    return groups_of(rows, method.p, method.alpha, published_check=method.published_check, progress=progress)


def blind(method: Cahd, rows: CahdRows, progress: Progress) -> tuple[Ints64, int]:
    """Return the same for groups that are formed by ordinary items alone."""
    progress("grouping", 0, len(rows))
    groups, number = blind_groups_of(rows, method.p, method.alpha)
    progress("grouping", len(rows), len(rows), f"{number:,} groups")
    return groups, number


def _first_spelling(sorted_rows: Prepared) -> Ints32:
    """Return for every sensitive item the one that groups count it as; no record has two that are alike."""
    return first_alike(sorted_rows.vocabulary.take(sorted_rows.sensitive).to_pylist())
