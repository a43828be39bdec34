"""Groups of CAHD: the paper's grouping and the blind grouping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.arrays.ordering import by_content, sort_keys
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, new_state, ranks_of
from disjoin.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class CahdRows:
    """Records: row `i` has ordinary and sensitive items, each numbered from 0."""

    ordinary: Ragged
    n_items: int
    sensitive: Ragged  # as many rows
    n_sensitive: int

    def __len__(self) -> int:
        return len(self.ordinary)

    def in_order(self, order: Ints64) -> CahdRows:
        """Return the rows in another order (new position -> old)."""
        return CahdRows(self.ordinary.take(order), self.n_items, self.sensitive.take(order), self.n_sensitive)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows sorted by ordinary items, then by sensitive ones."""

    records: Ints64  # (rows,) the record of each row
    rows: CahdRows
    same: Ints64  # (rows,) numbers the distinct sets of ordinary items, in their order
    vocabulary: pa.StringArray  # terms that occur
    ordinary: Ints32  # (ordinary items,) the term of each
    sensitive: Ints32  # (sensitive items,) the term of each


def prepared(data: Transactions) -> Prepared:
    assert data.sensitive is not None, "sensitive terms must be marked before"
    occurs = data.supports() > 0
    marks = data.sensitive[occurs]
    records = by_content(data, np.arange(len(data), dtype=np.int32)).astype(np.int64)
    taken = data.records.renumbered(ranks_of(occurs)).take(records)
    halves = [taken.where(each[taken.items]).renumbered(ranks_of(each)) for each in (~marks, marks)]
    rows = CahdRows(halves[0], int((~marks).sum()), halves[1], int(marks.sum()))
    return Prepared(
        records=records,
        rows=rows,
        same=np.cumsum(rows.ordinary.differ_from_previous(), dtype=np.int64) - 1,
        vocabulary=data.vocabulary.filter(pa.array(occurs)),
        ordinary=np.flatnonzero(~marks).astype(np.int32),
        sensitive=np.flatnonzero(marks).astype(np.int32),
    )


class CahdState(NamedTuple):
    """The records and their state; `group` and the places from `before` on change."""

    offsets: Ints64  # (n + 1,) ordinary items of the records
    items: Ints32
    sensitive_offsets: Ints64  # (n + 1,) sensitive items
    sensitive_items: Ints32
    group: Ints64  # (n,) -1 while the record is living
    run_first: Ints64  # (n,) of the run of each record; a record without sensitive items is its own run
    run_last: Ints64
    before: Ints64  # (n + 2,) links to the previous living record: record i is place i + 1, the ends are 0 and n + 1
    after: Ints64
    plain_before: Ints64  # (n + 2,) likewise for a living record without sensitive items
    plain_after: Ints64
    living: Ints64  # (n + 1,) a Fenwick tree: sums of living records
    left: Ints64  # (sensitive items,) the number of living records with each
    levels: Ints64  # (largest count + 2,) the number of sensitive items with each value of `left`
    tally: Ints64  # see below


# `tally`: living records, largest of `left`, items in any, groups, and how many records may still be visited.
ALIVE, MOST, ITEMS_LEFT, GROUPS, LOOKS_LEFT = range(5)
LOOKS = 1_000  # visits for each record: real data need a few; without a limit, some data need a quadratic number
SMALL = 20_000  # records; smaller data are allowed as many visits as these, which take seconds


class Notes(NamedTuple):
    """Scratch for one attempt."""

    common: Flags  # (ordinary items,) those of the middle record
    taken: Flags  # (sensitive items,) those that the group would have
    found: Ints64  # (2 * reach,) the candidates
    keys: Ints64  # (2 * reach,) their sort keys


@inner
def _root(jump, place):
    end = place
    while jump[end] != end:
        end = jump[end]
    while jump[place] != end:
        jump[place], place = end, jump[place]
    return end


