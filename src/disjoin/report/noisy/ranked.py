"""Rows of records by their counts, the largest first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.model.arrays import Ints64
from disjoin.model.bag import Bag


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Row `i` is the one with the largest count but `i`; of equal ones the first in the table comes first."""

    records: Bag
    order: Ints64  # (rows,)

    def __len__(self) -> int:
        return int(self.order.size)

    def count_of(self, number: int) -> int:
        """Return how often a row occurs."""
        return int(self.records.counts[self.order[number]])

    def length_of(self, number: int) -> int:
        """Return how many terms a row has."""
        first, last = self.records.offsets[self.order[number] :][:2]
        return int(last - first)

    def terms_of(self, number: int, most: int | None = None) -> tuple[str, ...]:
        """Return the terms of a row, or the first of them."""
        first, last = (int(end) for end in self.records.offsets[self.order[number] :][:2])
        items = self.records.items[first:last][:most]
        return tuple(self.records.vocabulary.take(items).to_pylist())

    def longer_than(self, terms: int) -> Ints64:
        """Return the numbers of the rows that have more terms than this."""
        return np.flatnonzero(np.diff(self.records.offsets)[self.order] > terms)


def ranked(records: Bag) -> Ranked:
    """Return the rows by their counts.

    >>> rows = ranked(Bag.from_rows([(["milk"], 2), (["milk", "tea"], 7), (["tea"], 2)]))
    >>> [(rows.terms_of(number), rows.count_of(number)) for number in range(len(rows))]
    [(('milk', 'tea'), 7), (('milk',), 2), (('tea',), 2)]
    """
    return Ranked(records, np.argsort(-records.counts, kind="stable"))
