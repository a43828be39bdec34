"""Compressed sparse rows, the data type: rows of different lengths in flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

State = TypeVar("State")


def new_state(kind: Callable[..., State], size: int, **sizes: int | tuple[int, ...]) -> State:
    """Return a named tuple of arrays of zeros, each of length `size` or as in `sizes`, of the declared types."""
    return kind(*[np.zeros(sizes.get(name, size), number) for name, number in _number_types(kind)])


@cache  # a search makes thousands of states, and reading type hints is slower than making arrays
def _number_types(kind: Callable[..., object]) -> list[tuple[str, np.dtype[Any]]]:
    return [(name, np.dtype(_number_type(hint))) for name, hint in get_type_hints(kind).items()]


def _number_type(hint: Any) -> Any:
    """Return the type of the numbers in an array type: its innermost argument, in every version of numpy."""
    arguments = get_args(hint)
    return _number_type(arguments[-1]) if arguments else hint


def frozen(values: Any, dtype: type) -> NDArray[Any]:
    """Return a one-dimensional, contiguous, read-only array of `dtype` (shared where the input allows it).

    >>> frozen([1, 2], np.int32).flags.writeable
    False
    """
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype).reshape(-1).view()
    array.flags.writeable = False
    return array


def offsets_of(lengths: Any) -> Ints64:
    """Turn lengths into offsets: `offsets[i]:offsets[i + 1]` is the i-th part.

    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    lengths = np.asarray(lengths)
    if lengths.dtype.kind == "f":  # integers nevertheless: weighted counts, or an empty array
        lengths = lengths.astype(np.int64)
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def strings(terms: Sequence[str] | pa.Array) -> pa.StringArray:
    if isinstance(terms, pa.ChunkedArray):
        terms = terms.combine_chunks()
    if isinstance(terms, pa.Array) and pa.types.is_string(terms.type):
        return terms
    return pa.array(terms, pa.string())


Value = TypeVar("Value", bound=np.generic)

