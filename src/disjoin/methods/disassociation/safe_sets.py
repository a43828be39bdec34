"""Test whether a term may join a chunk: no set of three terms or more may become rare.

Sets are searched depth first. Sets that cannot be rare are skipped: a subrecord that occurs k times makes all its sets
safe; a term that all records at hand have changes no support; and each further term removes at most the records that
lack it, so a subrecord whose terms lack few enough records in all has no rare set.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.arrays.ordering import compare_lists, sort_keys, sort_subrecords
from disjoin.errors import GuaranteeUnreachable
from disjoin.jit.kernel import inner, overflowing
from disjoin.model.ragged import Ints64

USED, MOST = 0, 1  # of a pair of numbers: steps that were taken or must be, and how many are allowed
BREATH = 50_000_000  # steps between two returns to Python, which hears Ctrl-C there
MOST_STEPS = 10_000_000_000  # about half a minute
STEPS_PER_OCCURRENCE = 1_000  # much data may take long


def new_steps(occurrences: int) -> Ints64:
    """Return a count of steps for the work on that many occurrences of terms: none taken yet."""
    return np.array([0, max(MOST_STEPS, STEPS_PER_OCCURRENCE * occurrences)])


def require_end(steps: Ints64, size: int) -> None:
    """Raise if the work on sets of up to `size` terms was given up because it takes too many steps."""
    if steps[USED] > steps[MOST]:
        raise GuaranteeUnreachable(
            f"the records are too long for m = {size}: to test all their sets of up to {size} terms takes more than "
            f"{steps[MOST]:,} steps. Choose m below {size}, or leave terms out of the longest records."
        )


@inner
@overflowing
def fingerprints(desk, frequent):
    """Write a key of every rank: upper digits are equal for ranks in the same rows, lower digits are the rank."""
    size = np.int64(1)
    while size < frequent:
        size *= 2
    for rank in range(frequent):
        mixed = np.uint64(0)
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = (np.uint64(desk.rows[p]) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            row = (row ^ (row >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed += row ^ (row >> np.uint64(32))
        desk.keys[rank] = np.int64(mixed >> np.uint64(1)) // size * size + rank
    return size


@inner
def in_same_rows(desk, one, other):
    """Tell whether two ranks are in exactly the same rows."""
    at, end, shift = desk.first[one], desk.first[one + 1], desk.first[other] - desk.first[one]
    if end - at != desk.first[other + 1] - desk.first[other]:
        return False
    while at < end and desk.rows[at] == desk.rows[at + shift]:
        at += 1
    return at == end


@inner
def keep_one_of_twins(desk, frequent, rows):
    """Keep in the rows only the first of the ranks that are in exactly the same rows; `leader` says which that is.

    Fingerprints bring twins together, and rows tell whether they are. Where another rank comes between two twins both
    stay, which costs time and changes nothing.
    """
    size = fingerprints(desk, frequent)
    sort_keys(desk.keys, frequent)
    leader, twins = np.int64(-1), 0
    for i in range(frequent):
        rank = desk.keys[i] % size
        alike = i > 0 and desk.keys[i] // size == desk.keys[i - 1] // size
        if alike and in_same_rows(desk, leader, rank):
            twins += 1
        else:
            leader = rank
        desk.leader[rank] = leader
    if twins > 0:
        keep_leaders(desk, rows)


@inner
def keep_leaders(desk, rows):
    """Leave only leaders in the rows."""
    kept, start = np.int64(0), np.int64(0)
    for row in range(rows):
        end = desk.row_first[row + 1]
        for i in range(start, end):
            rank = desk.row_ranks[i]
            if desk.leader[rank] == rank:
                desk.row_ranks[kept] = rank
                kept += 1
        start = end
        desk.row_first[row + 1] = kept


@inner
def row_has(desk, row, wanted):
    """Tell whether a row of the parts has a rank."""
    lo, hi = desk.part_first[row], desk.part_first[row + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if desk.part_ranks[middle] < wanted:
            lo = middle + 1
        else:
            hi = middle
    return lo < desk.part_first[row + 1] and desk.part_ranks[lo] == wanted


@inner
def cut_rows(desk, rank, below, chunk):
    """Cut the rows of a rank down to the ranks of a chunk; keep those that have two or more, and return how many.

    Only these have larger sets, and they are few and short.
    """
    parts = np.int64(0)
    desk.part_first[0] = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        end = desk.part_first[parts]
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            if desk.row_ranks[i] >= below:
                break
            if desk.chunk[desk.row_ranks[i]] == chunk:
                desk.part_ranks[end] = desk.row_ranks[i]
                end += 1
        desk.steps[USED] += desk.row_first[row + 1] - desk.row_first[row]
        if end - desk.part_first[parts] > 1:
            parts += 1
            desk.part_first[parts] = end
    return parts


@inner
def merge_rows(desk, parts, k):
    """Of equal parts stack one, with their number as its weight; lighter ones come first.

    Returns (how many are there fewer than k times, how many there are).
    """
    for part in range(parts):
        desk.lengths[part] = desk.part_first[part + 1] - desk.part_first[part]
        desk.sequence[part] = part
    sort_subrecords(desk.part_ranks, desk.part_first, desk.lengths, desk.sequence, desk.spare, 0, parts)
    rows, previous = 0, np.int64(-1)
    for i in range(parts):
        this = desk.sequence[i]
        a, a_end = desk.part_first[this], desk.part_first[this + 1]
        if previous >= 0:
            b, b_end = desk.part_first[previous], desk.part_first[previous + 1]
            if compare_lists(desk.part_ranks, a, a_end, b, b_end) == 0:
                desk.weights[previous] += 1
                continue
        desk.weights[this] = 1
        desk.stack[rows] = this
        rows += 1
        previous = this
    light = 0
    for p in range(rows):
        if desk.weights[desk.stack[p]] < k:
            desk.stack[light], desk.stack[p] = desk.stack[p], desk.stack[light]
            light += 1
    return light, rows


@inner
def count_terms(desk, start, end, below, base):
    """Count the ranks smaller than `below` in the stacked rows; return (different ranks, records)."""
    found, records = 0, np.int64(0)
    for p in range(start, end):
        row = desk.stack[p]
        records += desk.weights[row]
        i = desk.part_first[row]
        while i < desk.part_first[row + 1] and desk.part_ranks[i] < below:
            rank = desk.part_ranks[i]
            if desk.hits[rank] == 0:
                desk.touched[base + found] = rank
                found += 1
            desk.hits[rank] += desk.weights[row]
            i += 1
        desk.steps[USED] += 1 + i - desk.part_first[row]
    return found, records


@inner
def insert(largest, filled, number, value):
    """Insert a value among the `number` largest, which descend; return how many there are."""
    if filled == number and value <= largest[number - 1]:
        return filled
    if filled < number:
        filled += 1
    i = filled - 1
    while i > 0 and largest[i - 1] < value:
        largest[i] = largest[i - 1]
        i -= 1
    largest[i] = value
    return filled


@inner
def most_lost(desk, row, below, records, more, largest):
    """Return how many records, at most, `more` further ranks of a row take away."""
    filled = 0
    i = desk.part_first[row]
    while i < desk.part_first[row + 1] and desk.part_ranks[i] < below:
        lack = records - abs(desk.hits[desk.part_ranks[i]])
        if lack > 0:
            filled = insert(largest, filled, more, lack)
        i += 1
    desk.steps[USED] += i - desk.part_first[row]
    return largest[:filled].sum()


@inner
def drop_safe_rows(desk, start, light, below, records, k, more, largest):
    """Move the light rows that have no rare set with up to `more` further ranks behind the others.

    Returns how many stay; their ranks, except those that all records have, are marked by negative hits.
    """
    p = start
    while p < start + light:
        row = desk.stack[p]
        if records - most_lost(desk, row, below, records, more, largest) >= k:
            light -= 1
            desk.stack[p], desk.stack[start + light] = desk.stack[start + light], row
            continue
        i = desk.part_first[row]
        while i < desk.part_first[row + 1] and desk.part_ranks[i] < below:
            hits = desk.hits[desk.part_ranks[i]]
            if 0 < hits < records:
                desk.hits[desk.part_ranks[i]] = -hits
            i += 1
        p += 1
    return light


@inner
def keep_marked(desk, base, found, records, more, largest):
    """Keep the marked ranks, with what is left of the records, as those to go on with; no hits are left.

    Returns how many they are, and how many records `more` of them take away at most.
    """
    kept, filled = 0, 0
    for i in range(found):
        rank = desk.touched[base + i]
        hits = desk.hits[rank]
        desk.hits[rank] = 0
        if hits < 0:
            desk.touched[base + kept] = rank
            desk.tally[base + kept] = -hits
            filled = insert(largest, filled, more, records + hits)
            kept += 1
    return kept, largest[:filled].sum()


@inner
def some_is_rare(desk, base, found, k):
    """Tell whether a rank that was counted is in fewer than k records; then no hits are left."""
    rare = False
    for i in range(found):
        rare = rare or desk.hits[desk.touched[base + i]] < k
    if rare:
        for i in range(found):
            desk.hits[desk.touched[base + i]] = 0
    return rare


@inner
def stack_rows_with(desk, chosen, start, light, end, free):
    """Stack, from `free` on, the rows from start to end that have a rank, light ones first; return (light, end)."""
    at, lighter = free, 0
    for p in range(start, end):
        if row_has(desk, desk.stack[p], chosen):
            desk.stack[at] = desk.stack[p]
            at += 1
            if p < start + light:
                lighter += 1
    desk.steps[USED] += end - start
    return lighter, at


@inner
def sets_are_safe(desk, rank, below, chunk, k, m, height):
    """Test all itemsets of `rank` and two to m - 1 ranks of the chunk: none may occur in 1 to k - 1 rows.

    All ranks of the chunk are smaller than `below`. Depth first over ever smaller ranks; a level holds the rows that
    have everything chosen so far and a list of the ranks to go on with. Pairs are known to be safe when this is called.
    When the steps are used up nothing is called safe any more.
    """
    room = desk.touched.size // max(1, m - 1)
    begin = np.zeros(m, np.int64)  # level -> start of its rows in the stack
    finish = np.zeros(m, np.int64)
    light = np.zeros(m, np.int64)  # level -> how many of its rows may have a rare set
    cursor = np.zeros(m, np.int64)  # level -> next of its ranks to try
    found = np.zeros(m, np.int64)
    enough = np.zeros(m, np.int64)  # level -> with that many records, nothing further can be rare
    largest = np.zeros(m, np.int64)
    light[0], finish[0] = merge_rows(desk, cut_rows(desk, rank, below, chunk), k)
    if light[0] == 0:
        return True
    level, is_new = 0, True
    while level >= 0:
        base = level * room
        if is_new:
            is_new = False
            met, records = count_terms(desk, begin[level], finish[level], below, base)
            if some_is_rare(desk, base, met, k) or desk.steps[USED] > desk.steps[MOST]:
                return clean(desk, base, met)
            more = m - 1 - level
            if more > 1:
                light[level] = drop_safe_rows(desk, begin[level], light[level], below, records, k, more, largest)
            else:
                light[level] = 0
            cursor[level] = 0
            found[level], lost = keep_marked(desk, base, met, records, max(1, more - 1), largest)
            enough[level] = k + lost
        if cursor[level] == found[level]:
            level -= 1
            continue
        at = base + cursor[level]
        cursor[level] += 1
        if desk.tally[at] >= enough[level]:
            continue
        below = np.int64(desk.touched[at])
        begin[level + 1] = (level + 1) * height
        light[level + 1], finish[level + 1] = stack_rows_with(
            desk, below, begin[level], light[level], finish[level], begin[level + 1]
        )
        if light[level + 1] > 0:
            level += 1
            is_new = True
    return True


@inner
def clean(desk, base, met):
    """Leave no hits; return False."""
    for i in range(met):
        desk.hits[desk.touched[base + i]] = 0
    return False
