"""U3: original rows can be matched with published rows, each with one that includes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from disjoin.model import Table
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.inspection import Finding
from disjoin.verify.table.classes import begins, combined, distinct, shown
from disjoin.verify.table.original import Comparison, Spans, is_in_the_same_order

STRETCHES = 4_000  # the largest number of distinct spans of a column whose nesting is counted


class Outcome(NamedTuple):
    """The findings, the invariants that are decided, and how."""

    findings: list[Finding]
    decided: tuple[str, ...]
    how: str

    @property
    def facts(self) -> dict[str, Any]:
        return {"decided": bool(self.decided), "how": self.how}


def check_assignment(comparison: Comparison) -> Outcome:
    """U3: there is a one-to-one assignment of published rows to original rows with U2."""
    if is_in_the_same_order(comparison):
        return Outcome([], ("U3",), "the rows are in the same order")
    mine, theirs = bundles(comparison)
    too_many = [_too_many_rows(comparison, name) for name in comparison.spans]
    for finding in (_unequal_bundles(comparison, mine, theirs), *too_many):
        if finding is not None:
            return Outcome([finding], ("U3",), "values do not occur as often as in the original")
    by = columns_to_compare(comparison)
    ours = Kinds.of(comparison.published, by, mine)
    sources = Kinds.of(comparison.original, by, theirs)
    edges = fitting_pairs(comparison, ours, sources)
    if isinstance(edges, str):
        return Outcome([], (), edges)
    found = _missing(comparison, ours, edges[0]) or _flow_falls_short(comparison, ours, sources, edges)
    return Outcome([found] if found else [], ("U3",), f"a flow over {edges[0].size:,} pairs of rows")


def bundles(comparison: Comparison) -> tuple[Ints64, Ints64]:
    """Number the combinations of values in unchanged columns, for published and original rows together."""
    here = len(comparison.published)
    columns: list[tuple[Ints32 | Ints64, int]] = []
    for name, numbers in comparison.numbers.items():
        mine, theirs = comparison.published.codes_of(name), numbers[comparison.original.codes_of(name)]
        both: Ints64 = np.concatenate((mine, theirs), dtype=np.int64)
        columns.append((both, len(comparison.published.values_of(name)) + 1))
    numbered, _ = distinct(combined(columns, here + len(comparison.original)))
    return numbered[:here], numbered[here:]


def _unequal_bundles(comparison: Comparison, mine: Ints64, theirs: Ints64) -> Finding | None:
    length = 1 + max(int(mine.max()), int(theirs.max()))
    published, given = np.bincount(mine, minlength=length), np.bincount(theirs, minlength=length)
    wrong = np.flatnonzero(published > given if comparison.suppressed else published != given)
    if not wrong.size:
        return None
    at = int(wrong[0])
    others = f" ({wrong.size - 1} more combinations differ)" if wrong.size > 1 else ""
    times = f"{published[at]}x, but the original has it {given[at]}x{others}"
    message = f"a combination of values in columns that do not change is published {times}."
    table, rows = (comparison.published, mine) if published[at] else (comparison.original, theirs)
    return Finding("U3", message, example=shown(table, comparison.numbers, int(np.flatnonzero(rows == at)[0])))


def _too_many_rows(comparison: Comparison, name: str) -> Finding | None:
    mine, theirs = comparison.spans[name]
    published = np.bincount(comparison.published.codes_of(name), minlength=mine.first.size)
    given = np.bincount(comparison.original.codes_of(name), minlength=theirs.first.size)
    for value in range(mine.first.size if mine.first.size <= STRETCHES else 0):
        here = Spans(mine.first[[value]], mine.last[[value]])
        inside, there = int(published[here.include(mine)].sum()), int(given[here.include(theirs)].sum())
        if inside > there:
            text = comparison.published.values_of(name)[value].as_py()
            message = f"published rows inside a value of {name}: {inside}, rows of the original: {there}."
            return Finding("U3", message, example=(f"{name}: {text}",))
    return None


def _missing(comparison: Comparison, ours: Kinds, mine: Ints32) -> Finding | None:
    alone = np.flatnonzero(np.bincount(mine, minlength=ours.rows.size) == 0)
    if not alone.size:
        return None
    row = int(ours.rows[alone[0]])
    message = "no row of the original fits this published row."
    return Finding("U3", message, row, example=shown(comparison.published, comparison.columns, row), part="row")


def _flow_falls_short(
    comparison: Comparison, ours: Kinds, sources: Kinds, edges: tuple[Ints32, Ints32]
) -> Finding | None:
    """Send original rows along the edges by maximum flow; a row that does not arrive has no match."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    mine, theirs = edges
    targets, origins = ours.rows.size, sources.rows.size
    source, sink = targets + origins, targets + origins + 1
    tails = np.concatenate((np.full(origins, source), targets + theirs, np.arange(targets)))
    heads = np.concatenate((targets + np.arange(origins), mine, np.full(targets, sink)))
    widths = np.concatenate((sources.counts, np.minimum(sources.counts[theirs], ours.counts[mine]), ours.counts))
    graph = csr_array((widths.astype(np.int32), (tails, heads)), shape=(sink + 1, sink + 1))
    arrived = int(maximum_flow(graph, source, sink).flow_value)
    rows = len(comparison.published)
    if arrived == rows:
        return None
    return Finding("U3", f"at most {arrived} of the {rows} published rows can come from rows of the original.")


