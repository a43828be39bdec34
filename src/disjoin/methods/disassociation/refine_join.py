"""State of JOIN: the lines of several clusters gathered term by term, and the joint cluster entered."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner
from disjoin.methods.disassociation.refine_state import LINES, LISTED, NODES, SPENT
from disjoin.model.arrays import Ints32, Ints64


class JoinState(NamedTuple):
    """Working space for one join, reused for the next. A *pick* is a term under consideration."""

    slot: Ints32  # (terms,) term -> pick, -1 outside
    term: Ints32  # pick -> term
    children: Ints32  # pick -> in how many children it is listed
    marks: Ints32  # pick -> marks of all children together
    leaves: Ints64  # pick -> leaves that have it in their term chunks
    records: Ints64  # pick -> records of these leaves
    head: Ints32  # pick -> its chain of entries
    tail: Ints32
    support: Ints64  # pick -> records in the chain
    chosen: Ints32  # pick -> 1 if it moves to a shared chunk
    taken: Ints64  # (leaves,) leaf -> how many chosen terms its term chunk has
    least: Ints32  # (leaves,) leaf -> the chosen pick with the least support
    touched: Ints32  # leaves with a chosen term
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
        head=np.empty(n_terms, np.int32),
        tail=np.empty(n_terms, np.int32),
        support=np.empty(n_terms, np.int64),
        chosen=np.zeros(n_terms, np.int32),
        taken=np.zeros(n_leaves, np.int64),
        least=np.empty(n_leaves, np.int32),
        touched=np.empty(n_leaves, np.int32),
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
                bench.leaves[pick] += ledger.line_leaves[p]
                bench.records[pick] += ledger.line_records[p]
                bench.children[pick] += 1
    return picks


@inner
def link_chains(ledger, bench, clusters, lo, hi, picks):
    """Chain the entries of every pick, from all the clusters lo..hi-1.

    Apart from adding up, as most joins fail before chains are needed and these lie all over the memory.
    """
    for pick in range(picks):
        bench.head[pick] = -1
    for i in range(lo, hi):
        node = clusters[i]
        for p in range(ledger.begin[node], ledger.end[node]):
            if ledger.line_marks[p] & LISTED:
                pick = bench.slot[ledger.line_term[p]]
                if bench.head[pick] < 0:
                    bench.head[pick] = ledger.line_head[p]
                else:  # a chain ends at its tail, so it does not hurt if the join fails
                    ledger.following[bench.tail[pick]] = ledger.line_head[p]
                bench.tail[pick] = ledger.line_tail[p]


@inner
def enter_joint(ledger, bench, used, clusters, members, picks):
    """Make a node of the first `members` clusters, which all contribute, with the lines of all; return it.

    `used` tells which node and line are the next. The picks are gathered anew by the caller: their chains are those of
    these clusters alone.
    """
    joint = used[NODES]
    used[NODES] += 1
    ledger.sizes[joint] = 0
    for i in range(members):
        ledger.parents[clusters[i]] = joint
        ledger.sizes[joint] += ledger.sizes[clusters[i]]
    line = used[LINES]
    ledger.begin[joint] = line
    for pick in range(picks):
        ledger.line_term[line] = bench.term[pick]
        ledger.line_marks[line] = bench.marks[pick]
        ledger.line_head[line] = bench.head[pick]
        ledger.line_tail[line] = bench.tail[pick]
        ledger.line_support[line] = bench.support[pick]
        ledger.line_leaves[line] = bench.leaves[pick]
        ledger.line_records[line] = bench.records[pick]
        if bench.chosen[pick] == 1:
            cross_out(ledger, bench, pick)
            ledger.line_marks[line] = SPENT
            ledger.line_head[line] = -1
            ledger.line_tail[line] = -1
            ledger.line_support[line] = 0
            ledger.line_leaves[line] = 0
            ledger.line_records[line] = 0
        line += 1
    ledger.end[joint] = line
    used[LINES] = line
    return joint


@inner
def cross_out(ledger, bench, pick):
    """Take a chosen term out of the term chunks."""
    e = bench.head[pick]
    while True:
        ledger.moved[e] = True
        ledger.left[ledger.leaf[e]] -= 1
        if e == bench.tail[pick]:
            break
        e = ledger.following[e]


@inner
def put_away(bench, picks, leaves):
    """Reset the state for the next join."""
    for pick in range(picks):
        bench.slot[bench.term[pick]] = -1
        bench.chosen[pick] = 0
    for i in range(leaves):
        bench.taken[bench.touched[i]] = 0
