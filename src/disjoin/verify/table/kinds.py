"""Distinct rows, and which original rows each includes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from disjoin.model import Table
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.table.classes import combined, distinct
from disjoin.verify.table.original import Comparison
from disjoin.verify.table.spans import Spans

COMPARED = 400_000_000  # most values that are compared
EDGES = 10_000_000  # most pairs that fit, which the flow has to choose from
BLOCK = 2_000_000  # values that are compared at once


class Kinds(NamedTuple):
    """Different rows, sorted; those of a bundle, with equal values in the unchanged columns, are neighbours."""

    bundles: Ints64  # (kinds,) ascending
    rows: Ints64  # (kinds,) the first row of each
    counts: Ints64  # (kinds,)

    @classmethod
    def of(cls, table: Table, columns: tuple[str, ...], bundles: Ints64) -> Kinds:
        """Tell rows apart by their bundles and then by these columns."""
        numbers, first = cls.numbered(table, columns, bundles)
        return cls(bundles[first], first, np.bincount(numbers, minlength=first.size))

    @staticmethod
    def numbered(table: Table, columns: tuple[str, ...], bundles: Ints64) -> tuple[Ints64, Ints64]:
        """Return the kind of every row, and the first row of every kind."""
        parts: list[tuple[Ints32 | Ints64, int]] = [(bundles, 1 + int(bundles.max()))]
        parts += [(table.codes_of(name), len(table.values_of(name))) for name in columns]
        return distinct(combined(parts, len(table)))


class Level(NamedTuple):
    """One column of the published kinds as a level of a tree: kinds with equal values so far are one branch."""

    starts: Ints64  # (branches of the level above,) the first of its branches here
    ends: Ints64
    published: Spans  # of the branches here
    sources: Spans  # of the kinds of the original


def columns_to_compare(comparison: Comparison) -> tuple[str, ...]:
    """Return the quasi-identifiers, those with few different values first: the tree is narrow near its root."""
    return tuple(sorted(comparison.spans, key=lambda name: comparison.spans[name][0].first.size))


def fitting_pairs(comparison: Comparison, ours: Kinds, sources: Kinds) -> tuple[Ints32, Ints32] | str:
    """Return all pairs of a published kind and an original one that it includes, or why there are too many.

    Both must be kinds by `columns_to_compare`. Each original kind goes down the tree of published ones, column by
    column, into all branches that include its value.
    """
    levels = list(_levels(comparison, ours, sources))
    trunks = np.flatnonzero(_differs(ours.bundles))
    branches = np.minimum(np.searchsorted(ours.bundles[trunks], sources.bundles), trunks.size - 1)
    kinds = np.flatnonzero(ours.bundles[trunks][branches] == sources.bundles)
    waiting = [(kinds, branches[kinds], 0)]
    found: list[tuple[Ints64, Ints64]] = []
    compared = edges = 0
    while waiting:
        kinds, branches, depth = waiting.pop()
        if depth == len(levels):
            found.append((branches, kinds))
            edges += kinds.size
        elif kinds.size > 1 and _breadth(levels[depth], branches) > BLOCK:
            half = kinds.size // 2
            waiting += [(kinds[half:], branches[half:], depth), (kinds[:half], branches[:half], depth)]
        else:
            compared += _breadth(levels[depth], branches)
            waiting.append((*_descend(levels[depth], kinds, branches), depth + 1))
        if edges > EDGES:
            return f"more than {EDGES:,} pairs of different rows fit, too many to choose from"
        if compared > COMPARED:
            return f"more than {COMPARED:,} values would have to be compared"
    mine, theirs = (np.concatenate(parts).astype(np.int32) for parts in zip(*found, strict=True))
    return mine, theirs


def _levels(comparison: Comparison, ours: Kinds, sources: Kinds) -> Iterator[Level]:
    differs = _differs(ours.bundles)
    for name in columns_to_compare(comparison):
        above = np.flatnonzero(differs)
        codes = comparison.published.codes_of(name)[ours.rows]
        differs = differs | _differs(codes)
        here = np.flatnonzero(differs)
        starts = (np.cumsum(differs) - 1)[above]
        published, original = comparison.spans[name]
        theirs = original.of(comparison.original.codes_of(name)[sources.rows])
        yield Level(starts, np.append(starts[1:], here.size), published.of(codes[here]), theirs)


def _breadth(level: Level, branches: Ints64) -> int:
    return int((level.ends[branches] - level.starts[branches]).sum())


def _descend(level: Level, kinds: Ints64, branches: Ints64) -> tuple[Ints64, Ints64]:
    """Return each original kind with each branch one level lower that includes its value."""
    starts = level.starts[branches]
    lengths = level.ends[branches] - starts
    kinds = np.repeat(kinds, lengths)
    lower = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(kinds.size)
    fits: Flags = level.published.of(lower).include(level.sources.of(kinds))
    return kinds[fits], lower[fits]


def _differs(numbers: Ints32 | Ints64) -> Flags:
    """Tell of each entry whether it is not the same as the one before."""
    differs = np.ones(numbers.size, dtype=np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=differs[1:])
    return differs
