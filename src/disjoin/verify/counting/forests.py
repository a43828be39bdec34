"""Forests of clusters: order of nodes and chunks, projections of records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.counting import compiled, inner
from disjoin.verify.counting.itemsets import Bags

LARGE = 64  # with more subrecords, a chunk is searched by hash; below, binary search is faster
PROBES = 64  # places of the hash table that are tried before a binary search
SPREAD = 1_000_003
NARROW = 2**40 - 1  # SPREAD times this still fits into 64 bits
FREE = -1

NOWHERE = -1  # no chunk of the leaf or above it has the term
IN_TERM_CHUNK = -2  # this and everything below points into the term chunks: entry e is -2 - e


class Places(NamedTuple):
    """Where a forest publishes its terms: in chunks and term chunks; nodes are visited in pre-order."""

    walk: Ints64  # (nodes,) nodes in pre-order
    last: Ints64  # (nodes,) last position below each node
    is_joint: Flags
    chunk_offsets: Ints64
    domain_offsets: Ints64
    domain_terms: Ints32
    term_offsets: Ints64
    term_items: Ints32


class Subrecords(NamedTuple):
    """The published subrecords, strictly ascending in each chunk."""

    subrecord_offsets: Ints64
    item_offsets: Ints64
    items: Ints32
    table: Ints32 | Ints64  # hash table of the subrecords of large chunks; FREE elsewhere


class Records(NamedTuple):
    """Original records in published numbers (-1: a term that is not published), grouped by leaf."""

    by_leaf: Ints32 | Ints64  # record numbers
    leaf_offsets: Ints64  # (nodes + 1,)
    offsets: Ints64
    items: Ints32


class Tally(NamedTuple):
    """The results of cutting; -1 where there is no error."""

    seen: Ints64  # (subrecords,) records that yield each published subrecord
    term_seen: Flags  # (term chunk entries,) whether a record of the leaf has the term
    strays: Ints64  # (chunks,) a record that yields a subrecord which is not published, or -1
    homeless: Ints64  # (nodes,) an occurrence (position in the records' items) that is not published, or -1


Undo = tuple[Ints32, Ints64]  # terms and their earlier targets, step by step


@inner
def find_subrecord(chunk: int, piece: Ints32, length: int, bags: Subrecords) -> int:
    low, high = bags.subrecord_offsets[chunk], bags.subrecord_offsets[chunk + 1]
    while low < high:
        middle = (low + high) // 2
        sign = 0
        p, p_end = bags.item_offsets[middle], bags.item_offsets[middle + 1]
        i = 0
        while sign == 0 and i < length and p < p_end:
            if bags.items[p] != piece[i]:
                sign = -1 if bags.items[p] < piece[i] else 1
            i += 1
            p += 1
        if sign == 0:
            sign = (1 if p < p_end else 0) - (1 if i < length else 0)
        if sign == 0:
            return middle
        if sign < 0:
            low = middle + 1
        else:
            high = middle
    return -1


@inner
def _place(chunk: int, items: Ints32, first: int, last: int, size: int) -> int:
    """Return the place of `items[first:last]` of a chunk in a hash table of a size (a power of two)."""
    code = (np.int64(chunk) * SPREAD + 1) & NARROW
    for p in range(first, last):
        code = (code * SPREAD + np.int64(items[p]) + 1) & NARROW
    return int((code ^ (code >> 19)) & (size - 1))


@compiled
def enter_subrecords(bags: Subrecords) -> None:
    """Enter the subrecords of large chunks into the hash table, if a place near their hash is free."""
    table = bags.table
    for chunk in range(bags.subrecord_offsets.size - 1):
        first, last = bags.subrecord_offsets[chunk], bags.subrecord_offsets[chunk + 1]
        for s in range(first, last if last - first > LARGE else first):
            place = _place(chunk, bags.items, bags.item_offsets[s], bags.item_offsets[s + 1], table.size)
            for _ in range(PROBES):
                if table[place] == FREE:
                    table[place] = s
                    break
                place = (place + 1) & (table.size - 1)


@inner
def _look_up(chunk: int, piece: Ints32, length: int, bags: Subrecords) -> int:
    """Find `piece[:length]` in a large chunk, or -1. The hash finds candidates; items are compared."""
    first, last = bags.subrecord_offsets[chunk], bags.subrecord_offsets[chunk + 1]
    place = _place(chunk, piece, 0, length, bags.table.size)
    for _ in range(PROBES):
        s = bags.table[place]
        if s == FREE:
            return -1
        begin = bags.item_offsets[s]
        if first <= s < last and bags.item_offsets[s + 1] - begin == length:
            i = 0
            while i < length and bags.items[begin + i] == piece[i]:
                i += 1
            if i == length:
                return s
        place = (place + 1) & (bags.table.size - 1)
    return find_subrecord(chunk, piece, length, bags)


@inner
def _point(term: int, target: int, place: Ints64, undo: Undo, undone: int) -> int:
    terms, before = undo
    terms[undone], before[undone] = term, place[term]
    place[term] = target
    return undone + 1


@inner
def _mark(node: int, places: Places, place: Ints64, undo: Undo, undone: int) -> int:
    """Let the terms of a node's chunks and term chunk point there; return the number of steps that can be undone."""
    for chunk in range(places.chunk_offsets[node], places.chunk_offsets[node + 1]):
        for e in range(places.domain_offsets[chunk], places.domain_offsets[chunk + 1]):
            undone = _point(places.domain_terms[e], chunk, place, undo, undone)
    for e in range(places.term_offsets[node], places.term_offsets[node + 1]):
        undone = _point(places.term_items[e], IN_TERM_CHUNK - e, place, undo, undone)
    return undone


