"""The search behind sure inference: which terms every record with some known terms has, in every possible original.

Leaves that may have a record with all known terms are visited one after the other, and of the terms that are asked for
only those stay that each of them gives to all such records; mostly none is left after a few leaves.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import NamedTuple

from disjoin.analyst.postings import CHUNK, HOLDING, IN_TERM_CHUNK, LAST, PARENT, ROWS, SPARE, WHERE, PostingIndex, seek
from disjoin.analyst.support_bounds import CURSOR, GROUP, next_row
from disjoin.jit.compiled import inner, kernel
from disjoin.model.ragged import Ints32, Ints64

NOWHERE = -1
LARGEST = 2**62


class Ground(NamedTuple):
    """Where is searched: the index, and by place what every record of a node has, and the first leaf from there on."""

    postings: PostingIndex
    everyone_offsets: Ints64  # (nodes + 1,)
    everyone: Ints32
    leaf_from: Ints64  # (nodes + 1,), NOWHERE behind the last


class Room(NamedTuple):
    """Room to work in."""

    work: Ints64  # (7, known terms), of the support bounds
    at: Ints64  # (known terms,) the entry of each in the leaf at hand
    held: Ints64  # (known terms,) the holding of each, NOWHERE when it has been looked at
    place_of: Ints64  # (terms,) which of the terms asked for it is, NOWHERE for others; so again afterwards
    hits: Ints64  # (terms asked for,)
    is_sure: Ints64  # (terms asked for,)


@inner
def next_leaf(place, known, n, ground, at):
    """Return the first leaf from a place on that may have all n known terms, with their entries in `at`."""
    index = ground.postings
    places, last = index.entries[WHERE], index.nodes[LAST]
    place = ground.leaf_from[place]
    agreed, i = 0, 0
    while agreed < n and place != NOWHERE:
        first, end = index.starts[known[i]], index.starts[known[i] + 1]
        after = seek(places, max(at[i], first), end, place + 1)
        if after > first and last[places[after - 1]] >= place:
            at[i] = after - 1
            agreed += 1
        elif after == end:
            return NOWHERE
        else:
            at[i] = after
            place = ground.leaf_from[places[after]]
            agreed = 1
        i = i + 1 if i + 1 < n else 0
    return place


@inner
def hold(n, ground, room):
    """Note the holding of every known term in the leaf at hand; those of the term chunk have none."""
    for i in range(n):
        room.held[i] = ground.postings.entries[HOLDING, room.at[i]]
        if room.held[i] == IN_TERM_CHUNK:
            room.held[i] = NOWHERE


@inner
def gather(a, n, ground, room):
    """Take the known terms in the chunk of the a-th together, as they are looked at; return how many these are."""
    index = ground.postings
    chunk, many = index.holdings[CHUNK, room.held[a]], 0
    for b in range(a, n):
        if room.held[b] >= 0 and index.holdings[CHUNK, room.held[b]] == chunk:
            room.work[GROUP, many] = room.held[b]
            room.work[CURSOR, many] = index.holdings[ROWS, room.held[b]]
            room.held[b] = NOWHERE
            many += 1
    return many


@inner
def look_at_part(a, n, asked, ground, room):
    """Look at the known terms in the chunk of the a-th; return whether a record has them all, and mark what is sure."""
    index = ground.postings
    many = gather(a, n, ground, room)
    rows, alive = 0, asked
    for y in range(asked):
        room.hits[y] = 0
    row = next_row(many, index.holdings, index.rows, room.work)
    while row >= 0 and (alive > 0 or rows == 0):
        rows += 1
        alive = 0
        for i in range(index.item_offsets[row], index.item_offsets[row + 1]):
            y = room.place_of[index.items[i]]
            if y >= 0 and room.hits[y] == rows - 1:
                room.hits[y] = rows
                alive += 1
        if alive > 0:
            row = next_row(many, index.holdings, index.rows, room.work)
    for y in range(asked):
        if rows > 0 and room.hits[y] == rows:
            room.is_sure[y] = 1
    return rows > 0


@inner
def look_at_leaf(leaf, n, asked, ground, room):
    """Mark the asked terms that all records of a leaf with the known terms have; return whether there can be any."""
    index = ground.postings
    for y in range(asked):
        room.is_sure[y] = 0
    hold(n, ground, room)
    own_parts = 0
    for a in range(n):
        if room.held[a] >= 0:
            own_parts += index.entries[WHERE, room.at[a]] == leaf
            if not look_at_part(a, n, asked, ground, room):
                return False
    if own_parts > 1 and index.nodes[SPARE, leaf] < own_parts - 1:
        return False
    place = leaf
    while place >= 0:
        for i in range(ground.everyone_offsets[place], ground.everyone_offsets[place + 1]):
            y = room.place_of[ground.everyone[i]]
            if y >= 0:
                room.is_sure[y] = 1
        place = index.nodes[PARENT, place]
    return True


@inner
def keep_sure(known, n, asked, many, ground, room):
    """Keep of the first `many` asked terms those that known terms surely tell, in front; return how many these are."""
    for i in range(n):
        room.at[i] = 0
    leaf, nobody = next_leaf(0, known, n, ground, room.at), True
    while leaf != NOWHERE and many > 0:
        for y in range(many):
            room.place_of[asked[y]] = y
        possible = look_at_leaf(leaf, n, many, ground, room)
        for y in range(many):
            room.place_of[asked[y]] = NOWHERE
        if possible:
            kept, nobody = 0, False
            for y in range(many):
                if room.is_sure[y] == 1:
                    asked[kept] = asked[y]
                    kept += 1
            many = kept
        leaf = next_leaf(leaf + 1, known, n, ground, room.at)
    return 0 if nobody else many


@inner
def part(items, first, length, chosen, n, known, asked):
    """Copy the chosen n terms of a row to `known` and the others to `asked`; return how many these are."""
    many, c = 0, 0
    for i in range(length):
        if c < n and chosen[c] == i:
            known[c] = items[first + i]
            c += 1
        else:
            asked[many] = items[first + i]
            many += 1
    return many


@inner
def sets_of(length, n):
    """Count the sets of n of that many terms, up to 2^62."""
    sets = 1
    for i in range(n):
        if sets > LARGEST // max(1, length - i):
            return LARGEST
        sets = sets * (length - i) // (i + 1)
    return sets


@inner
def choose(rank, length, n, chosen):
    """Choose the set of n of that many terms that comes at this rank, in ascending order."""
    at = 0
    for i in range(n):
        begin_here = sets_of(length - at - 1, n - i - 1)
        while rank >= begin_here:
            rank -= begin_here
            at += 1
            begin_here = sets_of(length - at - 1, n - i - 1)
        chosen[i] = at
        at += 1


@inner
def choose_next(length, n, chosen):
    """Choose the set after the chosen one; there must be one."""
    i = n - 1
    while chosen[i] == length - n + i:
        i -= 1
    chosen[i] += 1
    for j in range(i + 1, n):
        chosen[j] = chosen[j - 1] + 1


@kernel
def first_sure(offsets, items, limits, ground, room, known, asked, chosen, found):
    """Find for every row known terms that surely tell another of its terms; a set of `most`, or all but one, is enough.

    `limits` is (most, how many sets of a row are looked at: of more, those at equal distances). Whatever fewer known
    terms tell, more of the same record tell too. Writes into `found` (rows, most + 1) the known
    terms and the one they tell, NOWHERE where there is none, and returns how many rows have some.
    """
    total = 0
    most, looks = limits
    for row in range(offsets.size - 1):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        n = min(most, length - 1)
        sets = sets_of(length, n) if n > 0 else 0
        step = 1 + sets // looks
        for rank in range(0, sets, step):
            if rank == 0 or step > 1:
                choose(rank, length, n, chosen)
            else:
                choose_next(length, n, chosen)
            many = part(items, first, length, chosen, n, known, asked)
            if keep_sure(known, n, asked, many, ground, room) > 0:
                for i in range(n):
                    found[row, i] = known[i]
                found[row, most] = asked[0]
                total += 1
                break
    return total


@inner
def add(term, known, n, asked, many):
    """Add a term to the first `many` asked ones, unless it is known or among them; return how many these are."""
    for i in range(n):
        if known[i] == term:
            return many
    for y in range(many):
        if asked[y] == term:
            return many
    asked[many] = term
    return many + 1


@inner
def beside(known, n, asked, ground, room):
    """List what one possible record with the known terms has besides: nothing else can be sure. Return how much."""
    index = ground.postings
    for i in range(n):
        room.at[i] = 0
    leaf = next_leaf(0, known, n, ground, room.at)
    while leaf != NOWHERE:
        hold(n, ground, room)
        many, row, own_parts = 0, 0, 0
        for a in range(n):
            if row >= 0 and room.held[a] >= 0:
                own_parts += index.entries[WHERE, room.at[a]] == leaf
                row = next_row(gather(a, n, ground, room), index.holdings, index.rows, room.work)
                if row >= 0:
                    for i in range(index.item_offsets[row], index.item_offsets[row + 1]):
                        many = add(index.items[i], known, n, asked, many)
        place = leaf
        while place >= 0:
            for i in range(ground.everyone_offsets[place], ground.everyone_offsets[place + 1]):
                many = add(ground.everyone[i], known, n, asked, many)
            place = index.nodes[PARENT, place]
        if row >= 0 and (own_parts < 2 or index.nodes[SPARE, leaf] >= own_parts - 1):
            return many
        leaf = next_leaf(leaf + 1, known, n, ground, room.at)
    return 0


@kernel
def told_by(sets, ground, room, known, asked, found):
    """Find for every row of known terms one that they surely tell; NOWHERE where there is none. Return how many do."""
    total = 0
    for s in range(sets.shape[0]):
        n = sets.shape[1]
        for i in range(n):
            known[i] = sets[s, i]
        many = beside(known, n, asked, ground, room)
        if many > 0 and keep_sure(known, n, asked, many, ground, room) > 0:
            found[s] = asked[0]
            total += 1
    return total
