"""Search for a reconstruction: chunks assigned to records so that all constraints hold."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import form_finding, lay_out
from disjoin.arrays.ragged import group_rows, sort_rows
from disjoin.arrays.randomness import fair_below, fine_uniform
from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner, kernel
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, offsets_of

PLACED, ASKED = 0, 1  # positions in `World.counters`
MOST_SLOTS = 2**31 - 1  # slots are numbered in 32 bits

# Chances are at least e^-slots and binomials at most 2^slots: up to here no chance is wrong by a billionth of itself.
LARGEST_COVERED_LEAF = 512

_GUESSES = 32  # before free slots are counted; either way all of them are equally likely


class Puzzle(NamedTuple):
    """A forest in pre-order, so that a tree, its parts and its slots are runs of neighbours. A part is one copy of a
    subrecord; a slot is a record to be put together. `is_tied` marks a shared chunk for which not every leaf below may
    take all of its parts."""

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


def puzzle_of(published: Clusters) -> Puzzle:
    """Lay clusters out for the kernels; raises `InvalidParameter` if they are not even in proper form."""
    _require(len(published) > 0 and form_finding(published) is None, "they are not in proper form")
    leaf_sizes = np.where(published.is_joint, 0, published.sizes)
    records, n_parts = (values.sum(dtype=np.float64) for values in (leaf_sizes, published.counts))
    if max(records, n_parts) > MOST_SLOTS:  # nothing is wrong with such clusters
        raise InvalidParameter(
            f"these clusters cannot be put together again: they have {records:,.0f} records in {n_parts:,.0f} parts, "
            f"and at most {MOST_SLOTS:,} of each are possible. Ask for supports instead, which need no records."
        )
    position, last, parents, *_ = lay_out(published.parents, np.zeros_like(published.sizes))
    order = np.argsort(position)  # (nodes,), the node at every position
    slots = offsets_of(leaf_sizes[order])
    first_slots, last_slots = slots[:-1], slots[last + 1]
    chunks, terms = published.nodes.places(order), published.term_chunks.take(order)
    nodes = Spans.of(published.nodes.lengths[order])
    first_rows, last_rows = published.subrecord_offsets[chunks], published.subrecord_offsets[chunks + 1]
    rows = published.chunks.places(chunks)
    parts = Spans.of(last_rows - first_rows).over(Spans.of(published.counts[rows]))  # (chunks,)
    fits = parts.lengths <= nodes.spread(last_slots - first_slots)
    _require(bool(fits.all()), "a chunk has more subrecords than its cluster has records")
    puzzle = Puzzle(
        parents=parents,
        ends=last + 1,
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


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise InvalidParameter(f"these clusters cannot be put together again: {what}. Verify them first.")


def records_of(puzzle: Puzzle, world: World) -> Ragged:
    """Return the records, items ascending: what lies on each slot."""
    parts, placed = Ragged(puzzle.item_offsets, puzzle.items).take(puzzle.part_rows), world.counters[PLACED]
    slots = np.concatenate((parts.spread(world.slots), world.term_slots[:placed])).astype(np.int64)
    terms = np.concatenate((parts.items, world.terms[:placed]))
    records = Ragged(np.empty(world.weights.size + 1, np.int64), np.empty(terms.size, np.int32))
    group_rows(slots, terms, records.offsets, records.items)
    sort_rows(records.items, records.offsets)
    _require(not records.have_repeats(), "chunks of one cluster have terms in common")
    return records


@kernel
def find_tied(puzzle, n_terms):
    """Mark the shared chunks that have a term of a chunk or term chunk further down in their own tree."""
    nearest = np.full(n_terms, puzzle.ends.size)  # the next node, in pre-order, that has the term
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
    return puzzle.ends[node] == node + 1


@inner
def is_needy(puzzle, node):
    """Report whether a node is a leaf without a term chunk: nothing but parts can fill its slots."""
    return is_leaf(puzzle, node) and puzzle.term_offsets[node] == puzzle.term_offsets[node + 1]


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
    for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
        for item in chunk_items(puzzle, chunk):
            world.marks[item] = question
    for entry in range(puzzle.term_offsets[node], puzzle.term_offsets[node + 1]):
        world.marks[puzzle.term_items[entry]] = question


@inner
def has_marked(puzzle, world, row, question):
    for position in range(puzzle.item_offsets[row], puzzle.item_offsets[row + 1]):
        if world.marks[puzzle.items[position]] == question:
            return True
    return False


@inner
def shuffle_in(state, values, found, value):
    """Add a value to the first `found` ones, all orders equally likely; return how many there are then."""
    other = fair_below(state, found + 1)
    values[found] = values[other]
    values[other] = value
    return found + 1


@inner
def _swap(values, a, b):
    kept = values[a]
    values[a] = values[b]
    values[b] = kept


# Uniform draws among all ways to lay a leaf's chunks on its slots so that none stays empty (section A.7).
#
# Let `f(i, u)` be the chance that chunks i, i + 1, ... cover `u` given slots when each is laid on distinct slots at
# random. Every covering has the same chance if the number of new slots is drawn by these weights, and then the slots.


@cache
def binomials():
    """Return the binomial coefficients up to `LARGEST_COVERED_LEAF` as floats: entry [n, c]."""
    triangle = np.zeros((LARGEST_COVERED_LEAF + 1, LARGEST_COVERED_LEAF + 1))
    triangle[:, 0] = 1.0
    for n in range(1, LARGEST_COVERED_LEAF + 1):
        triangle[n, 1:] = triangle[n - 1, :-1] + triangle[n - 1, 1:]
    return triangle


@inner
def _share(binomials, n_slots, uncovered, size, new):
    """Return the chance that `size` distinct slots have `new` among the `uncovered` ones."""
    ways = binomials[uncovered, new] * binomials[n_slots - uncovered, size - new]
    return ways / binomials[n_slots, size]


@inner
def chances_to_cover(binomials, n_slots, sizes):
    """Return f(i, u) for all u that can be left when the chunks before i have been laid (zero elsewhere)."""
    chances = np.zeros((sizes.size + 1, n_slots + 1), np.float64)
    chances[sizes.size, 0] = 1.0
    before, after = sizes.sum(), 0
    for i in range(sizes.size - 1, -1, -1):
        before -= sizes[i]
        after += sizes[i]
        for uncovered in range(max(0, n_slots - before), min(n_slots, after) + 1):
            chance = 0.0
            for new in range(max(0, sizes[i] - n_slots + uncovered), min(uncovered, sizes[i]) + 1):
                share = _share(binomials, n_slots, uncovered, sizes[i], new)
                chance += share * chances[i + 1, uncovered - new]
            chances[i, uncovered] = chance
    return chances


@kernel
def cover_leaf(puzzle, world, state, binomials, leaf):
    """Lay the chunks of a lone leaf so that they cover it, all ways equally likely; returns False if they cannot."""
    first_chunk, last_chunk = puzzle.chunk_offsets[leaf], puzzle.chunk_offsets[leaf + 1]
    sizes = np.diff(puzzle.part_offsets[first_chunk : last_chunk + 1])
    order = world.order[puzzle.first_slots[leaf] : puzzle.last_slots[leaf]]  # its slots, the uncovered ones first
    chances = chances_to_cover(binomials, order.size, sizes)
    if chances[0, order.size] <= 0.0:
        return False
    part, uncovered = puzzle.part_offsets[first_chunk], order.size
    for i in range(sizes.size):
        size = sizes[i]
        target, new = fine_uniform(state) * chances[i, uncovered], -1  # of the uncovered slots that it covers
        for some in range(max(0, size - order.size + uncovered), min(uncovered, size) + 1):
            share = _share(binomials, order.size, uncovered, size, some) * chances[i + 1, uncovered - some]
            if share > 0.0:
                new = some
                target -= share
                if target < 0.0:
                    break
        for step in range(new):  # new ones go to the end of the uncovered, next to the covered
            last = uncovered - 1 - step
            _swap(order, last, fair_below(state, last + 1))
        for place in range(uncovered, uncovered + size - new):  # old ones to the beginning of the covered
            _swap(order, place, place + fair_below(state, order.size - place))
        uncovered -= new
        for step in range(size):
            _swap(order, uncovered + step, uncovered + step + fair_below(state, size - step))
            world.slots[part] = order[uncovered + step]
            part += 1
    return True


@kernel
def place_free_chunks(puzzle, world, state, is_left_out):
    """Lay all chunks that may go everywhere in their node, except those of the nodes that are left out."""
    for node in range(puzzle.ends.size - 1, -1, -1):  # children first: see _place_freely
        if not is_left_out[node]:
            for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
                if not puzzle.is_tied[chunk]:
                    _place_freely(puzzle, world, state, node, chunk)


@inner
def _place_freely(puzzle, world, state, node, chunk):
    """Lay a chunk on distinct slots of its node, all ways equally likely. `world.order` needs no cleaning up: a node
    shuffles its own slots among themselves, and whatever is below it has been dealt with before."""
    first, last = puzzle.first_slots[node], puzzle.last_slots[node]
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        place = first + part - puzzle.part_offsets[chunk]
        _swap(world.order, place, place + fair_below(state, last - place))
        world.slots[part] = world.order[place]


@kernel
def place_terms(puzzle, world, state, most, root, end):
    """Count the parts on every slot of the nodes from a root to the end of some tree, and add the terms of the term
    chunks."""
    for slot in range(puzzle.first_slots[root], puzzle.last_slots[end - 1]):
        world.weights[slot] = 0
        world.stamps[slot] = 0
    first, last = puzzle.chunk_offsets[root], puzzle.chunk_offsets[end]
    for part in range(puzzle.part_offsets[first], puzzle.part_offsets[last]):
        world.weights[world.slots[part]] += 1
    for leaf in range(root, end):
        if puzzle.term_offsets[leaf + 1] > puzzle.term_offsets[leaf]:
            _place_term_chunk(puzzle, world, state, leaf, most)


@inner
def _place_term_chunk(puzzle, world, state, leaf, most):
    """Give every term of a leaf's term chunk to 1..most slots, empty ones first, and then every empty slot a term."""
    first, last = puzzle.first_slots[leaf], puzzle.last_slots[leaf]
    first_entry = puzzle.term_offsets[leaf]
    n_entries = puzzle.term_offsets[leaf + 1] - first_entry
    empty = _empty_slots(world, state, first, last)
    entries = np.empty(n_entries, np.int64)
    for position in range(n_entries):
        shuffle_in(state, entries, position, first_entry + position)
    served = 0
    for entry in entries:
        times = 1 if most == 1 else 1 + fair_below(state, min(most, last - first))
        for _ in range(times):
            if served < empty.size:
                slot = empty[served]
                served += 1
            else:
                slot = first + fair_below(state, last - first)
                while world.stamps[slot] == entry + 1:  # it has this term already
                    slot = first + fair_below(state, last - first)
            _put_term(puzzle, world, slot, entry)
    for position in range(served, empty.size):
        _put_term(puzzle, world, empty[position], first_entry + fair_below(state, n_entries))


