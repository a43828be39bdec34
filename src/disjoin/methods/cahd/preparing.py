"""Records with their ordinary and their sensitive items apart, in an order that is theirs and not the input's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.jit.ordering import by_content
from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, ranks_of


@dataclass(frozen=True, slots=True)
class CahdRows:
    """Records: row `i` has ordinary and sensitive items, each numbered from 0."""

    ordinary: Ragged
    n_items: int
    sensitive: Ragged  # as many rows
    n_sensitive: int

    def __len__(self) -> int:
        return len(self.ordinary)

    def in_order(self, order: Ints64) -> CahdRows:
        """Return the rows in another order (new position -> old)."""
        return CahdRows(self.ordinary.take(order), self.n_items, self.sensitive.take(order), self.n_sensitive)


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
        return int((self.rows.ordinary.lengths == 0).sum())


def prepared(data: Transactions) -> Prepared:
    """Sort the records, and take them apart; `data.sensitive` says how."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    occurs = data.supports() > 0
    marks = data.sensitive[occurs]
    records = by_content(data, np.arange(len(data), dtype=np.int32)).astype(np.int64)
    taken = data.records.renumbered(ranks_of(occurs)).take(records)
    rows = CahdRows(_half(taken, ~marks), int((~marks).sum()), _half(taken, marks), int(marks.sum()))
    return Prepared(
        records=records,
        rows=rows,
        same=np.cumsum(rows.ordinary.differ_from_previous(), dtype=np.int64) - 1,
        vocabulary=data.vocabulary.filter(pa.array(occurs)),
        ordinary=np.flatnonzero(~marks).astype(np.int32),
        sensitive=np.flatnonzero(marks).astype(np.int32),
    )


def _half(rows: Ragged, wanted: Flags) -> Ragged:
    """Keep the wanted items of every row, and number them from 0."""
    return rows.where(wanted[rows.items]).renumbered(ranks_of(wanted))
