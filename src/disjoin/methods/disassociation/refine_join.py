"""JOIN: the lines of several clusters gathered term by term, and the runs of clusters that are joined at once."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.disassociation.refine_select import (
    choose_terms,
    contributes,
    drop_thin_terms,
    drop_universal_terms,
    find_leaves,
    pays,
    spare_leaning_leaves,
    visit_leaves,
)
from disjoin.methods.disassociation.refine_state import LINES, LISTED, NODES, PASS, SPENT, RefineLedger
from disjoin.model.ragged import Flags, Ints32, Ints64


class JoinState(NamedTuple):
    """Working space for one join, reused for the next. A *pick* is a term under consideration."""

    slot: Ints32  # (terms,) term -> pick, -1 outside
    term: Ints32  # pick -> term
    children: Ints32  # pick -> in how many children it is listed
    marks: Ints32  # pick -> marks of all children together
    leaves: Ints64  # pick, if chosen -> leaves that have it in their term chunks
    records: Ints64  # pick, if chosen -> records of these leaves
    support: Ints64  # pick -> records that have it where it is listed
    chosen: Ints32  # pick -> 1 if it moves to a shared chunk
    taken: Ints64  # (leaves,) leaf -> how many chosen terms its term chunk has
    least: Ints32  # (leaves,) leaf -> the chosen pick with the least support
    touched: Ints32  # leaves with a term that was chosen at first
    offering: Ints32  # pick -> leaves that would lose all of a term chunk that they need, and offer it
    head: Ints32  # pick -> the first of a chain of such leaves that have it
    keys: Ints64  # sorting space (terms or leaves)


def new_bench(n_terms: int, n_leaves: int) -> JoinState:
    """Make the working space."""
    return JoinState(
        slot=np.full(n_terms, -1, np.int32),
        term=np.empty(n_terms, np.int32),
        children=np.empty(n_terms, np.int32),
        marks=np.empty(n_terms, np.int32),
        leaves=np.empty(n_terms, np.int64),
        records=np.empty(n_terms, np.int64),
        support=np.empty(n_terms, np.int64),
        chosen=np.zeros(n_terms, np.int32),
        taken=np.zeros(n_leaves, np.int64),
        least=np.empty(n_leaves, np.int32),
        touched=np.empty(n_leaves, np.int32),
        offering=np.empty(n_terms, np.int32),
        head=np.empty(n_terms, np.int32),
        keys=np.empty(max(n_terms, n_leaves), np.int64),
    )


@inner
def pick_terms(ledger, bench, clusters, lo, hi):
    """Add up the lines of the clusters lo..hi-1, term by term; return the number of picks."""
    picks = 0
    for i in range(lo, hi):
        node = clusters[i]
        for p in range(ledger.begin[node], ledger.end[node]):
            term = ledger.line_term[p]
            pick = bench.slot[term]
            if pick < 0:
                pick = picks
                picks += 1
                bench.slot[term] = pick
                bench.term[pick] = term
                bench.children[pick] = 0
                bench.marks[pick] = 0
                bench.support[pick] = 0
                bench.leaves[pick] = 0
                bench.records[pick] = 0
                bench.chosen[pick] = 0
            bench.marks[pick] |= ledger.line_marks[p]
            if ledger.line_marks[p] & LISTED:
                bench.support[pick] += ledger.line_support[p]
                bench.children[pick] += 1
    return picks


@inner
def enter_joint(ledger, bench, used, clusters, members, picks, leaves):
    """Make a node of the first `members` clusters, which all contribute, with the lines of all; return it.

    `used` tells which node and line are the next. The picks are gathered anew by the caller: they are those of these
    clusters alone. `leaves` of them are touched.
    """
    joint = used[NODES]
    used[NODES] += 1
    ledger.sizes[joint] = 0
    ledger.first[joint] = ledger.first[clusters[0]]
    ledger.last[joint] = ledger.last[clusters[members - 1]]
    for i in range(members):
        ledger.parents[clusters[i]] = joint
        ledger.sizes[joint] += ledger.sizes[clusters[i]]
        if i > 0:
            ledger.following[ledger.last[clusters[i - 1]]] = ledger.first[clusters[i]]
    cross_out(ledger, bench, leaves)
    line = used[LINES]
    ledger.begin[joint] = line
    for pick in range(picks):
        moves = bench.chosen[pick] == 1
        ledger.line_term[line] = bench.term[pick]
        ledger.line_marks[line] = SPENT if moves else bench.marks[pick]
        ledger.line_support[line] = 0 if moves else bench.support[pick]
        line += 1
    ledger.end[joint] = line
    used[LINES] = line
    return joint


@inner
def cross_out(ledger, bench, leaves):
    """Take the chosen terms out of the term chunks."""
    for i in range(leaves):
        leaf = bench.touched[i]
        if bench.taken[leaf] == 0:
            continue
        for e in range(ledger.term_offsets[leaf], ledger.term_offsets[leaf + 1]):
            pick = bench.slot[ledger.term_items[e]]
            if bench.chosen[pick] == 1 and ledger.moved_in[e] == 0:
                ledger.moved_in[e] = ledger.used[PASS]
                if bench.marks[pick] & SPENT:
                    ledger.strict[e] = True
        ledger.left[leaf] -= bench.taken[leaf]


@inner
def put_away(bench, picks, leaves):
    """Reset the state for the next join."""
    for pick in range(picks):
        bench.slot[bench.term[pick]] = -1
        bench.chosen[pick] = 0
    for i in range(leaves):
        bench.taken[bench.touched[i]] = 0


class Limits(NamedTuple):
    """What a join must keep to."""

    k: int
    m: int
    longest: int  # the largest itemset that can occur
    records: int  # of all leaves
    largest: int  # records in a joint
    spread: int  # how thinly a term may be spread (see `drop_thin_terms`); 0: as thinly as Equation 1 allows
    safe: bool  # rules S1 and S2; otherwise Property 1
    slack: int = 0  # of k: records that may be known
    share: int = 0  # known terms may tell another with less than share / whole, if that is not 0
    whole: int = 1


class RefineState(NamedTuple):
    """Everything that joining needs beside the ledger; two that join at the same time have one each."""

    bench: JoinState
    used: Ints64  # (2,) the next node and the next line to be written in the ledger
    members: Ints64
    secret: Flags


def new_state(ledger: RefineLedger, secret: Flags) -> RefineState:
    """Make room for all joins of a ledger."""
    leaves = ledger.left.size
    return RefineState(new_bench(secret.size, leaves), np.zeros(2, np.int64), np.empty(leaves, np.int64), secret)


@inner
def join(ledger, shop, clusters, lo, hi, limits):
    """Join the clusters lo..hi-1, as far as they contribute; return the joint, -1 if it is not worth it."""
    bench = shop.bench
    picks = pick_terms(ledger, bench, clusters, lo, hi)
    chosen = choose_terms(bench, picks, limits.k, limits.safe, shop.secret)
    leaves = 0
    if chosen > 0:
        leaves = find_leaves(ledger, bench, clusters, lo, hi)
    if chosen > 0 and limits.spread > 0:
        chosen = drop_thin_terms(ledger, bench, clusters, lo, hi, picks, limits.spread)
    if chosen > 0:
        visit_leaves(ledger, bench, leaves)
        if limits.safe:
            given_up = spare_leaning_leaves(ledger, bench, picks, leaves, limits.records)
            chosen -= given_up
            if given_up > 0:
                visit_leaves(ledger, bench, leaves)
    members, size = 0, np.int64(0)
    if chosen > 0:
        members, size = list_members(ledger, bench, clusters, lo, hi, shop.members)
        dropped = drop_universal_terms(bench, picks, size, limits)
        while dropped > 0:
            chosen -= dropped
            visit_leaves(ledger, bench, leaves)
            members, size = list_members(ledger, bench, clusters, lo, hi, shop.members)
            dropped = drop_universal_terms(bench, picks, size, limits)
    joint = np.int64(-1)
    if chosen > 0 and size <= limits.largest and pays(ledger, bench, picks, leaves, size):
        if members < hi - lo:
            picks = pick_again(ledger, bench, shop.members, members, picks)
        joint = enter_joint(ledger, bench, shop.used, shop.members, members, picks, leaves)
    put_away(bench, picks, leaves)
    return joint


@inner
def list_members(ledger, bench, clusters, lo, hi, members):
    """List those of the clusters lo..hi-1 that contribute; return how many they are, and their records."""
    count, size = 0, np.int64(0)
    for i in range(lo, hi):
        if contributes(ledger, bench, clusters[i]):
            members[count] = clusters[i]
            count += 1
            size += ledger.sizes[clusters[i]]
    return count, size


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
def join_neighbours(ledger, shop, tops, limits, failed, out, span):
    """One pass of pairs: join each cluster with the next, or else leave it; return how far it came in `tops` and `out`.

    `failed` remembers the neighbour that a cluster could not be joined with: that stays so until one of them changes.
    `span` is where to go on in both. It stops early when there may be no room for the lines of another joint.
    """
    i, n = span
    while i < tops.size and shop.used[LINES] + shop.secret.size <= ledger.line_term.size:
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
    return i, n


@kernel
def cut_runs(ledger, tops, run, limits, n_terms, starts, lines):
    """Cut the clusters into runs of up to `run` that do not exceed the largest joint; return how many there are.

    `starts` and `lines` get where each run starts, and how many lines joints may have before it.
    The last entry of both is the total.
    """
    lo, runs = 0, 0
    starts[0], lines[0] = 0, 0
    while lo < tops.size:
        hi, size, wanted = lo, np.int64(0), np.int64(0)
        while hi < tops.size and hi < lo + run and (hi == lo or size + ledger.sizes[tops[hi]] <= limits.largest):
            size += ledger.sizes[tops[hi]]
            wanted += ledger.end[tops[hi]] - ledger.begin[tops[hi]]
            hi += 1
        runs += 1
        starts[runs] = hi
        lines[runs] = lines[runs - 1] + min(wanted, n_terms)
        lo = hi
    return runs


@kernel
def join_runs(ledger, shop, tops, starts, limits, out):
    """Join the runs that `starts` cuts, as far as it pays; write what is left to `out` and return how much it is."""
    n = 0
    for run in range(starts.size - 1):
        lo, hi = starts[run], starts[run + 1]
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
    return n
