"""Expected pairs of terms: how many records are expected to have both, for every pair at once.

Rows of the result are made in blocks of terms. In a tree that keeps its terms apart a pair meets in a node (inside a
chunk exactly, between parts by chance), or one of its terms in a joint and the other below it. A row has the first
for larger terms only, and the second where its own term is the lower one; the sum with its mirror image is the result.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from disjoin.analyst.postings import (
    CHUNK,
    HOLDING,
    IN_TERM_CHUNK,
    LAST,
    MIXED,
    PARENT,
    ROWS,
    SIZE,
    SUPPORT,
    WHERE,
    may_take,
    seek,
)
from disjoin.jit.compiled import inner, kernel


@kernel
def turn_back(index, wanted, once, free, terms, chunks, masses):
    """List for every place its wanted terms, ascending, with their chunk and the records that are expected to have it.

    `free` has for every place where its list starts, and afterwards where it ends.
    """
    for term in range(wanted.size):
        if not wanted[term]:
            continue
        for e in range(index.starts[term], index.starts[term + 1]):
            place, held = index.entries[WHERE, e], index.entries[HOLDING, e]
            spot = free[place]
            free[place] += 1
            terms[spot] = term
            if held == IN_TERM_CHUNK:
                chunks[spot] = IN_TERM_CHUNK
                masses[spot] = min(once, float(index.nodes[SIZE, place]))
            else:
                chunks[spot] = index.holdings[CHUNK, held]
                masses[spot] = index.holdings[SUPPORT, held]


@kernel
def meet_apart(first, block, index, wanted, lists, cursor, below, touched):
    """Add to a block of rows, from term `first` on, the pairs of trees that keep their terms apart.

    `lists` is what `turn_back` made. `cursor` has for every place the next term of its list and goes from block to
    block; `below` is 0 for every place, `touched` room for as many.
    """
    starts, terms, chunks, masses = lists
    nodes, entries = index.nodes, index.entries
    for r in range(block.shape[0]):
        if not wanted[first + r]:
            continue
        row, many = block[r], 0
        for e in range(index.starts[first + r], index.starts[first + r + 1]):
            place, held = entries[WHERE, e], entries[HOLDING, e]
            spot = cursor[place]
            cursor[place] += 1
            if nodes[MIXED, place]:
                continue
            rate = masses[spot] / nodes[SIZE, place]
            for other in range(spot + 1, starts[place + 1]):
                if held == IN_TERM_CHUNK or chunks[other] != chunks[spot]:
                    row[terms[other]] += rate * masses[other]
            if held != IN_TERM_CHUNK:
                _inside(first + r, held, index, wanted, row)
            joint = nodes[PARENT, place]
            while joint >= 0:
                if below[joint] == 0.0:
                    touched[many] = joint
                    many += 1
                below[joint] += masses[spot]
                joint = nodes[PARENT, joint]
        for t in range(many):
            rate = below[touched[t]] / nodes[SIZE, touched[t]]
            below[touched[t]] = 0.0
            for other in range(starts[touched[t]], starts[touched[t] + 1]):
                row[terms[other]] += rate * masses[other]


@inner
def _inside(term, held, index, wanted, row):
    """Add the larger terms that subrecords with a term have, exactly."""
    for p in range(index.holdings[ROWS, held], index.holdings[ROWS, held + 1]):
        s = index.rows[p]
        for i in range(index.item_offsets[s], index.item_offsets[s + 1]):
            if index.items[i] > term and wanted[index.items[i]]:
                row[index.items[i]] += index.counts[s]


@kernel
def squeeze(block, wanted, ends, columns, values):
    """Write the entries of a block that are not 0 one after the other, row by row; note where each row ends.

    Rows that are not wanted have none, and are not looked at. With empty `columns` entries are only counted.
    """
    n = 0
    for r in range(block.shape[0]):
        for c in range(block.shape[1] if wanted[r] else 0):
            if block[r, c] != 0.0:
                if columns.size > 0:
                    columns[n] = c
                    values[n] = block[r, c]
                n += 1
        ends[r] = n


@kernel
def meet_mixed(first, block, index, wanted, lists, forest, mass, part, found):
    """Add to a block of rows the pairs of trees in which a term may stand both in a node and below it, leaf by leaf.

    `forest` is (chunk starts by place, subrecord offsets); `mass` is 0 for every term, `part` and `found` are room.
    """
    starts, terms, chunks, masses = lists
    nodes = index.nodes
    for leaf in range(nodes.shape[1]):
        if nodes[LAST, leaf] > leaf or not nodes[MIXED, leaf]:
            continue
        many = 0
        for spot in range(starts[leaf], starts[leaf + 1]):
            mass[terms[spot]] = masses[spot]
            part[terms[spot]] = chunks[spot] if chunks[spot] >= 0 else -1 - terms[spot]
            found[many] = terms[spot]
            many += 1
        joint = nodes[PARENT, leaf]
        while joint >= 0:
            many = _share_out(leaf, joint, first, block, index, wanted, forest, mass, part, found, many)
            joint = nodes[PARENT, joint]
        for a in range(many):
            row = found[a] - first
            if 0 <= row < block.shape[0]:
                rate = mass[found[a]] / nodes[SIZE, leaf]
                for b in range(many):
                    if found[b] > found[a] and part[found[b]] != part[found[a]]:
                        block[row, found[b]] += rate * mass[found[b]]
        for spot in range(starts[leaf], starts[leaf + 1]):
            _pair_inside(leaf, spot, first, block, index, wanted, lists)
        for a in range(many):
            mass[found[a]] = 0.0


@inner
def _pair_inside(leaf, spot, first, block, index, wanted, lists):
    """Add the pairs of a leaf's own chunk that have the term at a spot, if its row is in the block."""
    _, terms, chunks, _ = lists
    term = terms[spot]
    if chunks[spot] < 0 or term < first or term >= first + block.shape[0]:
        return
    e = seek(index.entries[WHERE], index.starts[term], index.starts[term + 1], leaf)
    _inside(term, index.entries[HOLDING, e], index, wanted, block[term - first])


