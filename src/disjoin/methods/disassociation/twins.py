"""Terms that are in exactly the same rows: one of them stands for all, as no support tells them apart."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import numpy as np

from disjoin.jit.compiled import inner, overflowing
from disjoin.jit.ordering import sort_keys


@inner
@overflowing
def fingerprints(desk, frequent):
    """Write a key of every rank: above, the same digits for ranks in the same rows; below, the rank itself."""
    size = np.int64(1)
    while size < frequent:
        size *= 2
    for rank in range(frequent):
        mixed = np.uint64(0)
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = (np.uint64(desk.rows[p]) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            row = (row ^ (row >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed += row ^ (row >> np.uint64(32))
        desk.keys[rank] = np.int64(mixed >> np.uint64(1)) // size * size + rank
    return size


@inner
def in_same_rows(desk, one, other):
    """Tell whether two ranks are in exactly the same rows."""
    at, end, shift = desk.first[one], desk.first[one + 1], desk.first[other] - desk.first[one]
    if end - at != desk.first[other + 1] - desk.first[other]:
        return False
    while at < end and desk.rows[at] == desk.rows[at + shift]:
        at += 1
    return at == end


@inner
def keep_one_of_twins(desk, frequent, rows):
    """Keep in the rows only the first of the ranks that are in exactly the same rows; `leader` says which that is.

    Fingerprints bring twins together, and rows tell whether they are. Where another rank comes between two twins both
    stay, which costs time and changes nothing.
    """
    size = fingerprints(desk, frequent)
    sort_keys(desk.keys, frequent)
    leader, twins = np.int64(-1), 0
    for i in range(frequent):
        rank = desk.keys[i] % size
        alike = i > 0 and desk.keys[i] // size == desk.keys[i - 1] // size
        if alike and in_same_rows(desk, leader, rank):
            twins += 1
        else:
            leader = rank
        desk.leader[rank] = leader
    if twins > 0:
        keep_leaders(desk, rows)


@inner
def keep_leaders(desk, rows):
    """Leave only leaders in the rows."""
    kept, start = np.int64(0), np.int64(0)
    for row in range(rows):
        end = desk.row_first[row + 1]
        for i in range(start, end):
            rank = desk.row_ranks[i]
            if desk.leader[rank] == rank:
                desk.row_ranks[kept] = rank
                kept += 1
        start = end
        desk.row_first[row + 1] = kept
