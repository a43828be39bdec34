"""Two-level clustering: rows that differ in one attribute first, then all (section D.6).

Classes with equal vectors of level-1 nodes form an outer cluster. Raising attributes to level 1 never joins classes of
different outer clusters, so that what D.6 does cluster by cluster is done here for all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.generalization.ancestor_cost import HierarchyForest, forest_of, scaled_costs
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import (
    forest_leaves,
    gathering_of,
    in_trees,
    insert_rows,
    joined,
    labels_of,
    merge_open,
    runs_of,
)
from disjoin.methods.generalization.requirements import Demands, demands_of, groups_that_hold, secrets_of
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


@dataclass(slots=True)
class _Open:
    """Rows that are in no final class yet, with their vectors, and the final classes so far."""

    rows: Ints64  # (open rows,) in order
    class_of: Ints64  # (open rows,)
    vectors: Ints32  # (open classes, attributes): nodes of the forest
    final_of_row: Ints64  # (all rows,) -1 for an open one
    finals: list[Ints32]  # vectors of final classes, several at a time
    n_finals: int = 0

    def regroup(self, vectors: Ints32, demands: Demands, secrets: Ints64) -> tuple[Classes, Flags]:
        """Return classes by other vectors, and which are as demanded."""
        found = joined(Classes(self.class_of, vectors))
        return found, groups_that_hold(demands, secrets[self.rows], found.class_of_row, len(found.vectors))

    def close(self, found: Classes, is_final: Flags) -> Flags:
        """Make classes final and forget their rows; return which rows stay open."""
        numbers = np.cumsum(is_final) - 1 + self.n_finals
        going = is_final[found.class_of_row]
        self.final_of_row[self.rows[going]] = numbers[found.class_of_row[going]]
        self.finals.append(found.vectors[is_final])
        self.n_finals += int(is_final.sum())
        self.rows = self.rows[~going]
        return ~going

    def become(self, found: Classes, is_final: Flags) -> None:
        """Close classes that are final and go on with the others."""
        staying = self.close(found, is_final)
        place = np.cumsum(~is_final) - 1
        self.class_of, self.vectors = place[found.class_of_row[staying]], found.vectors[~is_final]

    def keep_vectors(self, found: Classes, is_final: Flags) -> None:
        """Close classes that are final; the others stay as they were before."""
        staying = self.close(found, is_final)
        is_left = np.zeros(len(self.vectors), dtype=np.bool_)
        is_left[self.class_of[staying]] = True
        place = np.cumsum(is_left) - 1
        self.class_of, self.vectors = place[self.class_of[staying]], self.vectors[is_left]

    def members(self, found: Classes) -> Ints64:
        """Count the open classes that became part of each class."""
        place = np.empty(len(self.vectors), dtype=np.int64)
        place[self.class_of] = found.class_of_row
        return np.bincount(place, minlength=len(found.vectors))


def two_level(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return classes of rows that met at level 1 or climbed together; what is left joins the nearest."""
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    leaves, secrets = forest_leaves(encoded, forest), secrets_of(encoded, demands)
    n = len(encoded)
    state = _Open(np.arange(n), *runs_of(leaves), np.full(n, -1, dtype=np.int64), [])
    state.become(*state.regroup(state.vectors, demands, secrets))
    for number, (attribute, alone) in enumerate(plan := climbing_plan(encoded, settings.weights)):
        progress("climbing", number, len(plan))
        if not state.rows.size:
            break
        raised = state.vectors.copy()
        raised[:, attribute] = forest.parents[raised[:, attribute]]
        found, good = state.regroup(raised, demands, secrets)
        if alone:
            state.keep_vectors(found, good & (state.members(found) >= 2))
        else:
            state.become(found, good)
    finals = Classes(state.final_of_row, np.concatenate(state.finals))
    return in_trees(placed(finals, leaves, forest, demands, secrets, progress), forest)


def climbing_plan(encoded: Encoded, weights: str) -> list[tuple[int, bool]]:
    """List which attribute climbs one level, and whether it does so alone (phase A) or for good.

    Phase 1 takes every attribute to level 1 alone, then all of them one after the other; phase 2 always takes the
    cheapest next step.
    """
    costs = scaled_costs(encoded, weights)
    attributes = range(len(costs))
    order = sorted(attributes, key=lambda a: (costs[a][1], a))
    plan = [(a, True) for a in order] + [(a, False) for a in order]
    levels = [1] * len(costs)
    while below := [a for a in attributes if levels[a] < costs[a].size - 1]:
        cheapest = min(below, key=lambda a: (costs[a][levels[a] + 1] - costs[a][levels[a]], a))
        levels[cheapest] += 1
        plan.append((cheapest, False))
    return plan


def placed(
    finals: Classes,
    leaves: Ints32,
    forest: HierarchyForest,
    demands: Demands,
    secrets: Ints64,
    progress: Progress = silent,
) -> Classes:
    """Put rows that are in no class, as they were, into the nearest class that stays as demanded (phase 3).

    If one fits nowhere, it and all after it form a class that is merged with its nearest until it is as demanded.
    """
    guests = np.flatnonzero(finals.class_of_row < 0)
    if not guests.size:
        return joined(finals)
    classes = gathering_of(finals.class_of_row, finals.vectors, demands, secrets)
    put = 0
    for put in insert_rows(classes, guests, leaves[guests], forest, demands, secrets):
        progress("placing", put, guests.size)
    if put < guests.size:
        return _merge_rest(joined(labels_of(classes)), guests[put:], leaves, forest, demands, secrets)
    return joined(labels_of(classes))


def _merge_rest(
    finals: Classes, rest: Ints64, leaves: Ints32, forest: HierarchyForest, demands: Demands, secrets: Ints64
) -> Classes:
    """Make the rest one class and merge it with its nearest until it is as demanded."""
    class_of_row = finals.class_of_row.copy()
    class_of_row[rest] = len(finals.vectors)
    vector = common_vector(leaves[rest], forest)
    classes = gathering_of(class_of_row, np.vstack([finals.vectors, vector[None]]), demands, secrets)
    merge_open(classes, forest, demands, secrets, stub=False, progress=silent)
    return joined(labels_of(classes))


def common_vector(leaves: Ints32, forest: HierarchyForest) -> Ints32:
    """Return the closest common generalisation of rows."""
    vector = np.empty(leaves.shape[1], dtype=np.int32)
    for a, column in enumerate(leaves.T):
        nodes = np.unique(column)
        while nodes.size > 1:  # leaves are on one level, and so are their parents
            nodes = np.unique(forest.parents[nodes])
        vector[a] = nodes[0]
    return vector
