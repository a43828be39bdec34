"""The slots of a world read as records."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import kernel
from disjoin.kernels.puzzle import PLACED


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
