"""Records with their ordinary and their sensitive items apart, in an order that is theirs and not the input's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.methods.sorting import by_content, differs_from_previous, take_rows
from disjoin.model import Transactions
from disjoin.model.arrays import Flags, Ints32, Ints64


@dataclass(frozen=True, slots=True)
class CahdRows:
    """Records: row `i` has ordinary and sensitive items, each numbered from 0."""

    offsets: Ints64  # (rows + 1,)
    items: Ints32
    n_items: int
    sensitive_offsets: Ints64  # (rows + 1,)
    sensitive_items: Ints32
    n_sensitive: int

    def __len__(self) -> int:
        return self.offsets.size - 1

    def in_order(self, order: Ints64) -> CahdRows:
        """Return the rows in another order (new position -> old)."""
        ordinary = take_rows(self.offsets, self.items, order)
        sensitive = take_rows(self.sensitive_offsets, self.sensitive_items, order)
        return CahdRows(*ordinary, self.n_items, *sensitive, self.n_sensitive)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows sorted by ordinary items, then by sensitive ones."""

    records: Ints64  # (rows,) the record that each row is
    rows: CahdRows
    same: Ints64  # (rows,) numbers the distinct sets of ordinary items, in their order
    vocabulary: pa.StringArray  # terms that occur
    ordinary: Ints32  # (ordinary items,) the term of each
    sensitive: Ints32  # (sensitive items,) the term of each

    @property
    def bare(self) -> int:
        """How many records have no ordinary items."""
        return int((np.diff(self.rows.offsets) == 0).sum())


def prepared(data: Transactions) -> Prepared:
    """Sort the records, and take them apart; `data.sensitive` says how."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    occurs = data.supports() > 0
    rank = (np.cumsum(occurs) - 1).astype(np.int32)
    marks = data.sensitive[occurs]
    records = by_content(data, np.arange(len(data), dtype=np.int32)).astype(np.int64)
    offsets, items = take_rows(data.offsets, rank[data.items], records)
    ordinary, sensitive = _half(offsets, items, ~marks), _half(offsets, items, marks)
    rows = CahdRows(*ordinary, int((~marks).sum()), *sensitive, int(marks.sum()))
    return Prepared(
        records=records,
        rows=rows,
        same=np.cumsum(differs_from_previous(*ordinary), dtype=np.int64) - 1,
        vocabulary=data.vocabulary.filter(pa.array(occurs)),
        ordinary=np.flatnonzero(~marks).astype(np.int32),
        sensitive=np.flatnonzero(marks).astype(np.int32),
    )


def _half(offsets: Ints64, items: Ints32, wanted: Flags) -> tuple[Ints64, Ints32]:
    """Keep the wanted items of every row, and number them from 0."""
    kept = wanted[items]
    numbers = (np.cumsum(wanted) - 1).astype(np.int32)
    return np.concatenate(([0], np.cumsum(kept)))[offsets].astype(np.int64), numbers[items[kept]]
