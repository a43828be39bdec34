"""What JOIN decides: which terms several clusters can share, and whether it pays.

Section A.5 of the specification, for any number of children: a term may move to a shared chunk if it is in the term
chunks of at least two of them. Rule S1: not if it is in any chunk below. Rule S2: not if a leaf would lose the last
term of a term chunk that it needs.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner
from disjoin.jit.ordering import sort_keys
from disjoin.methods.disassociation.refine_state import LISTED, SPENT

OFFERED = 2  # of a chosen pick: some leaf would rather keep it


@inner
def choose_terms(bench, picks, k, safe, secret):
    """Mark the picks that two children or more have in term chunks of k records in all; return their number."""
    chosen = 0
    for pick in range(picks):
        if bench.children[pick] < 2 or bench.support[pick] < k or secret[bench.term[pick]]:
            continue
        if safe and bench.marks[pick] & SPENT:  # rule S1
            continue
        bench.chosen[pick] = 1
        chosen += 1
    return chosen


@inner
def contributes(ledger, bench, node):
    """Tell whether a cluster has a chosen term in a term chunk."""
    for p in range(ledger.begin[node], ledger.end[node]):
        if ledger.line_marks[p] & LISTED and bench.chosen[bench.slot[ledger.line_term[p]]] == 1:
            return True
    return False


@inner
def drop_thin_terms(ledger, bench, clusters, lo, hi, picks, spread):
    """Drop chosen terms that would be spread too thinly: spread * support * records of their leaves < leaves * |J|.

    Dropping terms may leave children without any, which makes |J| smaller, so it is asked again until nothing changes.
    Returns how many terms stay.
    """
    while True:
        size = np.int64(0)
        for i in range(lo, hi):
            if contributes(ledger, bench, clusters[i]):
                size += ledger.sizes[clusters[i]]
        kept, dropped = 0, 0
        for pick in range(picks):
            if bench.chosen[pick] == 0:
                continue
            if spread * bench.support[pick] * bench.records[pick] < bench.leaves[pick] * size:
                bench.chosen[pick] = 0
                dropped += 1
            else:
                kept += 1
        if dropped == 0 or kept == 0:
            return kept


@inner
def find_leaves(ledger, bench, clusters, lo, hi):
    """Touch the leaves of the clusters lo..hi-1 that have a chosen term in their term chunks; return their number.

    Also counts, for every chosen term, these leaves and their records.
    """
    leaves = 0
    for i in range(lo, hi):
        leaf, last = ledger.first[clusters[i]], ledger.last[clusters[i]]
        while True:
            found = 0
            for e in range(ledger.term_offsets[leaf], ledger.term_offsets[leaf + 1]):
                pick = bench.slot[ledger.term_items[e]]
                if bench.chosen[pick] == 1 and ledger.moved_in[e] == 0:
                    bench.leaves[pick] += 1
                    bench.records[pick] += ledger.sizes[leaf]
                    found += 1
            if found > 0:
                bench.touched[leaves] = leaf
                leaves += 1
            if leaf == last:
                break
            leaf = ledger.following[leaf]
    return leaves


@inner
def visit_leaves(ledger, bench, leaves):
    """Count, for each of the touched leaves, the chosen terms of its term chunk, and note the rarest."""
    for i in range(leaves):
        leaf = bench.touched[i]
        bench.taken[leaf] = 0
        for e in range(ledger.term_offsets[leaf], ledger.term_offsets[leaf + 1]):
            pick = bench.slot[ledger.term_items[e]]
            if bench.chosen[pick] == 1 and ledger.moved_in[e] == 0:
                if bench.taken[leaf] == 0 or rarer(bench, pick, bench.least[leaf]):
                    bench.least[leaf] = pick
                bench.taken[leaf] += 1


@inner
def place_in_order(bench, pick, most):
    """Return a number that orders picks by support (descending, up to `most`), then by term; mod terms: the term."""
    return (most - bench.support[pick]) * np.int64(bench.slot.size) + bench.term[pick]


@inner
def rarer(bench, a, b):
    """Tell whether pick a comes after pick b by (support descending, term ascending)."""
    if bench.support[a] != bench.support[b]:
        return bench.support[a] < bench.support[b]
    return bench.term[a] > bench.term[b]


@inner
def spare_leaning_leaves(ledger, bench, picks, leaves, most):
    """Rule S2: give up chosen terms until no leaf loses the last term of a term chunk that it needs.

    Every such leaf offers its rarest term, and of these the most frequent is given up first: the other offers are not
    in its leaf, and giving it up may already help other leaves. No support is above `most`. Returns how many terms
    were given up; leaves are visited again by the caller, if any.
    """
    offers, entries = 0, np.int64(0)
    for i in range(leaves):
        leaf = bench.touched[i]
        if loses_all(ledger, bench, leaf):
            entries += bench.taken[leaf]
            pick = bench.least[leaf]
            if bench.chosen[pick] == 1:
                bench.chosen[pick] = OFFERED
                bench.keys[offers] = place_in_order(bench, pick, most)
                offers += 1
    if offers == 0:
        return 0
    sort_keys(bench.keys, offers)
    chain = np.empty((entries, 2), np.int64)
    chain_offering_leaves(ledger, bench, picks, leaves, chain)
    given_up = 0
    for i in range(offers):
        pick = bench.slot[bench.keys[i] % bench.slot.size]
        bench.chosen[pick] = 1
        if bench.offering[pick] > 0:
            give_up(ledger, bench, pick, chain)
            given_up += 1
    return given_up


@inner
def loses_all(ledger, bench, leaf):
    """Tell whether a leaf that needs its term chunk would lose all of it."""
    return ledger.leans[leaf] and bench.taken[leaf] > 0 and bench.taken[leaf] == ledger.left[leaf]


@inner
def chain_offering_leaves(ledger, bench, picks, leaves, chain):
    """Chain, for every pick, the leaves that would lose it with all of their term chunk, as (leaf, next or -1)."""
    for pick in range(picks):
        bench.head[pick] = -1
        bench.offering[pick] = 0
    at = 0
    for i in range(leaves):
        leaf = bench.touched[i]
        if not loses_all(ledger, bench, leaf):
            continue
        bench.offering[bench.least[leaf]] += 1
        for e in range(ledger.term_offsets[leaf], ledger.term_offsets[leaf + 1]):
            if ledger.moved_in[e] == 0:
                pick = bench.slot[ledger.term_items[e]]
                chain[at, 0], chain[at, 1] = leaf, bench.head[pick]
                bench.head[pick] = at
                at += 1


@inner
def give_up(ledger, bench, pick, chain):
    """Leave a chosen term in the term chunks: leaves that have it no longer lose all, and no longer offer theirs."""
    bench.chosen[pick] = 0
    at = np.int64(bench.head[pick])
    while at >= 0:
        leaf = chain[at, 0]
        if bench.taken[leaf] == ledger.left[leaf]:
            bench.offering[bench.least[leaf]] -= 1
        bench.taken[leaf] -= 1
        at = chain[at, 1]


@inner
def drop_universal_terms(bench, picks, size, limits):
    """Drop chosen terms that a share of c or more of the joint's records have; return how many.

    Everybody who is known to be in the joint would be known to have them. Without a limit none is dropped.
    """
    dropped = 0
    if limits.share == 0:
        return dropped
    for pick in range(picks):
        if bench.chosen[pick] == 1 and bench.support[pick] * limits.whole >= limits.share * size:
            bench.chosen[pick] = 0
            dropped += 1
    return dropped


@inner
def pays(ledger, bench, picks, leaves, size):
    """Equation 1: the shared chunks say more about their terms, record for record, than the term chunks did."""
    supports, entries, records = np.int64(0), np.int64(0), np.int64(0)
    for pick in range(picks):
        if bench.chosen[pick] == 1:
            supports += bench.support[pick]
    for i in range(leaves):
        leaf = bench.touched[i]
        if bench.taken[leaf] > 0:
            entries += bench.taken[leaf]
            records += ledger.sizes[leaf]
    return supports * records >= entries * size
