"""Leaves as arrays: clusters of records become chunks of sorted, run-length coded subrecords and a term chunk."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from disjoin.arrays.ordering import compare_chunks, compare_lists, sort_keys, sort_subrecords
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.safe_sets import BREATH, USED, require_end
from disjoin.methods.disassociation.verpart import count_parts, fill_chunks, list_rows, new_desk, rank_terms
from disjoin.model.ragged import Flags, Ints32, Ints64


class Leaves(NamedTuple):
    """Leaves as in model.Clusters; `sizes` tells how many there are."""

    sizes: Ints64
    term_offsets: Ints64
    term_items: Ints32
    chunk_offsets: Ints64
    subrecord_offsets: Ints64
    item_offsets: Ints64
    items: Ints32
    counts: Ints64


class Forest(NamedTuple):
    """Leaves in the order of their partition, then joint clusters; a parent has a greater number than its children."""

    nodes: Leaves
    parents: Ints64  # -1 for a root

    @classmethod
    def without_joints(cls, leaves: Leaves) -> Forest:
        """Return a forest of leaves alone."""
        return cls(leaves, np.full(leaves.sizes.size, -1, np.int64))


@kernel
def chunks_in_order(leaves):
    """Return the chunks' numbers so that every leaf has its own in canonical order."""
    index = np.arange(leaves.subrecord_offsets.size - 1)
    for leaf in range(leaves.sizes.size):
        first = leaves.chunk_offsets[leaf]
        for i in range(first + 1, leaves.chunk_offsets[leaf + 1]):
            moving = index[i]
            j = i - 1
            while j >= first and _goes_before(leaves, moving, index[j]):
                index[j + 1] = index[j]
                j -= 1
            index[j + 1] = moving
    return index


@inner
def _goes_before(leaves, a, b):
    at = leaves.subrecord_offsets
    return compare_chunks(leaves.items, leaves.item_offsets, leaves.counts, at[a], at[a + 1], at[b], at[b + 1]) < 0


@kernel
def _copy(leaves, leaf_index, chunk_index, out):
    """Copy the leaves in the order of `leaf_index`, the chunks of each in the order of `chunk_index`."""
    term = chunk = subrecord = item = 0
    for i in range(leaf_index.size):
        leaf = leaf_index[i]
        out.sizes[i] = leaves.sizes[leaf]
        for p in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            out.term_items[term] = leaves.term_items[p]
            term += 1
        out.term_offsets[i + 1] = term
        for c in range(leaves.chunk_offsets[leaf], leaves.chunk_offsets[leaf + 1]):
            source = chunk_index[c]
            for s in range(leaves.subrecord_offsets[source], leaves.subrecord_offsets[source + 1]):
                for p in range(leaves.item_offsets[s], leaves.item_offsets[s + 1]):
                    out.items[item] = leaves.items[p]
                    item += 1
                out.counts[subrecord] = leaves.counts[s]
                subrecord += 1
                out.item_offsets[subrecord] = item
            chunk += 1
            out.subrecord_offsets[chunk] = subrecord
        out.chunk_offsets[i + 1] = chunk


Buffers = Callable[[int, Any], Any]  # makes an array of zeros of that size and type; np.zeros, or arrays in a file


def rearranged(leaves: Leaves, leaf_index: Ints64, chunk_index: Ints64, room: Buffers = np.zeros) -> Leaves:
    """Return the leaves in the order of `leaf_index`, their chunks in the order of `chunk_index`."""
    out = Leaves(*(room(array.size, array.dtype) for array in leaves))
    _copy(leaves, leaf_index, chunk_index, out)
    return out