@inner
def _put_term(puzzle, world, slot, entry):
    placed = world.counters[PLACED]
    world.term_slots[placed] = slot
    world.terms[placed] = puzzle.term_items[entry]
    world.stamps[slot] = entry + 1
    world.weights[slot] += 1
    world.counters[PLACED] = placed + 1


@inner
def _empty_slots(world, state, first, last):
    """Return the slots on which nothing lies, in random order."""
    empty, found = np.empty(np.sum(world.weights[first:last] == 0), np.int64), 0
    for slot in range(first, last):
        if world.weights[slot] == 0:
            found = shuffle_in(state, empty, found, slot)
    return empty


# Ways to fill every slot of a tree: by matching, by repair, and by the exact step of section A.7.


class Board(NamedTuple):
    """The slots of a joint as one of its chunks sees them; slots and leaves are numbered from 0."""

    may_take: NDArray[np.bool_]  # (subrecords, leaves)
    leaf_of: Ints64  # (slots,)
    first: Ints64  # (leaves + 1,), the first slot of a leaf
    free: Ints64  # (leaves,), how many slots have no part of this chunk
    holder: Ints64  # (slots,), the part of this chunk that lies there, or -1


@inner
def board_of(puzzle, world, node, chunk):
    """Look at a joint from one of its chunks; parts that lie somewhere already stay there."""
    n_leaves = 0
    for below in range(node, puzzle.ends[node]):
        n_leaves += is_leaf(puzzle, below)
    base = puzzle.first_slots[node]
    n_slots = puzzle.last_slots[node] - base
    n_rows = puzzle.last_rows[chunk] - puzzle.first_rows[chunk]
    may_take = np.zeros((n_rows, n_leaves), np.bool_)
    leaf_of = np.empty(n_slots, np.int64)
    first = np.zeros(n_leaves + 1, np.int64)
    free = np.empty(n_leaves, np.int64)
    holder = np.empty(n_slots, np.int64)
    leaf = 0
    for below in range(node, puzzle.ends[node]):
        if is_leaf(puzzle, below):
            question, place = ask(world), below  # it may take what has no term that is known further down
            while place != node:
                mark_terms(puzzle, world, place, question)
                place = puzzle.parents[place]
            for row in range(n_rows):
                may_take[row, leaf] = not has_marked(puzzle, world, puzzle.first_rows[chunk] + row, question)
            first[leaf + 1] = puzzle.last_slots[below] - base
            free[leaf] = first[leaf + 1] - first[leaf]
            for slot in range(first[leaf], first[leaf + 1]):
                leaf_of[slot] = leaf
                holder[slot] = -1
            leaf += 1
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] >= 0:
            holder[world.slots[part] - base] = part
            free[leaf_of[world.slots[part] - base]] -= 1
    return Board(may_take, leaf_of, first, free, holder)


