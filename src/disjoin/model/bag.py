"""Distinct sets with how often each occurs: records as data, without an order that tells anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.model.ragged import Ints32, Ints64, Ragged, frozen, offsets_of, ranks_of, strings


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """Row `r` has the items `items[offsets[r]:offsets[r + 1]]` and stands for `counts[r]` records.

    Items are positions in `vocabulary`, which is in code-point order and holds the terms of the rows only. A method
    lists rows in canonical order (by their items, compared one by one), each once, without empty ones; but a bag that
    was read from a file may be anything, and it is the inspector's work to say so.

    >>> bag = Bag.from_rows([(["tea", "milk"], 2), (["tea"], 1)])
    >>> bag.n_records, bag.rows()
    (3, [(('milk', 'tea'), 2), (('tea',), 1)])
    """

    vocabulary: pa.StringArray  # (terms,)
    offsets: Ints64  # (rows + 1,)
    items: Ints32
    counts: Ints64  # (rows,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", strings(self.vocabulary))
        object.__setattr__(self, "items", frozen(self.items, np.int32))
        for name in ("offsets", "counts"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int64))

    def __repr__(self) -> str:
        return f"Bag({len(self):,} rows, {self.n_records:,} records, {len(self.vocabulary):,} terms)"

    def __len__(self) -> int:
        return self.counts.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bag) and (
            self.vocabulary.equals(other.vocabulary)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.items, other.items)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((len(self), self.items.size, self.n_records))

    @property
    def sets(self) -> Ragged:
        """The rows without their counts, as compressed rows of items."""
        return Ragged(self.offsets, self.items)

    @property
    def n_records(self) -> int:
        """How many records the rows stand for."""
        return int(self.counts.sum())

    def supports(self) -> Ints64:
        """Return in how many records each term of the vocabulary is."""
        return self.sets.supports(self.counts, len(self.vocabulary))

    def rows(self) -> list[tuple[tuple[str, ...], int]]:
        """Return the rows as (terms, count), for people and tests."""
        names = self.vocabulary.take(pa.array(self.items)).to_pylist()
        bounds = self.offsets.tolist()
        return [
            (tuple(names[first:last]), count)
            for first, last, count in zip(bounds, bounds[1:], self.counts.tolist(), strict=False)
        ]

    @classmethod
    def of(cls, vocabulary: pa.StringArray, sets: Ragged, counts: Ints64) -> Bag:
        """Build from rows over a vocabulary that may have terms that no row has: these are left out.

        >>> Bag.of(pa.array(["milk", "rye", "tea"]), Ragged.from_lists([[0, 2]]), np.array([3])).vocabulary.to_pylist()
        ['milk', 'tea']
        """
        used = sets.used(len(vocabulary))
        return cls(vocabulary.filter(pa.array(used)), sets.offsets, ranks_of(used)[sets.items], counts)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[Sequence[str], int]]) -> Bag:
        """Build from (terms, count): terms sorted in their row, rows in canonical order, equal ones kept apart."""
        given = sorted((sorted(terms), count) for terms, count in rows)
        vocabulary = sorted({term for terms, _ in given for term in terms})
        rank = {term: position for position, term in enumerate(vocabulary)}
        return cls(
            vocabulary=pa.array(vocabulary, pa.string()),
            offsets=offsets_of([len(terms) for terms, _ in given]),
            items=np.array([rank[term] for terms, _ in given for term in terms], dtype=np.int32),
            counts=np.array([count for _, count in given], dtype=np.int64),
        )
