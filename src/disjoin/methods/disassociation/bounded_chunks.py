"""Chunks of `bounded`, grown one after the other: the term that co-occurs most with a chunk joins it if that is safe.

A chunk begins with the most frequent term that is left. Then the term that shares most occurrences with it is tested:
every set in the chunk must stay frequent. Terms that share none come last. Each row stores its terms in the growing
chunk, so a test reads only these.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import drop_top, sift_up
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.safe_sets import BREATH, MOST, USED, require_end, sets_are_safe
from disjoin.methods.disassociation.verpart import list_rows, new_desk, rank_terms
from disjoin.methods.disassociation.write_leaves import (
    Leaves,
    in_order,
    new_leaves,
    new_pieces,
    start_leaves,
    write_leaf,
)
from disjoin.model.ragged import Flags, Ints32, Ints64

MOST_REFUSALS = 60  # a term that this many chunks refused gets a chunk of its own: more tries add next to nothing
GAIN = 2  # occurrences of the chunk that a term must share for each row that it exposes
SCARCE = 4  # terms that are in fewer than this times k rows are looked at first: most refusals come from them


class GrowState(NamedTuple):
    """Working space for the chunk that grows; terms are numbered by rank, as in VERPART's state.

    Between two chunks the heap is empty, and `length`, `met` and `second` are zero.
    """

    heap: Ints32  # the terms that share something with the chunk
    place: Ints32  # rank -> where it is in the heap, -1 outside
    key: Ints64  # rank -> occurrences of the chunk in its rows
    rank: Ints32  # rank -> itself: decides between equal ones
    barred: Ints64  # rank -> the last chunk + 1 that refused it
    refusals: Ints64  # rank -> how many chunks have refused it
    members: Ints32  # of the chunk
    part: Ints32  # row -> its terms in the chunk, from where the row begins in VERPART's state ...
    length: Ints32  # row -> ... and how many they are
    company: Ints32  # terms of the chunk that a term meets in rows with two of them or more
    met: Ints64  # rank -> in how many of these rows
    first: Ints64  # rank -> where these rows begin in `where`
    where: Ints32
    others: Ints32  # terms that a term and one of the chunk meet
    second: Ints64  # rank -> in how many rows
    exposed: Flags  # row -> whether it shows a rare set of p terms
    offends: Flags  # row -> whether a term would make it so
    spent: Ints64  # (1,) how many rows are exposed


def new_growth(n_terms: int, occurrences: int, rows: int) -> GrowState:
    """Make space for clusters of up to that many occurrences and rows."""
    size = min(n_terms, occurrences) + 2
    lists = [np.empty(size, np.int32) for _ in range(4)]
    return GrowState(
        heap=lists[0],
        place=np.full(size, -1, np.int32),
        key=np.zeros(size, np.int64),
        rank=np.arange(size, dtype=np.int32),
        barred=np.zeros(size, np.int64),
        refusals=np.zeros(size, np.int64),
        members=lists[1],
        part=np.empty(occurrences, np.int32),
        length=np.zeros(rows + 1, np.int32),
        company=lists[2],
        met=np.zeros(size, np.int64),
        first=np.zeros(size, np.int64),
        where=np.empty(occurrences, np.int32),
        others=lists[3],
        second=np.zeros(size, np.int64),
        exposed=np.zeros(rows + 1, np.bool_),
        offends=np.zeros(rows + 1, np.bool_),
        spent=np.zeros(1, np.int64),
    )


@inner
def bar(grown, rank, chunk):
    """Note that a chunk refuses a term."""
    grown.barred[rank] = chunk + 1
    grown.refusals[rank] += 1


@inner
def enter(desk, grown, rank, chunk, size, least):
    """Put a term into the chunk, and into the heap what it shares rows with; return the heap's size.

    What shares some rows with it, but fewer than `least`, can join this chunk no more.
    """
    desk.chunk[rank] = chunk
    found = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        start, end = desk.row_first[row], desk.row_first[row + 1]
        grown.part[start + grown.length[row]] = rank
        grown.length[row] += 1
        for i in range(start, end):
            other = desk.row_ranks[i]
            if desk.chunk[other] < 0 and grown.barred[other] != chunk + 1:
                if grown.second[other] == 0:
                    grown.others[found] = other
                    found += 1
                grown.second[other] += 1
        desk.steps[USED] += end - start
    for i in range(found):
        other = grown.others[i]
        shared = grown.second[other]
        grown.second[other] = 0
        if grown.refusals[other] >= MOST_REFUSALS:
            continue
        if shared < least:
            bar(grown, other, chunk)
            continue
        if grown.place[other] < 0:
            grown.heap[size] = other
            grown.place[other] = size
            grown.key[other] = 0
            size += 1
        grown.key[other] += shared
        sift_up(grown.heap, grown.place, grown.key, grown.rank, 0, grown.place[other])
    return size


@inner
def meet(desk, grown, rank):
    """Count the chunk's terms in those rows of a term that have two of them or more; return (terms, such rows)."""
    found, rows = 0, np.int64(0)
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if grown.length[row] < 2:
            continue
        rows += 1
        start = desk.row_first[row]
        for i in range(start, start + grown.length[row]):
            other = grown.part[i]
            if grown.met[other] == 0:
                grown.company[found] = other
                found += 1
            grown.met[other] += 1
        desk.steps[USED] += grown.length[row]
    return found, rows


