"""One group as a picture made of data: its records without sensitive items, and these apart from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.model.arrays import Ints32
from disjoin.model.groups import Groups
from disjoin.report.columns import Column
from disjoin.report.words import counted

FEW = 10  # rows of a column, if all of them are not asked for
MANY = 1000  # rows that anybody scrolls through
_TERMS = 64  # of a record: more than fit into a line


@dataclass(frozen=True, slots=True)
class GroupPicture:
    """A group: how many records it has, its records and its sensitive items."""

    group: int
    size: int
    columns: tuple[Column, Column]

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        return f"group {self.group}: {counted(self.size, 'record')}"


def picture_of(published: Groups, group: int, rows: int = FEW) -> GroupPicture:
    """Return the picture of a group with at most `rows` rows a column."""
    size = int(published.sizes[group])
    return GroupPicture(group, size, (_records(published, group, rows), _sensitive(published, group, rows, size)))


def _records(published: Groups, group: int, rows: int) -> Column:
    everything = np.arange(published.record_offsets[group], published.record_offsets[group + 1])
    is_bare = published.item_offsets[everything] == published.item_offsets[everything + 1]
    listed = everything[~is_bare]
    shown = tuple((_items(published, int(r)), int(published.counts[r])) for r in listed[:rows])
    empty = sum(published.counts[everything[is_bare]].tolist())
    return Column("records", shown, max(0, listed.size - rows), empty, what="ordinary items")


def _items(published: Groups, record: int) -> tuple[str, ...]:
    first, last = int(published.item_offsets[record]), int(published.item_offsets[record + 1])
    names = _terms(published, published.items[first : min(last, first + _TERMS)])
    return names if last - first <= _TERMS else (*names, "…")


def _sensitive(published: Groups, group: int, rows: int, size: int) -> Column:
    first, last = int(published.sensitive_offsets[group]), int(published.sensitive_offsets[group + 1])
    end = min(last, first + rows)
    names, counts = _terms(published, published.sensitive_items[first:end]), published.sensitive_counts[first:end]
    shown = tuple(((name,), count) for name, count in zip(names, counts.tolist(), strict=True))
    return Column("sensitive items", shown, last - end, what="item", of=size, is_delicate=True)


def _terms(published: Groups, items: Ints32) -> tuple[str, ...]:
    return tuple(published.vocabulary.take(items).to_pylist())