_ROWS_AT_ONCE = 1 << 14  # rows taken in one step, so that positions stay in the processor's cache
_AT_ONCE = 1 << 20  # items that numpy copies in a wider type in one step


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Consecutive rows: row `r` is `offsets[r]:offsets[r + 1]` of a sequence.

    Nothing is checked or copied: `is_sound` shows whether the offsets fit, which all other methods need.

    >>> chunks = Spans.of([2, 0, 1])
    >>> chunks.offsets.tolist(), chunks.lengths.tolist(), chunks.owners().tolist()
    ([0, 2, 2, 3], [2, 0, 1], [0, 0, 2])
    >>> chunks.sums(np.array([5, 7, 9])).tolist()
    [12, 0, 9]
    """

    offsets: Ints64  # (rows + 1,)

    @staticmethod
    def of(lengths: Any) -> Spans:
        return Spans(offsets_of(lengths))

    def __len__(self) -> int:
        return max(0, self.offsets.size - 1)  # damaged data may have no offsets

    @property
    def lengths(self) -> Ints64:
        """The length of each row; computed on every access."""
        return np.diff(self.offsets)

    @property
    def longest(self) -> int:
        return int(self.lengths.max(initial=0))

    def owners(self) -> Ints64:
        """Return for every element of the rows the number of its row."""
        return self.spread(np.arange(len(self)))

    def spread(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return for every element of the rows the value of its row."""
        return np.repeat(values, self.lengths)

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up the values row by row: in 64 bits, where unsigned ones overflow; floats are exact below 2^53."""
        dtype = np.int64 if values.dtype.kind in "bi" else values.dtype
        totals = np.zeros(len(self), dtype)
        for first in range(0, len(self), _ROWS_AT_ONCE):  # a cumulative sum of everything would need as much memory
            cuts = self.offsets[first : first + _ROWS_AT_ONCE + 1]
            running = np.zeros(cuts[-1] - cuts[0] + 1, dtype)
            np.cumsum(values[cuts[0] : cuts[-1]], out=running[1:])
            totals[first : first + _ROWS_AT_ONCE] = np.diff(running[cuts - cuts[0]])
        return totals

    def over(self, parts: Spans) -> Spans:
        """Return the same rows over the elements of `parts`, if these rows are rows of `parts`.

        >>> Spans.of([2, 1]).over(Spans.of([3, 4, 5])).lengths.tolist()
        [7, 5]
        """
        return Spans(parts.offsets[self.offsets])

    def places(self, rows: NDArray[Any]) -> Ints64:
        """Return the positions of the elements of these rows, in this order; rows may be omitted and repeated.

        >>> Spans.of([2, 0, 3]).places(np.array([2, 0])).tolist()
        [2, 3, 4, 0, 1]
        """
        return runs(self.offsets[rows], self.offsets[rows + 1])

    def cuts(self, rows: int, size: int) -> bool:
        """Return whether this cuts a sequence of that size into that many rows."""
        offsets = self.offsets
        if offsets.size != rows + 1 or offsets[0] != 0 or offsets[-1] != size:
            return False
        return bool((offsets[1:] >= offsets[:-1]).all())


@dataclass(frozen=True, slots=True, eq=False)
class Ragged(Spans):
    """Rows of numbered items: row `r` has `items[offsets[r]:offsets[r + 1]]`.

    >>> rows = Ragged.from_lists([[1, 2], [], [2]])
    >>> rows.take(np.array([2, 0])).to_lists(), rows.transposed(3).to_lists()
    ([[2], [1, 2]], [[], [0], [0, 2]])
    """

    items: Ints32

    @staticmethod
    def from_lists(rows: list[list[int]]) -> Ragged:
        items = np.array([item for row in rows for item in row], dtype=np.int32)
        return Ragged(offsets_of([len(row) for row in rows]), items)

    def to_lists(self) -> list[list[int]]:
        return [self[row].tolist() for row in range(len(self))]

    def __getitem__(self, row: int) -> Ints32:
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        row %= len(self)
        return self.items[self.offsets[row] : self.offsets[row + 1]]

    def is_sound(self, rows: int, n_items: int) -> bool:
        """Return whether there are that many rows, and every item is one of 0..n_items - 1."""
        return self.cuts(rows, self.items.size) and are_below(self.items, n_items)

    def take(self, rows: NDArray[Any], room: Any = np.empty) -> Ragged:
        """Return these rows, in this order; rows may be omitted and repeated."""
        starts, ends = self.offsets[rows], self.offsets[rows + 1]
        taken = Spans.of(ends - starts)
        items = room(int(taken.offsets[-1]), self.items.dtype)
        for first in range(0, len(taken), _ROWS_AT_ONCE):
            last = min(first + _ROWS_AT_ONCE, len(taken))
            places = runs(starts[first:last], ends[first:last])
            items[taken.offsets[first] : taken.offsets[last]] = self.items[places]
        return Ragged(taken.offsets, items)

    def where(self, wanted: Flags) -> Ragged:
        """Return the rows with the wanted items only, a flag for each; a row may become empty.

        >>> Ragged.from_lists([[1, 2], [2]]).where(np.array([True, False, False])).to_lists()
        [[1], []]
        """
        return Ragged(offsets_of(self.sums(wanted)), self.items[wanted])

    def renumbered(self, numbers: Ints32) -> Ragged:
        return Ragged(self.offsets, numbers[self.items])

    def transposed(self, n_items: int) -> Ragged:
        """Return for every item the rows that have it, ascending: its posting list.

        Rows of a transposed transpose are sorted. Compiled code has `jit.ragged.mirrored`, which needs no owners.
        """
        order = np.argsort(self.items, kind="stable")
        return Ragged(offsets_of(np.bincount(self.items, minlength=n_items)), self.owners()[order].astype(np.int32))

    def used(self, n_items: int) -> Flags:
        return used_by(n_items, self.items)

    def supports(self, weights: Ints64, n_items: int) -> Ints64:
        """Return for each of that many items the weight of the rows that have it."""
        return np.bincount(self.items, self.spread(weights), n_items).astype(np.int64)

    def are_ascending(self) -> bool:
        """Return whether the items of every row ascend, without repeats.

        >>> Ragged.from_lists([[1, 2], [0]]).are_ascending(), Ragged.from_lists([[1, 1]]).are_ascending()
        (True, False)
        """
        rises = self.items[1:] > self.items[:-1]
        rises[self.offsets[(self.offsets > 0) & (self.offsets < self.items.size)] - 1] = True  # the next row begins
        return bool(rises.all())

    def have_repeats(self) -> bool:
        """Return whether a row has an item twice; sorts only rows that do not ascend."""
        if self.are_ascending():
            return False
        keys = np.sort(self.owners() * (int(self.items.max()) + 1) + self.items)
        return bool((keys[1:] == keys[:-1]).any())

    def differ_from_previous(self) -> Flags:
        """Return for every row whether its items differ from those of the previous row; the first row's do.

        >>> Ragged.from_lists([[1, 2], [1, 2], [1]]).differ_from_previous().tolist()
        [True, False, True]
        """
        lengths = self.lengths
        fresh = np.ones(lengths.size, dtype=np.bool_)
        alike = np.flatnonzero(lengths[1:] == lengths[:-1]) + 1  # rows as long as the previous one
        places, lengths = self.places(alike), lengths[alike]
        owners, shifts = np.repeat(alike, lengths), np.repeat(lengths, lengths)
        fresh[alike] = False
        fresh[owners[self.items[places] != self.items[places - shifts]]] = True
        return fresh

    def distinct(self) -> tuple[Ragged, Ints64]:
        """Return the rows without those equal to the previous one, and the new number of each row.

        >>> rows, numbers = Ragged.from_lists([[1, 2], [1, 2], [1]]).distinct()
        >>> rows.to_lists(), numbers.tolist()
        ([[1, 2], [1]], [0, 0, 1])
        """
        fresh = self.differ_from_previous()
        return self.take(np.flatnonzero(fresh)), np.cumsum(fresh) - 1


def runs(starts: Ints64, ends: Ints64) -> Ints64:
    """Return the numbers from each start to before its end, concatenated.

    >>> runs(np.array([5, 0]), np.array([7, 1])).tolist()
    [5, 6, 0]
    """
    lengths = ends - starts
    offsets = offsets_of(lengths)
    return np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])


def are_below(items: NDArray[Any], end: int) -> bool:
    return items.size == 0 or bool(items.min() >= 0 and items.max() < end)


def used_by(n_items: int, *items: NDArray[Any]) -> Flags:
    """Return for each of that many items whether it is among the given ones.

    >>> used_by(4, np.array([1]), np.array([3, 1])).tolist()
    [False, True, False, True]
    """
    used = np.zeros(n_items, dtype=np.bool_)
    for some in items:
        for at in range(0, some.size, _AT_ONCE):
            used[some[at : at + _AT_ONCE]] = True
    return used


def counts_of(items: NDArray[Any], n_items: int) -> Ints64:
    """Count the occurrences of each of that many items; numpy would copy all of them, twice as wide.

    >>> counts_of(np.array([1, 3, 1], np.int32), 4).tolist()
    [0, 2, 0, 1]
    """
    counts = np.zeros(n_items, dtype=np.int64)
    for at in range(0, items.size, _AT_ONCE):
        counts += np.bincount(items[at : at + _AT_ONCE], minlength=n_items)
    return counts


def ranks_of(used: Flags) -> Ints32:
    """Return for every used item its number among the used ones; other entries are undefined.

    >>> ranks_of(np.array([False, True, False, True]))[[1, 3]].tolist()
    [0, 1]
    """
    return np.cumsum(used, dtype=np.int32) - np.int32(1)


def inverse(order: NDArray[Value]) -> NDArray[Value]:
    """Return the position of each number in an order.

    >>> inverse(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    places = np.empty_like(order)
    places[order] = np.arange(order.size, dtype=order.dtype)
    return places


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """Row `r` has the items `items[offsets[r]:offsets[r + 1]]` and counts `counts[r]` records.

    Items are positions in `vocabulary`, which is in code-point order and has only the terms of the rows. A method
    lists distinct, non-empty rows in canonical order (by their items, compared one by one). A bag that was read from a
    file may be in any state: the verifier checks it.

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
        return Ragged(self.offsets, self.items)

    @property
    def n_records(self) -> int:
        return int(self.counts.sum())

    def supports(self) -> Ints64:
        return self.sets.supports(self.counts, len(self.vocabulary))

    def rows(self) -> list[tuple[tuple[str, ...], int]]:
        names = self.vocabulary.take(pa.array(self.items)).to_pylist()
        bounds = self.offsets.tolist()
        return [
            (tuple(names[first:last]), count)
            for first, last, count in zip(bounds, bounds[1:], self.counts.tolist(), strict=False)
        ]

    @classmethod
    def of(cls, vocabulary: pa.StringArray, sets: Ragged, counts: Ints64) -> Bag:
        """Build from rows over a vocabulary; terms that no row has are dropped.

        >>> Bag.of(pa.array(["milk", "rye", "tea"]), Ragged.from_lists([[0, 2]]), np.array([3])).vocabulary.to_pylist()
        ['milk', 'tea']
        """
        used = sets.used(len(vocabulary))
        return cls(vocabulary.filter(pa.array(used)), sets.offsets, ranks_of(used)[sets.items], counts)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[Sequence[str], int]]) -> Bag:
        """Build from (terms, count): terms sorted in their row, rows in canonical order, equal ones not joined."""
        given = sorted((sorted(terms), count) for terms, count in rows)
        vocabulary = sorted({term for terms, _ in given for term in terms})
        rank = {term: position for position, term in enumerate(vocabulary)}
        return cls(
            vocabulary=pa.array(vocabulary, pa.string()),
            offsets=offsets_of([len(terms) for terms, _ in given]),
            items=np.array([rank[term] for terms, _ in given for term in terms], dtype=np.int32),
            counts=np.array([count for _, count in given], dtype=np.int64),
        )
