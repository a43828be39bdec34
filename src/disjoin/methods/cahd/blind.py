"""Blocks of similar records by ordinary items alone, and groups of blocks in which no sensitive item is frequent."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import sort_keys
from disjoin.methods.cahd.preparing import CahdRows
from disjoin.model.ragged import Ints64


@inner
def _gather(after, first, found):
    """Write down the free records that follow the first one, as many as there is room for; return how many."""
    size, record = 0, after[first]
    while size < found.size and record < after.size:
        found[size] = record
        size += 1
        record = after[record]
    return size


@inner
def _rank_by_common_items(offsets, items, is_common, first, found, size, keys):
    """Write sorted keys of the found records: most items in common with the first, then the order of records."""
    n = offsets.size - 1
    most = offsets[first + 1] - offsets[first]
    is_common[items[offsets[first] : offsets[first + 1]]] = True
    for i in range(size):
        record, shared = found[i], 0
        for place in range(offsets[record], offsets[record + 1]):
            if is_common[items[place]]:
                shared += 1
        keys[i] = (most - shared) * n + record
    is_common[items[offsets[first] : offsets[first + 1]]] = False
    sort_keys(keys, size)


@inner
def _first_free(after, block, first, found, size):
    """Take the records that have a block out of the list; return the first that has none."""
    head, last = after.size, -1
    for i in range(size):
        if block[found[i]] < 0:
            if last < 0:
                head = found[i]
            else:
                after[last] = found[i]
            last = found[i]
    beyond = after[found[size - 1]]
    if last < 0:
        return beyond
    after[last] = beyond
    return head


@kernel
def lay_blocks(offsets, items, n_items, p, reach):
    """Return the block of every record, and how many there are: p records each, the last up to 2p - 1.

    The first record without a block takes the p - 1 of the `reach` that follow it with which it has most items in
    common. Blocks are numbered in that order.
    """
    n = offsets.size - 1
    block = np.full(n, -1, np.int64)
    after = np.arange(1, n + 1)  # the next record without a block
    is_common = np.zeros(max(1, n_items), np.bool_)
    found, keys = np.empty(reach, np.int64), np.empty(reach, np.int64)
    blocks = first = 0
    while n - blocks * p >= 2 * p:
        size = _gather(after, first, found)
        _rank_by_common_items(offsets, items, is_common, first, found, size, keys)
        block[first] = blocks
        for i in range(p - 1):
            block[keys[i] % n] = blocks
        first = _first_free(after, block, first, found, size)
        blocks += 1
    block[block < 0] = blocks
    return block, blocks + 1


@inner
def _count_in(offsets, items, first, last, counts, most):
    """Count the items of some blocks; return the largest count."""
    for place in range(offsets[first], offsets[last]):
        counts[items[place]] += 1
        most = max(most, counts[items[place]])
    return most


@kernel
def merge_blocks(starts, offsets, items, n_items, p):
    """Return the group of every block, and how many there are; block b has the sensitive items offsets[b:b + 2] say.

    Neighbours are put together until no item is in more than one record in p. If the last ones never get there,
    groups before them are added. Needs `count * p <= records` for every item.
    """
    n = starts.size - 1
    opened = np.empty(n + 1, np.int64)  # the first block of each group
    counts = np.zeros(max(1, n_items), np.int64)
    groups = first = most = 0
    for block in range(n):
        most = _count_in(offsets, items, block, block + 1, counts, most)
        if most * p <= starts[block + 1] - starts[first]:
            counts[items[offsets[first] : offsets[block + 1]]] = 0
            opened[groups] = first
            groups += 1
            first, most = block + 1, 0
    if first < n:
        while most * p > starts[n] - starts[first]:
            groups -= 1
            most = _count_in(offsets, items, opened[groups], first, counts, most)
            first = opened[groups]
        opened[groups] = first
        groups += 1
    opened[groups] = n
    group = np.empty(n, np.int64)
    for number in range(groups):
        group[opened[number] : opened[number + 1]] = number
    return group, groups


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


def blind_groups_of(rows: CahdRows, p: int, alpha: int) -> tuple[Ints64, int]:
    """Return the group of every row, and how many groups there are.

    Needs `count * p <= rows` for every sensitive item; then it holds in every group.
    """
    n = len(rows)
    reach = max(p - 1, min(2 * alpha * p, n))  # as many as the paper looks at, which looks both ways
    block, n_blocks = lay_blocks(rows.ordinary.offsets, rows.ordinary.items, rows.n_items, p, reach)
    by_block = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[by_block], np.arange(n_blocks + 1))
    sensitive = rows.sensitive.take(by_block)
    group, n_groups = merge_blocks(starts, sensitive.offsets[starts], sensitive.items, rows.n_sensitive, p)
    return group[block], n_groups