@inner
def _cut(
    record: int,
    node: int,
    records: Records,
    place: Ints64,
    bags: Subrecords,
    tally: Tally,
    scratch: tuple[Ints64, Ints32],  # space for the longest record: the chunk of each item, the current subrecord
) -> None:
    """Project one record to every chunk that it meets and count the resulting subrecords."""
    spots, piece = scratch
    first, last = records.offsets[record], records.offsets[record + 1]
    for p in range(first, last):
        item = records.items[p]
        spot = place[item] if item >= 0 else NOWHERE
        spots[p - first] = spot
        if spot <= IN_TERM_CHUNK:
            tally.term_seen[IN_TERM_CHUNK - spot] = True
        elif spot == NOWHERE and tally.homeless[node] < 0:
            tally.homeless[node] = p
    for p in range(first, last):
        chunk = spots[p - first]
        if chunk < 0:
            continue
        length = 0
        for q in range(p, last):
            if spots[q - first] == chunk:
                spots[q - first] = NOWHERE  # done with it
                piece[length] = records.items[q]
                length += 1
        if bags.subrecord_offsets[chunk + 1] - bags.subrecord_offsets[chunk] > LARGE:
            found = _look_up(chunk, piece, length, bags)
        else:
            found = find_subrecord(chunk, piece, length, bags)
        if found >= 0:
            tally.seen[found] += 1
        elif tally.strays[chunk] < 0:
            tally.strays[chunk] = record


@compiled
def group_records(leaves: Ints64, offsets: Ints64, by_leaf: Ints32 | Ints64) -> None:
    """Write the records into `by_leaf`, leaf by leaf and ascending in each; those of leaf -1 are dropped.

    `offsets` has two entries more than there are leaves, 0 at first; then all but the last cut the list by leaf.
    """
    for record in range(leaves.size):
        offsets[leaves[record] + 2] += 1 if leaves[record] >= 0 else 0
    for leaf in range(2, offsets.size):
        offsets[leaf] += offsets[leaf - 1]
    for record in range(leaves.size):
        if leaves[record] >= 0:
            by_leaf[offsets[leaves[record] + 1]] = record
            offsets[leaves[record] + 1] += 1


@compiled
def cut_records(
    span: tuple[int, int], records: Records, places: Places, bags: Subrecords, tally: Tally, place: Ints64, longest: int
) -> None:
    """Cut every record by the chunks of its leaf and of the joint clusters above; a term belongs to the lowest of them.

    Fills `tally` for the positions from one to another, which are whole trees, so other ranges can be filled in
    parallel. `place` has one entry per term, all NOWHERE; no record has more than `longest` items.
    """
    n = span[1] - span[0]
    room = places.domain_terms.size + places.term_items.size
    terms, before, undone = np.empty(room, np.int32), np.empty(room, np.int64), 0
    open_nodes, open_undone, n_open = np.empty(n, np.int64), np.empty(n, np.int64), 0
    scratch = (np.empty(longest, np.int64), np.empty(longest, np.int32))
    for position in range(span[0], span[1]):
        node = places.walk[position]
        while n_open > 0 and places.last[open_nodes[n_open - 1]] < position:  # close nodes that end before it
            n_open -= 1
            while undone > open_undone[n_open]:
                undone -= 1
                place[terms[undone]] = before[undone]
        open_nodes[n_open], open_undone[n_open] = node, undone
        n_open += 1
        undone = _mark(node, places, place, (terms, before), undone)
        for r in range(records.leaf_offsets[node], records.leaf_offsets[node + 1]):
            _cut(records.by_leaf[r], node, records, place, bags, tally, scratch)


@compiled
def preorder(parents: Ints64) -> tuple[Ints64, Ints64, Ints64]:
    """Return for every node, parents first, its position in pre-order, the last position below it, and its depth."""
    n = parents.size
    position = np.empty(n, np.int64)
    last = np.empty(n, np.int64)
    depth = np.zeros(n, np.int64)
    free = np.empty(n, np.int64)  # first the size of the subtree, then the position of the next child
    for node in range(n):
        free[node] = 1
    for node in range(n - 1, -1, -1):
        if parents[node] >= 0:
            free[parents[node]] += free[node]
    next_root = 0
    for node in range(n):
        below = free[node]
        parent = parents[node]
        if parent < 0:
            position[node] = next_root
            next_root += below
        else:
            position[node] = free[parent]
            free[parent] += below
            depth[node] = depth[parent] + 1
        last[node] = position[node] + below - 1
        free[node] = position[node] + 1
    return position, last, depth


