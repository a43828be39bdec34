"""A published bag as the inspector reads it: terms numbered by code point, the items of a row in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from disjoin.model import Bag
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of
from disjoin.verify.finding import Finding
from disjoin.verify.forest import ranked
from disjoin.verify.group_arrays import SHOWN, sorting


@dataclass(frozen=True, slots=True)
class Rows:
    """The arrays of a `Bag`, with items renumbered so that comparing items compares terms, and sorted in each row.

    Made from any addressable `Bag`: equal terms have equal numbers even where the vocabulary repeats them. `untidy`
    are the rows whose items had another order. Repeats stay.
    """

    names: pa.StringArray  # strictly ascending
    offsets: Ints64  # (rows + 1,)
    items: Ints32
    counts: Ints64  # (rows,)
    untidy: Flags  # (rows,)

    @classmethod
    def of(cls, bag: Bag) -> Rows:
        """Read a bag whose offsets and items are known to be addressable."""
        names, numbers = ranked(bag.vocabulary)
        items = bag.items if numbers is None else numbers[bag.items]
        order, untidy = sorting(bag.offsets, items)
        return cls(names, bag.offsets, items if order is None else items[order], bag.counts, untidy)

    def __len__(self) -> int:
        return self.counts.size

    @property
    def whole(self) -> Ints64:
        """Offsets that make one part of all rows, for loops that count in parts."""
        return np.array([0, len(self)], dtype=np.int64)

    def terms(self, items: Iterable[int]) -> tuple[str, ...]:
        """Return the terms of some items, as many as an example shows."""
        return tuple(self.names[int(item)].as_py() for item in list(items)[:SHOWN])

    def row(self, row: int) -> Ints32:
        """Return the items of a row."""
        return self.items[self.offsets[row] : self.offsets[row + 1]]

    def supports(self) -> Ints64:
        """Return how many records each term is in. Needs tidied rows."""
        supports = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(supports, self.items, np.repeat(self.counts, np.diff(self.offsets)))
        return supports

    def repeats(self) -> Ints64:
        """Return the positions of items that their row has before."""
        row_of = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        return 1 + np.flatnonzero((row_of[1:] == row_of[:-1]) & (self.items[1:] == self.items[:-1]))

    def tidied(self) -> Rows:
        """Return the rows without repeated items, and without rows that stand for no record.

        Only rows that were refused lose anything; this lets other invariants be judged all the same.
        """
        repeats = self.repeats()
        if not repeats.size and (self.counts >= 1).all():
            return self
        row_of = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        kept = self.counts >= 1
        items_kept = kept[row_of]
        items_kept[repeats] = False
        lengths = np.bincount(row_of[items_kept], minlength=len(self))[kept]
        return replace(
            self,
            offsets=offsets_of(lengths),
            items=self.items[items_kept],
            counts=self.counts[kept],
            untidy=self.untidy[kept],
        )

    def finding(self, invariant: str, message: str, wrong: Ints64) -> list[Finding]:
        """Return one finding for all rows that are wrong in the same way, at the first of them; none for none."""
        if not wrong.size:
            return []
        first = int(wrong[0])
        others = f" So it is in {wrong.size:,} rows." if wrong.size > 1 else ""
        return [Finding(invariant, message + others, first, example=self.terms(self.row(first)), part="row")]