@kernel
def place_tied(puzzle, world, state, node, chunk):
    """Assign the unassigned parts of a shared chunk to slots of leaves that may take them; False if none exist."""
    board = board_of(puzzle, world, node, chunk)
    for part in _most_bound_first(puzzle, world, state, chunk, board):
        row = puzzle.part_rows[part] - puzzle.first_rows[chunk]
        slot = _free_slot(board, state, row)
        if slot < 0:
            slot = _make_room(puzzle, board, state, row, puzzle.first_rows[chunk])
            if slot < 0:
                return False
        board.holder[slot] = part
        board.free[board.leaf_of[slot]] -= 1
    for slot in range(board.holder.size):
        if board.holder[slot] >= 0:
            world.slots[board.holder[slot]] = slot + puzzle.first_slots[node]
    return True


@inner
def _most_bound_first(puzzle, world, state, chunk, board):
    """Return the parts that lie nowhere: those with fewest leaves first, at random among equals."""
    n_leaves, width = board.free.size, board.may_take.sum(axis=1)
    loose = np.empty(puzzle.part_offsets[chunk + 1] - puzzle.part_offsets[chunk], np.int64)
    starts = np.zeros(n_leaves + 2, np.int64)
    found = 0
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] < 0:
            found = shuffle_in(state, loose, found, part)
            starts[width[puzzle.part_rows[part] - puzzle.first_rows[chunk]] + 1] += 1
    for leaves in range(n_leaves + 1):
        starts[leaves + 1] += starts[leaves]
    ordered = np.empty(found, np.int64)
    for position in range(found):
        leaves = width[puzzle.part_rows[loose[position]] - puzzle.first_rows[chunk]]
        ordered[starts[leaves]] = loose[position]
        starts[leaves] += 1
    return ordered


