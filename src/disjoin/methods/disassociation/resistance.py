"""Resistance of leaves to more attacks: chunks without rules of high confidence, and leaves for `slack` known records.

Chunks of any origin (VERPART, packing, the core, `bounded`) are divided where known terms reveal another with too much
confidence (`rule_confidence`). Terms that all records of a leaf have, or nearly all, go to its term chunk. A leaf
without a term chunk must have enough subrecords for the records that an attacker may know; if not, its least frequent
term goes to the term chunk.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.rule_confidence import divide_chunks, most_room, new_covers
from disjoin.methods.disassociation.safe_sets import BREATH, USED, require_end
from disjoin.methods.disassociation.verpart import count_parts, list_rows, new_desk, rank_terms
from disjoin.methods.disassociation.verpart_shards import longest_record, records_in, runs_of_clusters, secret_terms
from disjoin.methods.disassociation.write_leaves import (
    Leaves,
    concatenated,
    in_order,
    new_leaves,
    new_pieces,
    start_leaves,
    write_leaf,
)
from disjoin.model.ragged import Ints32

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation
    from disjoin.methods.disassociation.clustering import Task


class Resistance(NamedTuple):
    """Limits on leaves in addition to k^m-anonymity; `share` / `whole` is the confidence c, 0 / 1 for none."""

    min_support: int  # k and the slack
    m: int
    deepest: int  # no larger set of terms occurs, or m if one does
    slack: int
    share: int
    whole: int

    @classmethod
    def of(cls, method: Disassociation, m: int, longest: int) -> Resistance:
        """Return what a method asks of sets of up to m terms, for records of up to `longest` terms."""
        limit = method.cover_aware
        share, whole = (0, 1) if limit is None else (limit.numerator, limit.denominator)
        return cls(method.min_support, m, min(m, longest), method.slack, share, whole)


@inner
def note_chunks(leaves, leaf, chunk_of):
    """Note the chunk of every term that a leaf has in one."""
    first = leaves.chunk_offsets[leaf]
    for chunk in range(first, leaves.chunk_offsets[leaf + 1]):
        start, end = leaves.subrecord_offsets[chunk], leaves.subrecord_offsets[chunk + 1]
        for i in range(leaves.item_offsets[start], leaves.item_offsets[end]):
            chunk_of[leaves.items[i]] = chunk - first


@inner
def keep_ranks(desk, frequent, size, chunk_of, limits):
    """Rank only terms of chunks that less than c of the records have; return how many there are.

    Their chunks are noted in the desk, and the notes are wiped.
    """
    n_terms = desk.slot.size
    kept = 0
    for rank in range(frequent):
        key = desk.keys[rank]
        term = key % n_terms
        local = desk.slot[term]
        is_universal = limits.share > 0 and desk.held[local] * limits.whole >= limits.share * size
        if chunk_of[term] < 0 or is_universal:
            desk.rank[local] = -1
        else:
            desk.keys[kept] = key
            desk.rank[local] = kept
            desk.chunk[kept] = chunk_of[term]
            kept += 1
        chunk_of[term] = -1
    return kept


@inner
def has_spare_parts(desk, chunks, rows, limits):
    """Tell whether the subrecords fill all records, also when `slack` records with a part in every chunk are known."""
    k, spread = limits.min_support - limits.slack, max(1, min(limits.m, chunks))
    needed = rows + k * (spread - 1) + limits.slack * max(0, chunks - 1)
    return count_parts(desk, chunks, rows) >= needed


@inner
def highest_chunk(desk, frequent):
    """Return how many chunks the ranks are in."""
    chunks = np.int64(0)
    for rank in range(frequent):
        chunks = max(chunks, np.int64(desk.chunk[rank]) + 1)
    return chunks


@kernel
def publish_again(data, desk, covers, pieces, chunk_of, leaves, out, span, limits, secret):
    """Publish leaves anew; `span` is (ends, the first of `out`, where to go on, the end); return where to go on."""
    ends, first, at, last = span
    if at == first:
        start_leaves(out)
    pause = desk.steps[USED] + BREATH
    for leaf in range(at, last):
        if desk.steps[USED] > pause:
            return leaf
        lo, hi = ends[leaf], ends[leaf + 1]
        note_chunks(leaves, leaf, chunk_of)
        known, frequent = rank_terms(data, desk, lo, hi, limits.min_support, secret)
        frequent = keep_ranks(desk, frequent, hi - lo, chunk_of, limits)
        list_rows(data, desk, lo, hi, known, frequent)
        chunks = highest_chunk(desk, frequent)
        if limits.share > 0:
            asked = (limits.min_support, limits.deepest, limits.share, limits.whole)
            chunks = divide_chunks(desk, covers, frequent, hi - lo, asked)
        if known == frequent and not has_spare_parts(desk, chunks, hi - lo, limits):
            frequent -= 1
            desk.rank[desk.slot[desk.keys[frequent] % desk.slot.size]] = -1
        found = (known, frequent, chunks)
        write_leaf(data, desk, pieces, out, leaf - first, (lo, hi), found, (limits.min_support, limits.m))
    return last


def resisting(task: Task, partition: Partition, leaves: Leaves, known: int) -> Leaves:
    """Return the leaves of a partition, in its order, so that they resist what the method says.

    Somebody may know up to `known` terms; sets of that many are frequent in the chunks of all leaves.
    """
    method, data = task.method, task.data
    limits = Resistance.of(method, max(1, min(known, data.n_terms)), longest_record(data))
    records, secret = records_in(data, partition), secret_terms(data)
    lengths = data.offsets[partition.records + 1] - data.offsets[partition.records]

    def publish(span: tuple[int, int]) -> Leaves:
        first, last = span
        ends = partition.ends
        inside = lengths[ends[first] : ends[last]]
        room = int(np.add.reduceat(inside, ends[first:last] - ends[first]).max())
        rows = int(np.diff(ends[first : last + 1]).max())
        out = new_leaves(last - first, int(inside.sum()))
        desk = new_desk(secret.size, room, rows, limits.deepest)
        covers = new_covers(min(secret.size, room), most_room(inside, ends[first : last + 1]), limits.deepest)
        chunk_of: Ints32 = np.full(secret.size, -1, np.int32)
        pieces, at = new_pieces(room, secret.size), first
        while at < last:
            work = (ends, first, at, last)
            at = publish_again(records, desk, covers, pieces, chunk_of, leaves, out, work, limits, secret)
            require_end(desk.steps, limits.m)
        return in_order(out)

    return concatenated(list(task.engine.spread(publish, runs_of_clusters(data, partition))))
