"""VERPART: cut the terms of a cluster into chunks that are k^m-anonymous, and publish the projections.

Filling chunk after chunk gives the same chunks as putting each term, in the order of the method, into the first chunk
that takes it. For that, one pass over the records of the term counts its company in all chunks at once.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import sort_keys
from disjoin.jit.kernel import inner
from disjoin.methods.disassociation.safe_sets import MOST, USED, keep_one_of_twins, new_steps, sets_are_safe
from disjoin.model.ragged import Ints32, Ints64


class VerpartState(NamedTuple):
    """Working space for one cluster of up to `occurrences`, reused for the next.

    A *rank* numbers the frequent terms in the method's order: most frequent first, then by term.
    """

    slot: Ints32  # (n_terms,) term -> local number, -1 outside
    terms: Ints32  # local -> term
    held: Ints64  # local -> records with it
    rank: Ints32  # local -> rank, -1 for a term of the term chunk
    keys: Ints64  # sorting space
    first: Ints64  # rank -> start of its rows in `rows`
    rows: Ints32
    row_first: Ints64  # row -> start of its ranks in `row_ranks`, ascending
    row_ranks: Ints32
    chunk: Ints32  # rank -> chunk
    hits: Ints64  # rank -> records shared with the term at hand
    touched: Ints32
    refused: Ints64  # chunk -> the last rank + 1 that it refused
    company: Ints64  # chunk -> 2 (rank + 1) if it shares records with one of the chunk, one more if with several
    stack: Ints32  # rows under way in the deeper test
    part_first: Ints64  # the rows of a rank that matter in the deeper test, with the ranks of one chunk only
    part_ranks: Ints32
    lengths: Ints64  # of parts
    sequence: Ints64
    spare: Ints64
    weights: Ints64  # part -> how many are equal to it
    tally: Ints64  # records that have a touched rank, too
    leader: Ints32  # rank -> the first rank in exactly the same rows
    steps: Ints64  # (2,) see `steps`


def new_desk(n_terms: int, occurrences: int, rows: int, m: int) -> VerpartState:
    """Make a state for clusters of up to that many occurrences and rows."""
    known = min(n_terms, occurrences) + 2
    deep = known * max(1, m - 1) if m > 2 else 0
    parts = [np.empty(rows + 1 if m > 2 else 0, np.int64) for _ in range(5)]
    return VerpartState(
        slot=np.full(n_terms, -1, np.int32),
        terms=np.empty(known, np.int32),
        held=np.empty(known, np.int64),
        rank=np.empty(known, np.int32),
        keys=np.empty(known, np.int64),
        first=np.empty(known, np.int64),
        rows=np.empty(occurrences, np.int32),
        row_first=np.empty(rows + 1, np.int64),
        row_ranks=np.empty(occurrences, np.int32),
        chunk=np.empty(known, np.int32),
        hits=np.zeros(known, np.int64),
        touched=np.empty(known * max(1, m - 1), np.int32),
        refused=np.zeros(known, np.int64),
        company=np.zeros(known, np.int64),
        stack=np.empty(rows * max(1, m - 1), np.int32),
        part_first=parts[0],
        part_ranks=np.empty(occurrences if m > 2 else 0, np.int32),
        lengths=parts[1],
        sequence=parts[2],
        spare=parts[3],
        weights=parts[4],
        tally=np.empty(deep, np.int64),
        leader=np.empty(known, np.int32),
        steps=new_steps(occurrences),
    )


@inner
def rank_terms(data, desk, lo, hi, k, secret):
    """Count the terms of the cluster and rank those that may enter a chunk; return (local terms, ranks)."""
    known = 0
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            local = desk.slot[term]
            if local < 0:
                local = known
                desk.slot[term] = local
                desk.terms[local] = term
                desk.held[local] = 0
                desk.rank[local] = -1
                known += 1
            desk.held[local] += 1
    frequent = 0
    n_terms = np.int64(secret.size)
    for local in range(known):
        if desk.held[local] >= k and not secret[desk.terms[local]]:
            desk.keys[frequent] = (hi - lo - desk.held[local]) * n_terms + desk.terms[local]
            frequent += 1
    sort_keys(desk.keys, frequent)
    for rank in range(frequent):
        desk.rank[desk.slot[desk.keys[rank] % n_terms]] = rank
    return known, frequent


@inner
def list_rows(data, desk, lo, hi, known, frequent):
    """List the rows of every rank and the ranks of every row, both ascending."""
    start = np.int64(0)
    for rank in range(frequent):
        desk.first[rank] = start
        start += desk.held[desk.slot[desk.keys[rank] % desk.slot.size]]
        desk.hits[rank] = 0
    desk.first[frequent] = start
    desk.row_first[0] = 0
    for position in range(lo, hi):
        record = data.order[position]
        row = position - lo
        inside = 0
        for i in range(data.offsets[record], data.offsets[record + 1]):
            rank = desk.rank[desk.slot[data.items[i]]]
            if rank >= 0:
                desk.rows[desk.first[rank] + desk.hits[rank]] = row
                desk.hits[rank] += 1
                inside += 1
        desk.row_first[row + 1] = desk.row_first[row] + inside
    fill_rows(desk, frequent, hi - lo)


@inner
def list_ranks(desk, frequent, rows):
    """List the ranks of every row anew, ascending, from the rows of every rank."""
    for row in range(rows + 1):
        desk.row_first[row] = 0
    for p in range(desk.first[frequent]):
        desk.row_first[desk.rows[p] + 1] += 1
    for row in range(rows):
        desk.row_first[row + 1] += desk.row_first[row]
    fill_rows(desk, frequent, rows)


@inner
def fill_rows(desk, frequent, rows):
    """Write the ranks of every row, ascending; `row_first` has where each row begins."""
    for rank in range(frequent):  # rank after rank, so that every row gets its ranks in ascending order
        desk.hits[rank] = 0
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[p]
            desk.row_ranks[desk.row_first[row]] = rank
            desk.row_first[row] += 1
    for row in range(rows, 0, -1):
        desk.row_first[row] = desk.row_first[row - 1]
    desk.row_first[0] = 0


@inner
def count_company(desk, rows, start, end, below, chunk, touched, base):
    """Count, over the given rows, the ranks smaller than `below` (of one chunk, or of all if it is -1)."""
    found = 0
    for p in range(start, end):
        row = rows[p]
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            rank = desk.row_ranks[i]
            if rank >= below:
                break
            if chunk < 0 or desk.chunk[rank] == chunk:
                if desk.hits[rank] == 0:
                    touched[base + found] = rank
                    found += 1
                desk.hits[rank] += 1
    return found


@inner
def fill_chunks(desk, frequent, k, m, height):
    """Put every rank into the first chunk that stays k^m-anonymous; return the number of chunks.

    Of ranks in exactly the same rows all go where the first one goes: each set has the support of one without the
    others. If the pairs are too many to be counted, all ranks are in one chunk, which is not to be published.
    """
    keep_one_of_twins(desk, frequent, height)
    if m > 1:
        desk.steps[USED] += pairs_in_rows(desk, height)
    if desk.steps[USED] > desk.steps[MOST]:
        desk.chunk[:frequent] = 0
        return min(1, frequent)
    chunks = 0
    for rank in range(frequent):
        if desk.leader[rank] != rank:
            desk.chunk[rank] = desk.chunk[desk.leader[rank]]
            continue
        found = 0
        if m > 1:
            found = count_company(desk, desk.rows, desk.first[rank], desk.first[rank + 1], rank, -1, desk.touched, 0)
        once = 2 * (rank + 1)
        for i in range(found):
            other = desk.touched[i]
            chunk = desk.chunk[other]
            desk.company[chunk] = once if desk.company[chunk] < once else once + 1
            if desk.hits[other] < k:
                desk.refused[desk.chunk[other]] = rank + 1
            desk.hits[other] = 0
        chosen = first_chunk_that_takes(desk, rank, chunks, k, m, height)
        if chosen == chunks:
            desk.refused[chunks] = 0
            desk.company[chunks] = 0
            chunks += 1
        desk.chunk[rank] = chosen
    return chunks


@inner
def pairs_in_rows(desk, rows):
    """Count the pairs of ranks in all rows: the steps that `fill_chunks` takes to count their supports."""
    pairs = np.int64(0)
    for row in range(rows):
        length = desk.row_first[row + 1] - desk.row_first[row]
        pairs += length * (length - 1) // 2
    return pairs


@inner
def first_chunk_that_takes(desk, rank, chunks, k, m, height):
    """Return the first chunk that the rank may join, or `chunks` for a new one."""
    twice = 2 * (rank + 1) + 1
    for chunk in range(chunks):
        if desk.refused[chunk] == rank + 1:
            continue
        # Sets of three and more can only occur where the term meets two ranks of the chunk.
        if m < 3 or desk.company[chunk] != twice or sets_are_safe(desk, rank, rank, chunk, k, m, height):
            return chunk
    return chunks


@inner
def count_parts(desk, chunks, rows):
    """Count the non-empty subrecords of all chunks together (Lemma 2's N)."""
    total = 0
    for chunk in range(chunks):
        desk.refused[chunk] = -1
    for row in range(rows):
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            chunk = desk.chunk[desk.row_ranks[i]]
            if desk.refused[chunk] != row:
                desk.refused[chunk] = row
                total += 1
    return total
