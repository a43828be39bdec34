"""The pieces of a published forest and the slots that they go to, as arrays that kernels work on."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index_form import are_nested
from disjoin.errors import InvalidParameter
from disjoin.jit.compiled import inner, kernel
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Flags, Ints32, Ints64, Spans, are_below


class Puzzle(NamedTuple):
    """A forest in pre-order, so that a tree, its parts and its slots are runs of neighbours.

    A part is one copy of a subrecord; a slot is a record to be put together. `is_tied` says of a shared chunk that
    not every leaf below may take all of its parts.
    """

    parents: Ints64  # (nodes,), -1 for a root
    ends: Ints64  # (nodes,), one behind the last node below
    first_slots: Ints64  # (nodes,)
    last_slots: Ints64  # (nodes,), one behind
    chunk_offsets: Ints64  # (nodes + 1,)
    part_offsets: Ints64  # (chunks + 1,)
    first_rows: Ints64  # (chunks,), the first of its subrecords
    last_rows: Ints64  # (chunks,), one behind
    part_rows: Ints64  # (parts,), the subrecord of a part
    term_offsets: Ints64  # (nodes + 1,)
    term_items: Ints32
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    is_tied: Flags  # (chunks,)


class World(NamedTuple):
    """Where everything lies; filled by the kernels, tree by tree."""

    slots: Ints32  # (parts,), -1 while a part lies nowhere
    weights: Ints32  # (slots,), how many parts and terms of a term chunk lie there
    order: Ints32  # (slots,), scratch: the slots of a node not yet left behind, in any order
    stamps: Ints64  # (slots,), scratch: the last term that was put there
    marks: Ints64  # (terms,), scratch: the last question in which a term was met
    term_slots: Ints32  # where a term of a term chunk lies
    terms: Ints32  # and which it is
    counters: Ints64  # (2,): how many of those there are, how many questions were asked


PLACED, ASKED = 0, 1  # positions in `World.counters`


@kernel
def preorder(parents):
    """Number a forest in pre-order; returns for every node its position and one behind the last position below it."""
    n = parents.size
    position = np.empty(n, np.int64)
    end = np.empty(n, np.int64)
    free = np.ones(n, np.int64)  # at first how many nodes the tree below has, then where the next child goes
    for node in range(n - 1, -1, -1):
        if parents[node] >= 0:
            free[parents[node]] += free[node]
    next_root = 0
    for node in range(n):
        below = free[node]
        if parents[node] < 0:
            position[node] = next_root
            next_root += below
        else:
            position[node] = free[parents[node]]
            free[parents[node]] += below
        end[node] = position[node] + below
        free[node] = position[node] + 1
    return position, end


@kernel
def number_slots(parents, ends, sizes):
    """Give every leaf its slots, and every joint those of its leaves; nodes are in pre-order."""
    first = np.empty(parents.size, np.int64)
    last = np.empty(parents.size, np.int64)
    next_slot = 0
    for node in range(parents.size):
        first[node] = next_slot
        if ends[node] == node + 1:
            next_slot += sizes[node]
            last[node] = next_slot
    for node in range(parents.size):
        last[node] = last[ends[node] - 1]  # the last node below is a leaf
    return first, last


@kernel
def find_tied(puzzle, n_terms):
    """Mark the shared chunks that have a term of a chunk or term chunk further down in their own tree."""
    nearest = np.empty(n_terms, np.int64)  # the next node, in pre-order, that has the term
    for term in range(n_terms):
        nearest[term] = puzzle.ends.size
    for node in range(puzzle.ends.size - 1, -1, -1):
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            tied = False
            for item in chunk_items(puzzle, chunk):
                tied |= nearest[item] < puzzle.ends[node]
            puzzle.is_tied[chunk] = tied
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            for item in chunk_items(puzzle, chunk):
                nearest[item] = node
        for entry in range(puzzle.term_offsets[node], puzzle.term_offsets[node + 1]):
            nearest[puzzle.term_items[entry]] = node


@inner
def chunk_items(puzzle, chunk) -> NDArray[np.int32]:
    """Return the items of all subrecords of a chunk, one after the other."""
    first = puzzle.item_offsets[puzzle.first_rows[chunk]]
    return puzzle.items[first : puzzle.item_offsets[puzzle.last_rows[chunk]]]


@inner
def is_leaf(puzzle, node):
    """Tell whether a node has no children."""
    return puzzle.ends[node] == node + 1


@inner
def is_needy(puzzle, node):
    """Tell whether a node is a leaf without a term chunk: nothing but parts can fill its slots."""
    return puzzle.ends[node] == node + 1 and puzzle.term_offsets[node] == puzzle.term_offsets[node + 1]


@inner
def parts_below(puzzle, node):
    """Return the parts (first, one behind the last) of a node and all below it."""
    first = puzzle.part_offsets[puzzle.chunk_offsets[node]]
    return first, puzzle.part_offsets[puzzle.chunk_offsets[puzzle.ends[node]]]


@inner
def ask(world):
    """Begin a new question about terms: none is marked."""
    world.counters[ASKED] += 1
    return world.counters[ASKED]


@inner
def mark_terms(puzzle, world, node, question):
    """Mark what a node has in its chunks and its term chunk."""
    for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
        for item in chunk_items(puzzle, chunk):
            world.marks[item] = question
    for entry in range(puzzle.term_offsets[node], puzzle.term_offsets[node + 1]):
        world.marks[puzzle.term_items[entry]] = question


@inner
def has_marked(puzzle, world, row, question):
    """Tell whether a subrecord has a marked term."""
    for position in range(puzzle.item_offsets[row], puzzle.item_offsets[row + 1]):
        if world.marks[puzzle.items[position]] == question:
            return True
    return False


@kernel
def gather_records(puzzle, world):
    """Return the records (offsets, items): what lies on each slot, unsorted."""
    n_slots = world.weights.size
    offsets = np.zeros(n_slots + 1, np.int64)
    for part in range(world.slots.size):
        row = puzzle.part_rows[part]
        offsets[world.slots[part] + 1] += puzzle.item_offsets[row + 1] - puzzle.item_offsets[row]
    for placed in range(world.counters[PLACED]):
        offsets[world.term_slots[placed] + 1] += 1
    for slot in range(n_slots):
        offsets[slot + 1] += offsets[slot]
    items = np.empty(offsets[n_slots], np.int32)
    for part in range(world.slots.size):
        slot = world.slots[part]
        row = puzzle.part_rows[part]
        for position in range(puzzle.item_offsets[row], puzzle.item_offsets[row + 1]):
            items[offsets[slot]] = puzzle.items[position]
            offsets[slot] += 1
    for placed in range(world.counters[PLACED]):
        slot = world.term_slots[placed]
        items[offsets[slot]] = world.terms[placed]
        offsets[slot] += 1
    for slot in range(n_slots, 0, -1):  # each offset has moved to the end of its record
        offsets[slot] = offsets[slot - 1]
    offsets[0] = 0
    return offsets, items


@kernel
def has_repeats(offsets, items):
    """Tell whether a sorted record has a term twice."""
    for record in range(offsets.size - 1):
        for position in range(offsets[record] + 1, offsets[record + 1]):
            if items[position] == items[position - 1]:
                return True
    return False


MOST_SLOTS = 2**31 - 1  # slots are numbered in 32 bits


def puzzle_of(published: Clusters) -> Puzzle:
    """Lay clusters out for the kernels; raises `InvalidParameter` if they are not even in proper form."""
    _require(_is_well_formed(published), "they are not in proper form")
    _require_few(published)
    position, end = preorder(published.parents)
    order = np.argsort(position)  # (nodes,), the node at every position
    parents = published.parents[order]
    parents = np.where(parents >= 0, position[parents], -1)
    ends = end[order]
    first_slots, last_slots = number_slots(parents, ends, published.sizes[order])
    chunks, terms = published.nodes.places(order), published.term_chunks.take(order)
    nodes = Spans.of(published.nodes.lengths[order])
    first_rows, last_rows = published.subrecord_offsets[chunks], published.subrecord_offsets[chunks + 1]
    rows = published.chunks.places(chunks)
    parts = Spans.of(last_rows - first_rows).over(Spans.of(published.counts[rows]))  # (chunks,)
    fits = parts.lengths <= nodes.spread(last_slots - first_slots)
    _require(bool(fits.all()), "a chunk has more subrecords than its cluster has records")
    puzzle = Puzzle(
        parents=parents,
        ends=ends,
        first_slots=first_slots,
        last_slots=last_slots,
        chunk_offsets=nodes.offsets,
        part_offsets=parts.offsets,
        first_rows=first_rows,
        last_rows=last_rows,
        part_rows=np.repeat(rows, published.counts[rows]),
        term_offsets=terms.offsets,
        term_items=terms.items,
        item_offsets=published.item_offsets,
        items=published.items,
        is_tied=np.zeros(chunks.size, dtype=np.bool_),
    )
    find_tied(puzzle, len(published.vocabulary))
    return puzzle


def _is_well_formed(published: Clusters) -> bool:
    """Tell whether every offset and number leads somewhere: kernels do not look where they step."""
    nodes, n_terms = len(published), len(published.vocabulary)
    if nodes == 0 or published.parents.size != nodes or not are_nested(published):
        return False
    leaves = ~published.is_joint
    before = np.arange(nodes)
    return bool(
        ((published.parents >= -1) & (published.parents < before)).all()
        and (published.sizes[leaves] >= 1).all()
        and (published.term_chunks.lengths[~leaves] == 0).all()
        and (published.counts >= 1).all()
        and all(are_below(items, n_terms) for items in (published.items, published.term_items))
    )


def _require_few(published: Clusters) -> None:
    """Raise if there is more than can be numbered; nothing is wrong with such clusters."""
    leaves = ~published.is_joint
    records, parts = (values.sum(dtype=np.float64) for values in (published.sizes[leaves], published.counts))
    if max(records, parts) > MOST_SLOTS:
        raise InvalidParameter(
            f"these clusters cannot be put together again: they have {records:,.0f} records in {parts:,.0f} parts, and "
            f"at most {MOST_SLOTS:,} of each are possible. Ask for supports instead, which need no records."
        )


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise InvalidParameter(f"these clusters cannot be put together again: {what}. Verify them first.")
