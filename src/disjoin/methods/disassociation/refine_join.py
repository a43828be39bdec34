"""JOIN of REFINE: which neighbouring clusters are joined, and which terms their shared chunks contain.

The ledger (`RefineLedger`) lists the terms that every top-level cluster can still share. Joining clusters needs, for
each term, the number of records of a cluster that have it where a term chunk lists it, but not which records. Every
(leaf, term) of a term chunk is an *entry*; a top-level cluster has *lines*, one per term. The leaves that list a term
are needed only when it may move: then the entries of the cluster's leaves, which are linked, are searched. They are
adjacent in memory, so this is fast, and lines need no lists of entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.arrays.ordering import sort_keys
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.contract import Spread
from disjoin.methods.disassociation.horpart import Records, spans
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state, offsets_of

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

Bytes = NDArray[np.uint8]
Ints16 = NDArray[np.uint16]

MOST_PASSES = (1 << 16) - 1  # the largest number that the ledger can store; 50 passes are many
LISTED, SPENT = 1, 2  # marks of a line: in a term chunk of the cluster; in one of its record or shared chunks
NODES, LINES, PASS = 0, 1, 2  # places in `used`
SPAN_OCCURRENCES = 400_000  # occurrences counted by one thread


class RefineLedger(NamedTuple):
    """The ledger: entries (in the order of the term chunks), leaves, nodes (leaves, then joints as made), lines."""

    term_offsets: Ints64  # leaf -> its entries
    term_items: Ints32  # entry -> its term
    moved_in: Ints16  # entry -> the pass in which it moved to a shared chunk, 0 if it did not
    strict: Flags  # entry -> whether its term was in a chunk below when it moved
    left: Ints64  # leaf -> terms left in its term chunk
    leans: Flags  # leaf -> whether it has too few subrecords to do without a term chunk
    following: Ints32  # leaf -> the next of its top-level cluster
    first: Ints32  # node -> the first of its leaves
    last: Ints32
    sizes: Ints64  # node -> records
    parents: Ints64  # node -> the joint that it is part of, -1
    begin: Ints64  # node -> its first line
    end: Ints64
    line_term: Ints32
    line_marks: Bytes
    line_support: Ints32  # records that have the term where it is listed
    used: Ints64  # (3,) the number of nodes, the number of lines, and the current pass


@kernel
def count_entries(data, ends, leaves, span, slot, supports):
    """Count the records of every entry of the leaves in `span`; `slot` is scratch (terms, -1) and stays unchanged."""
    for leaf in range(span[0], span[1]):
        begin, end = leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]
        for e in range(begin, end):
            slot[leaves.term_items[e]] = e
        for position in range(ends[leaf], ends[leaf + 1]):
            record = data.order[position]
            for i in range(data.offsets[record], data.offsets[record + 1]):
                e = slot[data.items[i]]
                if e >= 0:
                    supports[e] += 1
        for e in range(begin, end):
            slot[leaves.term_items[e]] = -1


def supports_of_entries(data: Records, ends: Ints64, leaves: Leaves, n_terms: int, spread: Spread) -> Ints32:
    """Count for every entry the records of its leaf that have its term; `ends` cuts the records into leaves."""
    occurrences = offsets_of(np.diff(data.offsets)[data.order])[ends]  # occurrences before each leaf
    supports = np.zeros(leaves.term_items.size, np.int32)

    def count(span: tuple[int, int]) -> None:
        count_entries(data, ends, leaves, span, np.full(n_terms, -1, np.int64), supports)

    list(spread(count, spans(occurrences, SPAN_OCCURRENCES)))
    return supports


@kernel
def open_lists(ledger, leaves, supports, slot):
    """Write the lines of every leaf: its term chunk, and the terms of its record chunks; `slot` is scratch (-1)."""
    line = 0
    for leaf in range(leaves.sizes.size):
        ledger.begin[leaf] = line
        for e in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            ledger.line_term[line] = leaves.term_items[e]
            ledger.line_marks[line] = LISTED
            ledger.line_support[line] = supports[e]
            line += 1
        spent = line
        first = leaves.subrecord_offsets[leaves.chunk_offsets[leaf]]
        last = leaves.subrecord_offsets[leaves.chunk_offsets[leaf + 1]]
        for i in range(leaves.item_offsets[first], leaves.item_offsets[last]):
            term = leaves.items[i]
            if slot[term] < spent:
                slot[term], ledger.line_term[line], ledger.line_marks[line] = line, term, SPENT
                ledger.line_support[line] = 0
                line += 1
        ledger.end[leaf] = line
    ledger.used[NODES] = leaves.sizes.size
    ledger.used[LINES] = line


@kernel
def count_clusters(ledger, tops, only_free, step, counts):
    """Add `step` to each term for every cluster that lists it in a term chunk (`only_free`: and can share it)."""
    for i in range(tops.size):
        for p in range(ledger.begin[tops[i]], ledger.end[tops[i]]):
            marks = ledger.line_marks[p]
            if marks & LISTED and not (only_free and marks & SPENT):
                counts[ledger.line_term[p]] += step


@kernel
def close_gaps(ledger):
    """Close the gaps that joined clusters left between the lines, which are in the order of their nodes."""
    line = 0
    for node in range(ledger.used[NODES]):
        if ledger.parents[node] >= 0:
            continue
        begin = line
        for p in range(ledger.begin[node], ledger.end[node]):
            ledger.line_term[line] = ledger.line_term[p]
            ledger.line_marks[line] = ledger.line_marks[p]
            ledger.line_support[line] = ledger.line_support[p]
            line += 1
        ledger.begin[node], ledger.end[node] = begin, line
    ledger.used[LINES] = line


def open_ledger(leaves: Leaves, supports: Ints32, n_terms: int, leans: Flags) -> RefineLedger:
    entries, n = leaves.term_items.size, leaves.sizes.size
    lines = entries + leaves.items.size  # at most: repeated terms of record chunks have one line
    room = lines + lines // 8 + n_terms  # one joint always fits once the gaps are closed
    by_line = dict.fromkeys(("line_term", "line_marks", "line_support"), room)
    ledger = new_state(RefineLedger, 2 * n, moved_in=entries, strict=entries, following=n, used=3, **by_line)
    left = np.diff(leaves.term_offsets)
    ledger = ledger._replace(term_offsets=leaves.term_offsets, term_items=leaves.term_items, left=left, leans=leans)
    ledger.first[:] = ledger.last[:] = np.arange(2 * n)
    ledger.sizes[:n] = leaves.sizes
    ledger.parents.fill(-1)
    open_lists(ledger, leaves, supports, np.full(n_terms, -1, np.int64))
    return ledger


# Decisions of JOIN: which terms several clusters can share, and whether that pays.
# Section A.5 of the specification, for any number of children: a term may move to a shared chunk if it is in the term
# chunks of at least two of them. Rule S1: not if it is in any chunk below. Rule S2: not if a leaf would lose the last
# term of a term chunk that it needs.

SPREAD = 4  # a term is not shared if its leaves are less than about 1/(4 support) of the leaves of the joint
OFFERED = 2  # mark of a chosen pick: some leaf needs to keep it


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
    for p in range(ledger.begin[node], ledger.end[node]):
        if ledger.line_marks[p] & LISTED and bench.chosen[bench.slot[ledger.line_term[p]]] == 1:
            return True
    return False


@inner
def drop_thin_terms(ledger, bench, clusters, lo, hi, picks, spread):
    """Drop chosen terms that would be spread too thinly: spread * support * records of their leaves < leaves * |J|.
    That may leave children without any, and reduce |J|, so it is repeated. Returns the number of remaining terms."""
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
    """Touch the leaves of the clusters lo..hi-1 that have a chosen term in their term chunks; return their number. Also
    counts, for every chosen term, these leaves and their records."""
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
    """Count, for each of the touched leaves, the chosen terms of its term chunk, and store the rarest."""
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
def rarer(bench, a, b):
    if bench.support[a] != bench.support[b]:
        return bench.support[a] < bench.support[b]
    return bench.term[a] > bench.term[b]


@inner
def spare_leaning_leaves(ledger, bench, picks, leaves, most):
    """Rule S2: give up chosen terms until no leaf loses the last term of a term chunk that it needs. Every such leaf
    offers its rarest term, and of these the most frequent is given up first (then by term): the other offers are not in
    its leaf, and giving it up may already help other leaves. No support is above `most`. Returns the number of terms
    given up; if there are any, the caller visits the leaves again."""
    offers, entries, n_terms = 0, np.int64(0), np.int64(bench.slot.size)
    for i in range(leaves):
        leaf = bench.touched[i]
        if loses_all(ledger, bench, leaf):
            entries += bench.taken[leaf]
            pick = bench.least[leaf]
            if bench.chosen[pick] == 1:
                bench.chosen[pick] = OFFERED
                bench.keys[offers] = (most - bench.support[pick]) * n_terms + bench.term[pick]
                offers += 1
    if offers == 0:
        return 0
    sort_keys(bench.keys, offers)
    chain = np.empty((entries, 2), np.int64)
    chain_offering_leaves(ledger, bench, picks, leaves, chain)
    given_up = 0
    for i in range(offers):
        pick = bench.slot[bench.keys[i] % n_terms]
        bench.chosen[pick] = 1
        if bench.offering[pick] == 0:
            continue
        bench.chosen[pick] = 0
        given_up += 1
        at = np.int64(bench.head[pick])
        while at >= 0:  # leaves with this term lose less than all, and withdraw their offers
            leaf = chain[at, 0]
            if bench.taken[leaf] == ledger.left[leaf]:
                bench.offering[bench.least[leaf]] -= 1
            bench.taken[leaf] -= 1
            at = chain[at, 1]
    return given_up


@inner
def loses_all(ledger, bench, leaf):
    return ledger.leans[leaf] and bench.taken[leaf] > 0 and bench.taken[leaf] == ledger.left[leaf]


@inner
def chain_offering_leaves(ledger, bench, picks, leaves, chain):
    """Link, for every pick, the leaves that would lose it with all of their term chunk, as (leaf, next or -1)."""
    for pick in range(picks):
        bench.head[pick], bench.offering[pick] = -1, 0
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
def drop_universal_terms(bench, picks, size, limits):
    """Drop chosen terms that a share of c or more of the joint's records have; return their number. An attacker who
    knows that a person is in the joint would infer these terms. Without a limit none is dropped."""
    dropped = 0
    for pick in range(picks if limits.share > 0 else 0):
        if bench.chosen[pick] == 1 and bench.support[pick] * limits.whole >= limits.share * size:
            bench.chosen[pick] = 0
            dropped += 1
    return dropped


@inner
def pays(ledger, bench, picks, leaves, size):
    """Equation 1: the shared chunks give more information about their terms, per record, than the term chunks did."""
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


class JoinState(NamedTuple):
    """Working space for one join at a time, reused for the next. A *pick* is a term under consideration."""

    slot: Ints32  # (terms,) term -> pick, -1 outside
    term: Ints32  # pick -> term
    children: Ints32  # pick -> number of children that list it
    marks: Ints32  # pick -> marks of all children together
    leaves: Ints64  # pick, if chosen -> leaves that have it in their term chunks
    records: Ints64  # pick, if chosen -> records of these leaves
    support: Ints64  # pick -> records that have it where it is listed
    chosen: Ints32  # pick -> 1 if it moves to a shared chunk
    taken: Ints64  # (leaves,) leaf -> number of chosen terms in its term chunk
    least: Ints32  # (leaves,) leaf -> the chosen pick with the least support
    touched: Ints32  # leaves with a term that was chosen at first
    offering: Ints32  # pick -> leaves that offer it, because they would lose all of a term chunk that they need
    head: Ints32  # pick -> the first of the linked leaves of that kind that have it
    keys: Ints64  # sorting space (terms or leaves)
    members: Ints64  # the clusters that contribute
    used: Ints64  # (2,) the next node and the next line to be written in the ledger
    secret: Flags  # (terms,)


def new_bench(secret: Flags, n_leaves: int) -> JoinState:
    by_leaf = dict.fromkeys(("taken", "least", "touched", "members"), n_leaves)
    bench = new_state(JoinState, secret.size, keys=max(secret.size, n_leaves), used=2, **by_leaf)
    bench.slot.fill(-1)
    return bench._replace(secret=secret)


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
                bench.slot[term], bench.term[pick] = pick, term
                bench.children[pick], bench.marks[pick], bench.chosen[pick] = 0, 0, 0
                bench.support[pick], bench.leaves[pick], bench.records[pick] = 0, 0, 0
            bench.marks[pick] |= ledger.line_marks[p]
            if ledger.line_marks[p] & LISTED:
                bench.support[pick] += ledger.line_support[p]
                bench.children[pick] += 1
    return picks


@inner
def enter_joint(ledger, bench, members, picks, leaves):
    """Make a node of the first `members` clusters, which all contribute, with the lines of all; return it. The picks
    are those of these clusters only. The chosen terms leave the term chunks of `leaves` that are touched."""
    clusters, used = bench.members, bench.used
    joint, line = used[NODES], used[LINES]
    used[NODES] += 1
    ledger.sizes[joint] = 0
    ledger.first[joint], ledger.last[joint] = ledger.first[clusters[0]], ledger.last[clusters[members - 1]]
    for i in range(members):
        ledger.parents[clusters[i]] = joint
        ledger.sizes[joint] += ledger.sizes[clusters[i]]
        if i > 0:
            ledger.following[ledger.last[clusters[i - 1]]] = ledger.first[clusters[i]]
    for i in range(leaves):
        leaf = bench.touched[i]
        if bench.taken[leaf] == 0:
            continue
        for e in range(ledger.term_offsets[leaf], ledger.term_offsets[leaf + 1]):
            pick = bench.slot[ledger.term_items[e]]
            if bench.chosen[pick] == 1 and ledger.moved_in[e] == 0:
                ledger.moved_in[e] = ledger.used[PASS]
                ledger.strict[e] |= bench.marks[pick] & SPENT > 0
        ledger.left[leaf] -= bench.taken[leaf]
    ledger.begin[joint] = line
    for pick in range(picks):
        moves = bench.chosen[pick] == 1
        ledger.line_term[line] = bench.term[pick]
        ledger.line_marks[line] = SPENT if moves else bench.marks[pick]
        ledger.line_support[line] = 0 if moves else bench.support[pick]
        line += 1
    ledger.end[joint], used[LINES] = line, line
    return joint


class Limits(NamedTuple):
    """The conditions that a join, and its shared terms, must satisfy."""

    k: int
    m: int
    longest: int  # size of the largest itemset that can occur
    records: int  # records of all leaves
    largest: int  # limit on the records in a joint
    spread: int  # how thinly a term may be spread (see `drop_thin_terms`); 0: limited by Equation 1 only
    safe: bool  # rules S1 and S2, and k^m-anonymous chunks; otherwise Property 1
    slack: int  # whole records that the attacker may know, added to k
    share: int  # confidence of association rules must be below share / whole; 0: no limit
    whole: int
    n_terms: int


def limits_of(method: Disassociation, records: int, n_terms: int, longest: int) -> Limits:
    largest = records if method.max_joint_size is None else min(method.max_joint_size, records)
    spread, is_safe = SPREAD if method.refine_builder == "levels" else 0, method.refine_mode == "safe"
    share, whole = (0, 1) if method.cover_aware is None else method.cover_aware.as_integer_ratio()
    sets = method.min_support, min(method.m, n_terms), longest
    return Limits(*sets, records, largest, spread, is_safe, method.slack, share, whole, n_terms)


@inner
def join(ledger, bench, clusters, lo, hi, limits):
    """Join the clusters lo..hi-1 that contribute; return the joint, or -1 if that does not pay."""
    picks = pick_terms(ledger, bench, clusters, lo, hi)
    chosen = choose_terms(bench, picks, limits.k, limits.safe, bench.secret)
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
    while chosen > 0:
        members, size = 0, np.int64(0)
        for i in range(lo, hi):
            if contributes(ledger, bench, clusters[i]):
                bench.members[members] = clusters[i]
                members += 1
                size += ledger.sizes[clusters[i]]
        dropped = drop_universal_terms(bench, picks, size, limits)
        if dropped == 0:
            break
        chosen -= dropped
        visit_leaves(ledger, bench, leaves)
    joint = np.int64(-1)
    if chosen > 0 and size <= limits.largest and pays(ledger, bench, picks, leaves, size):
        if members < hi - lo:
            picks = pick_again(ledger, bench, members, picks)
        joint = enter_joint(ledger, bench, members, picks, leaves)
    for pick in range(picks):
        bench.slot[bench.term[pick]], bench.chosen[pick] = -1, 0
    for i in range(leaves):
        bench.taken[bench.touched[i]] = 0
    return joint


@inner
def pick_again(ledger, bench, members, picks):
    """Gather the lines of the members alone, with the same terms chosen; return the number of picks."""
    chosen = 0
    for pick in range(picks):
        bench.slot[bench.term[pick]] = -1
        if bench.chosen[pick] == 1:
            bench.keys[chosen] = bench.term[pick]
            chosen += 1
    picks = pick_terms(ledger, bench, bench.members, 0, members)
    for i in range(chosen):
        bench.chosen[bench.slot[bench.keys[i]]] = 1
    return picks


@kernel
def join_neighbours(ledger, bench, tops, limits, failed, out, span):
    """One pass of pairs: join each cluster with the next, or leave it; return the positions reached in `tops` and
    `out`. `failed` remembers the neighbour that a cluster could not be joined with: that remains true until one of them
    changes. `span` has the positions to continue from in both. Stops early if the lines of another joint may not
    fit."""
    i, n = span
    while i < tops.size and bench.used[LINES] + bench.secret.size <= ledger.line_term.size:
        joint = np.int64(-1)
        if i + 1 < tops.size and failed[tops[i]] != tops[i + 1]:
            joint = join(ledger, bench, tops, i, i + 2, limits)
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
    """Cut the clusters into runs of up to `run` that do not exceed the largest joint; return their number. `starts` and
    `lines` get where each run starts and how many lines joints may have before it; the total is last."""
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
def join_runs(ledger, bench, tops, starts, limits, out):
    """Join the runs that `starts` cuts, as far as that pays; write the remaining clusters to `out`, return their
    number."""
    n = 0
    for run in range(starts.size - 1):
        lo, hi = starts[run], starts[run + 1]
        joint = np.int64(-1)
        if hi - lo >= 2:
            joint = join(ledger, bench, tops, lo, hi, limits)
        if joint >= 0:
            out[n] = joint
            n += 1
        for i in range(lo, hi):
            if ledger.parents[tops[i]] < 0:
                out[n] = tops[i]
                n += 1
    return n
