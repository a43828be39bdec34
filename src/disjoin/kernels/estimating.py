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
from disjoin.kernels.together import AT, END, HELD, certain, shares

# Rows of the stack, with a place for every node on the way down that has a term: its place, terms met down to it, what
# it bounds the support to, the sum of the bounds below.
NODE, MET, BOUND, SUM = range(4)


@kernel
def examine(offsets, terms, index, once, work, stack, chances):
    """Return (lower, sharp lower, upper) and the estimate for every itemset `terms[offsets[x]:offsets[x + 1]]`.

    Itemsets are distinct terms; one with a negative (unknown) term has support 0. `once` is how many records a term
    of a term chunk is expected in. `work` and `stack` are rooms to work in, six and four rows, `chances` one more.
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
        root = _next_tree(n, nodes, entries, work) if known else -1
        while root >= 0:
            if nodes[MIXED, root]:
                found = tree_mixed(root, n, index, once, work, stack)
            else:
                found = _tree_apart(root, n, nodes, entries, holdings, rows, counts, once, work, stack, chances)
            bounds[x, 0] += found[0]
            bounds[x, 1] += found[1]
            bounds[x, 2] += found[2]
            estimates[x] += found[3]
            root = _next_tree(n, nodes, entries, work)
    return bounds, estimates


@inner
def _next_tree(n, nodes, entries, work):
    """Move every list on to the next tree that has all terms; return its root, or -1 if there is none."""
    places = entries[WHERE]
    root, agreed, i = 0, 0, 0
    while agreed < n:
        work[AT, i] = seek(places, work[AT, i], work[END, i], root)
        if work[AT, i] == work[END, i]:
            return -1
        found = nodes[ROOT, places[work[AT, i]]]
        agreed = agreed + 1 if found == root else 1
        root = found
        i = i + 1 if i + 1 < n else 0
    return root


@inner
def _tree_apart(root, n, nodes, entries, holdings, rows, counts, once, work, stack, chances):
    """Return lower, sharp lower and upper bound and the estimate for a tree that keeps its terms apart."""
    lower, sharp, upper, estimate, depth = 0, 0, 0, 0.0, 0
    end = nodes[LAST, root]
    while True:
        place = end + 1
        for i in range(n):
            if work[AT, i] < work[END, i]:
                place = min(place, entries[WHERE, work[AT, i]])
        while depth > 0 and nodes[LAST, stack[NODE, depth - 1]] < place:
            depth -= 1  # all below this joint is known
            value = min(stack[SUM, depth], stack[BOUND, depth])
            if depth > 0:
                stack[SUM, depth - 1] += value
            else:
                upper += value
        if place > end:
            return lower, sharp, upper, estimate
        met = 0
        for i in range(n):
            if work[AT, i] < work[END, i] and entries[WHERE, work[AT, i]] == place:
                work[HELD, met] = entries[HOLDING, work[AT, i]]
                work[AT, i] += 1
                met += 1
        above = stack[MET, depth - 1] if depth > 0 else 0
        if met + above < n and nodes[LAST, place] == place:
            continue  # a leaf, and something is missing
        parts, rare, total, least, expected = shares(place, 0, met, nodes, holdings, rows, counts, once, work)
        if met == n:
            found = certain(place, n, parts, rare, total, least, nodes)
            lower += found[0]
            sharp += found[1]
        chance = chances[depth - 1] if depth > 0 else 1.0
        if met + above == n:
            estimate += chance * expected
            if parts >= 2:
                least = min(least, max(0, nodes[SPARE, place] // (parts - 1)))
            if depth > 0:
                stack[SUM, depth - 1] += least
            else:
                upper += least
        else:
            stack[NODE, depth] = place
            stack[MET, depth] = met + above
            stack[BOUND, depth] = least
            stack[SUM, depth] = 0
            chances[depth] = chance * (expected / nodes[SIZE, place])
            depth += 1
