"""Records that leave a large leaf so that more terms fit into its first chunk.

The chunk grows as in `bounded_chunks`, but a term that some rows forbid may join all the same: if what its other rows
show is worth more than the pairs that those rows show. They leave. The records of the leaf are those that are safe in
the terms of the finished chunk.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import drop_top, sift_down, sift_up
from disjoin.methods.disassociation.bounded_chunks import mark_rare_pairs, mark_rare_triples, new_growth
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.km_core import core_of
from disjoin.methods.disassociation.pair_table import Spread
from disjoin.methods.disassociation.safe_sets import BREATH, USED, require_end
from disjoin.methods.disassociation.verpart import VerpartState, new_desk
from disjoin.methods.disassociation.write_leaves import open_leaf
from disjoin.model.ragged import Flags, Ints64

HEAPED, LONELY, DONE = range(3)


@inner
def join(desk, grown, alive, rank, size):
    """Put a term into the chunk, and into the heap what it shares rows with; return the heap's size."""
    desk.chunk[rank] = 0
    found = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if not alive[row]:
            continue
        start, end = desk.row_first[row], desk.row_first[row + 1]
        grown.part[start + grown.length[row]] = rank
        grown.length[row] += 1
        for i in range(start, end):
            other = desk.row_ranks[i]
            if desk.chunk[other] < 0 and grown.barred[other] == 0:
                if grown.second[other] == 0:
                    grown.others[found] = other
                    found += 1
                grown.second[other] += 1
        desk.steps[USED] += end - start
    for i in range(found):
        other = grown.others[i]
        if grown.place[other] < 0:
            grown.heap[size] = other
            grown.place[other] = size
            grown.key[other] = 0
            size += 1
        grown.key[other] += grown.second[other]
        grown.second[other] = 0
        sift_up(grown.heap, grown.place, grown.key, grown.rank, 0, grown.place[other])
    return size


@inner
def leave(desk, grown, alive, row, size):
    """Let a row leave the leaf: what shares it with the chunk shares less."""
    alive[row] = False
    for i in range(desk.row_first[row], desk.row_first[row + 1]):
        other = desk.row_ranks[i]
        if grown.place[other] >= 0:
            grown.key[other] -= grown.length[row]
            sift_down(grown.heap, grown.place, grown.key, grown.rank, 0, size, grown.place[other])
    grown.length[row] = 0


@inner
def pays(desk, grown, alive, rank, k, price, offends):
    """Tell whether a term may join: no row offends, or the others show more than `price` times what offending ones do.

    At least k rows must be left to it.
    """
    good, bad, rows, offending = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        if not alive[row]:
            continue
        length = np.int64(grown.length[row])
        if offends[row]:
            bad += length * (length - 1) // 2
            offending += 1
        else:
            good += length
            rows += 1
    return rows >= k and (offending == 0 or good > price * bad)


@kernel
def grow_by_leaving(desk, grown, alive, offends, frequent, limits, price, state):
    """Grow the first chunk from rank 0; `state` (3,) is 0 at first, and `DONE` of it in the end. Pauses now and then.

    `limits` is (k, p). Of larger sets only those of three terms are looked at here.
    """
    k, p = limits
    pause = desk.steps[USED] + BREATH
    while desk.steps[USED] <= pause:
        size = state[HEAPED]
        if size > 0 and grown.key[grown.heap[0]] > 0:
            rank = np.int64(grown.heap[0])
            state[HEAPED] = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, size)
            mark_rare_pairs(desk, grown, rank, k, offends)
            if p > 2:
                mark_rare_triples(desk, grown, rank, k, offends)
        else:  # what is left shares no row with the chunk
            while state[HEAPED] > 0:
                state[HEAPED] = drop_top(grown.heap, grown.place, grown.key, grown.rank, 0, state[HEAPED])
            while state[LONELY] < frequent and (desk.chunk[state[LONELY]] >= 0 or grown.barred[state[LONELY]] > 0):
                state[LONELY] += 1
            if state[LONELY] == frequent:
                state[DONE] = 1
                return
            rank = state[LONELY]
        is_taken = pays(desk, grown, alive, rank, k, price, offends)
        for q in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[q]
            if is_taken and offends[row] and alive[row]:
                leave(desk, grown, alive, row, state[HEAPED])
            offends[row] = False
        if is_taken:
            state[HEAPED] = join(desk, grown, alive, rank, state[HEAPED])
        else:
            grown.barred[rank] = 1


def stays_in_leaf(
    data: Records, limits: tuple[int, int, int], secret: Flags, price: float, spread: Spread = map
) -> Flags:
    """Tell for each record of `data`, which are in order, whether it stays; `limits` is (k, p, longest record)."""
    k, p, longest = limits
    rows, occurrences = data.order.size, int(data.offsets[-1])
    desk, grown = new_desk(secret.size, occurrences, rows, 2), new_growth(secret.size, occurrences, rows)
    _, frequent = open_leaf(data, desk, k, secret)
    desk.chunk[:frequent] = -1
    alive, offends, state = np.ones(rows, np.bool_), np.zeros(rows, np.bool_), np.zeros(3, np.int64)
    while not state[DONE]:
        grow_by_leaving(desk, grown, alive, offends, np.int64(frequent), (k, p), price, state)
        require_end(desk.steps, p)
    inside = np.zeros(secret.size, np.bool_)
    inside[_terms_in_chunk(desk, frequent)] = True
    return core_of(data.offsets, data.items, inside, k, min(p, longest), spread)


def _terms_in_chunk(desk: VerpartState, frequent: int) -> Ints64:
    """Return the terms of the chunk that grew."""
    terms: Ints64 = (desk.keys[:frequent] % desk.slot.size)[desk.chunk[:frequent] == 0]
    return terms