@inner
def _rank(living, record):
    rank = 0
    place = record
    while place > 0:
        rank += living[place]
        place -= place & -place
    return rank


@inner
def _fits(state, taken, record):
    for place in range(state.sensitive_offsets[record], state.sensitive_offsets[record + 1]):
        if taken[state.sensitive_items[place]]:
            return False
    return True


@inner
def _take(state, taken, record, is_taken):
    first, last = state.sensitive_offsets[record], state.sensitive_offsets[record + 1]
    for place in range(first, last):
        taken[state.sensitive_items[place]] = is_taken
    return last - first


@inner
def _candidates(state, middle, reach, notes):
    """Find up to `reach` records on either side without a repeated sensitive item, alternating by one living record;
    `left_turn` and `right_turn` are the distances to the next records in steps."""
    n = state.group.size
    taken, found = notes.taken, notes.found
    covered = _take(state, taken, middle, True)
    here = _rank(state.living, middle)
    left = _root(state.before, state.run_first[middle]) - 1
    right = _root(state.after, state.run_last[middle] + 2) - 1
    left_turn = here - _rank(state.living, left) if left >= 0 else 0
    right_turn = _rank(state.living, right) - here
    size = to_left = to_right = 0
    plain = False  # whether only records without sensitive items can still be added: follow their own links
    while True:
        if not plain and covered == state.tally[ITEMS_LEFT]:
            plain = True
            left = _root(state.plain_before, left + 1) - 1
            right = _root(state.plain_after, right + 1) - 1
        can_left = left >= 0 and to_left < reach
        can_right = right < n and to_right < reach
        if not can_left and not can_right:
            break
        state.tally[LOOKS_LEFT] -= 1
        if can_left and (not can_right or left_turn <= right_turn):
            if _fits(state, taken, left):
                covered += _take(state, taken, left, True)
                found[size] = left
                size += 1
                to_left += 1
            if plain:
                left = _root(state.plain_before, left) - 1
            else:
                left = _root(state.before, state.run_first[left]) - 1
                left_turn = here - _rank(state.living, left) if left >= 0 else 0
        else:
            if _fits(state, taken, right):
                covered += _take(state, taken, right, True)
                found[size] = right
                size += 1
                to_right += 1
            if plain:
                right = _root(state.plain_after, right + 2) - 1
            else:
                right = _root(state.after, state.run_last[right] + 2) - 1
                right_turn = _rank(state.living, right) - here
    _take(state, taken, middle, False)
    for i in range(size):
        _take(state, taken, found[i], False)
    return size


@inner
def _count_missing_items(offsets, items, is_common, first, found, size, missing):
    """Write how many items of the first record each found record lacks; `is_common` is false before and after."""
    for place in range(offsets[first], offsets[first + 1]):
        is_common[items[place]] = True
    for i in range(size):
        shared = 0
        for place in range(offsets[found[i]], offsets[found[i] + 1]):
            shared += is_common[items[place]]
        missing[i] = offsets[first + 1] - offsets[first] - shared
    for place in range(offsets[first], offsets[first + 1]):
        is_common[items[place]] = False


@inner
def _nearest_first(state, middle, size, notes):
    """Sort the candidates by items in common with the middle (most first), then distance, then position."""
    n = state.group.size
    _count_missing_items(state.offsets, state.items, notes.common, middle, notes.found, size, notes.keys)
    for i in range(size):
        record = notes.found[i]
        distance = 2 * (record - middle) if record > middle else 2 * (middle - record) - 1
        notes.keys[i] = notes.keys[i] * 2 * n + distance
    sort_keys(notes.keys, size)
    for i in range(size):
        distance = notes.keys[i] % (2 * n)
        notes.found[i] = middle + distance // 2 if distance % 2 == 0 else middle - (distance + 1) // 2


