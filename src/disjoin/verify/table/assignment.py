"""U3: original rows can be matched with published rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.model.ragged import Ints32, Ints64
from disjoin.verify.inspection import Finding
from disjoin.verify.table.classes import combined, distinct, shown
from disjoin.verify.table.kinds import Kinds, columns_to_compare, fitting_pairs
from disjoin.verify.table.original import Comparison, is_in_the_same_order
from disjoin.verify.table.spans import Spans

STRETCHES = 4_000  # most different spans of a column that are counted one inside the other


class Outcome(NamedTuple):
    """What was found, whether U3 is decided, and how."""

    findings: list[Finding]
    is_decided: bool
    how: str

    @property
    def facts(self) -> dict[str, Any]:
        """The outcome for the verdict."""
        return {"decided": self.is_decided, "how": self.how}


def check_assignment(comparison: Comparison) -> Outcome:
    """U3: there is a one-to-one way from published rows to rows of the original that keeps U2."""
    if is_in_the_same_order(comparison):
        return Outcome([], True, "the rows are in the same order")
    mine, theirs = bundles(comparison)
    for finding in (_unequal_bundles(comparison, mine, theirs), *map(_crowded(comparison), comparison.spans)):
        if finding is not None:
            return Outcome([finding], True, "values do not occur as often as they should")
    by = columns_to_compare(comparison)
    ours = Kinds.of(comparison.published, by, mine)
    sources = Kinds.of(comparison.original, by, theirs)
    edges = fitting_pairs(comparison, ours, sources)
    if isinstance(edges, str):
        return Outcome([], False, edges)
    found = _missing(comparison, ours, edges[0]) or _flow_falls_short(comparison, ours, sources, edges)
    return Outcome([found] if found else [], True, f"a flow over {edges[0].size:,} pairs of rows")


def bundles(comparison: Comparison) -> tuple[Ints64, Ints64]:
    """Number the combinations of values in unchanged columns, of published rows and of the original's alike."""
    here = len(comparison.published)
    columns: list[tuple[Ints32 | Ints64, int]] = []
    for name, numbers in comparison.numbers.items():
        mine, theirs = comparison.published.codes_of(name), numbers[comparison.original.codes_of(name)]
        both: Ints64 = np.concatenate((mine, theirs), dtype=np.int64)
        columns.append((both, len(comparison.published.values_of(name)) + 1))
    numbered, _ = distinct(combined(columns, here + len(comparison.original)))
    return numbered[:here], numbered[here:]


def _unequal_bundles(comparison: Comparison, mine: Ints64, theirs: Ints64) -> Finding | None:
    """Return what is wrong if the unchanged columns do not have the same values equally often."""
    length = 1 + max(int(mine.max()), int(theirs.max()))
    published, given = np.bincount(mine, minlength=length), np.bincount(theirs, minlength=length)
    wrong = np.flatnonzero(published > given if comparison.suppressed else published != given)
    if not wrong.size:
        return None
    at = int(wrong[0])
    others = f" ({wrong.size - 1} more combinations differ)" if wrong.size > 1 else ""
    times = f"{published[at]}x, and the original has it {given[at]}x{others}"
    message = f"a combination of values in columns that do not change is published {times}."
    table, rows = (comparison.published, mine) if published[at] else (comparison.original, theirs)
    return Finding("U3", message, example=shown(table, comparison.numbers, int(np.flatnonzero(rows == at)[0])))


def _crowded(comparison: Comparison) -> Any:
    """Return a function that finds, for a column, a published value with more rows in it than the original has."""

    def search(name: str) -> Finding | None:
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

    return search


def _missing(comparison: Comparison, ours: Kinds, mine: Ints32) -> Finding | None:
    """Return a published row that includes no row of the original at all."""
    alone = np.flatnonzero(np.bincount(mine, minlength=ours.rows.size) == 0)
    if not alone.size:
        return None
    row = int(ours.rows[alone[0]])
    message = "no row of the original can have become this one."
    return Finding("U3", message, row, example=shown(comparison.published, comparison.columns, row), part="row")


def _flow_falls_short(
    comparison: Comparison, ours: Kinds, sources: Kinds, edges: tuple[Ints32, Ints32]
) -> Finding | None:
    """Send rows of the original along the edges; whatever cannot arrive has no place."""
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
