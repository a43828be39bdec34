"""Support bounds of itemsets: at least, estimate, at most (section A.8).

Only the nodes that have a term of the itemset are visited, merged from the posting lists of its terms. What one node
says about terms that it holds together is exact chunk by chunk, and between chunks by chance; then come trees in which
terms are spread over nodes.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.analyst.index import (
    CHUNK,
    FORCED,
    HOLDING,
    IN_TERM_CHUNK,
    LAST,
    MIXED,
    ROOT,
    ROWS,
    SIZE,
    SPARE,
    SUPPORT,
    WHERE,
    may_take,
    seek,
)
from disjoin.jit.kernel import inner, kernel

# Rows of the room to work in, with a place for every term of an itemset: the next entry of the term, the end of its
# entries, the place of the next one; terms met and their holdings; holdings in the same chunk and the next row of each.
AT, END, AHEAD, WHO, HELD, GROUP, CURSOR = range(7)
WORK_ROWS = 7
USED = -2


@inner
def next_row(n, holdings, rows, work):
    """Return the next subrecord that all n holdings of the group have, or -1."""
    row, agreed, i = 0, 0, 0
    while agreed < n:
        end = holdings[ROWS, work[GROUP, i] + 1]
        work[CURSOR, i] = seek(rows, work[CURSOR, i], end, row)
        if work[CURSOR, i] == end:
            return -1
        found = rows[work[CURSOR, i]]
        agreed = agreed + 1 if found == row else 1
        row = found
        i = i + 1 if i + 1 < n else 0
    work[CURSOR, 0] += 1
    return row


@inner
def together(n, holdings, rows, counts, work):
    """Count the records of a chunk that have all n terms of the group."""
    if n == 1:
        return holdings[SUPPORT, work[GROUP, 0]]
    for i in range(n):
        work[CURSOR, i] = holdings[ROWS, work[GROUP, i]]
    total = 0
    row = next_row(n, holdings, rows, work)
    while row >= 0:
        total += counts[row]
        row = next_row(n, holdings, rows, work)
    return total


@inner
def shares(place, first, n, nodes, holdings, rows, counts, once, work):
    """Look at the n holdings of a node listed from `first` on, and use the list up.

    Returns in how many chunks they are, how many are in the term chunk, the sum and the least of the chunks' supports
    (at most the size), and the records of the node that are expected to have them all.
    """
    size = nodes[SIZE, place]
    parts, rare, total, least, expected = 0, 0, 0, size, float(size)
    for a in range(first, first + n):
        held = work[HELD, a]
        if held == IN_TERM_CHUNK:
            rare += 1
            expected = expected * min(once, float(size)) / size
        elif held != USED:
            many = 1
            work[GROUP, 0] = held
            for b in range(a + 1, first + n):
                if work[HELD, b] >= 0 and holdings[CHUNK, work[HELD, b]] == holdings[CHUNK, held]:
                    work[GROUP, many] = work[HELD, b]
                    work[HELD, b] = USED
                    many += 1
            support = together(many, holdings, rows, counts, work)
            parts += 1
            total += support
            least = min(least, support)
            expected = expected * support / size
    return parts, rare, total, least, expected


@inner
def certain(place, wanted, parts, rare, total, least, nodes):
    """Return the lower and the sharp lower bound that a node with all wanted terms gives."""
    if rare > 0:
        return (1, nodes[FORCED, place]) if wanted == 1 else (0, 0)
    if parts == 1:
        return least, least
    if nodes[LAST, place] > place:
        return 0, 0
    return 0, max(0, total - (parts - 1) * nodes[SIZE, place])


NODE, FIRST = 0, 1  # rows of the stack: a node with a term, and where its terms start in the lists WHO and HELD
DONE = -1


@inner
def tree_mixed(root, n, index, once, work, stack):
    """Return lower, sharp lower and upper bound and the estimate for an itemset of n terms in a tree."""
    nodes, _, entries, holdings, rows, counts = index[:6]
    lower, sharp, upper, estimate, depth = 0, 0, 0, 0.0, 0
    stack[FIRST, 0] = 0
    for place in range(root, nodes[LAST, root] + 1):
        while depth > 0 and nodes[LAST, stack[NODE, depth - 1]] < place:
            depth -= 1
        first = stack[FIRST, depth]
        end = first
        for i in range(n):
            if work[AT, i] < work[END, i] and entries[WHERE, work[AT, i]] == place:
                work[WHO, end] = i
                work[HELD, end] = entries[HOLDING, work[AT, i]]
                work[AT, i] += 1
                end += 1
        if end > first:
            stack[NODE, depth] = place
            depth += 1
            stack[FIRST, depth] = end
        if end - first == n:
            for a in range(n):  # a copy, because looking at them uses the list up
                work[HELD, end + a] = work[HELD, first + a]
            parts, rare, total, least, _ = shares(place, end, n, nodes, holdings, rows, counts, once, work)
            found = certain(place, n, parts, rare, total, least, nodes)
            lower += found[0]
            sharp += found[1]
        if nodes[LAST, place] == place and depth > 0:
            bound, expected = _leaf(place, depth, n, index, once, work, stack)
            upper += bound
            estimate += expected
    return lower, sharp, upper, estimate


@inner
def _leaf(leaf, depth, wanted, index, once, work, stack):
    """Bound and expect the records of a leaf with all terms, each taken from the lowest place that has it."""
    nodes, _, _, holdings, rows, counts = index[:6]
    size, resolved, end = nodes[SIZE, leaf], 0, stack[FIRST, depth]
    bound, expected = size, float(size)
    done = end  # a mark for every term, kept behind the list
    for i in range(wanted):
        work[WHO, done + i] = 0
    for level in range(depth - 1, -1, -1):
        for a in range(stack[FIRST, level], stack[FIRST, level + 1]):
            held = work[HELD, a]
            if work[WHO, done + work[WHO, a]] == DONE:
                continue
            if held == IN_TERM_CHUNK:
                work[WHO, done + work[WHO, a]] = DONE
                resolved += 1
                expected = expected * min(once, float(size)) / size
                if wanted == 1:
                    expected = max(expected, float(nodes[FORCED, leaf]))
                continue
            many = 0
            for b in range(a, stack[FIRST, level + 1]):
                mark, other = done + work[WHO, b], work[HELD, b]
                if other >= 0 and work[WHO, mark] != DONE and holdings[CHUNK, other] == holdings[CHUNK, held]:
                    work[GROUP, many] = other
                    work[WHO, mark] = DONE
                    many += 1
            resolved += many
            support = together(many, holdings, rows, counts, work)
            bound = min(bound, support)
            if stack[NODE, level] == leaf:
                expected = expected * support / size
            else:
                expected *= _chance(leaf, stack[NODE, level], many, index, work)
    if resolved < wanted:
        return 0, 0.0
    return bound, expected


@inner
def _chance(leaf, joint, n, index, work):
    """Return the chance that a record of a leaf gets a shared subrecord with the n terms of the group."""
    chance = 0.0
    for i in range(n):
        work[CURSOR, i] = index.holdings[ROWS, work[GROUP, i]]
    row = next_row(n, index.holdings, index.rows, work)
    while row >= 0:
        if may_take(leaf, joint, row, index):
            chance += index.counts[row] / index.slots[row]
        row = next_row(n, index.holdings, index.rows, work)
    return chance


# Rows of the stack, with a place for every node on the way down that has a term: its place, terms met down to it, what
# it bounds the support to, the sum of the bounds below.
NODE, MET, BOUND, SUM = range(4)
STACK_ROWS = 4

FAR = 2**40  # behind all places


@kernel
def examine(offsets, terms, index, once, work, stack, chances):
    """Return (lower, sharp lower, upper) and the estimate for every itemset `terms[offsets[x]:offsets[x + 1]]`.

    Itemsets are distinct terms; one with a negative (unknown) term has support 0. `once` is how many records a term
    of a term chunk is expected in. `work` (WORK_ROWS) and `stack` (STACK_ROWS) are rooms to work in, `chances` is one
    more row of the stack.
    """
    nodes, starts, entries, holdings, rows, counts = index[:6]
    bounds = np.zeros((offsets.size - 1, 3), np.int64)
    estimates = np.zeros(offsets.size - 1, np.float64)
    for x in range(offsets.size - 1):
        n = offsets[x + 1] - offsets[x]
        known = n > 0
        for i in range(n):
            term = terms[offsets[x] + i]
            known = known and term >= 0
            if term >= 0:
                work[AT, i] = starts[term]
                work[END, i] = starts[term + 1]
        root = 0 if known else -1
        while root >= 0:
            found = _trees_apart(n, nodes, entries, holdings, rows, counts, once, work, stack, chances)
            root = found[4]
            _add(x, found, bounds, estimates)
            if root >= 0:
                _add(x, tree_mixed(root, n, index, once, work, stack), bounds, estimates)
    return bounds, estimates


@inner
def _add(x, found, bounds, estimates):
    bounds[x, 0] += found[0]
    bounds[x, 1] += found[1]
    bounds[x, 2] += found[2]
    estimates[x] += found[3]


@inner
def _next_tree(n, roots, places, at, end):
    """Move every list on to the next tree that has all terms; return its root, or -1 if there is none."""
    root, agreed, i = 0, 0, 0
    while agreed < n:
        at[i] = seek(places, at[i], end[i], root)
        if at[i] == end[i]:
            return -1
        found = roots[places[at[i]]]
        agreed = agreed + 1 if found == root else 1
        root = found
        i = i + 1 if i + 1 < n else 0
    return root


@inner
def _trees_apart(n, nodes, entries, holdings, rows, counts, once, work, stack, chances):
    """Add up trees that keep their terms apart, until there are no more or the next one does not.

    Returns lower, sharp lower and upper bound, the estimate, and the root of the tree that is left to do, or -1.
    """
    lower, sharp, upper, estimate = 0, 0, 0, 0.0
    places, last, at, end, ahead = entries[WHERE], nodes[LAST], work[AT], work[END], work[AHEAD]
    while True:
        root = _next_tree(n, nodes[ROOT], places, at, end)
        if root < 0 or nodes[MIXED, root]:
            return lower, sharp, upper, estimate, root
        for i in range(n):
            ahead[i] = places[at[i]]
        place, depth = root, 0
        while place <= last[root]:
            place = last[root] + 1
            for i in range(n):
                place = min(place, ahead[i])
            while depth > 0 and last[stack[NODE, depth - 1]] < place:
                depth -= 1  # all below this joint is known
                value = min(stack[SUM, depth], stack[BOUND, depth])
                if depth > 0:
                    stack[SUM, depth - 1] += value
                else:
                    upper += value
            met = 0
            for i in range(n):
                if ahead[i] == place and place <= last[root]:
                    work[HELD, met] = entries[HOLDING, at[i]]
                    at[i] += 1
                    ahead[i] = places[at[i]] if at[i] < end[i] else FAR
                    met += 1
            above = stack[MET, depth - 1] if depth > 0 else 0
            if met == 0 or (met + above < n and last[place] == place):
                continue  # the tree is done, or it is a leaf and something is missing
            parts, rare, total, least, expected = shares(place, 0, met, nodes, holdings, rows, counts, once, work)
            if parts >= 2 and met + above == n:
                least = min(least, max(0, nodes[SPARE, place] // (parts - 1)))
            if met == n:
                found = certain(place, n, parts, rare, total, least, nodes)
                lower += found[0]
                sharp += found[1]
                expected = min(max(expected, found[1]), least)
            chance = chances[depth - 1] if depth > 0 else 1.0
            if met + above < n:
                stack[NODE, depth] = place
                stack[MET, depth] = met + above
                stack[BOUND, depth] = least
                stack[SUM, depth] = 0
                chances[depth] = chance * (expected / nodes[SIZE, place])
                depth += 1
                continue
            estimate += chance * expected
            if depth > 0:
                stack[SUM, depth - 1] += least
            else:
                upper += least
