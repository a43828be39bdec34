"""Chunks of `bounded`, grown one by one: the term that co-occurs most with a chunk joins it if that is safe. A chunk
begins with the most frequent remaining term; terms that share no record with it are tested last. Each row stores its
terms in the growing chunk, so a test reads only these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import drop_top, sift_up
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation import verpart
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.leaves import Leaves, in_order, room_for, work_off, write_leaf
from disjoin.methods.disassociation.verpart import BREATH, MOST, USED, list_rows, rank_terms, sets_are_safe
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state

MOST_REFUSALS = 60  # a term that this many chunks refused gets its own chunk: more tries gain next to nothing
GAIN = 2  # occurrences of the chunk that a term must share for each row that it exposes
SCARCE = 4  # terms in fewer than this times k rows are tested first: they cause most refusals


class GrowState(NamedTuple):
    """Working space for the growing chunk; terms are numbered by rank, as in VERPART's state. Between two chunks the
    heap is empty, and `length`, `met` and `second` are zero."""

    heap: Ints32  # the terms that share rows with the chunk
    place: Ints32  # rank -> position in the heap, -1 outside
    key: Ints64  # rank -> occurrences of the chunk in its rows
    rank: Ints32  # rank -> itself: breaks ties
    barred: Ints64  # rank -> the last chunk + 1 that refused it
    refusals: Ints64  # rank -> the number of chunks that refused it
    members: Ints32  # of the chunk
    part: Ints32  # row -> its terms in the chunk, from where the row begins in VERPART's state ...
    length: Ints32  # row -> ... and their number
    company: Ints32  # terms of the chunk that co-occur with a term in rows with two of them or more
    met: Ints64  # rank -> the number of these rows
    first: Ints64  # rank -> where these rows begin in `where`
    where: Ints32
    others: Ints32  # terms that co-occur with a term and one of the chunk
    second: Ints64  # rank -> the number of these rows
    exposed: Flags  # row -> whether it shows a rare set of p terms
    offends: Flags  # row -> whether a term would expose it
    gone: Flags  # row -> whether it has left the large leaf
    spent: Ints64  # (1,) the number of exposed rows


def new_growth(desk: verpart.VerpartState) -> GrowState:
    occurrences, rows = desk.rows.size, desk.row_first.size
    by_row = dict.fromkeys(("length", "exposed", "offends", "gone"), rows)
    grown = new_state(GrowState, desk.terms.size, part=occurrences, where=occurrences, spent=1, **by_row)
    grown.place.fill(-1)
    grown.rank[:] = np.arange(grown.rank.size)
    return grown


@inner
def bar(grown, rank, chunk):
    grown.barred[rank] = chunk + 1
    grown.refusals[rank] += 1


@inner
def enter(desk, grown, rank, chunk, size, least):
    """Put a term into the chunk, and the terms that share rows with it into the heap; return the heap's size. Terms
    that share some rows with it, but fewer than `least`, can no longer join this chunk."""
    desk.chunk[rank] = chunk
    found = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if grown.gone[row]:
            continue
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
            grown.heap[size], grown.place[other], grown.key[other] = other, size, 0
            size += 1
        grown.key[other] += shared
        sift_up(grown.heap, grown.place, grown.key, grown.rank, 0, grown.place[other])
    return size


@inner
def count_second(desk, grown, row, found):
    """Count the terms of the chunk in a row in `second`; `others` has the `found` terms seen so far, and more."""
    start = desk.row_first[row]
    for i in range(start, start + grown.length[row]):
        other = grown.part[i]
        if grown.second[other] == 0:
            grown.others[found] = other
            found += 1
        grown.second[other] += 1
    return found


@inner
def some_is_rare(grown, found, k):
    """Return whether one of the counted terms is in fewer than k rows."""
    rare = False
    for i in range(found):
        rare = rare or grown.second[grown.others[i]] < k
    return rare


@inner
def wipe(grown, found):
    for i in range(found):
        grown.second[grown.others[i]] = 0


@inner
def mark(desk, grown, row, k):
    """Mark the row if it has a counted term that is in fewer than k rows."""
    for i in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
        grown.offends[row] |= grown.second[grown.part[i]] < k


@inner
def meet(desk, grown, rank):
    """Count the chunk's terms (`company`) in the rows of a term that have two of them or more, and list these rows.
    Returns the number of terms and of such rows."""
    found, rows, start = 0, np.int64(0), np.int64(0)
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if grown.length[row] < 2:
            continue
        rows += 1
        for i in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
            other = grown.part[i]
            if grown.met[other] == 0:
                grown.company[found] = other
                found += 1
            grown.met[other] += 1
        desk.steps[USED] += grown.length[row]
    for i in range(found):
        grown.first[grown.company[i]] = start
        start += grown.met[grown.company[i]]
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if grown.length[row] < 2:
            continue
        for i in range(desk.row_first[row], desk.row_first[row] + grown.length[row]):
            grown.where[grown.first[grown.part[i]]] = row
            grown.first[grown.part[i]] += 1
    for i in range(found):
        grown.first[grown.company[i]] -= grown.met[grown.company[i]]
    return found, rows


@inner
def triples_are_safe(desk, grown, rank, k):
    """Test the sets of a term and two of the chunk; none may occur in 1 to k - 1 rows. Pairs are known to be safe. Two
    terms that lack few of the rows share many rows: then nothing has to be counted."""
    found, rows = meet(desk, grown, rank)
    fewest, rare = rows, False
    for i in range(found):
        fewest = min(fewest, grown.met[grown.company[i]])
    for turn in range(2):
        for i in range(found):
            other = grown.company[i]
            count = grown.met[other]
            if rare or (count < SCARCE * k) != (turn == 0) or count + fewest - rows >= k:
                continue
            rare = count < k
            if not rare:
                thirds = count_thirds(desk, grown, other)
                rare = some_is_rare(grown, thirds, k)
                wipe(grown, thirds)
    for i in range(found):
        grown.met[grown.company[i]] = 0
    return not rare


@inner
def count_thirds(desk, grown, other):
    """Count the terms in the rows in which a term and one of its `company` meet; return their number."""
    found = 0
    for p in range(grown.first[other], grown.first[other] + grown.met[other]):
        found = count_second(desk, grown, grown.where[p], found)
        desk.steps[USED] += grown.length[grown.where[p]]
    return found


@inner
def mark_rare_pairs(desk, grown, rank, k):
    """Mark the rows in which a term meets one of the chunk's terms if fewer than k rows have both."""
    found = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        found = count_second(desk, grown, desk.rows[p], found)
    for p in range(desk.first[rank], desk.first[rank + 1]):
        mark(desk, grown, desk.rows[p], k)
        desk.steps[USED] += 1 + grown.length[desk.rows[p]]
    wipe(grown, found)


