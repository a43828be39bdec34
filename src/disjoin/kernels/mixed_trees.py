"""Supports in trees where a term may stand both in a node and below it (mode paper): leaf by leaf.

A term belongs to the lowest place on the way up that has it, and a shared subrecord goes only to leaves that have
none of its terms, there or in a joint between.
"""

from __future__ import annotations

from disjoin.kernels.compiling import inner
from disjoin.kernels.looking_up import CHUNK, HOLDING, IN_TERM_CHUNK, LAST, ROWS, SIZE, WHERE, may_take
from disjoin.kernels.together import AT, CURSOR, END, GROUP, HELD, WHO, certain, next_row, shares, together

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