@compiled
def shared_below(places: Places, nearest: Ints64, in_chunk: Flags, in_term_chunk: Flags) -> None:
    """Flag every term of a joint cluster's chunks that a chunk, or the term chunk of a leaf, strictly below also has.

    The flags have one entry for every entry of the domains, False at first. The forest is walked backwards, so
    `nearest` (2 rows, by term: of chunks and of term chunks) has the next later position that has the term; at first
    it has positions after all others.
    """
    for position in range(places.walk.size - 1, -1, -1):
        node = places.walk[position]
        last = places.last[node]
        first_chunk, end_chunk = places.chunk_offsets[node], places.chunk_offsets[node + 1]
        entries = (places.domain_offsets[first_chunk], places.domain_offsets[end_chunk])
        if places.is_joint[node]:
            for e in range(entries[0], entries[1]):
                in_chunk[e] = nearest[0, places.domain_terms[e]] <= last
                in_term_chunk[e] = nearest[1, places.domain_terms[e]] <= last
        else:
            for e in range(places.term_offsets[node], places.term_offsets[node + 1]):
                nearest[1, places.term_items[e]] = position
        for e in range(entries[0], entries[1]):
            nearest[0, places.domain_terms[e]] = position


@inner
def compare_rows(items: Ints32, a: int, a_end: int, b: int, b_end: int) -> int:
    """Compare `items[a:a_end]` with `items[b:b_end]`: below, at or above 0; a proper prefix is smaller."""
    while a < a_end and b < b_end:
        if items[a] != items[b]:
            return -1 if items[a] < items[b] else 1
        a += 1
        b += 1
    return (1 if a < a_end else 0) - (1 if b < b_end else 0)


@compiled
def first_not_ascending(group_offsets: Ints64, row_offsets: Ints64, items: Ints32) -> Ints64:
    """Find, in every group of rows, the first row that is not greater than the one before it (-1: there is none)."""
    first = np.empty(group_offsets.size - 1, np.int64)
    for group in range(first.size):
        first[group] = -1
        for row in range(group_offsets[group] + 1, group_offsets[group + 1]):
            before, here, after = row_offsets[row - 1], row_offsets[row], row_offsets[row + 1]
            if compare_rows(items, before, here, here, after) >= 0:
                first[group] = row
                break
    return first


@inner
def compare_bags(left: int, right: int, bags: Bags) -> int:
    subrecord_offsets, item_offsets, items, counts = bags
    a, a_end = subrecord_offsets[left], subrecord_offsets[left + 1]
    b, b_end = subrecord_offsets[right], subrecord_offsets[right + 1]
    while a < a_end and b < b_end:
        sign = compare_rows(items, item_offsets[a], item_offsets[a + 1], item_offsets[b], item_offsets[b + 1])
        if sign != 0:
            return sign
        if counts[a] < counts[b]:  # left continues with a greater subrecord, or it ends and is a prefix
            return 1 if a + 1 < a_end else -1
        if counts[a] > counts[b]:
            return -1 if b + 1 < b_end else 1
        a += 1
        b += 1
    return (1 if a < a_end else 0) - (1 if b < b_end else 0)


@compiled
def compare_nodes(
    pairs: Ints64,  # (pairs, 2)
    kinds: tuple[Ints64, Flags, Ints64],
    bags: Bags,
    term_offsets: Ints64,
    term_items: Ints32,
) -> Ints64:
    """Compare nodes by size, kind, chunks and term chunk, not children; `kinds`: sizes, is_joint, chunk_offsets."""
    sizes, is_joint, chunk_offsets = kinds
    signs = np.zeros(pairs.shape[0], np.int64)
    for i in range(pairs.shape[0]):
        a, b = pairs[i, 0], pairs[i, 1]
        sign = sizes[a] - sizes[b]
        if sign == 0:
            sign = np.int64(is_joint[a]) - np.int64(is_joint[b])
        p, p_end, q, q_end = chunk_offsets[a], chunk_offsets[a + 1], chunk_offsets[b], chunk_offsets[b + 1]
        while sign == 0 and p < p_end and q < q_end:
            sign = np.int64(compare_bags(p, q, bags))
            p += 1
            q += 1
        if sign == 0:
            sign = (p_end - p) - (q_end - q)
        if sign == 0 and not is_joint[a]:
            p, p_end, q, q_end = term_offsets[a], term_offsets[a + 1], term_offsets[b], term_offsets[b + 1]
            sign = np.int64(compare_rows(term_items, p, p_end, q, q_end))
        signs[i] = sign
    return signs


@compiled
def chunks_out_of_order(chunk_offsets: Ints64, bags: Bags) -> Flags:
    out = np.zeros(bags[0].size - 1, np.bool_)
    for node in range(chunk_offsets.size - 1):
        for chunk in range(chunk_offsets[node] + 1, chunk_offsets[node + 1]):
            out[chunk] = compare_bags(chunk - 1, chunk, bags) > 0
    return out
