"""Groups that can be counted on: offsets that fit, sizes that add up, something for every bare record.

A release has been inspected; bare groups may hold anything, and compiled loops trust their arrays.
"""

from __future__ import annotations

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.groups import Groups


def require_sound_groups(published: Groups) -> None:
    """Raise `InvalidParameter` unless some original can have been published so (how private it is, is not asked)."""
    finding = _offsets_finding(published) or _records_finding(published) or _sensitive_finding(published)
    if finding:
        raise InvalidParameter(f"{finding}: these are not sound groups. Ask disjoin.verify what is wrong.")


def bare_records_of(published: Groups) -> Ints64:
    """Count the records without ordinary items of every group."""
    bare = np.where(np.diff(published.item_offsets) == 0, published.counts, 0)
    return np.diff(offsets_of(bare)[published.record_offsets])


def _offsets_finding(published: Groups) -> str | None:
    groups, rows = len(published), published.counts.size
    fits = (
        _is_cut(published.record_offsets, groups, rows)
        and _is_cut(published.item_offsets, rows, published.items.size)
        and _is_cut(published.sensitive_offsets, groups, published.sensitive_items.size)
        and published.sensitive_counts.size == published.sensitive_items.size
    )
    return None if fits else "the offsets do not fit"


def _is_cut(offsets: Ints64, rows: int, values: int) -> bool:
    return bool(
        offsets.size == rows + 1 and offsets[0] == 0 and offsets[-1] == values and (np.diff(offsets) >= 0).all()
    )


def _records_finding(published: Groups) -> str | None:
    if not _within(published.items, len(published.vocabulary)):
        return "an item has no name"
    if (published.counts < 1).any():
        return "a record stands for nobody"
    if (np.diff(offsets_of(published.counts)[published.record_offsets]) != published.sizes).any():
        return "a group is not as large as its records say"
    if (published.sizes < 1).any():
        return "a group has no records"
    return "a record has the same item twice" if _repeats(published.item_offsets, published.items) else None


def _sensitive_finding(published: Groups) -> str | None:
    owners = np.repeat(np.arange(len(published)), np.diff(published.sensitive_offsets))
    counts = published.sensitive_counts
    if not _within(published.sensitive_items, len(published.vocabulary)):
        return "an item has no name"
    if published.is_sensitive[published.items].any():
        return "an item is sensitive and ordinary"
    if _repeats(published.sensitive_offsets, published.sensitive_items):
        return "a group lists the same sensitive item twice"
    if ((counts < 1) | (counts > published.sizes[owners])).any():
        return "a sensitive item is in no record of a group, or in more than it has"
    listed = np.diff(offsets_of(counts)[published.sensitive_offsets])
    if (listed < bare_records_of(published)).any():
        return "a group has fewer sensitive items than records that have nothing else"
    return None


def _within(items: Ints32, end: int) -> bool:
    return items.size == 0 or bool(items.min() >= 0 and items.max() < end)


def _repeats(offsets: Ints64, items: Ints32) -> bool:
    """Tell whether a row has an item twice; rows usually ascend, and only where one does not they are sorted."""
    rises = np.diff(items) > 0
    rises[offsets[(offsets > 0) & (offsets < items.size)] - 1] = True
    if rises.all():
        return False
    rows = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    keys = np.sort(rows * (int(items.max()) + 1) + items)
    return bool((keys[1:] == keys[:-1]).any())
