"""Shared chunks of joint clusters: REFINE's plan applied to the records.

`refine` and `refine_join` choose the terms of joint clusters without reading records. Here a record is *projected* to
every joint that took terms of its leaf. The projections of a joint are cut as VERPART cuts the records of a cluster
(Lemma 2 is about leaves only).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation import leaves as leaf_arrays
from disjoin.methods.disassociation.horpart import Records, in_place, spans
from disjoin.methods.disassociation.leaves import Leaves, write_chunks
from disjoin.methods.disassociation.refine_join import Limits
from disjoin.methods.disassociation.resistance import NO_COVERS, divide_chunks, new_covers
from disjoin.methods.disassociation.verpart import (
    BREATH,
    MOST,
    USED,
    count_company,
    fill_chunks,
    list_ranks,
    list_rows,
    rank_terms,
    sets_are_safe,
)
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of

SPAN_OCCURRENCES = 400_000  # occurrences of records whose joints one thread builds


class Moves(NamedTuple):
    """Which entries of term chunks moved, and to which joint; leaves as in `Leaves`."""

    term_offsets: Ints64  # leaf -> its entries
    term_items: Ints32  # entry -> its term
    joint_of: Ints32  # entry -> the joint that it moved to, -1 if it did not
    strict: Flags  # entry -> whether a chunk below had its term when it moved


class JointShard(NamedTuple):
    """Projections of records to joints, as a value that can be sent to other processes. Projection i has the terms
    `items[offsets[i] : offsets[i + 1]]`; `ends` cut the projections into joints, after a leading 0. Joint j has the
    strict terms `strict[strict_offsets[j] : strict_offsets[j + 1]]`."""

    offsets: Ints64
    items: Ints32
    ends: Ints64
    strict_offsets: Ints64
    strict: Ints32
    limits: Limits


@kernel
def write_projections(data, ends, moves, leaves, first, slot, last, counts, offsets, items):
    """Write the projections of the records of `leaves`, joint by joint; joints are counted from `first`. With empty
    `offsets`, counts projections and terms of every joint in `counts` (joints + 1, 2), shifted by one place. Otherwise
    `counts` has where those of each joint begin, and is changed; `offsets` gets where each projection ends. `slot` is
    scratch (terms, -1), unchanged at the end; `last` (joints, -1) is scratch, too."""
    only_counts = offsets.size == 0
    for leaf in leaves:
        for e in range(moves.term_offsets[leaf], moves.term_offsets[leaf + 1]):
            slot[moves.term_items[e]] = moves.joint_of[e] - first
        for position in range(ends[leaf], ends[leaf + 1]):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                joint = slot[data.items[i]]
                if joint < 0:
                    continue
                at = joint + 1 if only_counts else joint
                if last[joint] != position:
                    last[joint] = position
                    counts[at, 0] += 1
                if not only_counts:
                    items[counts[at, 1]] = data.items[i]
                    offsets[counts[at, 0]] = counts[at, 1] + 1
                counts[at, 1] += 1
        for e in range(moves.term_offsets[leaf], moves.term_offsets[leaf + 1]):
            slot[moves.term_items[e]] = -1


def projected(
    data: Records, ends: Ints64, moves: Moves, leaves: Ints64, joints: tuple[int, int], n_terms: int
) -> tuple[Ints64, Ints32, Ints64]:
    """Project the records of some leaves to `joints` (the first, and the end); return offsets, terms and ends of these.
    Every joint that took a term of these leaves must be among them."""
    first, number = joints[0], joints[1] - joints[0]
    counts = np.zeros((number + 1, 2), np.int64)
    given = data, ends, moves, leaves, first, np.full(n_terms, -1, np.int64)
    offsets, items = np.empty(0, np.int64), np.empty(0, np.int32)
    write_projections(*given, np.full(number, -1, np.int64), counts, offsets, items)
    counts = np.cumsum(counts, axis=0)
    rows, total = counts[-1]
    offsets, items, cuts = np.zeros(rows + 1, np.int64), np.empty(total, np.int32), counts[:, 0].copy()
    write_projections(*given, np.full(number, -1, np.int64), counts, offsets, items)
    return offsets, items, cuts


@kernel
def share_range(data, desk, pieces, out, shard, tables, at):
    """Write the projections to the joints of a shard as shared chunks, from joint number `at` on, not in order yet.
    Returns where to continue after many steps. `tables` is (classes: working space, terms that are secret: none, terms
    that are strict: none yet, space for rules)."""
    (classes, nothing, is_strict, covers), limits = tables, shard.limits
    k, m = limits.k, min(limits.m, limits.longest)
    pause = desk.steps[USED] + BREATH
    for joint in range(at, shard.ends.size - 1):
        if desk.steps[USED] > pause:
            return joint
        lo, hi = shard.ends[joint], shard.ends[joint + 1]
        known, chosen = rank_terms(data, desk, lo, hi, 1, nothing)
        list_rows(data, desk, lo, hi, chosen)
        if limits.safe:
            chunks = fill_chunks(desk, chosen, k, m, hi - lo)
        else:
            strict = shard.strict[shard.strict_offsets[joint] : shard.strict_offsets[joint + 1]]
            is_strict[strict] = True
            chunks = fill_by_property_one(desk, classes, chosen, k, m, hi - lo, is_strict)
            is_strict[strict] = False
        if limits.share > 0:
            list_ranks(desk, chosen, hi - lo)  # only one of the terms in the same rows remains
            chunks = divide_chunks(desk, covers, chosen, hi - lo, (k, m, limits.share, limits.whole))
        write_chunks(data, desk, pieces, out, joint, (lo, hi), (known, chosen, chunks))
    return shard.ends.size - 1


def publish_joints(shard: JointShard) -> Leaves:
    """Return the joints of a shard with their shared chunks in canonical order; sizes are those of projections."""
    data, ends, limits = in_place(shard.offsets, shard.items), shard.ends, shard.limits
    m = min(limits.m, limits.longest)
    desk, pieces, out = leaf_arrays.room_for(data, ends, limits.n_terms, m)
    classes = np.empty((4, 1 if limits.safe else desk.row_first.size + 1), np.int64)
    covers = new_covers(desk, np.diff(shard.offsets), ends, m) if limits.share else NO_COVERS
    none = np.zeros(limits.n_terms, np.bool_)
    tables = classes, none, none.copy(), covers
    leaf_arrays.work_off(ends.size - 1, desk.steps, limits.m, share_range, data, desk, pieces, out, shard, tables)
    return leaf_arrays.in_order(out)


@inner
def fill_by_property_one(desk, classes, chosen, k, m, rows, is_strict):
    """Fill chunk after chunk; one with a strict term must be k-anonymous, others k^m-anonymous. Returns their number.
    `classes`: row -> class of equal projections, class -> rows, class -> rows with the term, next class for these."""
    desk.chunk[:chosen] = -1
    chunks, placed, n_terms = 0, 0, desk.slot.size
    while placed < chosen:
        classes[0, :rows] = 0
        known, strict = 1, False
        classes[1, 0] = rows
        for rank in range(chosen):
            if desk.chunk[rank] >= 0:
                continue
            spent = is_strict[desk.keys[rank] % n_terms]
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
    """Return whether the chunk is k-anonymous with this rank: each class of equal projections has k rows or none. Class
    0, of the rows without any term of the chunk, may have fewer."""
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
    """Move the rows of a rank to new classes; return the number of classes."""
    for p in range(desk.first[rank], desk.first[rank + 1]):
        classes[3, classes[0, desk.rows[p]]] = -1
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        here = classes[0, row]
        if classes[3, here] < 0:
            classes[3, here], classes[1, known] = known, 0
            known += 1
        there = classes[3, here]
        classes[1, here] -= 1
        classes[1, there] += 1
        classes[0, row] = there
    return known


@inner
def keeps_sets(desk, rank, chunk, k, m, height):
    """Return whether a chunk stays k^m-anonymous with this rank."""
    if m < 2 or desk.steps[USED] > desk.steps[MOST]:  # after too many steps nothing is published
        return True
    for p in range(desk.first[rank], desk.first[rank + 1]):
        desk.steps[USED] += desk.row_first[desk.rows[p] + 1] - desk.row_first[desk.rows[p]]
    found = count_company(desk, desk.rows, desk.first[rank], desk.first[rank + 1], rank, chunk, desk.touched, 0)
    safe = True
    for i in range(found):
        safe = safe and desk.hits[desk.touched[i]] >= k
        desk.hits[desk.touched[i]] = 0
    return safe and (m < 3 or found < 2 or sets_are_safe(desk, rank, rank, chunk, k, m, height))


class JointTrees(NamedTuple):
    """Leaves that are in joints, and joints, both tree by tree, and both cut into the same blocks of trees."""

    leaves: Ints64
    joints: Ints64
    leaf_cuts: list[int]
    joint_cuts: list[int]


def trees_of(parents: Ints64, weights: Ints64, size: int) -> JointTrees:
    """Sort the nodes of a forest tree by tree; a block has leaves of about that weight (`size`)."""
    n = weights.size
    roots = np.where(parents < 0, np.arange(parents.size), parents)
    while not np.array_equal(above := roots[roots], roots):
        roots = above
    leaves = np.flatnonzero(parents[:n] >= 0)
    leaves = leaves[np.argsort(roots[leaves], kind="stable")]
    joints = np.argsort(roots[n:], kind="stable")
    starts = np.concatenate([[0], np.flatnonzero(np.diff(roots[leaves])) + 1, [leaves.size]])
    before = offsets_of(weights[leaves])[starts]
    leaf_cuts = [0, *(int(starts[end]) for _, end in spans(before, size))]
    last = roots[leaves[np.array(leaf_cuts[1:]) - 1]]
    joint_cuts = [0, *np.searchsorted(roots[n:][joints], last, side="right").tolist()]
    return JointTrees(leaves, joints, leaf_cuts, joint_cuts)


def build_joints(data: Records, ends: Ints64, moves: Moves, parents: Ints64, limits: Limits, spread: Spread) -> Leaves:
    """Return the joints of a forest, in their order, with their shared chunks; sizes are those of projections. `ends`
    cuts the records into leaves, which are the first nodes of `parents`."""
    occurrences, n_terms = offsets_of(np.diff(data.offsets)[data.order])[ends], limits.n_terms
    trees = trees_of(parents, np.diff(occurrences), SPAN_OCCURRENCES)
    place = np.empty(trees.joints.size + 1, np.int32)
    place[trees.joints], place[-1] = np.arange(trees.joints.size), -1
    moves = moves._replace(joint_of=place[moves.joint_of])
    pairs = np.unique(moves.joint_of[moves.strict] * np.int64(n_terms) + moves.term_items[moves.strict])

    def built(block: int) -> Leaves:
        leaves = trees.leaves[trees.leaf_cuts[block] : trees.leaf_cuts[block + 1]]
        joints = trees.joint_cuts[block], trees.joint_cuts[block + 1]
        made = projected(data, ends, moves, leaves, joints, n_terms)
        return publish_joints(JointShard(*made, *strict_terms(pairs, joints, n_terms), limits))

    made = leaf_arrays.concatenated(list(spread(built, range(len(trees.leaf_cuts) - 1))))
    return leaf_arrays.rearranged(made, place[:-1].astype(np.int64), np.arange(made.subrecord_offsets.size - 1))


def strict_terms(pairs: Ints64, joints: tuple[int, int], n_terms: int) -> tuple[Ints64, Ints32]:
    """Return the strict terms of joint clusters first..end-1 as in `JointShard`; `pairs` has joint * n_terms + term."""
    cuts = np.searchsorted(pairs, np.arange(joints[0], joints[1] + 1) * n_terms)
    return cuts - cuts[0], (pairs[cuts[0] : cuts[-1]] % n_terms).astype(np.int32)
