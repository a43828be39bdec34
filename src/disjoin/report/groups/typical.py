"""Which group is good to look at: a function of the published content, so that it can be shown in a release."""

from __future__ import annotations

import numpy as np

from disjoin.model.arrays import Ints64
from disjoin.model.groups import Groups


def typical_group(published: Groups) -> int:
    """Choose a group with a sensitive item or two, of usual size, with some rows but few, none of them long."""
    rows = np.diff(published.record_offsets)
    sensitive = np.diff(published.sensitive_offsets)
    items = np.diff(published.item_offsets[published.record_offsets])
    usual = int(np.sort(published.sizes)[len(published) // 2])
    odd = 400 * (sensitive == 0) + 60 * (abs(published.sizes - usual) > usual // 2)
    odd += 8 * np.minimum(_outside(rows, 3, 10), 20) + 4 * np.minimum(_outside(sensitive, 1, 3), 20)
    odd += 3 * np.minimum(abs(items - 3 * rows), 20) + 6 * (_bare_rows(published) > 0)
    return int(np.argmin(odd))


def _bare_rows(published: Groups) -> Ints64:
    """Count in every group the rows without ordinary items."""
    running = np.concatenate(([0], np.cumsum(np.diff(published.item_offsets) == 0)))
    return np.diff(running[published.record_offsets])


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)
