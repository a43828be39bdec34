"""Rows under nodes of a tree: which rows have a leaf under a node, and in how many are several nodes together.

Leaves stand in an order in which those of every node are neighbours. `posted[i]` are rows, ordered by the place of the
leaf that they have; so the rows under a node are a span of `posted`, in which a row may be several times.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import by_content
from disjoin.jit.ragged import rank_first_occurrences, sort_rows
from disjoin.methods.apriori.tree import ItemTree
from disjoin.model import Transactions
from disjoin.model.ragged import Ints32, Ints64, Ragged, offsets_of, strings


@kernel
def support_up_to(enough, begins, ends, posted, weights, seen, stamp):
    """Add up the weights of the rows that are in every span; stop as soon as they are `enough`.

    `seen` (rows,) has numbers below `stamp` only, and afterwards below `stamp` plus the number of spans.
    """
    total = 0
    last = begins.size - 1
    for span in range(begins.size):
        for place in range(begins[span], ends[span]):
            row = posted[place]
            has_all_before = seen[row] == stamp + span - 1 if span else seen[row] < stamp
            if has_all_before:
                seen[row] = stamp + span
                if span == last:
                    total += weights[row]
                    if total >= enough:
                        return total
    return total


@inner
def different_rows(begin, end, posted, is_row_taken):
    """Return the rows of a span, each once, and how many they are; `is_row_taken` is false before and after."""
    rows = np.empty(end - begin, np.int64)
    number = 0
    for place in range(begin, end):
        row = posted[place]
        if not is_row_taken[row]:
            is_row_taken[row] = True
            rows[number] = row
            number += 1
    for place in range(number):
        is_row_taken[rows[place]] = False
    return rows, number


@inner
def images_of_rows(rows, number, node, least, offsets, items, image_of, is_node_taken, starts):
    """Return what the items of the rows stand for, each image once per row, without `node` and those below `least`.

    `starts` (number + 1,) is filled with where each row begins; `is_node_taken` (nodes,) is false, before and
    after.
    """
    most = 0
    for place in range(number):
        most += offsets[rows[place] + 1] - offsets[rows[place]]
    images = np.empty(most, np.int32)
    filled = 0
    for row in range(number):
        starts[row] = filled
        for place in range(offsets[rows[row]], offsets[rows[row] + 1]):
            image = image_of[items[place]]
            if image >= least and image != node and not is_node_taken[image]:
                is_node_taken[image] = True
                images[filled] = image
                filled += 1
        for place in range(starts[row], filled):
            is_node_taken[images[place]] = False
    starts[number] = filled
    return images


@dataclass(frozen=True, slots=True, eq=False)
class NodeRows(Ragged):
    """Different rows in canonical order: nodes ascending, and for how many records each row stands."""

    weights: Ints64  # (rows,)
    row_of_record: Ints64  # (records,)

    def published_as(self, image_of: Ints32, tree: ItemTree) -> NodeRows:
        """Return the rows with `image_of[item]` for every item; those that become equal are put together."""
        codes, offsets = image_of[self.items], self.offsets.copy()
        kept = rank_first_occurrences(codes, offsets, np.arange(len(tree), dtype=np.int32))
        codes = codes[:kept]
        sort_rows(codes, offsets)
        content = Transactions(offsets, codes, strings(tree.names))
        order = by_content(content, np.arange(len(self), dtype=np.int32)).astype(np.int64)
        rows, numbers = content.records.take(order).distinct()
        row_of_old = np.empty(len(self), dtype=np.int64)
        row_of_old[order] = numbers
        weights = np.bincount(row_of_old, self.weights, len(rows)).astype(np.int64)
        return NodeRows(rows.offsets, rows.items, weights, row_of_old[self.row_of_record])


def rows_of(data: Transactions, node_of_term: Ints32, tree: ItemTree) -> NodeRows:
    """Return the records as rows of the leaves of their terms."""
    n = len(data)
    each = NodeRows(data.offsets, data.items, np.ones(n, dtype=np.int64), np.arange(n))
    return each.published_as(node_of_term, tree)


class Postings:
    """Which rows have something under a node, and in how many records several nodes are together."""

    def __init__(self, rows: NodeRows, tree: ItemTree) -> None:
        places = tree.places[rows.items]
        owners = rows.owners()
        self.rows, self.tree = rows, tree
        self.posted = owners[np.argsort(places, kind="stable")]
        self.offsets = offsets_of(np.bincount(places, minlength=len(tree)))
        self._seen, self._stamp = np.zeros(len(rows), dtype=np.int64), 1

    def span(self, node: int) -> tuple[int, int]:
        """Return where the rows under a node are in `posted`."""
        return int(self.offsets[self.tree.places[node]]), int(self.offsets[self.tree.ends[node]])

    def are_in(self, k: int, nodes: tuple[int, ...]) -> bool:
        """Tell whether at least k records have something under each of the nodes."""
        spans = sorted((self.span(node) for node in nodes), key=lambda span: span[1] - span[0])
        bounds = np.array(spans, dtype=np.int64)
        begins, ends = bounds[:, 0].copy(), bounds[:, 1].copy()
        found = support_up_to(k, begins, ends, self.posted, self.rows.weights, self._seen, self._stamp)
        self._stamp += len(nodes)
        return bool(found >= k)
