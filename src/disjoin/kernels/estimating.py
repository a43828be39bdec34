"""Supports of itemsets from the published form alone: lower bounds, estimate, upper bound (section A.8).

Only the nodes that have a term of the itemset are visited, merged from the posting lists of its terms. Where a tree
keeps its terms apart (V9), a term is met at most once on the way to any leaf, so that a visit from the top knows what
is still missing, and the expectation is a sum over the nodes that complete the itemset.
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.looking_up import HOLDING, LAST, MIXED, ROOT, SIZE, SPARE, WHERE, seek
from disjoin.kernels.mixed_trees import tree_mixed
from disjoin.kernels.together import AHEAD, AT, END, HELD, certain, shares

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
            if met == n:
                found = certain(place, n, parts, rare, total, least, nodes)
                lower += found[0]
                sharp += found[1]
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
            if parts >= 2:
                least = min(least, max(0, nodes[SPARE, place] // (parts - 1)))
            if depth > 0:
                stack[SUM, depth - 1] += least
            else:
                upper += least