def concatenated(parts: list[Leaves], room: Buffers = np.zeros) -> Leaves:
    """Join leaves that were published apart."""
    if len(parts) == 1:
        return parts[0]

    def values(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        whole, at = room(sum(array.size for array in arrays), np.result_type(*arrays)), 0
        for array in arrays:
            whole[at : at + array.size] = array
            at += array.size
        return whole

    def offsets(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        whole, at = room(1 + sum(array.size - 1 for array in arrays), np.int64), 0
        for array in arrays:
            np.add(array[1:], whole[at], out=whole[at + 1 : at + array.size])
            at += array.size - 1
        return whole

    return Leaves(*(offsets(name) if name.endswith("offsets") else values(name) for name in Leaves._fields))


def trimmed(out: Leaves) -> Leaves:
    """Cut the unused ends of the arrays off."""
    chunks = int(out.chunk_offsets[-1])
    subrecords = int(out.subrecord_offsets[chunks])
    items = int(out.item_offsets[subrecords])
    return out._replace(
        term_items=out.term_items[: out.term_offsets[-1]],
        subrecord_offsets=out.subrecord_offsets[: chunks + 1],
        item_offsets=out.item_offsets[: subrecords + 1],
        items=out.items[:items],
        counts=out.counts[:subrecords],
    )


class Pieces(NamedTuple):
    """Projections of one cluster, before and after sorting."""

    fill: Ints64  # chunk -> end of its occurrences
    occurrence: Ints32  # terms, grouped by chunk, then by row
    row: Ints32
    starts: Ints64  # subrecord -> start in `occurrence`
    lengths: Ints64
    sequence: Ints64
    spare: Ints64
    ends: Ints64  # term -> end of the subrecords that begin with it


def new_pieces(occurrences: int, n_terms: int) -> Pieces:
    """Make room for the projections of a cluster."""
    wide = [np.empty(occurrences + 2, np.int64) for _ in range(5)]
    narrow = [np.empty(occurrences + 2, np.int32) for _ in range(2)]
    starts, lengths, sequence, spare = wide[1:]
    return Pieces(wide[0], narrow[0], narrow[1], starts, lengths, sequence, spare, np.empty(n_terms, np.int64))


@inner
def uphold_lemma_2(desk, frequent, chunks, rows, k, m):
    """Move the last term to the term chunk if the chunks alone cannot fill all rows; call where that chunk is empty.

    Returns the number of ranks that stay in chunks. Once the term chunk has a term nothing more is needed.
    """
    filled = count_parts(desk, chunks, rows)
    if filled >= rows + k * (max(1, min(m, chunks)) - 1):
        return frequent
    return frequent - 1


@inner
def start_chunks(desk, pieces, chunks, kept):
    """Set where the occurrences of each chunk, which the ranks below `kept` have, begin."""
    for chunk in range(chunks):
        pieces.fill[chunk] = 0
    for rank in range(kept):
        pieces.fill[desk.chunk[rank]] += desk.first[rank + 1] - desk.first[rank]
    start = np.int64(0)
    for chunk in range(chunks):
        size = pieces.fill[chunk]
        pieces.fill[chunk] = start
        start += size


@inner
def group_by_chunk(data, desk, pieces, lo, hi, chunks, kept):
    """Write the occurrences chunk by chunk, in each row by row, in each term by term."""
    start_chunks(desk, pieces, chunks, kept)
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            rank = desk.rank[desk.slot[data.items[i]]]
            if 0 <= rank < kept:
                chunk = desk.chunk[rank]
                pieces.occurrence[pieces.fill[chunk]] = data.items[i]
                pieces.row[pieces.fill[chunk]] = position - lo
                pieces.fill[chunk] += 1


@inner
def sort_chunk(pieces, start, end):
    """Cut the occurrences start..end-1 into subrecords and sort them; return their number."""
    total = 0
    p = start
    while p < end:
        pieces.starts[total] = p
        while p < end and pieces.row[p] == pieces.row[pieces.starts[total]]:
            p += 1
        pieces.lengths[total] = p - pieces.starts[total]
        pieces.sequence[total] = total
        total += 1
    if total < pieces.ends.size:
        sort_subrecords(pieces.occurrence, pieces.starts, pieces.lengths, pieces.sequence, pieces.spare, 0, total)
    else:
        sort_many(pieces, total)
    return total


@inner
def sort_many(pieces, total):
    """Sort subrecords that are more than terms: by their first terms, then those with the same, which lie together."""
    ends, first = pieces.ends, np.int64(0)
    for term in range(ends.size):
        ends[term] = 0
    for i in range(total):
        ends[pieces.occurrence[pieces.starts[i]]] += 1
    for term in range(ends.size):
        size = ends[term]
        ends[term] = first
        first += size
    for i in range(total):
        term = pieces.occurrence[pieces.starts[i]]
        pieces.sequence[ends[term]] = i
        ends[term] += 1
    first = np.int64(0)
    for term in range(ends.size):
        if ends[term] > first + 1:
            sort_subrecords(
                pieces.occurrence, pieces.starts, pieces.lengths, pieces.sequence, pieces.spare, first, ends[term]
            )
        first = ends[term]


@inner
def write_runs(out, at, pieces, total):
    """Append the sorted subrecords of a chunk with their counts; return the positions (subrecords, items)."""
    subrecord, item = at
    previous = -1
    for i in range(total):
        this = pieces.sequence[i]
        a, a_end = pieces.starts[this], pieces.starts[this] + pieces.lengths[this]
        if previous >= 0:
            b, b_end = pieces.starts[previous], pieces.starts[previous] + pieces.lengths[previous]
            if compare_lists(pieces.occurrence, a, a_end, b, b_end) == 0:
                out.counts[subrecord - 1] += 1
                continue
        for p in range(a, a_end):
            out.items[item] = pieces.occurrence[p]
            item += 1
        out.counts[subrecord] = 1
        subrecord += 1
        out.item_offsets[subrecord] = item
        previous = this
    return subrecord, item


@inner
def write_term_chunk(out, desk, known, kept, item):
    """Append the terms without a place in a chunk, ascending; return the new end."""
    rare = 0
    for local in range(known):
        if desk.rank[local] < 0 or desk.rank[local] >= kept:
            desk.keys[rare] = desk.terms[local]
            rare += 1
    sort_keys(desk.keys, rare)
    for i in range(rare):
        out.term_items[item + i] = desk.keys[i]
    return item + rare


@inner
def write_leaf(data, desk, pieces, out, leaf, span, found, limits):
    """Write the records order[span] as leaf number `leaf` of `out`, by the chunks in `desk`, not in order yet.

    `found` is (known terms, ranks, chunks). The desk knows none of the terms afterwards.
    """
    (lo, hi), (known, frequent, chunks) = span, found
    kept = frequent
    if known == frequent:
        kept = uphold_lemma_2(desk, frequent, chunks, hi - lo, limits[0], limits[1])
    write_chunks(data, desk, pieces, out, leaf, span, (known, kept, chunks))


@inner
def write_chunks(data, desk, pieces, out, leaf, span, found):
    """Write the records order[span] as they are cut: `found` is (known terms, ranks that stay in chunks, chunks)."""
    (lo, hi), (known, kept, chunks) = span, found
    out.sizes[leaf] = hi - lo
    out.term_offsets[leaf + 1] = write_term_chunk(out, desk, known, kept, out.term_offsets[leaf])
    group_by_chunk(data, desk, pieces, lo, hi, chunks, kept)
    chunk = out.chunk_offsets[leaf]
    start = np.int64(0)
    for local in range(chunks):
        total = sort_chunk(pieces, start, pieces.fill[local])
        start = pieces.fill[local]
        if total > 0:
            at = (out.subrecord_offsets[chunk], out.item_offsets[out.subrecord_offsets[chunk]])
            out.subrecord_offsets[chunk + 1], _ = write_runs(out, at, pieces, total)
            chunk += 1
    out.chunk_offsets[leaf + 1] = chunk
    for local in range(known):
        desk.slot[desk.terms[local]] = -1


@inner
def publish_leaf(data, desk, pieces, out, leaf, lo, hi, limits, secret):
    """Publish the records order[lo:hi] as leaf number `leaf` of `out`; its chunks are not in order yet."""
    k, m, longest = limits
    known, frequent = rank_terms(data, desk, lo, hi, k, secret)
    list_rows(data, desk, lo, hi, known, frequent)
    chunks = fill_chunks(desk, frequent, k, min(m, longest), hi - lo)  # longer sets do not occur
    write_leaf(data, desk, pieces, out, leaf, (lo, hi), (known, frequent, chunks), limits)


@inner
def start_leaves(out):
    """Say where the first leaf begins."""
    out.term_offsets[0] = 0
    out.chunk_offsets[0] = 0
    out.subrecord_offsets[0] = 0
    out.item_offsets[0] = 0


@kernel
def publish_range(data, desk, pieces, out, ends, span, limits, secret):
    """Publish clusters; `ends` has where each cluster ends in the order, after a leading start.

    `span` is (the first cluster of `out`, where to go on, the end); returns where to go on after many steps.
    """
    first, at, last = span
    if at == first:
        start_leaves(out)
    pause = desk.steps[USED] + BREATH
    for cluster in range(at, last):
        if desk.steps[USED] > pause:
            return cluster
        publish_leaf(data, desk, pieces, out, cluster - first, ends[cluster], ends[cluster + 1], limits, secret)
    return last


@kernel
def open_leaf(data, desk, k, secret):
    """Rank the terms of all records, as one cluster, and list their rows; return (terms, ranks)."""
    start, end = np.int64(0), np.int64(data.order.size)
    known, frequent = rank_terms(data, desk, start, end, k, secret)
    list_rows(data, desk, start, end, known, frequent)
    return known, frequent


@kernel
def close_leaf(data, desk, pieces, out, found, limits):
    """Write the leaf that was opened, by the chunks in `desk`; `found` is (terms, ranks, chunks)."""
    start_leaves(out)
    write_leaf(data, desk, pieces, out, np.int64(0), (np.int64(0), np.int64(data.order.size)), found, limits)


def new_leaves(leaves: int, occurrences: int) -> Leaves:
    """Make room for that many leaves of that many occurrences in all."""
    return Leaves(
        sizes=np.empty(leaves, np.int64),
        term_offsets=np.empty(leaves + 1, np.int64),
        term_items=np.empty(occurrences, np.int32),
        chunk_offsets=np.empty(leaves + 1, np.int64),
        subrecord_offsets=np.empty(occurrences + 1, np.int64),
        item_offsets=np.empty(occurrences + 1, np.int64),
        items=np.empty(occurrences, np.int32),
        counts=np.empty(occurrences, np.int64),
    )


def publish_clusters(
    data: Records, ends: Ints64, first: int, last: int, limits: tuple[int, int, int], secret: Flags
) -> Leaves:
    """Publish the clusters first..last-1 of a partition as leaves with their chunks in canonical order.

    `limits` is (k, m, length of the longest record).
    """
    records = data.order[ends[first] : ends[last]]
    lengths = data.offsets[records + 1] - data.offsets[records]
    weights = np.add.reduceat(lengths, ends[first:last] - ends[first])
    total = int(lengths.sum())
    room, rows = int(weights.max()), int(np.diff(ends[first : last + 1]).max())
    out = new_leaves(last - first, total)
    _, m, longest = limits
    desk = new_desk(secret.size, room, rows, min(m, longest))
    pieces, at = new_pieces(room, secret.size), first
    while at < last:
        at = publish_range(data, desk, pieces, out, ends, (first, at, last), limits, secret)
        require_end(desk.steps, m)
    return in_order(out)


def in_order(out: Leaves) -> Leaves:
    """Return leaves as they were written, with their chunks in canonical order."""
    leaves = trimmed(out)
    return rearranged(leaves, np.arange(leaves.sizes.size), chunks_in_order(leaves))
