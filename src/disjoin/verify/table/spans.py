"""Original values that a published value includes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.model import Hierarchy, Table
from disjoin.model.intervals import in_order, interval_from
from disjoin.model.ragged import Flags, Ints32, Ints64

MISSING = "?"
ANYTHING = "*"


class Spans(NamedTuple):
    """Of every value, the first and the last place that it includes."""

    first: Ints64  # (values,)
    last: Ints64  # (values,)

    def of(self, codes: Ints32 | Ints64) -> Spans:
        return Spans(self.first[codes], self.last[codes])

    def include(self, others: Spans) -> Flags:
        """Return for each of the others whether it is inside, pair by pair."""
        return (self.first <= others.first) & (others.last <= self.last)


def spans_of(name: str, published: Table, original: Table) -> tuple[Spans, Spans]:
    """Return the spans of a column's published values and of the original's.

    A published value includes an original one if it is the same text, an ancestor or an interval around it. The root
    of a hierarchy includes `?`; `*` includes everything, unless the hierarchy has another use for it.
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
    """Return which node each name means: the lowest, as a leaf may be repeated upwards."""
    return {name: node for node, name in reversed(list(enumerate(tree.names.to_pylist())))}


def _in_tree(tree: Hierarchy) -> dict[str, tuple[int, int]]:
    """Number the leaves so that those under one node are neighbours; a missing value stands before them."""
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
    """Number the ends of all intervals in order."""
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