@inner
def _count(state, record, step):
    """Add `step` to the counts of the record's sensitive items: -1 removes the record, 1 restores it."""
    for place in range(state.sensitive_offsets[record], state.sensitive_offsets[record + 1]):
        item = state.sensitive_items[place]
        state.levels[state.left[item]] -= 1
        state.left[item] += step
        state.levels[state.left[item]] += 1


@inner
def _bury(state, record, group):
    n = state.group.size
    state.group[record] = group
    state.before[record + 1] = state.plain_before[record + 1] = record
    state.after[record + 1] = state.plain_after[record + 1] = record + 2
    place = record + 1
    while place <= n:
        state.living[place] -= 1
        place += place & -place


@inner
def _try_group(state, middle, p, reach, as_published, notes):
    size = _candidates(state, middle, reach, notes)
    if size < p - 1:
        return False
    _nearest_first(state, middle, size, notes)
    tally = state.tally
    _count(state, middle, -1)
    for i in range(p - 1):
        _count(state, notes.found[i], -1)
    most = tally[MOST]  # an item is in the group at most once, so the largest count falls by at most one
    if most > 0 and state.levels[most] == 0:
        most -= 1
    # The printed method still counts the group's own records as living: then no group is ever refused.
    remaining = tally[ALIVE] if as_published else tally[ALIVE] - p
    if most * p > remaining:
        _count(state, middle, 1)
        for i in range(p - 1):
            _count(state, notes.found[i], 1)
        return False
    tally[MOST] = most
    tally[ALIVE] -= p
    tally[ITEMS_LEFT] = state.left.size - state.levels[0]
    _bury(state, middle, tally[GROUPS])
    for i in range(p - 1):
        _bury(state, notes.found[i], tally[GROUPS])
    tally[GROUPS] += 1
    return True


@kernel
def form_groups(state, middles, p, reach, as_published, notes):
    """Try to form a group around each living record until no visits are left; return the number of groups."""
    formed = 0
    for middle in middles:
        if state.tally[LOOKS_LEFT] <= 0:
            break
        if state.group[middle] < 0 and _try_group(state, middle, p, reach, as_published, notes):
            formed += 1
    return formed


AT_A_TIME = 20_000  # attempts between two reports of progress


def groups_of(
    rows: CahdRows, p: int, alpha: int, *, published_check: bool = False, progress: Progress = silent
) -> tuple[Ints64, int]:
    """Return the group of every row, and their number; rows without a group form the last one. Requires `count * p <=
    rows` for every sensitive item. Then every group satisfies it, except with the flawed `published_check`. Records
    without a group are tried again while groups are formed, up to `LOOKS` per row: a large last group is as safe."""
    n, done = len(rows), 0
    reach = min(alpha * p, n)  # alpha may exceed the integers of the machine
    state, room = _new_state(rows), max(1, 2 * reach)
    notes = new_state(Notes, room, common=max(1, rows.n_items), taken=max(1, rows.n_sensitive))
    sensitive = np.flatnonzero(rows.sensitive.lengths)
    formed, passes = 1, 0
    while formed and state.tally[LOOKS_LEFT] > 0:
        waiting = sensitive[state.group[sensitive] < 0]
        formed, passes = 0, passes + 1
        for first in range(0, waiting.size, AT_A_TIME):
            middles = waiting[first : first + AT_A_TIME]
            formed += form_groups(state, middles, p, reach, published_check, notes)
            done = int(state.tally[GROUPS])
            progress("grouping", n - int(state.tally[ALIVE]), n, f"pass {passes}, {done:,} groups")
    groups: Ints64 = state.group
    if state.tally[ALIVE]:
        groups[groups < 0] = done
        done += 1
    progress("grouping", n, n, f"{done:,} groups")
    return groups, done