@inner
def _free_slot(board, state, row):
    """Draw one of the free slots that may take a subrecord; -1 if there is none."""
    for _ in range(_GUESSES):
        slot = fair_below(state, board.holder.size)
        if board.holder[slot] < 0 and board.may_take[row, board.leaf_of[slot]]:
            return slot
    free = 0
    for leaf in range(board.free.size):
        if board.may_take[row, leaf]:
            free += board.free[leaf]
    if free == 0:
        return -1
    wanted = fair_below(state, free)
    leaf = 0
    while not board.may_take[row, leaf] or wanted >= board.free[leaf]:
        if board.may_take[row, leaf]:
            wanted -= board.free[leaf]
        leaf += 1
    return _nth_free(board, leaf, wanted)


@inner
def _nth_free(board, leaf, wanted):
    slot = board.first[leaf]
    while board.holder[slot] >= 0 or wanted > 0:
        wanted -= board.holder[slot] < 0
        slot += 1
    return slot


@inner
def _make_room(puzzle, board, state, row, first_row):
    """Free a slot for a subrecord by moving others along an augmenting path; -1 if there is no such path."""
    n_leaves = board.free.size
    came_by = np.full(n_leaves, -2)  # the slot whose part would move here; -2: not reached, -1: a beginning
    queue = np.empty(n_leaves, np.int64)
    reached = 0
    for leaf in range(n_leaves):
        if board.may_take[row, leaf]:
            came_by[leaf] = -1
            queue[reached] = leaf
            reached += 1
    turn = 0
    while turn < reached:
        leaf = queue[turn]
        if board.free[leaf] > 0:
            return _shift(board, state, leaf, came_by)
        for slot in range(board.first[leaf], board.first[leaf + 1]):
            other_row = puzzle.part_rows[board.holder[slot]] - first_row
            for other in range(n_leaves):
                if came_by[other] == -2 and board.may_take[other_row, other]:
                    came_by[other] = slot
                    queue[reached] = other
                    reached += 1
        turn += 1
    return -1


