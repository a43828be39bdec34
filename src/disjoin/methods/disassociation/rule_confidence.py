"""Association rules inside chunks: find those of too high confidence, and divide chunks until there are none.

A set Z of 2 to m + 1 terms of a chunk is a *cover* if, of the rows with all of Z but one term, a share of c or more
have that term as well. In a k^m-anonymous chunk only sets of at least c k rows can be covers, because the other terms
of Z are in k rows. So sets are searched depth first, and only those with enough rows. Whether a chunk is free of covers
depends only on sets inside it: dividing it adds none, and a term may join if no set with this term is a cover.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.kernel import inner
from disjoin.methods.disassociation.safe_sets import MOST, USED, sets_are_safe
from disjoin.methods.disassociation.verpart import count_company
from disjoin.model.ragged import Ints32, Ints64

MIXED = -1  # home of a part with terms that were in different chunks


class CoverState(NamedTuple):
    """Working space; the desk of VERPART has the rows. A *part* is a chunk as it will be."""

    origin: Ints32  # rank -> the chunk that it was in
    home: Ints32  # part -> the chunk that all its terms were in, or MIXED
    refused: Ints64  # part -> the last rank + 1 that it refused
    met: Ints64  # part -> how many of its terms the rank at hand meets
    gain: Ints64  # part -> in how many rows it meets them, summed over these terms
    met_by: Ints64  # part -> the rank + 1 that this is about
    chosen: Ints32  # the set under way
    stack: Ints32  # level after level, the rows that have what is chosen
    begin: Ints64  # level -> where these begin
    end: Ints64
    touched: Ints32  # level after level, the ranks to go on with ...
    tally: Ints64  # ... and how many of the rows have them
    found: Ints64  # level -> how many they are
    cursor: Ints64  # level -> which of them is next
    pair_first: Ints64  # rank -> where its pairs with smaller ranks begin
    pair_other: Ints32
    pair_support: Ints32
    beside: Ints64  # (2, ranks) rows that the first, or the second, of a set shares with a smaller rank
    meet_first: Ints64  # which rows the rank at hand shares with each rank to go on with: where these begin
    meets: Ints32


def new_covers(known: int, lengths: Ints64, m: int) -> CoverState:
    """Make space for clusters of up to `known` terms whose records need no more room than these lengths."""
    levels, ranks, rows = m + 2, known + 2, lengths.size
    small = [np.zeros(levels, np.int64) for _ in range(4)]
    pairs = min(known * (known - 1) // 2, int((lengths * (lengths - 1) // 2).sum()))
    return CoverState(
        origin=np.empty(ranks, np.int32),
        home=np.empty(ranks, np.int32),
        refused=np.zeros(ranks, np.int64),
        met=np.zeros(ranks, np.int64),
        gain=np.zeros(ranks, np.int64),
        met_by=np.zeros(ranks, np.int64),
        chosen=np.empty(levels, np.int32),
        stack=np.empty(levels * rows, np.int32),
        begin=small[0],
        end=small[1],
        touched=np.empty(levels * ranks, np.int32),
        tally=np.empty(levels * ranks, np.int64),
        found=small[2],
        cursor=small[3],
        pair_first=np.zeros(ranks, np.int64),
        pair_other=np.empty(pairs, np.int32),
        pair_support=np.empty(pairs, np.int32),
        beside=np.zeros((2, ranks), np.int64),
        meet_first=np.empty(ranks, np.int64),
        meets=np.empty(int(lengths.sum()) if m > 1 else 0, np.int32),
    )


def most_room(lengths: Ints64, ends: Ints64) -> Ints64:
    """Return lengths of records that need as much room as those of any one cluster: the longest, rank by rank.

    `ends` cuts the records, whose lengths are given, into clusters, after a leading start.
    """
    sizes = np.diff(ends)
    longest = np.zeros(int(sizes.max(initial=0)), np.int64)
    for start, size in zip((ends[:-1] - ends[0]).tolist(), sizes.tolist(), strict=True):
        np.maximum(longest[:size], np.sort(lengths[start : start + size])[::-1], out=longest[:size])
    return longest


NO_COVERS = new_covers(0, np.empty(0, np.int64), 0)  # where none are looked for


@inner
def has_rank(desk, row, wanted):
    """Tell whether a row has a rank; the ranks of a row ascend."""
    lo, hi = desk.row_first[row], desk.row_first[row + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if desk.row_ranks[middle] < wanted:
            lo = middle + 1
        else:
            hi = middle
    return lo < desk.row_first[row + 1] and desk.row_ranks[lo] == wanted


@inner
def is_told(desk, covers, size, skip, support, limits):
    """Tell whether the first `size` chosen ranks but one tell that one too surely; `support` rows have them all."""
    _, _, share, whole = limits
    rarest = np.int64(-1)
    for i in range(size):
        rank = np.int64(covers.chosen[i])
        if i != skip and (
            rarest < 0 or desk.first[rank + 1] - desk.first[rank] < desk.first[rarest + 1] - desk.first[rarest]
        ):
            rarest = rank
    needed, there = support * whole, np.int64(0)
    for p in range(desk.first[rarest], desk.first[rarest + 1]):
        row = desk.rows[p]
        has_all = True
        for i in range(size):
            if has_all and i != skip and covers.chosen[i] != rarest:
                has_all = has_rank(desk, row, covers.chosen[i])
        there += has_all
        desk.steps[USED] += size
        if there * share > needed:
            return False
    return True


@inner
def go_on(desk, covers, level, part, limits):
    """List the ranks of one part, below the last chosen one, that enough rows of the level have; and how many do."""
    k, _, share, whole = limits
    room = covers.touched.size // covers.found.size
    base, below = level * room, np.int64(covers.chosen[level])
    met = np.int64(0)
    for p in range(covers.begin[level], covers.end[level]):
        row = covers.stack[p]
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            rank = desk.row_ranks[i]
            if rank >= below:
                break
            if desk.chunk[rank] == part:
                if desk.hits[rank] == 0:
                    covers.touched[base + met] = rank
                    met += 1
                desk.hits[rank] += 1
        desk.steps[USED] += 1 + desk.row_first[row + 1] - desk.row_first[row]
    kept = np.int64(0)
    for i in range(met):
        rank = covers.touched[base + i]
        if desk.hits[rank] * whole >= share * k:
            covers.touched[base + kept] = rank
            covers.tally[base + kept] = desk.hits[rank]
            kept += 1
        desk.hits[rank] = 0
    covers.found[level] = kept
    covers.cursor[level] = 0


@inner
def list_meetings(desk, covers, part):
    """List, for each rank to go on with from the first, the rows in which they meet."""
    start = np.int64(0)
    for i in range(covers.found[0]):
        covers.beside[1, covers.touched[i]] = i + 1
        covers.meet_first[i] = start
        start += covers.tally[i]
    covers.meet_first[covers.found[0]] = start
    for p in range(covers.end[0]):
        row = covers.stack[p]
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            rank = desk.row_ranks[i]
            if rank >= covers.chosen[0]:
                break
            if desk.chunk[rank] == part and covers.beside[1, rank] > 0:
                place = covers.beside[1, rank] - 1
                covers.meets[covers.meet_first[place]] = row
                covers.meet_first[place] += 1
    for i in range(covers.found[0]):
        covers.beside[1, covers.touched[i]] = 0
        covers.meet_first[i] -= covers.tally[i]


@inner
def descend(desk, covers, level, rank):
    """Choose a rank beyond a level, and stack the rows that have it."""
    height = covers.stack.size // covers.found.size
    at = (level + 1) * height
    covers.begin[level + 1] = at
    covers.chosen[level + 1] = rank
    if level == 0:
        place = covers.cursor[0] - 1
        for p in range(covers.meet_first[place], covers.meet_first[place + 1]):
            covers.stack[at] = covers.meets[p]
            at += 1
    else:
        for p in range(covers.begin[level], covers.end[level]):
            if has_rank(desk, covers.stack[p], rank):
                covers.stack[at] = covers.stack[p]
                at += 1
    covers.end[level + 1] = at


@inner
def note_pairs(covers, which, rank, sign):
    """Note how many rows a rank shares with each smaller one; or wipe that."""
    for p in range(covers.pair_first[rank], covers.pair_first[rank + 1]):
        covers.beside[which, covers.pair_other[p]] = sign * covers.pair_support[p]


@inner
def some_triple_tells(desk, covers, limits):
    """Tell whether the two chosen ranks, with one of those to go on with, are a set that tells too much."""
    _, _, share, whole = limits
    room = covers.touched.size // covers.found.size
    both, second = covers.end[1] - covers.begin[1], np.int64(covers.chosen[1])
    note_pairs(covers, 1, second, 1)
    tells = False
    for i in range(room, room + covers.found[1]):
        third = covers.touched[i]
        fewest = min(both, covers.beside[0, third], covers.beside[1, third])
        tells = tells or covers.tally[i] * whole >= share * fewest
    note_pairs(covers, 1, second, 0)
    desk.steps[USED] += covers.pair_first[second + 1] - covers.pair_first[second]
    return tells


@inner
def some_is_told(desk, covers, level, limits):
    """Tell whether what is chosen, with one of the ranks to go on with, is a set that tells too much."""
    if level == 1:
        return some_triple_tells(desk, covers, limits)
    room = covers.touched.size // covers.found.size
    for i in range(level * room, level * room + covers.found[level]):
        covers.chosen[level + 1] = covers.touched[i]
        for skip in range(level + 2):
            if is_told(desk, covers, level + 2, skip, covers.tally[i], limits):
                return True
    return False


@inner
def larger_sets_tell(desk, covers, rank, part, limits):
    """Tell whether a set of a rank and two to m ranks of a part, all smaller, tells too much; pairs do not."""
    note_pairs(covers, 0, rank, 1)
    tells = search(desk, covers, rank, part, limits)
    note_pairs(covers, 0, rank, 0)
    return tells


@inner
def search(desk, covers, rank, part, limits):
    """Look for a set that tells too much; when the steps are used up, any set is taken for one."""
    m = limits[1]
    room = covers.touched.size // covers.found.size
    covers.chosen[0] = rank
    covers.begin[0] = 0
    covers.end[0] = desk.first[rank + 1] - desk.first[rank]
    for p in range(covers.end[0]):
        covers.stack[p] = desk.rows[desk.first[rank] + p]
    go_on(desk, covers, 0, part, limits)
    list_meetings(desk, covers, part)
    level = 0
    while level >= 0:
        if covers.cursor[level] == covers.found[level]:
            level -= 1
            continue
        if desk.steps[USED] > desk.steps[MOST]:
            return True
        following = covers.touched[level * room + covers.cursor[level]]
        covers.cursor[level] += 1
        level += 1
        descend(desk, covers, level - 1, following)
        go_on(desk, covers, level, part, limits)
        if some_is_told(desk, covers, level, limits):
            return True
        if level + 1 >= m:
            level -= 1
    return False


@inner
def look_at_pairs(desk, covers, rank, limits):
    """Refuse the rank for parts where a pair tells too much, or would be rare where that was not tested before."""
    k, m, share, whole = limits
    found = count_company(desk, desk.rows, desk.first[rank], desk.first[rank + 1], rank, -1, desk.touched, 0)
    own = desk.first[rank + 1] - desk.first[rank]
    for p in range(desk.first[rank], desk.first[rank + 1]):
        desk.steps[USED] += desk.row_first[desk.rows[p] + 1] - desk.row_first[desk.rows[p]]
    for i in range(found):
        other = desk.touched[i]
        part = desk.chunk[other]
        if covers.met_by[part] != rank + 1:
            covers.met_by[part] = rank + 1
            covers.met[part] = 0
            covers.gain[part] = 0
        covers.met[part] += 1
        hits = desk.hits[other]
        covers.gain[part] += hits
        desk.hits[other] = 0
        covers.pair_other[covers.pair_first[rank] + i] = other
        covers.pair_support[covers.pair_first[rank] + i] = hits
        fewer = min(own, desk.first[other + 1] - desk.first[other])
        is_rare = m > 1 and hits < k and covers.home[part] != covers.origin[rank]
        if is_rare or hits * whole >= share * fewer:
            covers.refused[part] = rank + 1
    covers.pair_first[rank + 1] = covers.pair_first[rank] + found


@inner
def may_join(desk, covers, rank, part, height, limits):
    """Tell whether a part takes a rank; its pairs have been looked at."""
    k, m, _, _ = limits
    if covers.refused[part] == rank + 1:
        return False
    if m < 2 or covers.met_by[part] != rank + 1 or covers.met[part] < 2:  # no larger set occurs
        return True
    is_own = covers.home[part] == covers.origin[rank]
    if not is_own and m > 2 and not sets_are_safe(desk, rank, rank, part, k, m, height):
        return False
    return not larger_sets_tell(desk, covers, rank, part, limits)


@inner
def part_for(desk, covers, rank, parts, height, limits):
    """Of the parts that take the rank, return the one that it shares most with; `parts` stands for a new one."""
    while True:
        best, most = np.int64(-1), np.int64(-1)
        for part in range(parts):
            gain = covers.gain[part] if covers.met_by[part] == rank + 1 else np.int64(0)
            if gain > most and covers.refused[part] != rank + 1:
                best, most = np.int64(part), gain
        if best < 0:
            return parts
        if may_join(desk, covers, rank, best, height, limits):
            return best
        covers.refused[best] = rank + 1


@inner
def divide_chunks(desk, covers, frequent, height, limits):
    """Divide the chunks of a desk, which are k^m-anonymous, until no set of them tells too much; return how many.

    `limits` is (k, m, share, whole): c is share / whole. In the order of ranks, each goes to that part, of those that
    take it, which it shares most with. Terms of one chunk cannot become rare together; for those of several chunks that
    is tested, too.
    """
    for rank in range(frequent):
        covers.origin[rank] = desk.chunk[rank]
        covers.refused[rank] = 0
        covers.met_by[rank] = 0
        desk.chunk[rank] = -1
        desk.hits[rank] = 0
    parts = np.int64(0)
    covers.pair_first[0] = 0
    for rank in range(frequent):
        look_at_pairs(desk, covers, rank, limits)
        part = part_for(desk, covers, rank, parts, height, limits)
        if part == parts:
            covers.home[parts] = covers.origin[rank]
            parts += 1
        elif covers.home[part] != covers.origin[rank]:
            covers.home[part] = MIXED
        desk.chunk[rank] = part
    return parts
