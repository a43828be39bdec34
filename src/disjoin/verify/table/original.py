"""U1, U2: a table compared with its original, row by row, and which original values a published value includes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.model import Hierarchy, Role, Table
from disjoin.model.intervals import in_order, interval_from
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.inspection import Finding
from disjoin.verify.source import misfit, positions
from disjoin.verify.table.classes import shown

MISSING = "?"
ANYTHING = "*"


class Spans(NamedTuple):
    """For every value, the first and the last place that it includes."""

    first: Ints64  # (values,)
    last: Ints64  # (values,)

    def of(self, codes: Ints32 | Ints64) -> Spans:
        return Spans(self.first[codes], self.last[codes])

    def include(self, others: Spans) -> Flags:
        return (self.first <= others.first) & (others.last <= self.last)


def spans_of(name: str, published: Table, original: Table) -> tuple[Spans, Spans]:
    """Return the spans of a column's published values and of the original's.

    A published value includes an original one if it is the same text, an ancestor or an interval around it. The root of
    a hierarchy includes `?`; `*` includes everything, unless it is another node of the hierarchy.
    """
    mine, theirs = _texts(published.values_of(name)), _texts(original.values_of(name))
    tree = published.hierarchies.get(name)
    known = _in_tree(tree) if tree is not None else _on_the_line([*mine, *theirs])
    places = max((last for _, last in known.values()), default=0) + 1
    strangers = sorted({text for text in (*mine, *theirs) if text not in known})
    known |= {text: (places + number, places + number) for number, text in enumerate(strangers)}
    if ANYTHING in strangers:
        known[ANYTHING] = (-1, places + len(strangers))
    return _spans(mine, known), _spans(theirs, known)


def lowest_nodes(tree: Hierarchy) -> dict[str, int]:
    """Return the node of each name: the lowest, because a leaf may be repeated upwards."""
    return {name: node for node, name in reversed(list(enumerate(tree.names.to_pylist())))}


def _in_tree(tree: Hierarchy) -> dict[str, tuple[int, int]]:
    """Number the leaves so that those under one node are adjacent; a missing value comes before them."""
    last = np.zeros(len(tree), dtype=np.int64)  # one after the last leaf under a node
    free = np.zeros(len(tree), dtype=np.int64)  # where the next child of a node begins
    for node in range(len(tree) - 2, -1, -1):  # parents first
        parent = tree.parents[node]
        begin = free[parent]
        free[parent] = begin + tree.leaf_counts[node]
        free[node], last[node] = begin, begin + tree.leaf_counts[node]
    nodes = lowest_nodes(tree)
    spans = {name: (int(last[node] - tree.leaf_counts[node]), int(last[node] - 1)) for name, node in nodes.items()}
    spans.setdefault(MISSING, (-1, -1))
    return spans | {tree.names[tree.root].as_py(): (-1, tree.n_leaves - 1)}


def _on_the_line(texts: list[str]) -> dict[str, tuple[int, int]]:
    read = {text: interval_from(text) for text in texts}
    intervals = {text: ends for text, ends in read.items() if ends is not None}
    numbers = sorted({end for ends in intervals.values() for end in ends}, key=in_order)
    order = {number: place for place, number in enumerate(numbers)}
    return {text: (order[low], order[high]) for text, (low, high) in intervals.items()}


def _spans(texts: list[str], known: dict[str, tuple[int, int]]) -> Spans:
    ends = np.array([known[text] for text in texts], dtype=np.int64).reshape(-1, 2)
    return Spans(ends[:, 0].copy(), ends[:, 1].copy())


def _texts(values: pa.StringArray) -> list[str]:
    return [text or "" for text in values.to_pylist()]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two tables whose common columns can be compared cell by cell."""

    published: Table
    original: Table
    suppressed: int  # suppressed rows of the original
    spans: dict[str, tuple[Spans, Spans]]  # for quasi-identifiers, of the published values and the original's
    numbers: dict[str, Ints64]  # for other columns, the published code of each original value, or an extra code

    @classmethod
    def of(cls, published: Table, original: Table, quasi: tuple[str, ...], suppressed: int = 0) -> Comparison:
        theirs = set(original.schema.names)
        common = [name for name in published.schema.names if name in theirs]
        return cls(
            published,
            original,
            suppressed,
            {name: spans_of(name, published, original) for name in common if name in quasi},
            {name: _numbers(name, published, original) for name in common if name not in quasi},
        )

    def differ(self, name: str, rows: Ints64, sources: Ints64) -> Flags:
        mine, theirs = self.published.codes_of(name)[rows], self.original.codes_of(name)[sources]
        if name in self.spans:
            published, original = self.spans[name]
            return ~published.of(mine).include(original.of(theirs))
        return np.asarray(self.numbers[name][theirs] != mine, dtype=np.bool_)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.spans, *self.numbers)


def check_extent(comparison: Comparison) -> list[Finding]:
    """U1: as many rows, and only columns of the original that do not name people; some may be missing."""
    published, original = comparison.published, comparison.original
    findings = []
    if len(published) + comparison.suppressed != len(original):
        left_out = f" and {comparison.suppressed} suppressed" if comparison.suppressed else ""
        message = f"{len(published)} rows published{left_out}, but {len(original)} given."
        findings.append(Finding("U1", message))
    people, known = set(original.schema.with_role(Role.IDENTIFIER)), set(original.schema.names)
    names = published.schema.names
    findings += [Finding("U1", f"column {name!r} names people and is published.") for name in names if name in people]
    findings += [Finding("U1", f"column {name!r} is not in the original.") for name in names if name not in known]
    return findings


def check_map(comparison: Comparison, parts: Ints64) -> tuple[list[Finding], bool]:
    """U1: the map sends each row to its own published row, or to none (-1). Also return whether it is usable."""
    rows = len(comparison.published)
    if unfit := misfit(parts, "rows", len(comparison.original), "U1", "row", rows):
        return unfit, False
    times = np.bincount(parts[parts >= 0], minlength=rows)
    findings = []
    wrong = np.flatnonzero(times != 1)
    if wrong.size:
        others = f" ({wrong.size - 1} more are not the image of one row)" if wrong.size > 1 else ""
        message = f"{times[wrong[0]]} rows of the original became this one{others}."
        findings.append(Finding("U1", message, int(wrong[0]), part="row"))
    return findings, True


def check_cells(comparison: Comparison, parts: Ints64) -> list[Finding]:
    """U2: every published cell includes the original one. Needs a usable map."""
    sources = np.flatnonzero(parts >= 0)
    rows = parts[sources]
    findings = []
    for name in comparison.columns:
        wrong = np.flatnonzero(comparison.differ(name, rows, sources))
        if not wrong.size:
            continue
        row, source = int(rows[wrong[0]]), int(sources[wrong[0]])
        broken = "does not include the original's" if name in comparison.spans else "is not the original's"
        others = f" ({wrong.size - 1} more rows)" if wrong.size > 1 else ""
        example = (*shown(comparison.published, (name,), row), *shown(comparison.original, (name,), source))
        findings.append(Finding("U2", f"its value of {name} {broken}{others}.", row, example=example, part="row"))
    return findings


def is_in_the_same_order(comparison: Comparison) -> bool:
    if len(comparison.published) != len(comparison.original):
        return False
    rows = np.arange(len(comparison.published))
    return not any(comparison.differ(name, rows, rows).any() for name in comparison.columns)


def _numbers(name: str, published: Table, original: Table) -> Ints64:
    mine = published.values_of(name)
    found = positions(original.values_of(name), mine)
    return np.where(found < 0, len(mine), found)
