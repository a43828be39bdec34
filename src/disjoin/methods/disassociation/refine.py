"""REFINE, pass by pass: order the top-level clusters by what their term chunks share, and join neighbours."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import sort_keys, sort_subrecords
from disjoin.methods.disassociation.drafting import Forest
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.leaves import Leaves, chunks_in_order, concatenated, rearranged, trimmed
from disjoin.methods.disassociation.refine_join import JoinState, enter_joint, new_bench, pick_terms, put_away
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
from disjoin.methods.disassociation.refine_state import LISTED, NODES, SPENT, RefineLedger, open_ledger
from disjoin.methods.disassociation.steps import require_end
from disjoin.methods.disassociation.verpart import VerpartState, new_desk
from disjoin.methods.disassociation.verpart_shards import longest_record, records_in, secret_terms
from disjoin.methods.disassociation.write_leaves import Pieces, new_pieces
from disjoin.model import Transactions
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


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


class RefineState(NamedTuple):
    """Everything that joining needs beside the ledger."""

    bench: JoinState
    desk: VerpartState
    pieces: Pieces
    joints: Leaves  # what is made: the joints' shared chunks
    row_of: Ints32
    order: Ints32
    classes: Ints64
    members: Ints64
    secret: Flags


def new_workshop(ledger: RefineLedger, secret: Flags, records: int, limits: Limits) -> RefineState:
    """Make room for all joins of a ledger over that many records."""
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
    return RefineState(
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


def joints_made(ledger: RefineLedger, shop: RefineState) -> Leaves:
    """Return the joints with their shared chunks in canonical order."""
    joints = int(ledger.used[NODES]) - ledger.left.size
    made = shop.joints._replace(
        sizes=shop.joints.sizes[:joints],
        term_offsets=shop.joints.term_offsets[: joints + 1],
        chunk_offsets=shop.joints.chunk_offsets[: joints + 1],
    )
    made = trimmed(made)
    return rearranged(made, np.arange(joints), chunks_in_order(made))


SHORTEST_RUN, LONGEST_RUN = 2, 16  # clusters that are joined at once
YIELD = 20  # runs get longer when a level joins fewer than one cluster in this many
SPREAD = 4  # a term is not shared where its leaves make up less than about 1/(4 support) of the leaves of the joint


@dataclass(frozen=True, slots=True)
class Joining:
    """What a builder works with."""

    ledger: RefineLedger
    shop: RefineState
    limits: Limits
    passes: int | None  # None: until nothing can be joined
    tell: Callable[[int, int], None]  # passes, joints

    @property
    def joints(self) -> int:
        """How many joint clusters there are so far."""
        return int(self.ledger.used[NODES]) - self.ledger.left.size

    def is_last(self, number: int) -> bool:
        """Tell of a pass, numbered from 1, and tell whether it is the last that is allowed."""
        self.tell(number, self.joints)
        return number == self.passes


def pairs(how: Joining) -> None:
    """Join neighbours, pass after pass, until a pass joins none."""
    tops = np.arange(how.ledger.left.size)
    failed = np.full(how.ledger.sizes.size, -1, np.int64)
    out = np.empty(tops.size, np.int64)
    for number in count(1):
        tops = sorted_by_all_terms(how.ledger, tops, how.shop.secret.size)
        before, left = tops.size, join_neighbours(how.ledger, how.shop, tops, how.limits, failed, out)
        tops = out[:left].copy()
        if how.is_last(number) or left == before:
            break


def levels(how: Joining) -> None:
    """Join runs of clusters, level after level, until even the longest runs join none."""
    tops = np.arange(how.ledger.left.size)
    out = np.empty(tops.size, np.int64)
    run = SHORTEST_RUN
    for number in count(1):
        tops = sorted_by_first_terms(how.ledger, tops, how.shop.secret)
        before, left = tops.size, join_runs(how.ledger, how.shop, tops, run, how.limits, out)
        tops = out[:left].copy()
        if how.is_last(number) or (run == LONGEST_RUN and left == before):
            break
        if (before - left) * YIELD < before:
            run = min(2 * run, LONGEST_RUN)


def refine(
    leaves: Leaves, data: Transactions, partition: Partition, method: Disassociation, progress: Progress
) -> Forest:
    """Join leaves, which are in the order of the partition, as far as it pays."""
    build, spread = BUILDERS[method.refine_builder]
    limits = Limits(
        k=method.k,
        m=min(method.m, data.n_terms),
        longest=longest_record(data),
        largest=len(data) if method.max_joint_size is None else min(method.max_joint_size, len(data)),
        spread=spread,
        safe=method.refine_mode == "safe",
    )
    leans = _lean_on_term_chunks(leaves, limits)
    ledger = open_ledger(records_in(data, partition), data.n_terms, partition.ends, leaves, leans)
    shop = new_workshop(ledger, secret_terms(data), partition.records.size, limits)

    def tell(passes: int, joints: int) -> None:
        progress("refining", passes, 0, f"pass {passes}, {joints:,} joint clusters")

    build(Joining(ledger, shop, limits, method.refine_passes, tell))
    require_end(shop.desk.steps, limits.m)
    kept = leaves._replace(term_items=leaves.term_items[~ledger.moved], term_offsets=offsets_of(ledger.left))
    joints, parents = joints_made(ledger, shop), ledger.parents[: ledger.used[NODES]].copy()
    del ledger, shop  # several times the size of the forest
    return Forest(concatenated([kept, joints]), parents)


def _lean_on_term_chunks(leaves: Leaves, limits: Limits) -> Flags:
    """Tell for every leaf whether it has fewer subrecords than Lemma 2 asks of one without a term chunk."""
    running = np.concatenate([[0], np.cumsum(leaves.counts)])[leaves.subrecord_offsets[leaves.chunk_offsets]]
    spread = np.maximum(1, np.minimum(limits.m, np.diff(leaves.chunk_offsets)))
    leans: Flags = np.diff(running) < leaves.sizes + limits.k * (spread - 1)
    return leans


BUILDERS: dict[str, tuple[Callable[[Joining], None], int]] = {"levels": (levels, SPREAD), "pairs": (pairs, 0)}


def sorted_by_all_terms(ledger: RefineLedger, tops: Ints64, n_terms: int) -> Ints64:
    """Sort clusters by the ranks of all terms of their term chunks, stably; those without any go last."""
    rank = _ranks(ledger, tops, n_terms, only_free=False)
    offsets = np.zeros(tops.size + 1, np.int64)
    items = np.empty(int((ledger.end[tops] - ledger.begin[tops]).sum()), np.int32)
    long_keys(ledger, tops, rank, offsets, items, np.empty(n_terms, np.int64))
    lengths = np.diff(offsets)
    index: Ints64 = np.concatenate([np.flatnonzero(lengths), np.flatnonzero(lengths == 0)])
    sort_subrecords(items, offsets[:-1].copy(), lengths, index, np.empty_like(index), 0, int((lengths > 0).sum()))
    return tops[index]


def sorted_by_first_terms(ledger: RefineLedger, tops: Ints64, secret: Flags) -> Ints64:
    """Sort clusters by the ranks of the few terms that they could share with most others.

    Ties keep their order, which is that of splitting, hence given by content alone.
    """
    rank = _ranks(ledger, tops, secret.size, only_free=True)
    keys = np.empty(tops.size, np.int64)
    short_keys(ledger, tops, rank, secret, keys)
    return tops[np.argsort(keys, kind="stable")]


def _ranks(ledger: RefineLedger, tops: Ints64, n_terms: int, *, only_free: bool) -> Ints32:
    """Rank the terms by the number of clusters that have them in term chunks (most first), then by term."""
    counts = np.zeros(n_terms, np.int64)
    count_clusters(ledger, tops, only_free, counts)
    rank = np.empty(n_terms, np.int32)
    rank[np.argsort(-counts, kind="stable")] = np.arange(n_terms, dtype=np.int32)
    return rank
