"""The most that any k-anonymous recoding of a table in its hierarchies can keep: a bound that prices prove.

python -m benchmarks.most_kept                       Adult, k = 5, six and eight columns, without and with 1 % starred

A *cell* is one node of every column's tree. Rows that are published alike lie under one cell, are at least k, and lose
what the cell costs. Give every row a price. A cell's *excess* is the most that any k rows or more under it have left of
their prices after each has paid the cell's cost, or 0. So all losses are at least all prices less all excesses, for any
classes: a bound for every choice of prices. (It is the Lagrangian dual of facility location in which every open
facility needs k customers: cells are facilities, rows are customers.) Good prices are found by subgradients and rounded
to whole parts of the scale; the bound is then counted in whole numbers.

Starred rows lose nothing here. If no price is above that of a star, all other rows lose at least the bound less the
price of a star for every row that may be starred.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

import time
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.tables import adult
from disjoin.jit.kernel import kernel
from disjoin.methods.generalization.encoding import Encoded, encoded
from disjoin.methods.generalization.local_search import scale_of
from disjoin.methods.generalization.requirements import Roles
from disjoin.model.ragged import Ints64

SIX = ("age", "education", "marital-status", "occupation", "sex", "native-country")
EIGHT = (*SIX, "race", "workclass")
DEAREST = 2.5  # columns: no row is priced above this, so no dearer cell has an excess
STAR_PRICES = (1.6, 2.0, 2.4)  # columns
TURNS = 1500
PATIENCE = 40  # turns without a better bound, before steps become shorter


class Cells(NamedTuple):
    """Cells with k rows or more, each the lowest above its rows, and the different rows under them."""

    counts: Any  # int64 (different rows,): how many rows are alike
    costs: Any  # int64 (cells,): what a row loses, in parts of the scale
    start: Any  # int64 (cells + 1,)
    rows: Any  # int64: those under cell c are rows[start[c]:start[c + 1]]
    k: int


def cells_of(table: Encoded, k: int, dearest: int) -> Cells:
    """Return all cells that cost at most `dearest`, by their levels."""
    different, counts = np.unique(table.leaves, axis=0, return_counts=True)
    scale = scale_of(table)
    nodes, costs = [], []  # by column: of every different row at every level
    for column, tree in enumerate(table.hierarchies):
        nodes.append(tree.paths()[different[:, column]].T.astype(np.int64))
        costs.append(((tree.leaf_counts.astype(np.int64) - 1) * scale // max(1, tree.n_leaves - 1))[nodes[-1]])
    found = [
        _cells_at(
            nodes, sum(cost[level] for cost, level in zip(costs, levels, strict=True)), levels, counts, k, dearest
        )
        for levels in product(*(range(len(of)) for of in nodes))
    ]
    sizes = np.concatenate([sizes for sizes, _, _ in found])
    return Cells(
        counts.astype(np.int64),
        np.concatenate([cost for _, cost, _ in found]),
        np.append(0, np.cumsum(sizes)),
        np.concatenate([rows for _, _, rows in found]),
        k,
    )


def _cells_at(nodes, cost, levels, counts, k, dearest):
    """Return the numbers of different rows, costs and rows of the cells at some levels."""
    rows = np.flatnonzero(cost <= dearest)
    key = np.zeros(rows.size, dtype=np.int64)
    for of, level in zip(nodes, levels, strict=True):
        key = np.unique(key * (int(of.max()) + 1) + of[level][rows], return_inverse=True)[1]
    rows = rows[np.argsort(key, kind="stable")]
    sizes = np.bincount(key)
    starts = np.cumsum(sizes) - sizes
    if not rows.size:
        return sizes, cost[:0], rows
    is_kept = np.add.reduceat(counts[rows], starts) >= k
    for of, level in zip(nodes, levels, strict=True):
        if level:  # all rows under one child: that cell costs no more
            children = of[level - 1][rows]
            is_kept &= np.minimum.reduceat(children, starts) < np.maximum.reduceat(children, starts)
    return sizes[is_kept], cost[rows[starts[is_kept]]], rows[np.repeat(is_kept, sizes)]


def cheapest_cells(cells: Cells, dearest: int) -> Ints64:
    """Return what the cheapest cell above every different row costs; no row can lose less."""
    found = np.full(cells.counts.size, dearest, dtype=np.int64)
    np.minimum.at(found, cells.rows, np.repeat(cells.costs, np.diff(cells.start)))
    return found


@kernel
def bound(cells, prices):
    """Return the bound that prices prove, and for every different row how many are not taken, or taken too often."""
    free = cells.counts.copy()
    total = (cells.counts * prices).sum()
    best, who = np.zeros(cells.k, np.int64), np.zeros(cells.k, np.int64)
    for cell in range(cells.costs.size):
        cost, first, last = cells.costs[cell], cells.start[cell], cells.start[cell + 1]
        excess, taken = 0, 0
        for place in range(first, last):
            row = cells.rows[place]
            if prices[row] > cost:
                excess += (prices[row] - cost) * cells.counts[row]
                taken += cells.counts[row]
        if taken == 0:
            continue
        missing, size = max(0, cells.k - taken), 0
        for place in range(first, last if missing else first):  # those that fall short least fill up to k
            row = cells.rows[place]
            for _ in range(min(missing, cells.counts[row]) if prices[row] <= cost else 0):
                at = size if size < missing else missing - 1
                if at < size and prices[row] - cost <= best[at]:
                    break
                size = max(size, at + 1)
                while at > 0 and best[at - 1] < prices[row] - cost:
                    best[at], who[at] = best[at - 1], who[at - 1]
                    at -= 1
                best[at], who[at] = prices[row] - cost, row
        excess += best[:missing].sum()
        if excess > 0:
            total -= excess
            for place in range(first, last):
                if prices[cells.rows[place]] > cost:
                    free[cells.rows[place]] -= cells.counts[cells.rows[place]]
            for at in range(missing):
                free[who[at]] -= 1
    return total, free


def better_prices(cells: Cells, prices: Ints64, dearest: int, goal: float, turns: int) -> tuple[int, Ints64]:
    """Raise prices of rows that no cell takes, lower those of rows taken twice; return the best bound and its prices.

    `goal` only sets the length of steps: a sum of losses that some classes have.
    """
    best, best_prices = int(bound(cells, prices)[0]), prices
    now, trend = prices.astype(np.float64), np.zeros(prices.size)
    weights, pace, waited = np.sqrt(cells.counts), 1.0, 0
    for _ in range(turns):
        rounded = np.rint(now).astype(np.int64)
        total, free = bound(cells, rounded)
        waited = 0 if total > best * (1 + 1e-6) else waited + 1
        if total > best:
            best, best_prices = int(total), rounded
        if waited > PATIENCE:
            pace, waited, now, trend = 0.8 * pace, 0, best_prices.astype(np.float64), np.zeros(prices.size)
            continue
        is_stuck = ((now >= dearest) & (free > 0)) | ((now <= 0) & (free < 0))
        trend = 0.6 * trend + 0.4 * np.where(is_stuck, 0, free) / weights
        step = pace * max(goal - total, goal / 1000) / max(float(trend @ trend), 1e-9)
        now = np.clip(now + step * trend / weights, 0, dearest)
    return best, best_prices


def main() -> None:
    """Print the bounds of Adult."""
    table = adult()
    for names, reached in ((SIX, 0.97), (EIGHT, 0.952)):  # by local search; it sets the length of steps only
        begun = time.process_time()
        rows = encoded(table, Roles(quasi=names, sensitive=(), identifiers=(), others=()))
        scale, whole = scale_of(rows), scale_of(rows) * len(names)
        dearest, stars = round(DEAREST * scale), len(rows) // 100
        cells = cells_of(rows, 5, dearest)
        prices = cheapest_cells(cells, dearest)
        alone = 1 - int(cells.counts @ prices) / len(rows) / whole
        least, prices = better_prices(cells, prices, dearest, (1 - reached) * len(rows) * whole, TURNS)
        print(f"{len(names)} columns, k = 5: {cells.costs.size:,} cells over {cells.counts.size:,} different rows")
        print(f"  at most {alone:.5f} kept, each row in its cheapest cell")
        print(f"  at most {1 - least / len(rows) / whole:.5f} kept, by prices")
        for price in (round(each * scale) for each in STAR_PRICES):
            goal = least - stars * price / 2
            others, _ = better_prices(cells, np.minimum(prices, price), price, goal, TURNS // 3)
            kept = 1 - (others - stars * price) / (len(rows) - stars) / whole
            print(f"  at most {kept:.5f} kept by the others if {stars} are starred, a star at {price / scale:.1f}")
        print(f"  {time.process_time() - begun:.0f} processor seconds")


if __name__ == "__main__":
    main()