@inner
def list_meetings(desk, grown, rank, found):
    """List, for each term of the company, the rows in which the term meets it and another one."""
    start = np.int64(0)
    for i in range(found):
        grown.first[grown.company[i]] = start
        start += grown.met[grown.company[i]]
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if grown.length[row] < 2:
            continue
        start = desk.row_first[row]
        for i in range(start, start + grown.length[row]):
            other = grown.part[i]
            grown.where[grown.first[other]] = row
            grown.first[other] += 1
    for i in range(found):
        grown.first[grown.company[i]] -= grown.met[grown.company[i]]


@inner
def some_third_is_rare(desk, grown, other, k):
    """Tell whether a term and one of its company meet some third one in 1 to k - 1 rows."""
    found = 0
    for p in range(grown.first[other], grown.first[other] + grown.met[other]):
        row = grown.where[p]
        start = desk.row_first[row]
        for i in range(start, start + grown.length[row]):
            third = grown.part[i]
            if grown.second[third] == 0:
                grown.others[found] = third
                found += 1
            grown.second[third] += 1
        desk.steps[USED] += grown.length[row]
    rare = False
    for i in range(found):
        rare = rare or grown.second[grown.others[i]] < k
        grown.second[grown.others[i]] = 0
    return rare


@inner
def triples_are_safe(desk, grown, rank, k):
    """Test the sets of a term and two of the chunk; none may occur in 1 to k - 1 rows. Pairs are known to be safe.

    Two terms that lack few of the rows share many: then nothing has to be counted.
    """
    found, rows = meet(desk, grown, rank)
    list_meetings(desk, grown, rank, found)
    fewest = rows
    rare = False
    for i in range(found):
        fewest = min(fewest, grown.met[grown.company[i]])
    for turn in range(2):
        for i in range(found):
            other = grown.company[i]
            count = grown.met[other]
            if rare or (count < SCARCE * k) != (turn == 0) or count + fewest - rows >= k:
                continue
            rare = count < k or some_third_is_rare(desk, grown, other, k)
    for i in range(found):
        grown.met[grown.company[i]] = 0
    return not rare


@inner
def mark_rare_pairs(desk, grown, rank, k, offends):
    """Mark the rows in which a term meets one of the chunk that it meets in fewer than k."""
    found = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        for i in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
            other = grown.part[i]
            if grown.second[other] == 0:
                grown.others[found] = other
                found += 1
            grown.second[other] += 1
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        for i in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
            offends[row] |= grown.second[grown.part[i]] < k
        desk.steps[USED] += 1 + grown.length[row]
    for i in range(found):
        grown.second[grown.others[i]] = 0


@inner
def mark_rare_triples(desk, grown, rank, k, offends):
    """Mark the rows in which a term meets two of the chunk that it meets, together, in fewer than k."""
    found, _ = meet(desk, grown, rank)
    list_meetings(desk, grown, rank, found)
    for i in range(found):
        other = grown.company[i]
        begin, end, met = grown.first[other], grown.first[other] + grown.met[other], 0
        for p in range(begin, end):
            row = grown.where[p]
            for j in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
                third = grown.part[j]
                if grown.second[third] == 0:
                    grown.others[met] = third
                    met += 1
                grown.second[third] += 1
            desk.steps[USED] += grown.length[row]
        is_rare = False
        for j in range(met):
            is_rare |= grown.second[grown.others[j]] < k
        for p in range(begin, end if is_rare else begin):
            row = grown.where[p]
            for j in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
                offends[row] |= grown.second[grown.part[j]] < k
        for j in range(met):
            grown.second[grown.others[j]] = 0
    for i in range(found):
        grown.met[grown.company[i]] = 0


@inner
def exposes_few(desk, grown, rank, limits):
    """Tell whether a term may join although sets of p terms become rare: in few rows, each worth GAIN occurrences.

    `left` of the limits is how many rows may be exposed in all. One that is exposed already costs nothing.
    """
    k, p, _, _, most = limits
    if p == 2:
        mark_rare_pairs(desk, grown, rank, k, grown.offends)
    else:
        mark_rare_triples(desk, grown, rank, k, grown.offends)
    more = np.int64(0)
    for i in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[i]
        if grown.offends[row] and not grown.exposed[row]:
            more += 1
    is_taken = more == 0 or (grown.spent[0] + more <= most and grown.key[rank] >= GAIN * more)
    for i in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[i]
        grown.exposed[row] |= is_taken and grown.offends[row]
        grown.offends[row] = False
    if is_taken:
        grown.spent[0] += more
    return is_taken


