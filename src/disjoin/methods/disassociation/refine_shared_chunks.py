"""Make the shared chunks of a joint cluster: first-fit into k^m-anonymous chunks, projections sorted and counted."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner
from disjoin.jit.ordering import sort_keys
from disjoin.methods.disassociation.refine_state import SPENT
from disjoin.methods.disassociation.safe_sets import MOST, USED, sets_are_safe
from disjoin.methods.disassociation.verpart import count_company, fill_chunks
from disjoin.methods.disassociation.write_leaves import sort_chunk, start_chunks, write_runs


@inner
def lay_out(ledger, bench, desk, row_of, chosen):
    """List the rows of every chosen rank; rows are numbered as they come, in `row_of`; return their number."""
    rows = 0
    start = np.int64(0)
    for rank in range(chosen):
        desk.first[rank] = start
        desk.hits[rank] = 0
        pick = bench.slot[bench.keys[rank] % bench.slot.size]
        desk.terms[rank] = bench.term[pick]
        e = bench.head[pick]
        while True:
            for p in range(ledger.first[e], ledger.first[e + 1]):
                record = ledger.rows[p]
                if row_of[record] < 0:
                    row_of[record] = rows
                    rows += 1
                desk.rows[start] = row_of[record]
                start += 1
            if e == bench.tail[pick]:
                break
            e = ledger.following[e]
    desk.first[chosen] = start
    return rows


@inner
def forget_rows(ledger, bench, row_of, chosen):
    """Wipe the numbers of the rows."""
    for rank in range(chosen):
        pick = bench.slot[bench.keys[rank] % bench.slot.size]
        e = bench.head[pick]
        while True:
            for p in range(ledger.first[e], ledger.first[e + 1]):
                row_of[ledger.rows[p]] = -1
            if e == bench.tail[pick]:
                break
            e = ledger.following[e]


@inner
def list_ranks(desk, order, chosen, rows):
    """List the ranks of every row, in the order in which `order` names the ranks."""
    for row in range(rows + 1):
        desk.row_first[row] = 0
    for p in range(desk.first[chosen]):
        desk.row_first[desk.rows[p] + 1] += 1
    for row in range(rows):
        desk.row_first[row + 1] += desk.row_first[row]
    for i in range(chosen):
        rank = order[i]
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[p]
            desk.row_ranks[desk.row_first[row]] = rank
            desk.row_first[row] += 1
    for row in range(rows, 0, -1):
        desk.row_first[row] = desk.row_first[row - 1]
    desk.row_first[0] = 0


@inner
def group_by_shared_chunk(desk, pieces, chunks, chosen, rows):
    """Write the occurrences chunk by chunk, in each row by row, in each term by term (`row_ranks` is in that order)."""
    start_chunks(desk, pieces, chunks, chosen)
    for row in range(rows):
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            rank = desk.row_ranks[i]
            chunk = desk.chunk[rank]
            pieces.occurrence[pieces.fill[chunk]] = desk.terms[rank]
            pieces.row[pieces.fill[chunk]] = row
            pieces.fill[chunk] += 1


@inner
def fill_by_property_one(bench, desk, classes, chosen, limits, rows):
    """Fill chunk after chunk; one with a term that is in a chunk below must be k-anonymous, any other k^m-anonymous.

    `classes` is (row -> class of equal projections, class -> rows, class -> rows with the term at hand, next class for
    those). Returns the number of chunks.
    """
    k, m = limits.k, min(limits.m, limits.longest)
    for rank in range(chosen):
        desk.chunk[rank] = -1
    chunks, placed = 0, 0
    while placed < chosen:
        for row in range(rows):
            classes[0, row] = 0
        known, strict = 1, False
        classes[1, 0] = rows
        for rank in range(chosen):
            if desk.chunk[rank] >= 0:
                continue
            spent = (bench.marks[bench.slot[desk.terms[rank]]] & SPENT) != 0
            if strict or spent:
                fits = splits_evenly(desk, classes, rank, known, k)
            else:
                fits = keeps_sets(desk, rank, chunks, k, m, rows)
            if fits:
                desk.chunk[rank] = chunks
                known = split_classes(desk, classes, rank, known)
                strict = strict or spent
                placed += 1
        chunks += 1
    return chunks


@inner
def splits_evenly(desk, classes, rank, known, k):
    """Tell whether the chunk is k-anonymous with this rank: each class of equal projections has k rows or none.

    Class 0, of the rows without any term of the chunk, may keep fewer.
    """
    for here in range(known):
        classes[2, here] = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        classes[2, classes[0, desk.rows[p]]] += 1
    for here in range(known):
        without = classes[1, here] - classes[2, here]
        if 0 < classes[2, here] < k or (here > 0 and 0 < without < k):
            return False
    return True


@inner
def split_classes(desk, classes, rank, known):
    """Give the rows of a rank classes of their own; return the number of classes."""
    for p in range(desk.first[rank], desk.first[rank + 1]):
        classes[3, classes[0, desk.rows[p]]] = -1
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        here = classes[0, row]
        if classes[3, here] < 0:
            classes[3, here] = known
            classes[1, known] = 0
            known += 1
        there = classes[3, here]
        classes[1, here] -= 1
        classes[1, there] += 1
        classes[0, row] = there
    return known


@inner
def keeps_sets(desk, rank, chunk, k, m, height):
    """Tell whether a chunk stays k^m-anonymous with this rank."""
    if m < 2 or desk.steps[USED] > desk.steps[MOST]:  # then nothing is published
        return True
    for p in range(desk.first[rank], desk.first[rank + 1]):
        desk.steps[USED] += desk.row_first[desk.rows[p] + 1] - desk.row_first[desk.rows[p]]
    found = count_company(desk, desk.rows, desk.first[rank], desk.first[rank + 1], rank, chunk, desk.touched, 0)
    safe = True
    for i in range(found):
        safe = safe and desk.hits[desk.touched[i]] >= k
        desk.hits[desk.touched[i]] = 0
    return safe and (m < 3 or found < 2 or sets_are_safe(desk, rank, rank, chunk, k, m, height))


@inner
def share(ledger, bench, desk, pieces, out, tables, joint, chosen, limits):
    """Write the shared chunks of the chosen terms (ranked in `keys`) as those of the joint number `joint` of `out`.

    `tables` is (row_of, order, classes), working space.
    """
    row_of, order, classes = tables
    rows = lay_out(ledger, bench, desk, row_of, chosen)
    for rank in range(chosen):
        order[rank] = rank
    list_ranks(desk, order, chosen, rows)
    if limits.safe:
        chunks = fill_chunks(desk, chosen, limits.k, min(limits.m, limits.longest), rows)
    else:
        chunks = fill_by_property_one(bench, desk, classes, chosen, limits, rows)
    forget_rows(ledger, bench, row_of, chosen)
    for rank in range(chosen):
        bench.keys[rank] = desk.terms[rank] * np.int64(chosen) + rank
    sort_keys(bench.keys, chosen)
    for i in range(chosen):
        order[i] = bench.keys[i] % chosen
    list_ranks(desk, order, chosen, rows)  # by term now, as subrecords are written
    group_by_shared_chunk(desk, pieces, chunks, chosen, rows)
    chunk = out.chunk_offsets[joint]
    start = np.int64(0)
    for local in range(chunks):
        total = sort_chunk(pieces, start, pieces.fill[local])
        start = pieces.fill[local]
        at = (out.subrecord_offsets[chunk], out.item_offsets[out.subrecord_offsets[chunk]])
        out.subrecord_offsets[chunk + 1], _ = write_runs(out, at, pieces, total)
        chunk += 1
    out.chunk_offsets[joint + 1] = chunk