@inner
def _shift(board, state, leaf, came_by):
    """Move every part on a path one step on; returns the slot that becomes free at its beginning."""
    slot = _nth_free(board, leaf, fair_below(state, board.free[leaf]))
    board.free[leaf] -= 1
    while came_by[leaf] >= 0:
        before = came_by[leaf]
        board.holder[slot] = board.holder[before]
        slot = before
        leaf = board.leaf_of[before]
    board.holder[slot] = -1
    board.free[leaf] += 1
    return slot


@kernel
def repair(puzzle, world, state, roots):
    """Fill the empty slots of some trees; return of each whether it got stuck."""
    is_stuck = np.zeros(roots.size, np.bool_)
    for i in range(roots.size):
        is_stuck[i] = not _repair_tree(puzzle, world, state, roots[i])
    return is_stuck


@inner
def _repair_tree(puzzle, world, state, root):
    """Fill all empty slots of a tree; returns False if some slot cannot be filled by a single move."""
    base = puzzle.first_slots[root]
    first, last = parts_below(puzzle, root)
    top = np.full(puzzle.last_slots[root] - base, -1)  # the first part on a slot, or -1
    beneath = np.empty(last - first, np.int64)  # the part beneath a part, or -1
    for part in range(first, last):
        slot = world.slots[part] - base
        beneath[part - first] = top[slot]
        top[slot] = part
    for leaf in range(root, puzzle.ends[root]):
        if is_needy(puzzle, leaf):
            for slot in range(puzzle.first_slots[leaf], puzzle.last_slots[leaf]):
                if world.weights[slot] == 0:
                    part = _spare_here(puzzle, world, state, leaf, top, beneath, base, first)
                    if part < 0:
                        part = _spare_elsewhere(puzzle, world, state, leaf)
                    if part < 0:
                        return False
                    _move(world, part, slot, top, beneath, base, first)
    return True


@inner
def _spare_here(puzzle, world, state, leaf, top, beneath, base, first_part):
    """Draw a slot of the leaf with two parts or more, and one of its parts; -1 without such a slot."""
    heavy, chosen = 0, -1
    for slot in range(puzzle.first_slots[leaf], puzzle.last_slots[leaf]):
        if world.weights[slot] >= 2:
            heavy += 1
            if fair_below(state, heavy) == 0:
                chosen = slot
    if chosen < 0:
        return -1
    part = top[chosen - base]
    for _ in range(fair_below(state, int(world.weights[chosen]))):
        part = beneath[part - first_part]
    return part


@inner
def _spare_elsewhere(puzzle, world, state, leaf):
    """Draw a part of a shared chunk above that may come to the leaf and is not alone on its slot; -1 if none is."""
    question, node, found, chosen = ask(world), leaf, 0, -1
    while puzzle.parents[node] >= 0:
        mark_terms(puzzle, world, node, question)
        node = puzzle.parents[node]
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
                if world.weights[world.slots[part]] >= 2 and (
                    not puzzle.is_tied[chunk] or not has_marked(puzzle, world, puzzle.part_rows[part], question)
                ):
                    found += 1
                    if fair_below(state, found) == 0:
                        chosen = part
    return chosen