COMPARED = 400_000_000  # limit on the values compared
EDGES = 10_000_000  # limit on the pairs of rows that fit
BLOCK = 2_000_000  # values compared in one step


class Kinds(NamedTuple):
    """Distinct rows, sorted; those of a bundle (equal values in the unchanged columns) are adjacent."""

    bundles: Ints64  # (kinds,) ascending
    rows: Ints64  # (kinds,) the first row of each
    counts: Ints64  # (kinds,)

    @classmethod
    def of(cls, table: Table, columns: tuple[str, ...], bundles: Ints64) -> Kinds:
        numbers, first = cls.numbered(table, columns, bundles)
        return cls(bundles[first], first, np.bincount(numbers, minlength=first.size))

    @staticmethod
    def numbered(table: Table, columns: tuple[str, ...], bundles: Ints64) -> tuple[Ints64, Ints64]:
        """Return the kind of every row by its bundle and then these columns, and the first row of every kind."""
        parts: list[tuple[Ints32 | Ints64, int]] = [(bundles, 1 + int(bundles.max()))]
        parts += [(table.codes_of(name), len(table.values_of(name))) for name in columns]
        return distinct(combined(parts, len(table)))


class Level(NamedTuple):
    """One column of the published kinds as a level of a tree: kinds with equal values so far are one branch."""

    starts: Ints64  # (branches of the level above,) the first of its branches here
    ends: Ints64
    published: Spans  # spans of the branches here
    sources: Spans  # spans of the kinds of the original


def columns_to_compare(comparison: Comparison) -> tuple[str, ...]:
    """Return the quasi-identifiers, those with few distinct values first: the tree is narrow near its root."""
    return tuple(sorted(comparison.spans, key=lambda name: comparison.spans[name][0].first.size))


def fitting_pairs(comparison: Comparison, ours: Kinds, sources: Kinds) -> tuple[Ints32, Ints32] | str:
    """Return all pairs of a published kind and an original one that it includes, or why there are too many.

    Both must be kinds by `columns_to_compare`; original kinds descend the tree of published ones, column by column.
    """
    levels = list(_levels(comparison, ours, sources))
    trunks = np.flatnonzero(begins(ours.bundles))
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
    differs = begins(ours.bundles)
    for name in columns_to_compare(comparison):
        above = np.flatnonzero(differs)
        codes = comparison.published.codes_of(name)[ours.rows]
        differs = differs | begins(codes)
        here = np.flatnonzero(differs)
        starts = (np.cumsum(differs) - 1)[above]
        published, original = comparison.spans[name]
        theirs = original.of(comparison.original.codes_of(name)[sources.rows])
        yield Level(starts, np.append(starts[1:], here.size), published.of(codes[here]), theirs)


def _breadth(level: Level, branches: Ints64) -> int:
    return int((level.ends[branches] - level.starts[branches]).sum())


def _descend(level: Level, kinds: Ints64, branches: Ints64) -> tuple[Ints64, Ints64]:
    starts = level.starts[branches]
    lengths = level.ends[branches] - starts
    kinds = np.repeat(kinds, lengths)
    lower = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(kinds.size)
    fits: Flags = level.published.of(lower).include(level.sources.of(kinds))
    return kinds[fits], lower[fits]
