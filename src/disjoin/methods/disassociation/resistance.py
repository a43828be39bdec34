"""Resistance to more attacks: chunks without rules of high confidence; clusters that stay safe if records are known.

Chunks of any origin (VERPART, packing, the core, `bounded`) are divided where known terms reveal another with too high
confidence. Terms that all records of a leaf have, or nearly all, go to its term chunk. A leaf without a term chunk must
have enough subrecords for the records that an attacker may know; if not, its least frequent term goes there. A set Z of
2 to m + 1 terms of a chunk is a *cover* if, of the rows with all of Z but one term, a share of c or more have that term
as well (an association rule of confidence c or more). In a k^m-anonymous chunk only sets of at least c k rows can be
covers, because the other terms of Z are in k rows. So sets are searched depth first, and only those with enough rows.
Whether a chunk has covers depends only on sets inside it: dividing it adds none, and a term may join if no set with
this term is a cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.horpart import Partition, records_in, secret_terms
from disjoin.methods.disassociation.leaves import Leaves, concatenated, in_order, room_for, work_off, write_leaf
from disjoin.methods.disassociation.packing import runs_of_clusters
from disjoin.methods.disassociation.refine_join import limits_of
from disjoin.methods.disassociation.verpart import (
    BREATH,
    MOST,
    USED,
    VerpartState,
    contains,
    count_company,
    count_parts,
    list_rows,
    rank_terms,
    sets_are_safe,
)
from disjoin.model.ragged import Ints32, Ints64, new_state

if TYPE_CHECKING:
    from disjoin.methods.disassociation.clustering import Task

MIXED = -1  # home of a part with terms that were in different chunks


class CoverState(NamedTuple):
    """Working space; the desk of VERPART has the rows. A *part* is a chunk of the result."""

    origin: Ints32  # rank -> the chunk that it was in
    home: Ints32  # part -> the chunk that all its terms were in, or MIXED
    refused: Ints64  # part -> the last rank + 1 that it refused
    met: Ints64  # part -> how many of its terms co-occur with the current rank
    gain: Ints64  # part -> the number of common rows, summed over these terms
    met_by: Ints64  # part -> the rank + 1 that `met` and `gain` are for
    chosen: Ints32  # the current set
    stack: Ints32  # level after level, the rows that have the chosen set
    begin: Ints64  # level -> where these begin
    end: Ints64
    touched: Ints32  # level after level, the ranks to continue with ...
    tally: Ints64  # ... and the number of rows that have them
    found: Ints64  # level -> the number of these ranks
    cursor: Ints64  # level -> the next of them
    pair_first: Ints64  # rank -> where its pairs with smaller ranks begin
    pair_other: Ints32
    pair_support: Ints32
    beside: Ints64  # (2, ranks) rows that the first, or the second, of a set shares with a smaller rank
    meet_first: Ints64  # where the rows begin that the current rank shares with each rank to continue with
    meets: Ints32


def new_covers(desk: VerpartState, lengths: Ints64, ends: Ints64, m: int) -> CoverState:
    """Allocate space for clusters that fit on a desk; `ends` cuts records with these lengths into clusters. It is
    enough for records of the greatest lengths: the longest of any cluster, the second longest, and so on."""
    sizes = np.diff(ends)
    longest = np.zeros(int(sizes.max(initial=0)), np.int64)
    for start, size in zip((ends[:-1] - ends[0]).tolist(), sizes.tolist(), strict=True):
        np.maximum(longest[:size], np.sort(lengths[start : start + size])[::-1], out=longest[:size])
    levels, ranks = m + 2, desk.terms.size
    pairs = min((ranks - 2) * (ranks - 3) // 2, int((longest * (longest - 1) // 2).sum()))
    room = dict.fromkeys(("chosen", "begin", "end", "found", "cursor"), levels)
    room |= {"touched": levels * ranks, "tally": levels * ranks, "stack": levels * longest.size}
    room |= {"pair_other": pairs, "pair_support": pairs, "meets": int(longest.sum()) if m > 1 else 0}
    return new_state(CoverState, ranks, beside=(2, ranks), **room)


NO_COVERS = new_state(CoverState, 0, beside=(2, 0))  # for use without a limit on rules


@inner
def is_told(desk, covers, size, skip, support, limits):
    """Return whether all chosen ranks but one are a rule of too high confidence; `support` rows have them all."""
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
                has_all = contains(desk.row_ranks, desk.row_first[row], desk.row_first[row + 1], covers.chosen[i])
        there += has_all
        desk.steps[USED] += size
        if there * share > needed:
            return False
    return True


@inner
def go_on(desk, covers, level, part, limits):
    """List the ranks of one part, below the last chosen one, that enough rows of the level have; return their
    number."""
    k, _, share, whole = limits
    base, below = level * (covers.touched.size // covers.found.size), np.int64(covers.chosen[level])
    begin, end = covers.begin[level], covers.end[level]
    met = count_company(desk, covers.stack, begin, end, below, part, covers.touched, base)
    for p in range(begin, end):
        desk.steps[USED] += 1 + desk.row_first[covers.stack[p] + 1] - desk.row_first[covers.stack[p]]
    kept = np.int64(0)
    for i in range(met):
        rank = covers.touched[base + i]
        if desk.hits[rank] * whole >= share * k:
            covers.touched[base + kept] = rank
            covers.tally[base + kept] = desk.hits[rank]
            kept += 1
        desk.hits[rank] = 0
    covers.found[level], covers.cursor[level] = kept, 0


@inner
def list_meetings(desk, covers, part):
    """List the rows that the first chosen rank shares with each rank to continue with."""
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
    covers.begin[level + 1], covers.chosen[level + 1] = at, rank
    if level == 0:
        place = covers.cursor[0] - 1
        for p in range(covers.meet_first[place], covers.meet_first[place + 1]):
            covers.stack[at] = covers.meets[p]
            at += 1
    else:
        for p in range(covers.begin[level], covers.end[level]):
            row = covers.stack[p]
            if contains(desk.row_ranks, desk.row_first[row], desk.row_first[row + 1], rank):
                covers.stack[at] = row
                at += 1
    covers.end[level + 1] = at


@inner
def note_pairs(covers, which, rank, sign):
    """Store how many rows a rank shares with each smaller one; or clear that."""
    for p in range(covers.pair_first[rank], covers.pair_first[rank + 1]):
        covers.beside[which, covers.pair_other[p]] = sign * covers.pair_support[p]


@inner
def some_triple_tells(desk, covers, limits):
    """Return whether the two chosen ranks, with one of those to continue with, are a cover."""
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
    """Return whether the chosen ranks, with one of those to continue with, are a cover."""
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
def search(desk, covers, rank, part, limits):
    """Search for a cover; after too many steps, any set counts as one."""
    m = limits[1]
    room = covers.touched.size // covers.found.size
    covers.chosen[0], covers.begin[0] = rank, 0
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
    """Refuse the rank for parts where a pair is a cover, or would be rare where that was not tested before."""
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
            covers.met[part], covers.gain[part] = 0, 0
        covers.met[part] += 1
        hits = desk.hits[other]
        covers.gain[part] += hits
        desk.hits[other], covers.pair_other[covers.pair_first[rank] + i] = 0, other
        covers.pair_support[covers.pair_first[rank] + i] = hits
        fewer = min(own, desk.first[other + 1] - desk.first[other])
        is_rare = m > 1 and hits < k and covers.home[part] != covers.origin[rank]
        if is_rare or hits * whole >= share * fewer:
            covers.refused[part] = rank + 1
    covers.pair_first[rank + 1] = covers.pair_first[rank] + found


@inner
def may_join(desk, covers, rank, part, height, limits):
    """Return whether a part takes a rank; its pairs were tested before."""
    k, m, _, _ = limits
    if covers.refused[part] == rank + 1:
        return False
    if m < 2 or covers.met_by[part] != rank + 1 or covers.met[part] < 2:  # no larger set occurs
        return True
    is_own = covers.home[part] == covers.origin[rank]
    if not is_own and m > 2 and not sets_are_safe(desk, rank, rank, part, k, m, height):
        return False
    note_pairs(covers, 0, rank, 1)
    is_told_by_some = search(desk, covers, rank, part, limits)
    note_pairs(covers, 0, rank, 0)
    return not is_told_by_some


@inner
def part_for(desk, covers, rank, parts, height, limits):
    """Of the parts that take the rank, return the one that shares most with it; `parts` means a new one."""
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
    """Divide the chunks of a desk, which are k^m-anonymous, until they have no cover; return their number. `limits` is
    (k, m, share, whole): c is share / whole. By rank, each term goes to the part that shares most with it and takes it.
    Terms of one chunk cannot become rare together; for several chunks that is tested."""
    covers.origin[:frequent] = desk.chunk[:frequent]
    covers.refused[:frequent], covers.met_by[:frequent] = 0, 0
    desk.chunk[:frequent], desk.hits[:frequent] = -1, 0
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


# Leaves that are published again.


@inner
def keep_ranks(desk, frequent, size, chunk_of, limits):
    """Rank only terms of chunks that less than c of the records have; return their number. Their chunks are stored in
    the desk, and the marks are cleared."""
    n_terms = desk.slot.size
    kept = 0
    for rank in range(frequent):
        key = desk.keys[rank]
        term = key % n_terms
        local = desk.slot[term]
        is_universal = limits.share > 0 and desk.held[local] * limits.whole >= limits.share * size
        if chunk_of[term] < 0 or is_universal:
            desk.rank[local] = -1
        else:
            desk.keys[kept], desk.rank[local] = key, kept
            desk.chunk[kept] = chunk_of[term]
            kept += 1
        chunk_of[term] = -1
    return kept


@kernel
def publish_again(data, desk, covers, pieces, chunk_of, leaves, out, ends, first, limits, secret, at):
    """Publish leaves again, from number `at` on; return where to continue. Their numbers in `leaves` begin with
    `first`."""
    k, m = limits.k, min(limits.m, limits.longest)
    pause = desk.steps[USED] + BREATH
    for i in range(at, ends.size - 1):
        if desk.steps[USED] > pause:
            return i
        lo, hi = ends[i], ends[i + 1]
        start = leaves.chunk_offsets[first + i]
        for chunk in range(start, leaves.chunk_offsets[first + i + 1]):
            rows, end = leaves.subrecord_offsets[chunk], leaves.subrecord_offsets[chunk + 1]
            for p in range(leaves.item_offsets[rows], leaves.item_offsets[end]):
                chunk_of[leaves.items[p]] = chunk - start
        known, frequent = rank_terms(data, desk, lo, hi, k, secret)
        frequent = keep_ranks(desk, frequent, hi - lo, chunk_of, limits)
        list_rows(data, desk, lo, hi, frequent)
        chunks = np.int64(0)
        for rank in range(frequent):
            chunks = max(chunks, np.int64(desk.chunk[rank]) + 1)
        if limits.share > 0:
            chunks = divide_chunks(desk, covers, frequent, hi - lo, (k, m, limits.share, limits.whole))
        if known == frequent:
            # Subrecords must fill all records, also if `slack` records with terms in every chunk are known.
            spare = (k - limits.slack) * (max(1, min(limits.m, chunks)) - 1) + limits.slack * max(0, chunks - 1)
            if count_parts(desk, chunks, hi - lo) < hi - lo + spare:
                frequent -= 1
                desk.rank[desk.slot[desk.keys[frequent] % desk.slot.size]] = -1
        write_leaf(data, desk, pieces, out, i, (lo, hi), (known, frequent, chunks), (k, limits.m))
    return ends.size - 1


def resisting(task: Task, partition: Partition, leaves: Leaves, known: int) -> Leaves:
    """Return the leaves of a partition, in its order, with the resistance that the method guarantees. An attacker may
    know up to `known` terms; sets of that many are frequent in the chunks of all leaves."""
    data, secret = task.data, secret_terms(task.data)
    limits = limits_of(task.method, len(data), data.n_terms, data.records.longest)
    limits = limits._replace(m=max(1, min(known, data.n_terms)))
    m, records = min(limits.m, limits.longest), records_in(data, partition.records)
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]

    def publish(run: tuple[int, int]) -> Leaves:
        ends = partition.ends[run[0] : run[1] + 1]
        desk, pieces, out = room_for(records, ends, secret.size, m)
        covers = new_covers(desk, lengths[ends[0] : ends[-1]], ends, m)
        chunk_of = np.full(secret.size, -1, np.int32)
        given = records, desk, covers, pieces, chunk_of, leaves, out, ends, run[0], limits, secret
        work_off(ends.size - 1, desk.steps, limits.m, publish_again, *given)
        return in_order(out)

    return concatenated(list(task.engine.spread(publish, runs_of_clusters(data, partition))))
