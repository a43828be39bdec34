"""REFINE, pass by pass: order the top-level clusters by what their term chunks share, and join neighbours."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import sort_keys
from disjoin.methods.disassociation.leaves import Leaves, chunks_in_order, rearranged, trimmed
from disjoin.methods.disassociation.refine_join import Bench, enter_joint, new_bench, pick_terms, put_away
from disjoin.methods.disassociation.refine_select import (
    choose_terms,
    contributes,
    drop_thin_terms,
    pays,
    rank_chosen,
    spare_leaning_leaves,
    visit_leaves,
)
from disjoin.methods.disassociation.refine_shared_chunks import share
from disjoin.methods.disassociation.refine_state import LISTED, NODES, SPENT, Ledger
from disjoin.methods.disassociation.verpart import Desk, new_desk
from disjoin.methods.disassociation.write_leaves import Pieces, new_pieces
from disjoin.model.arrays import Flags, Ints32, Ints64

SHORT_KEY = 4  # ranks in a key
RANK_BITS = 15


class Limits(NamedTuple):
    """What a join must keep to."""

    k: int
    m: int
    longest: int  # the largest itemset that can occur
    largest: int  # records in a joint
    spread: int  # how thinly a term may be spread (see `drop_thin_terms`); 0: as thinly as Equation 1 allows
    safe: bool  # rules S1 and S2; otherwise Property 1


class Workshop(NamedTuple):
    """Everything that joining needs beside the ledger."""

    bench: Bench
    desk: Desk
    pieces: Pieces
    joints: Leaves  # what is made: the joints' shared chunks
    row_of: Ints32
    order: Ints32
    classes: Ints64
    members: Ints64
    secret: Flags


def new_workshop(ledger: Ledger, secret: Flags, records: int, limits: Limits) -> Workshop:
    """Make room for all joins of a ledger over so many records."""
    occurrences, leaves = ledger.rows.size, ledger.left.size
    entries = ledger.term.size
    joints = Leaves(
        sizes=np.zeros(leaves, np.int64),
        term_offsets=np.zeros(leaves + 1, np.int64),
        term_items=np.empty(0, np.int32),
        chunk_offsets=np.zeros(leaves + 1, np.int64),
        subrecord_offsets=np.zeros(entries + 1, np.int64),
        item_offsets=np.zeros(occurrences + 1, np.int64),
        items=np.empty(occurrences, np.int32),
        counts=np.empty(occurrences, np.int64),
    )
    return Workshop(
        bench=new_bench(secret.size, leaves),
        desk=new_desk(secret.size, occurrences, min(records, occurrences), min(limits.m, limits.longest)),
        pieces=new_pieces(occurrences),
        joints=joints,
        row_of=np.full(records, -1, np.int32),
        order=np.empty(secret.size, np.int32),
        classes=np.empty((4, 1 if limits.safe else occurrences + 2), np.int64),
        members=np.empty(leaves, np.int64),
        secret=secret,
    )


@inner
def join(ledger, shop, clusters, lo, hi, limits):
    """Join the clusters lo..hi-1, as far as they contribute; return the joint, -1 if it is not worth it."""
    bench = shop.bench
    picks = pick_terms(ledger, bench, clusters, lo, hi)
    chosen = choose_terms(bench, picks, limits.k, limits.safe, shop.secret)
    leaves = 0
    if chosen > 0 and limits.spread > 0:
        chosen = drop_thin_terms(ledger, bench, clusters, lo, hi, picks, limits.spread)
    if chosen > 0:
        leaves = visit_leaves(ledger, bench, picks)
        if limits.safe:
            chosen -= spare_leaning_leaves(ledger, bench, leaves)
    members, size = 0, np.int64(0)
    if chosen > 0:
        for i in range(lo, hi):
            if contributes(ledger, bench, clusters[i]):
                shop.members[members] = clusters[i]
                members += 1
                size += ledger.sizes[clusters[i]]
    joint = np.int64(-1)
    if chosen > 0 and size <= limits.largest and pays(ledger, bench, picks, leaves, size):
        if members < hi - lo:
            picks = pick_again(ledger, bench, shop.members, members, picks)
        rank_chosen(bench, picks, ledger.rows.size)
        joint = enter_joint(ledger, bench, shop.members, 0, members, picks)
        number = joint - ledger.left.size
        shop.joints.sizes[number] = size
        tables = (shop.row_of, shop.order, shop.classes)
        share(ledger, bench, shop.desk, shop.pieces, shop.joints, tables, number, chosen, limits)
    put_away(bench, picks, leaves)
    return joint


@inner
def pick_again(ledger, bench, members, count, picks):
    """Gather the lines of the members alone, with the same terms chosen; return the number of picks."""
    chosen = 0
    for pick in range(picks):
        bench.slot[bench.term[pick]] = -1
        if bench.chosen[pick] == 1:
            bench.keys[chosen] = bench.term[pick]
            chosen += 1
    picks = pick_terms(ledger, bench, members, 0, count)
    for i in range(chosen):
        bench.chosen[bench.slot[bench.keys[i]]] = 1
    return picks


@kernel
def count_clusters(ledger, tops, only_free, counts):
    """Count, for every term, the top-level clusters that list it in a term chunk (`only_free`: and can share it)."""
    for i in range(tops.size):
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            marks = ledger.line_marks[p]
            if marks & LISTED and not (only_free and marks & SPENT):
                counts[ledger.line_term[p]] += 1


@kernel
def long_keys(ledger, tops, rank, offsets, items, keys):
    """Write for every cluster the ascending ranks of its listed terms, cut by `offsets`."""
    at = 0
    for i in range(tops.size):
        n = 0
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            if ledger.line_marks[p] & LISTED:
                keys[n] = rank[ledger.line_term[p]]
                n += 1
        sort_keys(keys, n)
        for j in range(n):
            items[at + j] = keys[j]
        at += n
        offsets[i + 1] = at


@kernel
def short_keys(ledger, tops, rank, secret, keys):
    """Write for every cluster one number: the SHORT_KEY smallest ranks of the terms that it could share.

    A rank of 2^RANK_BITS - 1 stands for all that are not smaller.
    """
    none = (1 << RANK_BITS) - 1
    best = np.empty(SHORT_KEY, np.int64)
    for i in range(tops.size):
        for j in range(SHORT_KEY):
            best[j] = none
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            if ledger.line_marks[p] == LISTED and not secret[ledger.line_term[p]]:
                moving = np.int64(rank[ledger.line_term[p]])
                for j in range(SHORT_KEY):
                    if moving < best[j]:
                        moving, best[j] = best[j], moving
        key = np.int64(0)
        for j in range(SHORT_KEY):
            key = key << RANK_BITS | best[j]
        keys[i] = key


@kernel
def join_neighbours(ledger, shop, tops, limits, failed, out):
    """One pass of pairs: join each cluster with the next, or else leave it; return how many clusters `out` has.

    `failed` remembers with which neighbour a cluster could not be joined, as nothing has changed until one of them has.
    """
    i, n = 0, 0
    while i < tops.size:
        joint = np.int64(-1)
        if i + 1 < tops.size and failed[tops[i]] != tops[i + 1]:
            joint = join(ledger, shop, tops, i, i + 2, limits)
            if joint < 0:
                failed[tops[i]] = tops[i + 1]
        if joint >= 0:
            out[n] = joint
            i += 2
        else:
            out[n] = tops[i]
            i += 1
        n += 1
    return n


@kernel
def join_runs(ledger, shop, tops, run, limits, out):
    """One level: join runs of up to `run` clusters that do not exceed the largest joint; return how many are left."""
    lo, n = 0, 0
    while lo < tops.size:
        hi, size = lo, np.int64(0)
        while hi < tops.size and hi < lo + run and (hi == lo or size + ledger.sizes[tops[hi]] <= limits.largest):
            size += ledger.sizes[tops[hi]]
            hi += 1
        joint = np.int64(-1)
        if hi - lo >= 2:
            joint = join(ledger, shop, tops, lo, hi, limits)
        if joint >= 0:
            out[n] = joint
            n += 1
        for i in range(lo, hi):
            if ledger.parents[tops[i]] < 0:
                out[n] = tops[i]
                n += 1
        lo = hi
    return n


def joints_made(ledger: Ledger, shop: Workshop) -> Leaves:
    """Return the joints with their shared chunks in canonical order."""
    joints = int(ledger.used[NODES]) - ledger.left.size
    made = shop.joints._replace(
        sizes=shop.joints.sizes[:joints],
        term_offsets=shop.joints.term_offsets[: joints + 1],
        chunk_offsets=shop.joints.chunk_offsets[: joints + 1],
    )
    made = trimmed(made)
    return rearranged(made, np.arange(joints), chunks_in_order(made))