@inner
def mark_rare_triples(desk, grown, rank, k):
    """Mark the rows in which a term meets two of the chunk's terms if fewer than k rows have all three."""
    found, _ = meet(desk, grown, rank)
    for i in range(found):
        other = grown.company[i]
        thirds = count_thirds(desk, grown, other)
        if some_is_rare(grown, thirds, k):
            for p in range(grown.first[other], grown.first[other] + grown.met[other]):
                mark(desk, grown, grown.where[p], k)
        wipe(grown, thirds)
    for i in range(found):
        grown.met[grown.company[i]] = 0


@inner
def exposes_few(desk, grown, rank, limits):
    """Return whether a term may join although sets of p terms become rare: in few rows, each worth GAIN occurrences.
    `left` of the limits is the number of rows that may be exposed in all. A row that is exposed already costs
    nothing."""
    k, p, _, _, most = limits
    if p == 2:
        mark_rare_pairs(desk, grown, rank, k)
    else:
        mark_rare_triples(desk, grown, rank, k)
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
    """Return whether larger sets are safe with a term; `limits` is (k, p, ranks, rows, rows that may be exposed)."""
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
    """Grow a chunk from a term until no term fits; return the number of pairs of terms that its rows show."""
    k, p, frequent, _, most = limits
    least = np.int64(1) if p == 2 and most > 0 else k  # if p is 2, pairs may be rare
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
        else:  # the remaining terms share no row with the chunk
            while lonely < frequent and (
                desk.chunk[lonely] >= 0 or grown.barred[lonely] == chunk + 1 or grown.refusals[lonely] >= MOST_REFUSALS
            ):
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
def grow_chunks(desk, grown, limits):
    """Put each rank into a chunk; return (chunks, pairs of terms that their rows show)."""
    frequent = limits[2]
    grown.spent[0], grown.exposed[: limits[3]] = 0, False
    desk.chunk[:frequent], grown.barred[:frequent], grown.refusals[:frequent] = -1, 0, 0
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
def publish_grown(data, desk, grown, pieces, out, ends, limits, share, secret, at):
    pause = desk.steps[USED] + BREATH
    for leaf in range(at, ends.size - 1):
        if desk.steps[USED] > pause:
            return leaf
        lo, hi = ends[leaf], ends[leaf + 1]
        known, frequent, chunks, _ = cut_grown(data, desk, grown, (lo, hi), limits, share, secret)
        write_leaf(data, desk, pieces, out, leaf, (lo, hi), (known, frequent, chunks), limits)
    return ends.size - 1


@inner
def cut_grown(data, desk, grown, span, limits, share, secret):
    """Put the terms of the records order[span] into chunks; return (terms, ranks, chunks, pairs that rows show)."""
    (lo, hi), (k, p, longest) = span, limits
    known, frequent = rank_terms(data, desk, lo, hi, k, secret)
    list_rows(data, desk, lo, hi, frequent)
    most = np.int64(share * (hi - lo)) if p <= longest else np.int64(0)  # otherwise smaller sets would be rare
    chunks, pairs = grow_chunks(desk, grown, (k, min(p, longest), np.int64(frequent), hi - lo, most))
    return known, frequent, chunks, pairs


def grown_leaves(data: Records, ends: Ints64, limits: tuple[int, int, int], share: float, secret: Flags) -> Leaves:
    """Publish the clusters that `ends` cut the records into as leaves; `limits` is (k, p, longest record). In each
    leaf, this share of the records may show a set of p terms that fewer than k have."""
    desk, pieces, out = room_for(data, ends, secret.size, min(limits[1:]))
    grown = new_growth(desk)
    work_off(
        ends.size - 1, desk.steps, limits[1], publish_grown, data, desk, grown, pieces, out, ends, limits, share, secret
    )
    return in_order(out)
