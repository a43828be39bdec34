"""VERPART: cut the terms of a cluster into chunks that are k^m-anonymous, and publish the projections.

Filling chunk after chunk gives the same chunks as putting each term, in the order of the method, into the first chunk
that takes it. For that, one pass over the records of the term counts its company in all chunks at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.kernels.compiling import inner
from disjoin.kernels.ordering import sort_keys
from disjoin.model.arrays import Ints32, Ints64


class Desk(NamedTuple):
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


class Parts(NamedTuple):
    """Rows with some of their ranks only, to be counted as those of a desk are."""

    row_first: Ints64
    row_ranks: Ints32
    chunk: Ints32
    hits: Ints64


def new_desk(n_terms: int, occurrences: int, rows: int, m: int) -> Desk:
    """Make a desk for clusters of up to so many occurrences and rows."""
    known = min(n_terms, occurrences) + 2
    return Desk(
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
        part_first=np.empty(rows + 1 if m > 2 else 0, np.int64),
        part_ranks=np.empty(occurrences if m > 2 else 0, np.int32),
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
    for rank in range(frequent):  # rank after rank, so that every row gets its ranks in ascending order
        desk.hits[rank] = 0
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[p]
            desk.row_ranks[desk.row_first[row]] = rank
            desk.row_first[row] += 1
    for row in range(hi - lo, 0, -1):
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
def row_has(desk, row, wanted):
    """Tell whether a row has a rank."""
    lo, hi = desk.row_first[row], desk.row_first[row + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if desk.row_ranks[middle] < wanted:
            lo = middle + 1
        else:
            hi = middle
    return lo < desk.row_first[row + 1] and desk.row_ranks[lo] == wanted


@inner
def cut_rows(desk, rank, below, chunk):
    """Cut the rows of a rank down to the ranks of a chunk, and stack those that have two or more; return how many.

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
        if end - desk.part_first[parts] > 1:
            desk.stack[parts] = parts
            parts += 1
            desk.part_first[parts] = end
    return parts


@inner
def sets_are_safe(desk, rank, below, chunk, k, m, height):
    """Test all itemsets of `rank` and two to m - 1 ranks of the chunk: none may occur in 1 to k - 1 rows.

    All ranks of the chunk are smaller than `below`. Depth first over ever smaller ranks; a level holds the rows that
    have everything chosen so far and a list of the ranks that they meet. Supports of one are known to be safe when this
    is called.
    """
    room = desk.touched.size // max(1, m - 1)
    begin = np.zeros(m, np.int64)  # level -> start of its rows in the stack
    finish = np.zeros(m, np.int64)
    cursor = np.zeros(m, np.int64)  # level -> next of its ranks to try
    found = np.zeros(m, np.int64)
    finish[0] = cut_rows(desk, rank, below, chunk)
    parts = Parts(desk.part_first, desk.part_ranks, desk.chunk, desk.hits)
    found[0] = count_company(parts, desk.stack, begin[0], finish[0], below, chunk, desk.touched, 0)
    safe = True
    for i in range(found[0]):  # what is in a row with another one of the chunk, but in few such rows, is in a rare set
        safe = safe and desk.hits[desk.touched[i]] >= k
        desk.hits[desk.touched[i]] = 0
    if not safe:
        return False
    level = 0
    while level >= 0:
        if cursor[level] == found[level]:
            level -= 1
            continue
        chosen = np.int64(desk.touched[level * room + cursor[level]])
        cursor[level] += 1
        deeper = level + 1
        begin[deeper] = deeper * height
        finish[deeper] = begin[deeper]
        for p in range(begin[level], finish[level]):
            if row_has(parts, desk.stack[p], chosen):
                desk.stack[finish[deeper]] = desk.stack[p]
                finish[deeper] += 1
        found[deeper] = count_company(
            parts, desk.stack, begin[deeper], finish[deeper], chosen, chunk, desk.touched, deeper * room
        )
        safe = True
        for i in range(found[deeper]):
            other = desk.touched[deeper * room + i]
            safe = safe and desk.hits[other] >= k
            desk.hits[other] = 0
        if not safe:
            return False
        if deeper < m - 2:
            cursor[deeper] = 0
            level = deeper
    return True


@inner
def fill_chunks(desk, frequent, k, m, height):
    """Put every rank into the first chunk that stays k^m-anonymous; return the number of chunks."""
    chunks = 0
    for rank in range(frequent):
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
