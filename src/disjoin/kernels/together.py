"""What one node says about terms that it holds together: chunk by chunk exactly, between chunks by chance."""

from __future__ import annotations

from disjoin.kernels.compiling import inner
from disjoin.kernels.looking_up import CHUNK, FORCED, IN_TERM_CHUNK, LAST, ROWS, SIZE, SUPPORT, seek

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
