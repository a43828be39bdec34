"""Packing of large leaves: of two ways to cut their terms into chunks, the one that keeps more pairs is published.

VERPART takes terms by their supports and asks only whether they may stand in a chunk, not whether they have anything
to do with what is there. In a large leaf there is a choice, and it matters; in a small one there is none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.methods.disassociation.pack_clusters import (
    Limits,
    Tray,
    fit_by_gain,
    fit_first,
    heaviest_pairs,
    move_terms,
    new_tray,
    pair_mass,
)
from disjoin.methods.disassociation.pair_table import PairTable, Spread, pair_table
from disjoin.methods.disassociation.steps import USED, require_end
from disjoin.methods.disassociation.verpart import Desk, new_desk
from disjoin.methods.disassociation.write_leaves import close_leaf, in_order, new_leaves, new_pieces, open_leaf
from disjoin.model.arrays import Flags, Ints32

TRIES = 6  # more of them add next to nothing and take much longer
LARGE_LEAF = 300  # records; smaller leaves are cut by VERPART, as there is next to nothing to gain

Way = Callable[[PairTable, Desk, Tray, Limits], int]


def first_fit(table: PairTable, desk: Desk, tray: Tray, limits: Limits) -> int:
    """Put each term into the first chunk that takes it, as VERPART does."""
    return int(fit_first(table, desk, tray, limits))


def pair_gain(table: PairTable, desk: Desk, tray: Tray, limits: Limits) -> int:
    """Seed each chunk with the heaviest pair that is left, and add what shares most with it."""
    return int(fit_by_gain(table, desk, tray, *heaviest_pairs(table, limits[0]), limits))


WAYS: tuple[Way, ...] = (first_fit, pair_gain)


def packed_leaf(data: Records, limits: tuple[int, int, int], secret: Flags, spread: Spread = map) -> Leaves:
    """Publish all records of `data.order` as one leaf; `limits` is (k, m, length of the longest record)."""
    k, m, longest = limits
    rows = data.order.size
    occurrences = int((data.offsets[data.order + 1] - data.offsets[data.order]).sum())
    desk = new_desk(secret.size, occurrences, rows, min(m, longest))
    known, frequent = open_leaf(data, desk, k, secret)
    chunk = packing_of(desk, (k, min(m, longest), frequent, rows, TRIES), spread)  # longer sets do not occur
    desk.chunk[:frequent] = chunk
    out = new_leaves(1, occurrences)
    found = (known, frequent, int(chunk.max(initial=-1)) + 1)
    close_leaf(data, desk, new_pieces(occurrences), out, found, limits)
    return in_order(out)


def packing_of(desk: Desk, limits: Limits, spread: Spread = map) -> Ints32:
    """Return the chunk of each frequent term (by rank) of the cluster on the desk: the packing with most pair mass.

    Of equal ones it is the first in the order of `WAYS`.
    """
    _, m, frequent, rows, _ = limits
    if m < 2 or frequent < 2:
        return np.zeros(frequent, np.int32)
    lengths = np.diff(desk.row_first[: rows + 1])
    desk.steps[USED] += int((lengths * (lengths - 1) // 2).sum())
    require_end(desk.steps, m)
    everything = np.arange(rows, dtype=np.int32), np.ones(frequent, np.bool_)
    table = pair_table(desk.row_first[: rows + 1], desk.row_ranks, *everything, spread)

    def pack(way: Way) -> tuple[int, Ints32]:
        own = _with_own_space(desk)
        tray = new_tray(frequent)
        way(table, own, tray, limits)
        mass = move_terms(table, own, tray, limits, pair_mass(table, own.chunk))
        require_end(own.steps, m)
        return int(mass), own.chunk[:frequent]

    _, chunk = max(spread(pack, WAYS), key=lambda candidate: candidate[0])
    return _without_gaps(chunk)


def _with_own_space(desk: Desk) -> Desk:
    """Return a desk with the same cluster on it, on which chunks can be tried out."""
    kept = ("row_first", "row_ranks", "first", "rows", "slot", "terms", "held", "rank", "keys", "leader")
    own = {name: np.zeros_like(space) for name, space in desk._asdict().items() if name not in kept}
    return desk._replace(**own | {"steps": desk.steps.copy()})


def _without_gaps(chunk: Ints32) -> Ints32:
    """Number the chunks anew, as some may have lost their last term."""
    return np.unique(chunk, return_inverse=True)[1].astype(np.int32)
