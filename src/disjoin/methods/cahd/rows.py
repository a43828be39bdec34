"""Records with ordinary and sensitive items, in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.methods.rows import take_rows
from disjoin.model.arrays import Ints32, Ints64


@dataclass(frozen=True, slots=True)
class Rows:
    """Records: row `i` has ordinary and sensitive items, each numbered from 0."""

    offsets: Ints64  # (rows + 1,)
    items: Ints32
    n_items: int
    sensitive_offsets: Ints64  # (rows + 1,)
    sensitive_items: Ints32
    n_sensitive: int

    def __len__(self) -> int:
        return self.offsets.size - 1

    def in_order(self, order: Ints64) -> Rows:
        """Return the rows in another order (new position -> old)."""
        ordinary = take_rows(self.offsets, self.items, order)
        sensitive = take_rows(self.sensitive_offsets, self.sensitive_items, order)
        return Rows(*ordinary, self.n_items, *sensitive, self.n_sensitive)
