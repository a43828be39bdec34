"""Groups of similar records in which no sensitive item is frequent (section C.3)."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.crowding import ALIVE, GROUPS, Crowd, Notes, everybody, form_groups
from disjoin.methods.cahd.rows import Rows
from disjoin.methods.rows import differs_from_previous
from disjoin.model.arrays import Ints64
from disjoin.progress import Progress, silent

AT_A_TIME = 20_000  # attempts between two signs of life


def groups_of(
    rows: Rows, p: int, alpha: int, *, published_check: bool = False, progress: Progress = silent
) -> tuple[Ints64, int]:
    """Return the group of every row, and how many groups there are; rows that no group has form the last one.

    Needs `count * p <= rows` for every sensitive item; then it holds in every group, unless the flawed
    `published_check` is asked for.
    """
    n, done = len(rows), 0
    reach = min(alpha * p, n)  # any alpha is a number, but not any number is one of the machine
    crowd, notes = _crowd(rows), _notes(rows, reach)
    sensitive = np.flatnonzero(np.diff(rows.sensitive_offsets))
    formed, passes = 1, 0
    while formed:
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


def _crowd(rows: Rows) -> Crowd:
    n = len(rows)
    left = np.bincount(rows.sensitive_items, minlength=rows.n_sensitive).astype(np.int64)
    most = int(left.max(initial=0))
    tally = np.array([n, most, int((left > 0).sum()), 0], dtype=np.int64)
    plain = np.diff(rows.sensitive_offsets) == 0
    starts = np.flatnonzero(plain | differs_from_previous(rows.sensitive_offsets, rows.sensitive_items))
    ends = np.append(starts[1:], n)
    before, after, plain_before, plain_after, living = everybody(n, plain)
    return Crowd(
        offsets=rows.offsets,
        items=rows.items,
        sensitive_offsets=rows.sensitive_offsets,
        sensitive_items=rows.sensitive_items,
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


def _notes(rows: Rows, reach: int) -> Notes:
    room = 2 * reach
    return Notes(
        common=np.zeros(max(1, rows.n_items), dtype=np.bool_),
        taken=np.zeros(max(1, rows.n_sensitive), dtype=np.bool_),
        found=np.zeros(max(1, room), dtype=np.int64),
        keys=np.zeros(max(1, room), dtype=np.int64),
    )