def _new_state(rows: CahdRows) -> CahdState:
    n = len(rows)
    left = np.bincount(rows.sensitive.items, minlength=rows.n_sensitive).astype(np.int64)
    most = int(left.max(initial=0))
    plain = rows.sensitive.lengths == 0
    starts = np.flatnonzero(plain | rows.sensitive.differ_from_previous())
    ends = np.append(starts[1:], n)
    places = np.arange(n + 2)
    is_stop = np.concatenate(([True], plain, [True]))
    return CahdState(
        offsets=rows.ordinary.offsets,
        items=rows.ordinary.items,
        sensitive_offsets=rows.sensitive.offsets,
        sensitive_items=rows.sensitive.items,
        group=np.full(n, -1, dtype=np.int64),
        run_first=np.repeat(starts, ends - starts),
        run_last=np.repeat(ends - 1, ends - starts),
        before=places.copy(),
        after=places.copy(),
        plain_before=np.where(is_stop, places, places - 1),
        plain_after=np.where(is_stop, places, places + 1),
        living=places[:-1] & -places[:-1],
        left=left,
        levels=np.bincount(left, minlength=most + 1).astype(np.int64),
        tally=np.array([n, most, int((left > 0).sum()), 0, LOOKS * max(n, SMALL)], dtype=np.int64),
    )


@inner
def _first_free(after, block, first, found, size):
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
    """Return the blocks of records, and their number: p records each, the last up to 2p - 1. The first free record
    is joined by the p - 1 of the `reach` next records with most common items."""
    n = offsets.size - 1
    block = np.full(n, -1, np.int64)
    after = np.arange(1, n + 1)  # the next record without a block
    is_common = np.zeros(max(1, n_items), np.bool_)
    found, keys = np.empty(reach, np.int64), np.empty(reach, np.int64)
    blocks = first = 0
    while n - blocks * p >= 2 * p:
        size, record = 0, after[first]
        while size < reach and record < n:
            found[size] = record
            size += 1
            record = after[record]
        _count_missing_items(offsets, items, is_common, first, found, size, keys)
        for i in range(size):
            keys[i] = keys[i] * n + found[i]  # most items in common, then the order of records
        sort_keys(keys, size)
        block[first] = blocks
        for i in range(p - 1):
            block[keys[i] % n] = blocks
        first = _first_free(after, block, first, found, size)
        blocks += 1
    block[block < 0] = blocks
    return block, blocks + 1


@inner
def _count_in(offsets, items, first, last, counts, most):
    for place in range(offsets[first], offsets[last]):
        counts[items[place]] += 1
        most = max(most, counts[items[place]])
    return most


@kernel
def merge_blocks(starts, offsets, items, n_items, p):
    """Return the group of every block and their number; block b has the sensitive items offsets[b:b + 2]. Requires
    `count * p <= records`. Neighbours, or else the last groups, merge until no item exceeds one record in p."""
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


_STRIDE = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: any number of its multiples is spread evenly


def spread(order: Ints64, same: Ints64) -> Ints64:
    """Return an order that spreads equal sensitive items: among rows with the same ordinary items, runs with the same
    sensitive items are spread evenly, because otherwise they would be in the same block.

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


def blind_groups_of(rows: CahdRows, p: int, alpha: int, *, progress: Progress = silent) -> tuple[Ints64, int]:
    """Return the groups of rows, and their number, from ordinary items only. Requires `count * p <= rows` for every
    sensitive item; then it holds in every group."""
    n = len(rows)
    progress("grouping", 0, n)
    reach = max(p - 1, min(2 * alpha * p, n))  # as many records as the paper searches on both sides
    block, n_blocks = lay_blocks(rows.ordinary.offsets, rows.ordinary.items, rows.n_items, p, reach)
    by_block = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[by_block], np.arange(n_blocks + 1))
    sensitive = rows.sensitive.take(by_block)
    group, n_groups = merge_blocks(starts, sensitive.offsets[starts], sensitive.items, rows.n_sensitive, p)
    progress("grouping", n, n, f"{n_groups:,} groups")
    return group[block], n_groups
