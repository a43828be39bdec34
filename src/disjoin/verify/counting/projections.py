"""Cut original records along published chunks, and look the pieces up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.model.arrays import Ints32, Ints64
from disjoin.verify.counting import compiled

NOWHERE = -1  # no chunk of the leaf or above it has the term
IN_TERM_CHUNK = -2  # this and everything below points into the term chunks: entry e is -2 - e


class Places(NamedTuple):
    """Where a forest publishes its terms; nodes are visited in pre-order."""

    walk: Ints64  # (nodes,) nodes in pre-order
    last: Ints64  # (nodes,) last position below each node
    chunk_offsets: Ints64
    domain_offsets: Ints64
    domain_terms: Ints32
    term_offsets: Ints64
    term_items: Ints32


class Bags(NamedTuple):
    """The published subrecords, strictly ascending in each chunk."""

    subrecord_offsets: Ints64
    item_offsets: Ints64
    items: Ints32


class Records(NamedTuple):
    """Original records in published numbers (-1: a term that is not published), grouped by leaf."""

    by_leaf: Ints64  # record numbers
    leaf_offsets: Ints64  # (nodes + 1,)
    offsets: Ints64
    items: Ints32


class Tally(NamedTuple):
    """What cutting found; -1 where nothing is amiss."""

    seen: Ints64  # (subrecords,) records that yield each published subrecord
    term_seen: Ints64  # (term chunk entries,) records of the leaf with the term
    strays: Ints64  # (chunks,) a record that yields a subrecord which is not published, or -1
    homeless: Ints64  # (nodes,) an occurrence (position in the records' items) without a place, or -1
    done: Ints64  # (chunks,) scratch: the last record cut along the chunk, -1 at first


@compiled
def find_subrecord(chunk: int, piece: Ints32, length: int, bags: Bags) -> int:
    """Return the subrecord of a chunk that equals `piece[:length]`, or -1."""
    low, high = bags.subrecord_offsets[chunk], bags.subrecord_offsets[chunk + 1]
    while low < high:
        middle = (low + high) // 2
        sign = 0
        p, p_end = bags.item_offsets[middle], bags.item_offsets[middle + 1]
        i = 0
        while sign == 0 and i < length and p < p_end:
            if bags.items[p] != piece[i]:
                sign = -1 if bags.items[p] < piece[i] else 1
            i += 1
            p += 1
        if sign == 0:
            sign = (1 if p < p_end else 0) - (1 if i < length else 0)
        if sign == 0:
            return middle
        if sign < 0:
            low = middle + 1
        else:
            high = middle
    return -1


@compiled
def _mark(node: int, places: Places, place: Ints64, undo_terms: Ints32, undo_places: Ints64, undone: int) -> int:
    """Let the terms of a node's chunks and term chunk point there, remembering where they pointed before."""
    for chunk in range(places.chunk_offsets[node], places.chunk_offsets[node + 1]):
        for e in range(places.domain_offsets[chunk], places.domain_offsets[chunk + 1]):
            term = places.domain_terms[e]
            undo_terms[undone], undo_places[undone] = term, place[term]
            undone += 1
            place[term] = chunk
    for e in range(places.term_offsets[node], places.term_offsets[node + 1]):
        term = places.term_items[e]
        undo_terms[undone], undo_places[undone] = term, place[term]
        undone += 1
        place[term] = IN_TERM_CHUNK - e
    return undone


@compiled
def _cut(record: int, records: Records, place: Ints64, bags: Bags, tally: Tally, piece: Ints32) -> None:
    """Project one record to every chunk that it meets and count the subrecord that this makes."""
    first, last = records.offsets[record], records.offsets[record + 1]
    for p in range(first, last):
        item = records.items[p]
        chunk = place[item] if item >= 0 else NOWHERE
        if chunk < 0 or tally.done[chunk] == record:
            continue
        tally.done[chunk] = record
        length = 0
        for q in range(p, last):
            if records.items[q] >= 0 and place[records.items[q]] == chunk:
                piece[length] = records.items[q]
                length += 1
        found = find_subrecord(chunk, piece, length, bags)
        if found >= 0:
            tally.seen[found] += 1
        elif tally.strays[chunk] < 0:
            tally.strays[chunk] = record


@compiled
def cut_records(records: Records, places: Places, bags: Bags, tally: Tally, place: Ints64, longest: int) -> None:
    """Cut every record along the chunks of its leaf and of the joints above; a term belongs to the lowest of them.

    Fills `tally`. `place` has one entry a term, all NOWHERE; no record has more than `longest` items.
    """
    n = places.walk.size
    room = places.domain_terms.size + places.term_items.size
    undo_terms, undo_places, undone = np.empty(room, np.int32), np.empty(room, np.int64), 0
    open_nodes, open_undone, n_open = np.empty(n, np.int64), np.empty(n, np.int64), 0
    piece = np.empty(longest, np.int32)
    for position in range(n):
        node = places.walk[position]
        while n_open > 0 and places.last[open_nodes[n_open - 1]] < position:  # leave what lies behind
            n_open -= 1
            while undone > open_undone[n_open]:
                undone -= 1
                place[undo_terms[undone]] = undo_places[undone]
        open_nodes[n_open], open_undone[n_open] = node, undone
        n_open += 1
        undone = _mark(node, places, place, undo_terms, undo_places, undone)
        for r in range(records.leaf_offsets[node], records.leaf_offsets[node + 1]):
            record = records.by_leaf[r]
            for p in range(records.offsets[record], records.offsets[record + 1]):
                item = records.items[p]
                spot = place[item] if item >= 0 else NOWHERE
                if spot <= IN_TERM_CHUNK:
                    tally.term_seen[IN_TERM_CHUNK - spot] += 1
                elif spot == NOWHERE and tally.homeless[node] < 0:
                    tally.homeless[node] = p
            _cut(record, records, place, bags, tally, piece)