@inner
def takes(desk, grown, rank, chunk, limits):
    """Tell whether the larger sets are safe with a further term.

    `limits` is (k, p, ranks, rows, how many rows may be exposed).
    """
    k, p, frequent, rows, most = limits
    if desk.steps[USED] > desk.steps[MOST]:
        return False
    if most > 0:
        return exposes_few(desk, grown, rank, limits)
    if p < 3:
        return True
    if not triples_are_safe(desk, grown, rank, k):
        return False
    return p < 4 or sets_are_safe(desk, rank, frequent, chunk, k, p, rows)


@inner
def grow(desk, grown, seed, chunk, limits):
    """Grow a chunk from a term until nothing fits any more; return how many pairs of terms its rows show."""
    k, p, frequent, _, most = limits
    least = np.int64(1) if p == 2 and most > 0 else k  # pairs may be rare, if they are the sets of p terms
    pairs, members = np.int64(0), 1
    grown.members[0] = seed
    size = enter(desk, grown, seed, chunk, np.int64(0), least)
    lonely = seed + 1
    while True:
        if size > 0:
            rank = np.int64(grown.heap[0])
            size = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, size)
            if grown.barred[rank] == chunk + 1:
                continue
            if not takes(desk, grown, rank, chunk, limits):
                bar(grown, rank, chunk)
                continue
            pairs += grown.key[rank]
        else:  # what is left shares no row with the chunk
            while lonely < frequent and not may_try(desk, grown, lonely, chunk):
                lonely += 1
            if lonely == frequent:
                break
            rank = lonely
        grown.members[members] = rank
        members += 1
        size = enter(desk, grown, rank, chunk, size, least)
    for i in range(members):
        rank = grown.members[i]
        for q in range(desk.first[rank], desk.first[rank + 1]):
            grown.length[desk.rows[q]] = 0
    return pairs


@inner
def may_try(desk, grown, rank, chunk):
    """Tell whether a term is in no chunk, and was not refused by this one, nor by too many."""
    return desk.chunk[rank] < 0 and grown.barred[rank] != chunk + 1 and grown.refusals[rank] < MOST_REFUSALS


@inner
def grow_chunks(desk, grown, limits):
    """Put each rank into a chunk; return (chunks, pairs of terms that their rows show)."""
    frequent = limits[2]
    grown.spent[0] = 0
    grown.exposed[: limits[3]] = False
    for rank in range(frequent):
        desk.chunk[rank] = -1
        grown.barred[rank] = 0
        grown.refusals[rank] = 0
    chunks, pairs = np.int64(0), np.int64(0)
    for seed in range(frequent):
        if desk.chunk[seed] >= 0:
            continue
        if grown.refusals[seed] >= MOST_REFUSALS:
            desk.chunk[seed] = chunks
        else:
            pairs += grow(desk, grown, np.int64(seed), chunks, limits)
        chunks += 1
    return chunks, pairs


@kernel
def publish_grown(data, desk, grown, pieces, out, ends, at, limits, share, secret):
    """Publish clusters from number `at` on, whose ends are in `ends` after a leading 0; return where to go on.

    `limits` is (k, p, length of the longest record); `share` of the records of a leaf may be exposed.
    """
    if at == 0:
        start_leaves(out)
    k, p, longest = limits
    pause = desk.steps[USED] + BREATH
    for leaf in range(at, ends.size - 1):
        if desk.steps[USED] > pause:
            return leaf
        lo, hi = ends[leaf], ends[leaf + 1]
        known, frequent = rank_terms(data, desk, lo, hi, k, secret)
        list_rows(data, desk, lo, hi, known, frequent)
        most = np.int64(share * (hi - lo)) if p <= longest else np.int64(0)  # otherwise smaller sets would be rare
        chunks, _ = grow_chunks(desk, grown, (k, min(p, longest), np.int64(frequent), hi - lo, most))
        write_leaf(data, desk, pieces, out, leaf, (lo, hi), (known, frequent, chunks), limits)
    return ends.size - 1


def grown_leaves(data: Records, ends: Ints64, limits: tuple[int, int, int], share: float, secret: Flags) -> Leaves:
    """Publish the clusters that `ends` cut the records into as leaves; `limits` is (k, p, longest record).

    In each, this share of the records may show a set of p terms that fewer than k have.
    """
    lengths = data.offsets[data.order + 1] - data.offsets[data.order]
    room, rows = int(np.add.reduceat(lengths, ends[:-1]).max()), int(np.diff(ends).max())
    out = new_leaves(ends.size - 1, int(lengths.sum()))
    desk = new_desk(secret.size, room, rows, min(limits[1], limits[2]))
    grown, pieces, at = new_growth(secret.size, room, rows), new_pieces(room, secret.size), 0
    while at < ends.size - 1:
        at = publish_grown(data, desk, grown, pieces, out, ends, at, limits, share, secret)
        require_end(desk.steps, limits[1])
    return in_order(out)
