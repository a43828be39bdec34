"""Groups that were formed without a look at who has a sensitive item, so that nothing in them points to that record.

The paper forms a group around a record that has a sensitive item, out of those most similar to it: the record in the
middle of a group gives itself away. Here blocks of p similar records are laid from ordinary items alone. Sensitive
items only decide how many neighbouring blocks become one group.
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.blocks import lay_blocks, merge_blocks
from disjoin.methods.cahd.rows import Rows
from disjoin.methods.rows import take_rows
from disjoin.model.arrays import Ints64

_STRIDE = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: multiples of it fall evenly, however many are taken


def spread(order: Ints64, same: Ints64) -> Ints64:
    """Return an order in which rows with the same ordinary items have changed places among themselves.

    Rows are sorted by sensitive items where ordinary ones are the same; those with the same item would end up in the
    same block. Any run of such neighbours is spread evenly over the places of all that are the same.

    >>> spread(np.arange(5), np.array([0, 0, 0, 0, 1])).tolist()
    [0, 2, 1, 3, 4]
    """
    starts = np.searchsorted(same, same)  # the rows are sorted, so the same ones are neighbours
    turns = (np.arange(same.size) - starts).astype(np.uint64) * _STRIDE
    spread_rows = np.lexsort((turns, same))
    places = np.argsort(same[order], kind="stable")
    found = np.empty_like(order)
    found[places] = spread_rows
    return found


def blind_groups_of(rows: Rows, p: int, alpha: int) -> tuple[Ints64, int]:
    """Return the group of every row, and how many groups there are.

    Needs `count * p <= rows` for every sensitive item; then it holds in every group.
    """
    n = len(rows)
    reach = max(p - 1, min(2 * alpha * p, n))  # as many as the paper looks at, which looks both ways
    block, n_blocks = lay_blocks(rows.offsets, rows.items, rows.n_items, p, reach)
    by_block = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[by_block], np.arange(n_blocks + 1))
    offsets, items = take_rows(rows.sensitive_offsets, rows.sensitive_items, by_block)
    group, n_groups = merge_blocks(starts, offsets[starts], items, rows.n_sensitive, p)
    return group[block], n_groups