@inner
def _share_out(leaf, joint, first, block, index, wanted, forest, mass, part, found, many):
    """Give a leaf its expected share of the subrecords of a joint above it, and add the pairs inside these."""
    chunk_starts, subrecord_offsets = forest
    for c in range(chunk_starts[joint, 0], chunk_starts[joint, 1]):
        for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
            if not may_take(leaf, joint, s, index):
                continue
            share = index.counts[s] / index.slots[s] * index.nodes[SIZE, leaf]
            for i in range(index.item_offsets[s], index.item_offsets[s + 1]):
                a = index.items[i]
                if not wanted[a]:
                    continue
                if mass[a] == 0.0:
                    found[many] = a
                    part[a] = c
                    many += 1
                mass[a] += share
                if first <= a < first + block.shape[0]:
                    for j in range(index.item_offsets[s], index.item_offsets[s + 1]):
                        if index.items[j] > a and wanted[index.items[j]]:
                            block[a - first, index.items[j]] += share
    return many


@kernel
def occupancy(index, forest):
    """Return the largest product, over a leaf's ways up in mixed trees, of the shared subrecords a record expects.

    Chunks that expect less than one count as one. Estimates of larger itemsets are at most that many times larger.
    """
    chunk_starts, subrecord_offsets = forest
    nodes, largest = index.nodes, 1.0
    for leaf in range(nodes.shape[1]):
        if nodes[LAST, leaf] > leaf or not nodes[MIXED, leaf]:
            continue
        product, joint = 1.0, nodes[PARENT, leaf]
        while joint >= 0:
            for c in range(chunk_starts[joint, 0], chunk_starts[joint, 1]):
                expected = 0.0
                for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
                    if may_take(leaf, joint, s, index):
                        expected += index.counts[s] / index.slots[s]
                product *= max(1.0, expected)
            joint = nodes[PARENT, joint]
        largest = max(largest, product)
    return largest