@inner
def _move(world, part, slot, top, beneath, base, first_part):
    old = world.slots[part]
    if top[old - base] == part:
        top[old - base] = beneath[part - first_part]
    else:
        above = top[old - base]
        while beneath[above - first_part] != part:
            above = beneath[above - first_part]
        beneath[above - first_part] = beneath[part - first_part]
    top[slot - base] = part
    beneath[part - first_part] = -1
    world.slots[part] = slot
    world.weights[old] -= 1
    world.weights[slot] = 1


@kernel
def fill_needy_leaves(puzzle, world, state, root):
    """Take up all parts of a tree and lay one on every slot that only parts can fill; False if that is impossible."""
    first, last = parts_below(puzzle, root)
    for part in range(first, last):
        world.slots[part] = -1
    leaves = np.full(last - first, -1)  # the leaf that a part fills a slot of, or -1
    fitting, needy = np.empty(last - first, np.int64), np.empty(puzzle.ends[root] - root, np.int64)
    found = 0
    for leaf in range(root, puzzle.ends[root]):
        if is_needy(puzzle, leaf):
            found = shuffle_in(state, needy, found, leaf)
    for leaf in needy[:found]:
        missing = puzzle.last_slots[leaf] - puzzle.first_slots[leaf]
        for position in range(_find_fitting(puzzle, world, state, leaf, fitting)):
            if missing > 0 and leaves[fitting[position] - first] < 0:
                leaves[fitting[position] - first] = leaf
                missing -= 1
        for _ in range(missing):
            if not _reassign(puzzle, world, state, root, leaf, leaves, fitting):
                return False
    taken = np.zeros(puzzle.ends[root] - root, np.int64)
    for position in range(leaves.size):
        leaf = leaves[position]
        if leaf >= 0:
            world.slots[first + position] = puzzle.first_slots[leaf] + taken[leaf - root]
            taken[leaf - root] += 1
    return True


@inner
def _find_fitting(puzzle, world, state, leaf, fitting):
    """List the parts that may lie in a leaf, in random order; returns how many there are."""
    found, question, node = 0, ask(world), leaf
    while node >= 0:
        for chunk in range(puzzle.chunk_offsets[node], puzzle.chunk_offsets[node + 1]):
            for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
                if not puzzle.is_tied[chunk] or not has_marked(puzzle, world, puzzle.part_rows[part], question):
                    found = shuffle_in(state, fitting, found, part)
        mark_terms(puzzle, world, node, question)
        node = puzzle.parents[node]
    return found


@inner
def _reassign(puzzle, world, state, root, needy, leaves, fitting):
    """Get one more part for a leaf, from another leaf if that can be given a new one; False if there is no way."""
    first, _ = parts_below(puzzle, root)
    n_nodes = puzzle.ends[root] - root
    lost = np.full(n_nodes, -2)  # the part that a leaf would give away; -2: not reached, -1: the beginning
    receiver = np.empty(n_nodes, np.int64)  # and to whom
    queue = np.empty(n_nodes, np.int64)
    lost[needy - root] = -1
    queue[0] = needy
    reached, turn = 1, 0
    while turn < reached:
        leaf = queue[turn]
        turn += 1
        for position in range(_find_fitting(puzzle, world, state, leaf, fitting)):
            part = fitting[position]
            owner = leaves[part - first]
            if owner < 0:
                while leaf != needy:
                    leaves[part - first] = leaf
                    part = lost[leaf - root]
                    leaf = receiver[leaf - root]
                leaves[part - first] = needy
                return True
            if lost[owner - root] == -2:
                lost[owner - root] = part
                receiver[owner - root] = leaf
                queue[reached] = owner
                reached += 1
    return False


@kernel
def complete_chunk(puzzle, world, state, node, chunk):
    """Lay the parts of a chunk that lie nowhere on slots of its node that are free for it, all ways equally likely."""
    base = puzzle.first_slots[node]
    is_taken = np.zeros(puzzle.last_slots[node] - base, np.bool_)
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] >= 0:
            is_taken[world.slots[part] - base] = True
    free = np.flatnonzero(~is_taken)
    found = free.size
    for part in range(puzzle.part_offsets[chunk], puzzle.part_offsets[chunk + 1]):
        if world.slots[part] < 0:
            chosen = fair_below(state, found)
            found -= 1
            world.slots[part] = base + free[chosen]
            free[chosen] = free[found]
