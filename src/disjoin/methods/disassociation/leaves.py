"""Leaves (clusters that are not joined) as arrays: sorted, run-length coded subrecords and a term chunk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from disjoin.arrays.ordering import compare_chunks, compare_lists, sort_keys, sort_subrecords
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation import verpart
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.verpart import BREATH, USED, count_parts, fill_chunks, list_rows, rank_terms
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state, offsets_of


class Leaves(NamedTuple):
    """Leaves as in `model.Clusters`, with the offsets of their parts."""

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
        return cls(leaves, np.full(leaves.sizes.size, -1, np.int64))


@kernel
def chunks_in_order(leaves):
    at = leaves.subrecord_offsets
    index = np.arange(at.size - 1)
    for leaf in range(leaves.sizes.size):
        first = leaves.chunk_offsets[leaf]
        for i in range(first + 1, leaves.chunk_offsets[leaf + 1]):
            this, j = index[i], i - 1
            a, a_end = at[this], at[this + 1]
            while j >= first:
                b, b_end = at[index[j]], at[index[j] + 1]
                if compare_chunks(leaves.items, leaves.item_offsets, leaves.counts, a, a_end, b, b_end) >= 0:
                    break
                index[j + 1] = index[j]
                j -= 1
            index[j + 1] = this
    return index


@kernel
def _copy(leaves, leaf_index, chunk_index, out):
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


Buffers = Callable[[int, Any], Any]  # allocates an array of zeros of that size and type; np.zeros, or arrays in a file


def rearranged(leaves: Leaves, leaf_index: Ints64, chunk_index: Ints64, room: Buffers = np.zeros) -> Leaves:
    """Return the leaves in the order of `leaf_index`, their chunks in the order of `chunk_index`."""
    out = Leaves(*(room(array.size, array.dtype) for array in leaves))
    _copy(leaves, leaf_index, chunk_index, out)
    return out


def concatenated(parts: list[Leaves], room: Buffers = np.zeros) -> Leaves:
    if len(parts) == 1:
        return parts[0]

    def joined(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        lead = int(name.endswith("offsets"))  # these begin with a 0 and continue from the end of the part before
        whole = room(lead + sum(array.size - lead for array in arrays), np.result_type(*arrays))
        at, before = lead, 0
        for array in arrays:
            end = at + array.size - lead
            np.add(array[lead:], before, out=whole[at:end])
            at, before = end, whole[end - 1] if lead else 0
        return whole

    return Leaves(*map(joined, Leaves._fields))


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
    return new_state(Pieces, occurrences + 2, ends=n_terms)


@inner
def group_by_chunk(data, desk, pieces, lo, hi, chunks, kept):
    """Write the occurrences of the ranks below `kept` chunk by chunk, in each row by row, in each term by term."""
    for chunk in range(chunks):
        pieces.fill[chunk] = 0
    for rank in range(kept):
        pieces.fill[desk.chunk[rank]] += desk.first[rank + 1] - desk.first[rank]
    start = np.int64(0)
    for chunk in range(chunks):
        size = pieces.fill[chunk]
        pieces.fill[chunk] = start
        start += size
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
    total, p = 0, start
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
    """Sort subrecords of two or more terms: by their first terms, then those with the same, which are adjacent."""
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
def write_leaf(data, desk, pieces, out, leaf, span, found, limits):
    """Write the records order[span] as leaf number `leaf` of `out`, by the chunks in `desk`, not in order yet. `found`
    is (known terms, ranks, chunks). If the chunks alone cannot fill all records (Lemma 2) and the term chunk is empty,
    the last rank moves there: one term in it is enough. Afterwards the desk has no terms."""
    (lo, hi), (known, kept, chunks) = span, found
    if known == kept:
        needed = hi - lo + limits[0] * (max(1, min(limits[1], chunks)) - 1)
        if count_parts(desk, chunks, hi - lo) < needed:
            kept -= 1
    write_chunks(data, desk, pieces, out, leaf, span, (known, kept, chunks))


@inner
def write_chunks(data, desk, pieces, out, leaf, span, found):
    """Write the records order[span] as a leaf without Lemma 2: `found` is (known terms, kept ranks, chunks)."""
    (lo, hi), (known, kept, chunks) = span, found
    out.sizes[leaf] = hi - lo
    item, rare = out.term_offsets[leaf], 0
    for local in range(known):
        if desk.rank[local] < 0 or desk.rank[local] >= kept:
            desk.keys[rare] = desk.terms[local]
            rare += 1
    sort_keys(desk.keys, rare)
    for i in range(rare):
        out.term_items[item + i] = desk.keys[i]
    out.term_offsets[leaf + 1] = item + rare
    group_by_chunk(data, desk, pieces, lo, hi, chunks, kept)
    chunk, start = out.chunk_offsets[leaf], np.int64(0)
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


@kernel
def publish_range(data, desk, pieces, out, ends, limits, secret, at):
    k, m, longest = limits
    pause = desk.steps[USED] + BREATH
    for leaf in range(at, ends.size - 1):
        if desk.steps[USED] > pause:
            return leaf
        lo, hi = ends[leaf], ends[leaf + 1]
        known, frequent = rank_terms(data, desk, lo, hi, k, secret)
        list_rows(data, desk, lo, hi, frequent)
        chunks = fill_chunks(desk, frequent, k, min(m, longest), hi - lo)  # longer sets do not occur
        write_leaf(data, desk, pieces, out, leaf, (lo, hi), (known, frequent, chunks), limits)
    return ends.size - 1


@kernel
def open_leaf(data, desk, k, secret):
    """Rank the terms of all records, as one cluster, and list their rows; return (terms, ranks)."""
    start, end = np.int64(0), np.int64(data.order.size)
    known, frequent = rank_terms(data, desk, start, end, k, secret)
    list_rows(data, desk, start, end, frequent)
    return known, frequent


@kernel
def close_leaf(data, desk, pieces, out, found, limits):
    """Write the leaf that was opened, by the chunks in `desk`; `found` is (terms, ranks, chunks)."""
    write_leaf(data, desk, pieces, out, np.int64(0), (np.int64(0), np.int64(data.order.size)), found, limits)


def new_leaves(leaves: int, occurrences: int) -> Leaves:
    edges = {"chunk_offsets": leaves + 1, "subrecord_offsets": occurrences + 1, "item_offsets": occurrences + 1}
    return new_state(Leaves, occurrences, sizes=leaves, term_offsets=leaves + 1, **edges)


def room_for(data: Records, ends: Ints64, n_terms: int, m: int) -> tuple[verpart.VerpartState, Pieces, Leaves]:
    """Allocate space to publish the clusters that `ends` cut the records into; sets of up to `m` terms are tested."""
    records = data.order[ends[0] : ends[-1]]
    before = offsets_of(data.offsets[records + 1] - data.offsets[records])
    room = int(np.diff(before[ends - ends[0]]).max(initial=0))
    desk = verpart.new_desk(n_terms, room, int(np.diff(ends).max(initial=0)), m)
    return desk, new_pieces(room, n_terms), new_leaves(ends.size - 1, int(before[-1]))


def work_off(number: int, steps: Ints64, m: int, loop: Callable[..., int], *given: Any) -> None:
    """Call `loop(*given, at)`, which returns where to continue after many steps, until that many are done."""
    at = 0
    while at < number:
        at = loop(*given, at)
        verpart.require_end(steps, m)


def publish_clusters(data: Records, ends: Ints64, limits: tuple[int, int, int], secret: Flags) -> Leaves:
    """Publish the clusters that `ends` cut the records into; `limits` is (k, m, length of the longest record)."""
    desk, pieces, out = room_for(data, ends, secret.size, min(limits[1:]))
    work_off(ends.size - 1, desk.steps, limits[1], publish_range, data, desk, pieces, out, ends, limits, secret)
    return in_order(out)


def in_order(out: Leaves) -> Leaves:
    """Return leaves as they were written, without the unused ends of arrays, and with chunks in canonical order."""
    chunks = int(out.chunk_offsets[-1])
    subrecords = int(out.subrecord_offsets[chunks])
    leaves = out._replace(
        term_items=out.term_items[: out.term_offsets[-1]],
        subrecord_offsets=out.subrecord_offsets[: chunks + 1],
        item_offsets=out.item_offsets[: subrecords + 1],
        items=out.items[: out.item_offsets[subrecords]],
        counts=out.counts[:subrecords],
    )
    return rearranged(leaves, np.arange(leaves.sizes.size), chunks_in_order(leaves))
