"""What rows have in common, for many sets of rows at once: pairs of a set and an item, sorted, instead of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.model.ragged import Flags, Ints64, Ragged, Spans, offsets_of

_LOOKS = 3  # rows of every set that are looked at before all of them are


def unions(owners: Sequence[Ints64], items: Sequence[NDArray[Any]], n_owners: int, n_items: int) -> Ragged:
    """Return all items of every owner, each once and ascending; owners and items go together, list by list.

    >>> unions([np.array([1, 0]), np.array([1])], [np.array([5, 2]), np.array([5])], 2, 9).to_lists()
    [[2], [5]]
    """
    keys = np.unique(np.concatenate(owners) * n_items + np.concatenate(items))
    return _grouped(keys, n_owners, n_items)


def common_items(sets: Spans, rows: Ints64, content: Ragged, n_items: int, known: Sequence[int] = ()) -> Ragged:
    """Return the items that all rows of a set have, for every set of rows; ascending, none of a set without rows.

    What is known already, and therefore in all of them, is not looked for. An item that is in all rows is in the first;
    few outlive two or three more rows, and only these are looked for in all.

    >>> content = Ragged.from_lists([[1, 2, 4], [2, 4], [3], [2, 5]])
    >>> common_items(Spans.of([2, 1, 3]), np.array([0, 1, 2, 0, 1, 3]), content, 6).to_lists()
    [[2, 4], [3], [2]]
    """
    lengths = sets.lengths
    alive = np.flatnonzero(lengths)
    keys = _keys(content, rows[sets.offsets[alive]], alive, n_items)
    keys = keys[~np.isin(keys % n_items, known)]
    for look in range(1, _LOOKS + 1):
        alive = _distinct(keys // n_items)
        place = sets.offsets[alive] + (lengths[alive] - 1) * look // _LOOKS
        keys = keys[_are_in(keys, _keys(content, rows[place], alive, n_items))]
    owners = keys // n_items
    more = _distinct(owners[lengths[owners] > _LOOKS + 1])
    if more.size:
        seen = _keys(content, rows[sets.places(more)], np.repeat(more, lengths[more]), n_items)
        at = np.minimum(np.searchsorted(keys, seen), keys.size - 1)
        times = np.bincount(at[keys[at] == seen], minlength=keys.size)
        keys = keys[(times == lengths[owners]) | (lengths[owners] <= _LOOKS + 1)]
    return _grouped(keys, len(sets), n_items)


def _distinct(ascending: Ints64) -> Ints64:
    """Return every number once."""
    return ascending[np.flatnonzero(np.diff(ascending, prepend=-1))]


def _keys(content: Ragged, rows: Ints64, owners: Ints64, n_items: int) -> Ints64:
    """Return a number for every owner and item of its row."""
    taken = content.take(rows)
    keys: Ints64 = taken.spread(owners) * n_items + taken.items
    return keys


def _are_in(keys: Ints64, others: Ints64) -> Flags:
    """Tell which keys are among others; both ascend by owner, and within one they may be in any order."""
    found: Flags = np.isin(keys, others, assume_unique=True)
    return found


def _grouped(keys: Ints64, n_owners: int, n_items: int) -> Ragged:
    owners, items = np.divmod(keys, n_items)
    return Ragged(offsets_of(np.bincount(owners, minlength=n_owners)), items.astype(np.int32))
