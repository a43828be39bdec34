"""Groups of records around each one that has a sensitive item (section C.3), in an order of similarity.

Records are positions in that order; the living ones are those that no group has yet. Neighbours with the same sensitive
items form a run: if one of them was looked at for a group, the others conflict with it or with what stood in its way,
so that a walk can step over the rest of the run at once.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import sort_keys
from disjoin.methods.cahd.preparing import CahdRows
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.progress import Progress, silent


class Crowd(NamedTuple):
    """The records and what has become of them; those from `before` on and `group` change."""

    offsets: Ints64  # (n + 1,) ordinary items of the records
    items: Ints32
    sensitive_offsets: Ints64  # (n + 1,) sensitive items
    sensitive_items: Ints32
    group: Ints64  # (n,) -1 while alive
    run_first: Ints64  # (n,) of the run that a record belongs to; a record without sensitive items is one by itself
    run_last: Ints64
    before: Ints64  # (n + 2,) where to look for a living record: record i is place i + 1, the ends are 0 and n + 1
    after: Ints64
    plain_before: Ints64  # (n + 2,) likewise for a living record without sensitive items
    plain_after: Ints64
    living: Ints64  # (n + 1,) a Fenwick tree: sums of living records
    left: Ints64  # (sensitive items,) in how many living records each is
    levels: Ints64  # (largest count + 2,) how many sensitive items are in that many living records
    tally: Ints64  # see below


# Of tally: living records, largest of `left`, items in any, groups, and how many records may still be looked at.
ALIVE, MOST, ITEMS_LEFT, GROUPS, LOOKS_LEFT = range(5)
LOOKS = 1_000  # at records, for each record: real data take a few, and without an end some take the square of records
SMALL = 20_000  # records; fewer have as many looks as these, which take seconds


class Notes(NamedTuple):
    """Scratch for one attempt."""

    common: Flags  # (ordinary items,) those of the record in the middle
    taken: Flags  # (sensitive items,) those that the group would have
    found: Ints64  # (2 * reach,) the candidates
    keys: Ints64  # (2 * reach,) to sort them by


@inner
def _root(jump, place):
    """Follow the jumps from a place to where they end, and shorten them."""
    end = place
    while jump[end] != end:
        end = jump[end]
    while jump[place] != end:
        jump[place], place = end, jump[place]
    return end


@inner
def _rank(living, record):
    """Count the living records before this one."""
    rank = 0
    place = record
    while place > 0:
        rank += living[place]
        place -= place & -place
    return rank


@inner
def _fits(crowd, taken, record):
    """Tell whether a record has none of the taken sensitive items."""
    for place in range(crowd.sensitive_offsets[record], crowd.sensitive_offsets[record + 1]):
        if taken[crowd.sensitive_items[place]]:
            return False
    return True


@inner
def _take(crowd, taken, record):
    """Mark the sensitive items of a record as taken; return how many."""
    first, last = crowd.sensitive_offsets[record], crowd.sensitive_offsets[record + 1]
    for place in range(first, last):
        taken[crowd.sensitive_items[place]] = True
    return last - first


@inner
def _forget(crowd, taken, middle, found, size):
    """Unmark what was taken for an attempt."""
    for place in range(crowd.sensitive_offsets[middle], crowd.sensitive_offsets[middle + 1]):
        taken[crowd.sensitive_items[place]] = False
    for i in range(size):
        for place in range(crowd.sensitive_offsets[found[i]], crowd.sensitive_offsets[found[i] + 1]):
            taken[crowd.sensitive_items[place]] = False


@inner
def _candidates(crowd, middle, reach, notes):
    """Find up to `reach` records on either side that have no sensitive item twice.

    The sides take turns, a step over one living record each; `left_turn` and `right_turn` are how many steps away
    the next records are.
    """
    n = crowd.group.size
    taken, found = notes.taken, notes.found
    covered = _take(crowd, taken, middle)
    here = _rank(crowd.living, middle)
    left = _root(crowd.before, crowd.run_first[middle]) - 1
    right = _root(crowd.after, crowd.run_last[middle] + 2) - 1
    left_turn = here - _rank(crowd.living, left) if left >= 0 else 0
    right_turn = _rank(crowd.living, right) - here
    size = to_left = to_right = 0
    plain = False  # whether only records without sensitive items can still come in: go from one to the next
    while True:
        if not plain and covered == crowd.tally[ITEMS_LEFT]:
            plain = True
            left = _root(crowd.plain_before, left + 1) - 1
            right = _root(crowd.plain_after, right + 1) - 1
        can_left = left >= 0 and to_left < reach
        can_right = right < n and to_right < reach
        if not can_left and not can_right:
            break
        crowd.tally[LOOKS_LEFT] -= 1
        if can_left and (not can_right or left_turn <= right_turn):
            if _fits(crowd, taken, left):
                covered += _take(crowd, taken, left)
                found[size] = left
                size += 1
                to_left += 1
            if plain:
                left = _root(crowd.plain_before, left) - 1
            else:
                left = _root(crowd.before, crowd.run_first[left]) - 1
                left_turn = here - _rank(crowd.living, left) if left >= 0 else 0
        else:
            if _fits(crowd, taken, right):
                covered += _take(crowd, taken, right)
                found[size] = right
                size += 1
                to_right += 1
            if plain:
                right = _root(crowd.plain_after, right + 2) - 1
            else:
                right = _root(crowd.after, crowd.run_last[right] + 2) - 1
                right_turn = _rank(crowd.living, right) - here
    _forget(crowd, taken, middle, found, size)
    return size


@inner
def _nearest_first(crowd, middle, size, notes):
    """Sort the candidates by items in common with the middle (most first), then distance, then position."""
    n = crowd.group.size
    most = crowd.offsets[middle + 1] - crowd.offsets[middle]
    for place in range(crowd.offsets[middle], crowd.offsets[middle + 1]):
        notes.common[crowd.items[place]] = True
    for i in range(size):
        record = notes.found[i]
        shared = 0
        for place in range(crowd.offsets[record], crowd.offsets[record + 1]):
            if notes.common[crowd.items[place]]:
                shared += 1
        distance = 2 * (record - middle) if record > middle else 2 * (middle - record) - 1
        notes.keys[i] = (most - shared) * 2 * n + distance
    for place in range(crowd.offsets[middle], crowd.offsets[middle + 1]):
        notes.common[crowd.items[place]] = False
    sort_keys(notes.keys, size)
    for i in range(size):
        distance = notes.keys[i] % (2 * n)
        notes.found[i] = middle + distance // 2 if distance % 2 == 0 else middle - (distance + 1) // 2


@inner
def _count(crowd, record, step):
    """Let the sensitive items of a record leave (-1) or come back (1)."""
    for place in range(crowd.sensitive_offsets[record], crowd.sensitive_offsets[record + 1]):
        item = crowd.sensitive_items[place]
        crowd.levels[crowd.left[item]] -= 1
        crowd.left[item] += step
        crowd.levels[crowd.left[item]] += 1


@inner
def _bury(crowd, record, group):
    """Take a record out of the living."""
    n = crowd.group.size
    crowd.group[record] = group
    crowd.before[record + 1] = crowd.plain_before[record + 1] = record
    crowd.after[record + 1] = crowd.plain_after[record + 1] = record + 2
    place = record + 1
    while place <= n:
        crowd.living[place] -= 1
        place += place & -place


@inner
def _try_group(crowd, middle, p, reach, as_published, notes):
    """Form a group around a record unless the rest could not be published any more; tell whether it was formed."""
    size = _candidates(crowd, middle, reach, notes)
    if size < p - 1:
        return False
    _nearest_first(crowd, middle, size, notes)
    tally = crowd.tally
    _count(crowd, middle, -1)
    for i in range(p - 1):
        _count(crowd, notes.found[i], -1)
    most = tally[MOST]  # every item is in the group at most once, so the largest count falls by at most one
    if most > 0 and crowd.levels[most] == 0:
        most -= 1
    # As the method was printed, the group's own records still counted as being left: then nothing is ever refused.
    remaining = tally[ALIVE] if as_published else tally[ALIVE] - p
    if most * p > remaining:
        _count(crowd, middle, 1)
        for i in range(p - 1):
            _count(crowd, notes.found[i], 1)
        return False
    tally[MOST] = most
    tally[ALIVE] -= p
    tally[ITEMS_LEFT] = crowd.left.size - crowd.levels[0]
    _bury(crowd, middle, tally[GROUPS])
    for i in range(p - 1):
        _bury(crowd, notes.found[i], tally[GROUPS])
    tally[GROUPS] += 1
    return True


@kernel
def form_groups(crowd, middles, p, reach, as_published, notes):
    """Try to form a group around each of these records that is still alive; return how many were formed.

    When no looks are left nothing more is tried.
    """
    formed = 0
    for middle in middles:
        if crowd.tally[LOOKS_LEFT] <= 0:
            break
        if crowd.group[middle] < 0 and _try_group(crowd, middle, p, reach, as_published, notes):
            formed += 1
    return formed


@kernel
def everybody(n, is_plain):
    """Return before, after, plain_before, plain_after and living, with all records alive."""
    before, after = np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)
    plain_before, plain_after = np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)
    living = np.zeros(n + 1, np.int64)
    for place in range(n + 2):
        is_end = place == 0 or place == n + 1
        before[place] = after[place] = place
        plain_before[place] = place if is_end or is_plain[place - 1] else place - 1
        plain_after[place] = place if is_end or is_plain[place - 1] else place + 1
    for place in range(1, n + 1):
        living[place] = place & -place
    return before, after, plain_before, plain_after, living


AT_A_TIME = 20_000  # attempts between two signs of life


def groups_of(
    rows: CahdRows, p: int, alpha: int, *, published_check: bool = False, progress: Progress = silent
) -> tuple[Ints64, int]:
    """Return the group of every row, and how many groups there are; rows that no group has form the last one.

    Needs `count * p <= rows` for every sensitive item; then it holds in every group, unless the flawed
    `published_check` is asked for. A record that got no group is tried again as long as any group is formed, up to
    `LOOKS` for each row; what is left may be large then, and is as safe.
    """
    n, done = len(rows), 0
    reach = min(alpha * p, n)  # any alpha is a number, but not any number is one of the machine
    crowd, notes = _crowd(rows), _notes(rows, reach)
    sensitive = np.flatnonzero(rows.sensitive.lengths)
    formed, passes = 1, 0
    while formed and crowd.tally[LOOKS_LEFT] > 0:
        waiting = sensitive[crowd.group[sensitive] < 0]
        formed, passes = 0, passes + 1
        for first in range(0, waiting.size, AT_A_TIME):
            middles = waiting[first : first + AT_A_TIME]
            formed += form_groups(crowd, middles, p, reach, published_check, notes)
            done = int(crowd.tally[GROUPS])
            progress("grouping", n - int(crowd.tally[ALIVE]), n, f"pass {passes}, {done:,} groups")
    groups: Ints64 = crowd.group
    if crowd.tally[ALIVE]:
        groups[groups < 0] = done
        done += 1
    progress("grouping", n, n, f"{done:,} groups")
    return groups, done


def _crowd(rows: CahdRows) -> Crowd:
    n = len(rows)
    left = np.bincount(rows.sensitive.items, minlength=rows.n_sensitive).astype(np.int64)
    most = int(left.max(initial=0))
    tally = np.array([n, most, int((left > 0).sum()), 0, LOOKS * max(n, SMALL)], dtype=np.int64)
    plain = rows.sensitive.lengths == 0
    starts = np.flatnonzero(plain | rows.sensitive.differ_from_previous())
    ends = np.append(starts[1:], n)
    before, after, plain_before, plain_after, living = everybody(n, plain)
    return Crowd(
        offsets=rows.ordinary.offsets,
        items=rows.ordinary.items,
        sensitive_offsets=rows.sensitive.offsets,
        sensitive_items=rows.sensitive.items,
        group=np.full(n, -1, dtype=np.int64),
        run_first=np.repeat(starts, ends - starts),
        run_last=np.repeat(ends - 1, ends - starts),
        before=before,
        after=after,
        plain_before=plain_before,
        plain_after=plain_after,
        living=living,
        left=left,
        levels=np.bincount(left, minlength=most + 1).astype(np.int64),
        tally=tally,
    )


def _notes(rows: CahdRows, reach: int) -> Notes:
    room = 2 * reach
    return Notes(
        common=np.zeros(max(1, rows.n_items), dtype=np.bool_),
        taken=np.zeros(max(1, rows.n_sensitive), dtype=np.bool_),
        found=np.zeros(max(1, room), dtype=np.int64),
        keys=np.zeros(max(1, room), dtype=np.int64),
    )
